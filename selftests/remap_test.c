// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pages under the counters are discarded, replaced, moved or protected, but
 * the memory stays the program's: counting goes on, in the pages that the program
 * sees, and no tick is lost. And what memory counters may lie in.
 *
 * All ticks go to one counter, so that it and the figure "counted" are the same
 * number where nothing is discarded, and go up by the same amount where it is.
 */
#include <alloca.h>
#include <linux/magic.h>
#include <linux/mempolicy.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "child.h"
#include "common.h"
#include "memory.h"
#include "kselftest_harness.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif
#ifndef MADV_SOFT_OFFLINE
#define MADV_SOFT_OFFLINE	101
#endif
#ifndef SYS_memfd_secret
#define SYS_memfd_secret	447
#endif

#define HUGE	((size_t)2 << 20)

static const uint32_t both_flags[] = { 0, PROFIL_PIN_ON_HIT };

struct remap {
	int fd;
	int file;
	uint64_t *counter;	/* at the start of a page */
	uint64_t base;		/* what it had at the start */
	struct profil_region region;
	struct profil_start start;
	long long pins;
	int uffd;
};

static void set_up(struct remap *r)
{
	r->pins = pins_of_all();
	r->file = -1;
	r->uffd = -1;
	count_all(&r->start, &r->region, NULL, 64, get_info(r->fd).tick_hz);
}

static int begin(struct remap *r, void *counter, uint32_t flags)
{
	r->counter = counter;
	r->region.buf = (uintptr_t)counter;
	r->start.flags = flags;
	return call(r->fd, PROFIL_IOC_START, &r->start);
}

static uint64_t counter(const struct remap *r)
{
	return __atomic_load_n(r->counter, __ATOMIC_RELAXED);
}

static double ticks(const struct remap *r, double nr)
{
	return nr / r->start.rate;
}

/* A mapping of a file in memory, which is kept open. */
static void *map_memfd(struct remap *r, int flags, size_t bytes)
{
	r->file = memfd_create("counters", MFD_CLOEXEC);
	if (r->file < 0 || ftruncate(r->file, (off_t)bytes))
		return MAP_FAILED;
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, r->file, 0);
}

/* The running profile counts what it says where the program sees it. */
static void see_it_count(struct __test_metadata *_metadata, struct remap *r)
{
	struct profil_status before, after;
	int64_t seen, told = 0;
	int i;

	before = get_status(r->fd);
	seen = -(int64_t)counter(r);
	/* on a busy host, ticks may come later than what they are for */
	for (i = 0; i < 10 && told < 20; i++) {
		burn(ticks(r, 20));
		after = get_status(r->fd);
		told = (int64_t)(after.counted - before.counted);
	}
	seen += (int64_t)counter(r);
	EXPECT_EQ(PROFIL_STATE_RUNNING, after.state);
	EXPECT_EQ(0, after.error);
	EXPECT_EQ(0, after.lost);
	/* a tick or so may come between the two looks */
	EXPECT_GE(2, after.waiting);
	EXPECT_LE(20, told);
	EXPECT_TRUE(seen >= told - 2 && seen <= told + 2) {
		TH_LOG("%lld seen of %lld", (long long)seen, (long long)told);
	}
}

/* End it: every tick is accounted for, and seen, if nothing was discarded. */
static struct profil_status see_it_end(struct __test_metadata *_metadata,
				       struct remap *r, bool discarded)
{
	struct profil_status status = stop(r->fd);

	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(0, status.lost);
	EXPECT_EQ(0, status.waiting);
	EXPECT_EQ(0, status.out_of_range);
	EXPECT_EQ(status.ticks, status.counted);
	if (discarded) {
		EXPECT_GE(r->base + status.counted, counter(r));
	} else {
		EXPECT_EQ(r->base + status.counted, counter(r));
	}
	return status;
}

#define TEARDOWN(fixture)						\
	FIXTURE_TEARDOWN(fixture)					\
	{								\
		stop(self->r.fd);					\
		EXPECT_EQ(0, pinned_kib());				\
		EXPECT_TRUE(pins_went_back_to(self->r.pins));		\
		close(self->r.fd);					\
	}

/* Changes that one system call makes to one page. */
enum source { ANON, MEMFD };
enum effect { KEEPS, DISCARDS, MAY_DISCARD };

FIXTURE(change) {
	struct remap r;
};

FIXTURE_VARIANT(change) {
	enum source source;
	enum effect effect;
	int (*make)(struct remap *r);	/* ENOSYS: not to be had here */
	int times;			/* in a storm */
};

FIXTURE_SETUP(change)
{
	REQUIRE_DEVICE(self->r.fd);
	set_up(&self->r);
}

TEARDOWN(change)

static int advise(struct remap *r, int advice)
{
	return madvise(r->counter, PAGE, advice) ? errno : 0;
}

static int dont_need(struct remap *r)
{
	return advise(r, MADV_DONTNEED);
}

/* Freed, and at once looked for by reclaim. */
static int free_lazily(struct remap *r)
{
	int error = advise(r, MADV_FREE);

	return error ? error : advise(r, MADV_PAGEOUT);
}

static int page_out(struct remap *r)
{
	return advise(r, MADV_PAGEOUT);
}

static int make_cold(struct remap *r)
{
	return advise(r, MADV_COLD);
}

static int make_hole(struct remap *r)
{
	return advise(r, MADV_REMOVE);
}

static int punch_hole(struct remap *r)
{
	return fallocate(r->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			 (off_t)PAGE) ? errno : 0;
}

static int clear_soft_dirty(struct remap *r)
{
	(void)r;
	return write_text("/proc/self/clear_refs", "4");
}

static int clear_referenced(struct remap *r)
{
	(void)r;
	return write_text("/proc/self/clear_refs", "1");
}

static int lock_and_unlock(struct remap *r)
{
	return mlock(r->counter, PAGE) || munlock(r->counter, PAGE) ? errno : 0;
}

static int fork_once(struct remap *r)
{
	pid_t pid = fork();

	if (!pid) {
		*r->counter = 1ULL << 40;
		_exit(0);
	}
	return wait_for(pid) ? EIO : 0;
}

static int compact(struct remap *r)
{
	int error = write_text("/proc/sys/vm/compact_memory", "1");

	(void)r;
	return error == ENOENT || error == EACCES ? ENOSYS : error;
}

/* The same access, in the kernel's eyes a change of protection. */
static int make_executable(struct remap *r)
{
	return mprotect(r->counter, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) ||
	       mprotect(r->counter, PAGE, PROT_READ | PROT_WRITE) ? errno : 0;
}

#define CHANGE(source_, make_, effect_, times_)				\
	FIXTURE_VARIANT_ADD(change, source_ ## _ ## make_) {		\
		.source = (source_), .effect = (effect_),		\
		.make = (make_), .times = (times_),			\
	}

CHANGE(ANON, dont_need, DISCARDS, 1000);
CHANGE(ANON, free_lazily, MAY_DISCARD, 1000);
CHANGE(ANON, page_out, KEEPS, 1000);
CHANGE(ANON, make_cold, KEEPS, 1000);
CHANGE(ANON, clear_soft_dirty, KEEPS, 300);
CHANGE(ANON, clear_referenced, KEEPS, 300);
CHANGE(ANON, lock_and_unlock, KEEPS, 1000);
CHANGE(ANON, fork_once, KEEPS, 100);
CHANGE(ANON, compact, KEEPS, 20);
CHANGE(ANON, make_executable, KEEPS, 1000);
CHANGE(MEMFD, dont_need, KEEPS, 1000);
CHANGE(MEMFD, make_hole, DISCARDS, 1000);
CHANGE(MEMFD, punch_hole, DISCARDS, 1000);
CHANGE(MEMFD, page_out, KEEPS, 1000);
CHANGE(MEMFD, clear_soft_dirty, KEEPS, 300);

static void *map_for(struct remap *r, enum source source)
{
	return source == MEMFD ? map_memfd(r, MAP_SHARED, PAGE) :
				 map_memory(PAGE);
}

/*
 * One after the other. What is read before each discard, and what is there at the
 * end, is all that was counted, but for a tick now and then that came between the
 * two; and the page that was discarded is left alone.
 */
TEST_F_TIMEOUT(change, accounted_for, 60)
{
	struct remap *r = &self->r;
	bool discards = variant->effect == DISCARDS;
	int k, error, began_anew, early[2], late[2];
	struct profil_status status;
	uint64_t sum, seen;
	char *old, *older;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
		ASSERT_EQ(0, begin(r, map_for(r, variant->source),
				   both_flags[i]));
		sum = 0;
		began_anew = 0;
		for (k = 0; k < 25; k++) {
			EXPECT_TRUE(counts_on(r->fd, 1));
			if (discards)
				ASSERT_EQ(0, hold(r->counter, 1, early) ||
					     hold(r->counter, 1, late));
			seen = counter(r);
			error = variant->make(r);
			if (error == ENOSYS)
				SKIP(return, "not to be had here");
			ASSERT_EQ(0, error);
			older = discards ? look_at_held(early, 1) : NULL;
			EXPECT_EQ(PROFIL_STATE_RUNNING,
				  get_status(r->fd).state);
			began_anew += counter(r) < seen;
			sum += seen;
			EXPECT_TRUE(counts_on(r->fd, 1));
			if (discards) {
				old = look_at_held(late, 1);
				EXPECT_EQ(0, memcmp(older, old, PAGE));
				free(older);
				free(old);
			}
		}
		see_it_count(_metadata, r);
		status = see_it_end(_metadata, r, variant->effect != KEEPS);
		if (discards) {
			sum += counter(r);
			EXPECT_GE(status.counted, sum);
			/* late ticks come in lumps */
			EXPECT_LE(status.counted, sum + 5 + sum / 10);
			EXPECT_LT(20, began_anew);
		}
	}
}

/*
 * In a tight loop, while another thread is counted. A thread that runs in bursts
 * shorter than a tick, since it waits for the other's page faults, is seen by
 * more or fewer ticks than it ran for: then only the other one is sure.
 */
struct burner {
	pthread_t thread;
	bool end;
	double used;
};

static void *burn_until_end(void *data)
{
	struct burner *burner = data;

	while (!__atomic_load_n(&burner->end, __ATOMIC_RELAXED))
		burn(0.01);
	burner->used = thread_seconds();
	return NULL;
}

static void storm(struct __test_metadata *_metadata, struct remap *r,
		  int (*make)(struct remap *r), int times, bool discards,
		  bool in_bursts)
{
	struct burner burner = { .end = false };
	double used, sure, seconds;
	uint64_t before;
	int k, error = 0;

	before = get_status(r->fd).ticks;
	used = process_seconds();
	ASSERT_EQ(0, pthread_create(&burner.thread, NULL, burn_until_end,
				    &burner));
	for (k = 0; !error && (k < times || process_seconds() < used + 1); k++)
		error = make(r);
	__atomic_store_n(&burner.end, true, __ATOMIC_RELAXED);
	pthread_join(burner.thread, NULL);
	EXPECT_EQ(0, error);
	sure = thread_seconds();
	see_it_count(_metadata, r);
	sure = burner.used + thread_seconds() - sure;
	used = process_seconds() - used;
	seconds = ticks(r, (double)(see_it_end(_metadata, r, discards).ticks -
				    before));
	ksft_print_msg("%d times: %.3f s of ticks in %.3f s\n", k, seconds,
		       used);
	EXPECT_LT(0.9 * (in_bursts ? sure : used), seconds);
	EXPECT_LT(seconds, (in_bursts ? 1.2 : 1.1) * used);
}

TEST_F_TIMEOUT(change, storm, 120)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
		ASSERT_EQ(0, begin(&self->r, map_for(&self->r, variant->source),
				   both_flags[i]));
		if (variant->make(&self->r) == ENOSYS)
			SKIP(return, "not to be had here");
		storm(_metadata, &self->r, variant->make, variant->times,
		      variant->effect != KEEPS,
		      variant->make == clear_soft_dirty ||
		      variant->make == clear_referenced);
	}
}

/* What takes more than a call. */
FIXTURE(replaced) {
	struct remap r;
};

FIXTURE_SETUP(replaced)
{
	REQUIRE_DEVICE(self->r.fd);
	set_up(&self->r);
}

TEARDOWN(replaced)

#define KSM	"/sys/kernel/mm/ksm/"

/*
 * Two pages of the same content become one: that of the counter, and another. A
 * process that sleeps is not counted, so that they stay the same for long enough.
 */
static bool merged(struct remap *r, uint64_t *twin)
{
	int i;

	for (i = 0; i < 60; i++) {
		memcpy(twin, r->counter, PAGE);
		usleep(100000);
		if (page_behind(twin) == page_behind(r->counter))
			return true;
	}
	return false;
}

TEST_F_TIMEOUT(replaced, by_a_merged_page, 120)
{
	struct remap *r = &self->r;
	uint64_t *twin = map_memory(PAGE), *page, before;
	char run[8];
	size_t i, k;

	snprintf(run, sizeof(run), "%lld", number_in(KSM "run", ""));
	if (write_text(KSM "run", "1"))
		SKIP(return, "no " KSM);
	write_text(KSM "sleep_millisecs", "5");
	for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
		page = map_memory(PAGE);
		/* it is none of the zero pages, and nothing like any other */
		for (k = 1; k < PAGE / sizeof(*page); k++)
			page[k] = (uint64_t)getpid() << 32 | (i << 16) | k;
		memcpy(twin, page, PAGE);
		ASSERT_EQ(0, madvise(page, PAGE, MADV_MERGEABLE));
		ASSERT_EQ(0, madvise(twin, PAGE, MADV_MERGEABLE));
		ASSERT_EQ(0, begin(r, page, both_flags[i]));
		burn(ticks(r, 3));
		ksft_print_msg("flags %u: %s\n", both_flags[i],
			       merged(r, twin) ? "merged" : "never merged");
		before = twin[0];
		see_it_count(_metadata, r);
		/* this is the program's own again */
		EXPECT_EQ(before, twin[0]);
		write_text(KSM "run", "2");
		see_it_count(_metadata, r);
		EXPECT_EQ(before, twin[0]);
		see_it_end(_metadata, r, false);
		EXPECT_EQ(0, memcmp(page + 1, twin + 1, PAGE - sizeof(*page)));
		write_text(KSM "run", "1");
	}
	write_text(KSM "run", run);
}

#define THP	"/sys/kernel/mm/transparent_hugepage/"

static char *map_huge_aligned(size_t bytes)
{
	char *at = map_memory(bytes + HUGE);

	return at + (HUGE - (uintptr_t)at % HUGE) % HUGE;
}

static int collapse(char *at)
{
	return madvise(at, HUGE, MADV_COLLAPSE) ? errno : 0;
}

static void split(char *at)
{
	char range[64];

	/* where the kernel lets one ask for it */
	snprintf(range, sizeof(range), "%d,0x%lx,0x%lx", getpid(),
		 (unsigned long)at, (unsigned long)at + HUGE);
	write_text("/sys/kernel/debug/split_huge_pages", range);
	/* and where a part of it goes */
	madvise(at + HUGE / 2, HUGE / 4, MADV_DONTNEED);
	munmap(at + HUGE - PAGE, PAGE);
}

/*
 * Small pages become a huge one, and that becomes small ones again. The kernel
 * leaves a page alone that is pinned: what is collapsed was not hit before.
 */
TEST_F_TIMEOUT(replaced, by_a_huge_page, 60)
{
	struct remap *r = &self->r;
	int error, try;
	size_t i;
	char *at;

	if (access(THP "enabled", R_OK))
		SKIP(return, "no " THP);
	for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
		for (try = 0, error = 1; error && try < 10; try++) {
			at = map_huge_aligned(HUGE);
			madvise(at, HUGE, MADV_NOHUGEPAGE);
			memset(at, 0, HUGE);
			madvise(at, HUGE, MADV_HUGEPAGE);
			ASSERT_EQ(0, begin(r, at + 3 * PAGE, both_flags[i]));
			error = collapse(at);
		}
		ksft_print_msg("flags %u: collapse: %s\n", both_flags[i],
			       error ? strerror(error) : "done");
		see_it_count(_metadata, r);
		split(at);
		see_it_count(_metadata, r);
		see_it_end(_metadata, r, false);
	}
}

TEST_F_TIMEOUT(replaced, by_parts_of_a_huge_page, 60)
{
	struct remap *r = &self->r;
	size_t i;
	char *at;

	if (access(THP "enabled", R_OK))
		SKIP(return, "no " THP);
	for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
		at = map_huge_aligned(HUGE);
		madvise(at, HUGE, MADV_HUGEPAGE);
		memset(at, 0, HUGE);
		ASSERT_EQ(0, begin(r, at + 5 * PAGE, both_flags[i]));
		see_it_count(_metadata, r);
		split(at);
		see_it_count(_metadata, r);
		see_it_end(_metadata, r, false);
	}
}

/* A handler of page faults protects the page from being written. */
static int protect_by_handler(struct remap *r)
{
	struct uffdio_writeprotect protect = {
		.range = { (uintptr_t)r->counter, PAGE },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};

	if (ioctl(r->uffd, UFFDIO_WRITEPROTECT, &protect))
		return errno;
	burn(ticks(r, 0.01));
	protect.mode = 0;
	return ioctl(r->uffd, UFFDIO_WRITEPROTECT, &protect) ? errno : 0;
}

TEST_F_TIMEOUT(replaced, in_no_way_by_write_protection, 60)
{
	struct remap *r = &self->r;
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP,
	};
	struct uffdio_register area = {
		.range.len = PAGE,
		.mode = UFFDIO_REGISTER_MODE_WP,
	};
	struct uffdio_writeprotect protect = { .range.len = PAGE };
	size_t i;

	r->uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (r->uffd < 0 || ioctl(r->uffd, UFFDIO_API, &api))
		SKIP(return, "no userfaultfd with write protection");
	for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
		ASSERT_EQ(0, begin(r, map_memory(PAGE), both_flags[i]));
		see_it_count(_metadata, r);
		area.range.start = (uintptr_t)r->counter;
		ASSERT_EQ(0, ioctl(r->uffd, UFFDIO_REGISTER, &area));
		see_it_count(_metadata, r);
		protect.range.start = area.range.start;
		protect.mode = UFFDIO_WRITEPROTECT_MODE_WP;
		ASSERT_EQ(0, ioctl(r->uffd, UFFDIO_WRITEPROTECT, &protect));
		see_it_count(_metadata, r);
		protect.mode = 0;
		ASSERT_EQ(0, ioctl(r->uffd, UFFDIO_WRITEPROTECT, &protect));
		see_it_count(_metadata, r);
		storm(_metadata, r, protect_by_handler, 500, false, false);
		ASSERT_EQ(0, ioctl(r->uffd, UFFDIO_UNREGISTER, &area.range));
	}
	close(r->uffd);
}

/* From one node's memory to another's. */
static int move_to(struct remap *r, int node)
{
	void *page = r->counter;
	int where = -1;

	if (syscall(SYS_move_pages, 0, 1UL, &page, &node, &where, MPOL_MF_MOVE))
		return errno;
	return where == node ? 0 : -where;
}

static int bind_to(struct remap *r, int node)
{
	unsigned long nodes = 1UL << node;

	return syscall(SYS_mbind, r->counter, PAGE, MPOL_BIND, &nodes, 8UL,
		       MPOL_MF_MOVE) ? errno : 0;
}

static int move_about(struct remap *r)
{
	move_to(r, 0);
	move_to(r, 1);
	bind_to(r, 0);
	bind_to(r, 1);
	return 0;
}

TEST_F_TIMEOUT(replaced, by_migration, 60)
{
	struct remap *r = &self->r;
	int k, moved;
	size_t i;

	if (access("/sys/devices/system/node/node1", R_OK))
		SKIP(return, "one node only: boot with numa=fake=2");
	for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
		ASSERT_EQ(0, begin(r, map_memory(PAGE), both_flags[i]));
		burn(ticks(r, 3));
		for (moved = 0, k = 0; k < 20; k++) {
			moved += !move_to(r, k & 1);
			burn(ticks(r, 2));
		}
		ksft_print_msg("flags %u: moved %d times of 20\n",
			       both_flags[i], moved);
		see_it_count(_metadata, r);
		storm(_metadata, r, move_about, 50, false, false);
	}
}

/* The kernel takes all access away for a while, to see who wants it. */
#define SCAN	"/sys/kernel/debug/sched/numa_balancing/"

TEST_F_TIMEOUT(replaced, by_numa_balancing, 60)
{
	struct remap *r = &self->r;
	long long updates;
	char was[8];
	size_t i;

	if (access("/sys/devices/system/node/node1", R_OK))
		SKIP(return, "one node only: boot with numa=fake=2");
	snprintf(was, sizeof(was), "%lld",
		 number_in("/proc/sys/kernel/numa_balancing", ""));
	if (write_text("/proc/sys/kernel/numa_balancing", "1"))
		SKIP(return, "no NUMA balancing");
	write_text(SCAN "scan_delay_ms", "10");
	write_text(SCAN "scan_period_min_ms", "20");
	write_text(SCAN "scan_period_max_ms", "40");
	updates = number_in("/proc/vmstat", "numa_pte_updates ");
	for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
		ASSERT_EQ(0, begin(r, map_memory(PAGE), both_flags[i]));
		burn(2);
		see_it_count(_metadata, r);
		see_it_end(_metadata, r, false);
	}
	ksft_print_msg("%lld pages were looked at\n",
		       number_in("/proc/vmstat", "numa_pte_updates ") -
		       updates);
	write_text("/proc/sys/kernel/numa_balancing", was);
}

/*
 * Memory gets short, and there is where to put it. Swap is taken away while the
 * page is out there, too.
 */
static bool add_swap(void)
{
	return !system("grep -q ^/ /proc/swaps || { "
		       "{ modprobe zram && cd /sys/block/zram0 && "
		       "echo 64M >disksize && mkswap /dev/zram0 && "
		       "swapon /dev/zram0; } >/dev/null 2>&1; }");
}

static void remove_swap(void)
{
	if (system("if grep -q ^/dev/zram0 /proc/swaps; then "
		   "swapoff /dev/zram0; echo 1 >/sys/block/zram0/reset; fi"))
		ksft_print_msg("the swap on zram0 stays\n");
}

static int swap_out(void *page)
{
	/* from where the processors keep pages back at first */
	write_text("/proc/sys/vm/compact_memory", "1");
	madvise(page, PAGE, MADV_PAGEOUT);
	return !page_behind(page);
}

TEST_F_TIMEOUT(replaced, by_a_page_from_swap, 60)
{
	struct remap *r = &self->r;
	struct profil_status status;
	uint64_t *page = map_memory(PAGE);
	int k, out = 0;

	if (!add_swap())
		SKIP(return, "no swap");
	*page = 0;
	for (k = 0; k < 40; k++) {
		/* it is out at the call, or before the first sample */
		out += swap_out(page);
		ASSERT_EQ(0, begin(r, page, k & 1 ? PROFIL_PIN_ON_HIT : 0));
		out += swap_out(page);
		if (k == 39)
			remove_swap();
		burn(ticks(r, 3));
		status = see_it_end(_metadata, r, false);
		r->base += status.counted;
	}
	EXPECT_LT(60, r->base);
	EXPECT_LT(20, out);
	ksft_print_msg("%d times the page was out\n", out);
}

/* The page is about to fail. It costs the machine a page until it boots again. */
TEST_F(replaced, by_a_sound_page)
{
	struct remap *r = &self->r;
	size_t i;
	int k, error;

	if (system("grep -qw hypervisor /proc/cpuinfo"))
		SKIP(return, "costs a page: in virtual machines only");
	for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
		ASSERT_EQ(0, begin(r, map_memory(PAGE), both_flags[i]));
		burn(ticks(r, 3));
		/* the first time it may be busy, as it is pinned */
		for (k = 0, error = EBUSY; error == EBUSY && k < 20; k++)
			error = advise(r, MADV_SOFT_OFFLINE);
		if (error == EINVAL || error == EPERM)
			SKIP(return, "no MADV_SOFT_OFFLINE");
		ksft_print_msg("flags %u: soft offline: %s\n", both_flags[i],
			       error ? strerror(error) : "done");
		see_it_count(_metadata, r);
		see_it_end(_metadata, r, false);
	}
}

/* Each kind of memory, as the program would have it. */
FIXTURE(kind) {
	struct remap r;
};

FIXTURE_VARIANT(kind) {
	char *(*map)(struct remap *r);	/* two pages; NULL: on the stack */
	bool shared;
};

FIXTURE_SETUP(kind)
{
	REQUIRE_DEVICE(self->r.fd);
	set_up(&self->r);
}

TEARDOWN(kind)

static char *or_none(void *at)
{
	return at == MAP_FAILED ? NULL : at;
}

static char *anonymous(struct remap *r)
{
	(void)r;
	return or_none(map_memory(2 * PAGE));
}

static char *shared_anonymous(struct remap *r)
{
	(void)r;
	return or_none(mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0));
}

static char *memfd_shared(struct remap *r)
{
	return or_none(map_memfd(r, MAP_SHARED, 2 * PAGE));
}

static char *memfd_private(struct remap *r)
{
	return or_none(map_memfd(r, MAP_PRIVATE, 2 * PAGE));
}

static char *page_start(char *at)
{
	return at + (PAGE - (uintptr_t)at % PAGE) % PAGE;
}

static char *in_data(struct remap *r)
{
	static char data[3 << 16] = { 1 };

	(void)r;
	data[0] = 0;
	return page_start(data);
}

static char *in_bss(struct remap *r)
{
	static char bss[3 << 16];

	(void)r;
	return page_start(bss);
}

static char *system_v(struct remap *r)
{
	int id = shmget(IPC_PRIVATE, 2 * PAGE, IPC_CREAT | 0600);
	void *at = shmat(id, NULL, 0);

	(void)r;
	shmctl(id, IPC_RMID, NULL);
	return or_none(at);
}

static char *map_file(struct remap *r, const char *directory, int flags)
{
	char path[64];
	void *at = MAP_FAILED;

	snprintf(path, sizeof(path), "%s/profil-remap-XXXXXX", directory);
	r->file = mkstemp(path);
	if (r->file < 0)
		return NULL;
	if (!ftruncate(r->file, 2 * (off_t)PAGE))
		at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, flags,
			  r->file, 0);
	unlink(path);
	return or_none(at);
}

static char *tmpfs_private(struct remap *r)
{
	return map_file(r, "/dev/shm", MAP_PRIVATE);
}

static char *tmpfs_shared(struct remap *r)
{
	return map_file(r, "/dev/shm", MAP_SHARED);
}

static char *disk_private(struct remap *r)
{
	return map_file(r, ".", MAP_PRIVATE);
}

#define HUGE_PAGES	"/proc/sys/vm/nr_hugepages"

static char *map_huge(int flags)
{
	void *at = mmap(NULL, HUGE, PROT_READ | PROT_WRITE,
			flags | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

	if (at == MAP_FAILED) {
		write_text(HUGE_PAGES, "4");
		at = mmap(NULL, HUGE, PROT_READ | PROT_WRITE,
			  flags | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	}
	return or_none(at);
}

static char *huge_private(struct remap *r)
{
	(void)r;
	return map_huge(MAP_PRIVATE);
}

static char *huge_shared(struct remap *r)
{
	(void)r;
	return map_huge(MAP_SHARED);
}

FIXTURE_VARIANT_ADD(kind, anonymous) { anonymous };
FIXTURE_VARIANT_ADD(kind, shared_anonymous) { shared_anonymous, true };
FIXTURE_VARIANT_ADD(kind, memfd_shared) { memfd_shared, true };
FIXTURE_VARIANT_ADD(kind, memfd_private) { memfd_private };
FIXTURE_VARIANT_ADD(kind, in_data) { in_data };
FIXTURE_VARIANT_ADD(kind, in_bss) { in_bss };
FIXTURE_VARIANT_ADD(kind, on_stack) { NULL };
FIXTURE_VARIANT_ADD(kind, system_v) { system_v, true };
FIXTURE_VARIANT_ADD(kind, tmpfs_private) { tmpfs_private };
FIXTURE_VARIANT_ADD(kind, tmpfs_shared) { tmpfs_shared, true };
FIXTURE_VARIANT_ADD(kind, disk_private) { disk_private };
FIXTURE_VARIANT_ADD(kind, huge_private) { huge_private };
FIXTURE_VARIANT_ADD(kind, huge_shared) { huge_shared, true };

/* On the stack, as long as the caller has not returned. */
#define MEMORY_OF(variant, r)						\
	((variant)->map ? (variant)->map(r) : page_start(alloca(3 * PAGE)))

static uint64_t load(const char *at, unsigned int width)
{
	uint64_t value = 0;

	memcpy(&value, at, width / 8);
	return value;
}

/* The last counter of a page, of each width, and nothing beside it. */
TEST_F_TIMEOUT(kind, each_width, 60)
{
	struct remap *r = &self->r;
	char *memory = MEMORY_OF(variant, r);
	struct profil_status status;
	unsigned int width;
	size_t i, k, at;

	if (!memory)
		SKIP(return, "not to be had here: %s", strerror(errno));
	for (width = 16; width <= 64; width *= 2) {
		for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
			at = PAGE - width / 8;
			memset(memory, 0, 2 * PAGE);
			r->start.width = width;
			r->region.bytes = width / 8;
			ASSERT_EQ(0, begin(r, memory + at, both_flags[i]));
			EXPECT_TRUE(counts_on(r->fd, 5));
			EXPECT_EQ(PAGE, get_status(r->fd).pinned_bytes);
			status = stop(r->fd);
			EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
			EXPECT_EQ(0, status.lost);
			EXPECT_EQ(status.counted, load(memory + at, width));
			for (k = 0; k < 2 * PAGE; k++)
				if (k < at || k >= at + width / 8)
					ASSERT_EQ(0, memory[k]);
		}
	}
}

/* fork() protects private memory from being written, and shares the rest. */
TEST_F_TIMEOUT(kind, forked, 60)
{
	struct remap *r = &self->r;
	char *memory = MEMORY_OF(variant, r);
	uint64_t ours, *of_children;
	struct profil_status status;
	size_t i;
	pid_t pid;
	int k;

	if (!memory)
		SKIP(return, "not to be had here: %s", strerror(errno));
	of_children = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
		memset(memory, 0, 2 * PAGE);
		ASSERT_EQ(0, begin(r, memory, both_flags[i]));
		*of_children = 0;
		for (k = 0; k < 10; k++) {
			burn(ticks(r, 2));
			pid = fork();
			ASSERT_GE(pid, 0);
			if (!pid) {
				burn(ticks(r, 2));
				*of_children += stop(r->fd).counted;
				_exit(0);
			}
			burn(ticks(r, 2));
			ASSERT_EQ(0, wait_for(pid));
		}
		see_it_count(_metadata, r);
		status = stop(r->fd);
		EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
		EXPECT_EQ(0, status.lost);
		EXPECT_EQ(10, status.forks);
		EXPECT_LT(2, *of_children);
		ours = variant->shared ? *of_children : 0;
		EXPECT_EQ(status.counted + ours, counter(r));
	}
}

/* Memory that the program cannot write, or that no tick may. */
FIXTURE(refused) {
	struct remap r;
};

FIXTURE_SETUP(refused)
{
	REQUIRE_DEVICE(self->r.fd);
	set_up(&self->r);
}

TEARDOWN(refused)

static int start_at(struct remap *r, void *at, size_t bytes, uint32_t flags)
{
	r->region.bytes = bytes;
	return begin(r, at, flags);
}

#define EXPECT_REFUSED(error, r, at, bytes)				\
	do {								\
		EXPECT_EQ(error, start_at(r, at, bytes, 0));		\
		EXPECT_EQ(error, start_at(r, at, bytes,			\
					  PROFIL_PIN_ON_HIT));		\
		EXPECT_EQ(0, pinned_kib());				\
		EXPECT_EQ(PROFIL_STATE_OFF, get_status((r)->fd).state);	\
	} while (0)

TEST_F(refused, not_writable)
{
	char *at = map_memory(4 * PAGE);

	ASSERT_EQ(0, mprotect(at + PAGE, PAGE, PROT_READ));
	ASSERT_EQ(0, mprotect(at + 2 * PAGE, PAGE, PROT_NONE));
	ASSERT_EQ(0, munmap(at + 3 * PAGE, PAGE));
	EXPECT_REFUSED(EFAULT, &self->r, at + PAGE, 8);
	EXPECT_REFUSED(EFAULT, &self->r, at + 2 * PAGE, 8);
	EXPECT_REFUSED(EFAULT, &self->r, at + 3 * PAGE, 8);
	/* the end of it is enough */
	EXPECT_REFUSED(EFAULT, &self->r, at, PAGE + 8);
	ASSERT_EQ(0, mprotect(at, 3 * PAGE, PROT_READ | PROT_WRITE));
	EXPECT_REFUSED(EFAULT, &self->r, at, 3 * PAGE + 8);
	EXPECT_EQ(0, start_at(&self->r, at, 3 * PAGE, 0));
}

/* Behind the end of a mapped file, a store is a SIGBUS. */
TEST_F(refused, behind_the_end_of_a_file)
{
	char *at = map_memfd(&self->r, MAP_SHARED, 2 * PAGE);

	ASSERT_NE(MAP_FAILED, at);
	ASSERT_EQ(0, ftruncate(self->r.file, (off_t)PAGE / 2));
	EXPECT_REFUSED(EFAULT, &self->r, at + PAGE, 8);
	EXPECT_REFUSED(EFAULT, &self->r, at, 2 * PAGE);
	/* in its last page, it is none */
	EXPECT_EQ(0, start_at(&self->r, at + PAGE - 8, 8, 0));
}

/* The mapping of that name; 0 if there is none. */
static uintptr_t start_of(const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, found = 0;
	char line[512];

	while (maps && !found && fgets(line, sizeof(line), maps))
		if (strstr(line, name) && sscanf(line, "%lx", &start) == 1)
			found = start;
	if (maps)
		fclose(maps);
	return found;
}

/* Asking must not make the stack grow, either. */
TEST_F(refused, below_the_stack)
{
	uintptr_t stack = start_of("[stack]");

	ASSERT_NE(0, stack);
	EXPECT_REFUSED(EFAULT, &self->r, (void *)(stack - PAGE), 8);
	EXPECT_REFUSED(EFAULT, &self->r, (void *)(stack - 8), 16);
	EXPECT_EQ(stack, start_of("[stack]"));
}

TEST_F(refused, the_kernels_own_pages)
{
	uintptr_t vdso = start_of("[vdso]"), vvar = start_of("[vvar]");

	if (!vdso)
		SKIP(return, "no vdso");
	EXPECT_REFUSED(EFAULT, &self->r, (void *)vdso, 8);
	if (vvar)
		EXPECT_REFUSED(EFAULT, &self->r, (void *)vvar, 8);
}

TEST_F(refused, secret_memory)
{
	int fd = (int)syscall(SYS_memfd_secret, O_CLOEXEC);
	char *at;

	if (fd < 0)
		SKIP(return, "no memfd_secret: boot with secretmem.enable=1");
	ASSERT_EQ(0, ftruncate(fd, (off_t)PAGE));
	at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, at);
	/* the process may write it, but nobody else */
	EXPECT_REFUSED(EOPNOTSUPP, &self->r, at, 8);
}

TEST_F(refused, shared_file_on_disk)
{
	struct statfs fs;
	char *at = map_file(&self->r, ".", MAP_SHARED);

	if (!at)
		SKIP(return, "cannot map a file here: %s", strerror(errno));
	ASSERT_EQ(0, statfs(".", &fs));
	if (fs.f_type == TMPFS_MAGIC)
		SKIP(return, "this is no disk");
	EXPECT_REFUSED(EOPNOTSUPP, &self->r, at, 8);
	/* nor half of it */
	ASSERT_EQ(at + PAGE, mmap(at + PAGE, PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
				  0));
	EXPECT_REFUSED(EOPNOTSUPP, &self->r, at, 2 * PAGE);
}

/* The screen of old, which every PC has: nothing is stored there. */
TEST_F(refused, device_memory)
{
	int fd = open("/dev/mem", O_RDWR | O_CLOEXEC);
	char *at;

	if (fd < 0)
		SKIP(return, "no /dev/mem");
	at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0xb8000);
	if (at == MAP_FAILED)
		SKIP(return, "no device memory to be mapped");
	EXPECT_REFUSED(EOPNOTSUPP, &self->r, at, 8);
	close(fd);
}

/* Pages that the kernel shares with the program for a purpose of its own. */
TEST_F(refused, a_ring_of_the_kernel)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			      PERF_FLAG_FD_CLOEXEC);
	char *at;

	if (fd < 0)
		SKIP(return, "no perf_event_open()");
	at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, at);
	EXPECT_REFUSED(EOPNOTSUPP, &self->r, at, 8);
	close(fd);
}

TEST_HARNESS_MAIN
