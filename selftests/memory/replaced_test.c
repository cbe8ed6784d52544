// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel replaces the page of the counter, on request or by itself: counting continues in the
 * page that the program sees, and no sample is lost.
 */
#include <linux/mempolicy.h>
#include <linux/userfaultfd.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "child.h"
#include "profile/one_counter_checks.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif
#ifndef MADV_SOFT_OFFLINE
#define MADV_SOFT_OFFLINE	101
#endif

FIXTURE(replaced) {
	struct one_counter r;
};

FIXTURE_SETUP(replaced)
{
	REQUIRE_DEVICE(self->r.fd);
	one_counter_init(&self->r);
}

ONE_COUNTER_TEARDOWN(replaced)

#define KSM	"/sys/kernel/mm/ksm/"

/*
 * Waits until the page of the counter and @twin, a page of the same content, are merged. While the
 * process sleeps nothing is counted, so that they stay equal, unless a sample is taken before it
 * sleeps.
 */
static bool merged(struct one_counter *r, uint64_t *twin)
{
	int i;

	for (i = 0; i < 60; i++) {
		memcpy(twin, r->counter, PAGE);
		usleep(500000);
		if (physical_page(twin) == physical_page(r->counter))
			return true;
	}
	return false;
}

TEST_F(replaced, by_a_merged_page)
{
	struct one_counter *r = &self->r;
	uint64_t *twin = map_memory(PAGE), *page, before;
	char run[8];
	size_t i, k;

	snprintf(run, sizeof(run), "%lld", read_number(KSM "run", ""));
	if (write_text(KSM "run", "1"))
		SKIP(return, "no " KSM);
	write_text(KSM "sleep_millisecs", "5");
	/* otherwise, pages that were not equal at first are scanned less and less often */
	write_text(KSM "smart_scan", "0");
	for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
		page = map_memory(PAGE);
		/* not a zero page, and different from all other pages */
		for (k = 1; k < PAGE / sizeof(*page); k++)
			page[k] = (uint64_t)getpid() << 32 | (i << 16) | k;
		memcpy(twin, page, PAGE);
		ASSERT_EQ(0, madvise(page, PAGE, MADV_MERGEABLE));
		ASSERT_EQ(0, madvise(twin, PAGE, MADV_MERGEABLE));
		ASSERT_EQ(0, one_counter_start(r, page, both_flags[i]));
		burn(one_counter_seconds(r, 3));
		EXPECT_TRUE(merged(r, twin)) {
			TH_LOG("flags %u: never merged", both_flags[i]);
		}
		before = twin[0];
		expect_counting(_metadata, r);
		/* the twin is not written */
		EXPECT_EQ(before, twin[0]);
		write_text(KSM "run", "2");
		expect_counting(_metadata, r);
		EXPECT_EQ(before, twin[0]);
		expect_end(_metadata, r, false);
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

	/* on request, if the kernel supports it */
	snprintf(range, sizeof(range), "%d,0x%lx,0x%lx", getpid(),
		 (unsigned long)at, (unsigned long)at + HUGE);
	write_text("/sys/kernel/debug/split_huge_pages", range);
	/* and by removing a part of it */
	madvise(at + HUGE / 2, HUGE / 4, MADV_DONTNEED);
	munmap(at + HUGE - PAGE, PAGE);
}

/*
 * Small pages are collapsed to a huge one, which is split again. The kernel usually does not
 * collapse pinned pages, so these must not have been hit before. In a slow emulated machine, the
 * collapse takes longer than a tick, so the rate is a tenth of the tick rate. (Linux 5.10 has no
 * MADV_COLLAPSE.)
 */
TEST_F(replaced, by_a_huge_page)
{
	struct one_counter *r = &self->r;
	int error, try, most;
	size_t i;
	char *at;

	if (access(THP "enabled", R_OK))
		SKIP(return, "no " THP);
	r->start.rate /= 10;
	for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
		/* retry until there is no sample between the two calls */
		most = both_flags[i] ? 100 : 10;
		for (try = 0, error = 1; error && try < most; try++) {
			at = map_huge_aligned(HUGE);
			madvise(at, HUGE, MADV_NOHUGEPAGE);
			memset(at, 0, HUGE);
			madvise(at, HUGE, MADV_HUGEPAGE);
			ASSERT_EQ(0, one_counter_start(r, at + 3 * PAGE, both_flags[i]));
			error = collapse(at);
		}
		if (both_flags[i] && error != EINVAL)
			EXPECT_EQ(0, error);
		expect_counting(_metadata, r);
		split(at);
		expect_counting(_metadata, r);
		expect_end(_metadata, r, false);
	}
}

TEST_F(replaced, by_parts_of_a_huge_page)
{
	struct one_counter *r = &self->r;
	size_t i;
	char *at;

	if (access(THP "enabled", R_OK))
		SKIP(return, "no " THP);
	for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
		at = map_huge_aligned(HUGE);
		madvise(at, HUGE, MADV_HUGEPAGE);
		memset(at, 0, HUGE);
		ASSERT_EQ(0, one_counter_start(r, at + 5 * PAGE, both_flags[i]));
		expect_counting(_metadata, r);
		split(at);
		expect_counting(_metadata, r);
		expect_end(_metadata, r, false);
	}
}

/* Write-protects the page for a moment with userfaultfd. */
static int protect_by_handler(struct one_counter *r)
{
	struct uffdio_writeprotect protect = {
		.range = { (uintptr_t)r->counter, PAGE },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};

	if (ioctl(r->uffd, UFFDIO_WRITEPROTECT, &protect))
		return errno;
	burn(one_counter_seconds(r, 0.01));
	protect.mode = 0;
	return ioctl(r->uffd, UFFDIO_WRITEPROTECT, &protect) ? errno : 0;
}

/* userfaultfd's write protection applies to the program, not to the profile. */
TEST_F(replaced, not_by_write_protection)
{
	struct one_counter *r = &self->r;
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
		ASSERT_EQ(0, one_counter_start(r, map_memory(PAGE), both_flags[i]));
		expect_counting(_metadata, r);
		area.range.start = (uintptr_t)r->counter;
		ASSERT_EQ(0, ioctl(r->uffd, UFFDIO_REGISTER, &area));
		expect_counting(_metadata, r);
		protect.range.start = area.range.start;
		protect.mode = UFFDIO_WRITEPROTECT_MODE_WP;
		ASSERT_EQ(0, ioctl(r->uffd, UFFDIO_WRITEPROTECT, &protect));
		expect_counting(_metadata, r);
		protect.mode = 0;
		ASSERT_EQ(0, ioctl(r->uffd, UFFDIO_WRITEPROTECT, &protect));
		expect_counting(_metadata, r);
		change_while_counting(_metadata, r, protect_by_handler, 500, false);
		ASSERT_EQ(0, ioctl(r->uffd, UFFDIO_UNREGISTER, &area.range));
	}
	close(r->uffd);
}

/* Moves the page to the memory of another node. */
static int move_to(struct one_counter *r, int node)
{
	void *page = r->counter;
	int where = -1;

	if (syscall(SYS_move_pages, 0, 1UL, &page, &node, &where, MPOL_MF_MOVE))
		return errno;
	return where == node ? 0 : -where;
}

static int bind_to(struct one_counter *r, int node)
{
	unsigned long nodes = 1UL << node;

	return syscall(SYS_mbind, r->counter, PAGE, MPOL_BIND, &nodes, 8UL,
		       MPOL_MF_MOVE) ? errno : 0;
}

static int move_to_and_fro(struct one_counter *r)
{
	move_to(r, 0);
	move_to(r, 1);
	bind_to(r, 0);
	bind_to(r, 1);
	return 0;
}

TEST_F(replaced, by_migration)
{
	struct one_counter *r = &self->r;
	int k, moved;
	size_t i;

	if (access("/sys/devices/system/node/node1", R_OK))
		SKIP(return, "one node only: boot with numa=fake=2");
	for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
		ASSERT_EQ(0, one_counter_start(r, map_memory(PAGE), both_flags[i]));
		burn(one_counter_seconds(r, 3));
		for (moved = 0, k = 0; k < 20; k++) {
			moved += !move_to(r, k & 1);
			burn(one_counter_seconds(r, 2));
		}
		EXPECT_LT(5, moved) {
			TH_LOG("flags %u: moved %d times of 20", both_flags[i], moved);
		}
		expect_counting(_metadata, r);
		change_while_counting(_metadata, r, move_to_and_fro, 50, false);
	}
}

/* To find out which node uses a page, the kernel removes all access to it for a while. */
#define SCAN	"/sys/kernel/debug/sched/numa_balancing/"

static void *wait_for_byte(void *pipe_end)
{
	receive_byte(*(int *)pipe_end);
	return NULL;
}

TEST_F(replaced, by_numa_balancing)
{
	struct one_counter *r = &self->r;
	long long updates;
	pthread_t thread;
	int pipes[2];
	char was[8];
	size_t i;

	if (access("/sys/devices/system/node/node1", R_OK))
		SKIP(return, "one node only: boot with numa=fake=2");
	snprintf(was, sizeof(was), "%lld",
		 read_number("/proc/sys/kernel/numa_balancing", ""));
	if (write_text("/proc/sys/kernel/numa_balancing", "1"))
		SKIP(return, "no NUMA balancing");
	write_text(SCAN "scan_delay_ms", "10");
	write_text(SCAN "scan_period_min_ms", "20");
	write_text(SCAN "scan_period_max_ms", "40");
	/* with a single thread, it ignores local pages */
	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_for_byte, &pipes[0]));
	memset(map_memory(64 * PAGE), 1, 64 * PAGE);
	updates = read_number("/proc/vmstat", "numa_pte_updates ");
	for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
		ASSERT_EQ(0, one_counter_start(r, map_memory(PAGE), both_flags[i]));
		burn(0.5);
		expect_counting(_metadata, r);
		expect_end(_metadata, r, false);
	}
	EXPECT_LT(updates, read_number("/proc/vmstat", "numa_pte_updates "));
	send_byte(pipes[1]);
	pthread_join(thread, NULL);
	write_text("/proc/sys/kernel/numa_balancing", was);
}

/* The page is swapped out, also while the swap device is removed. */
static bool add_swap(void)
{
	return !system("grep -q ^/ /proc/swaps || { "
		       "{ { [ -e /sys/block/zram0 ] || modprobe zram; } &&\n"
		       "cd /sys/block/zram0 &&\n"
		       "echo 64M >disksize && mkswap /dev/zram0 &&\n"
		       "swapon /dev/zram0; } >/dev/null 2>&1; }");
}

static void remove_swap(void)
{
	if (system("if grep -q ^/dev/zram0 /proc/swaps; then\n"
		   "swapoff /dev/zram0; echo 1 >/sys/block/zram0/reset; fi"))
		ksft_print_msg("cannot remove the swap on zram0\n");
}

static int swap_out(void *page)
{
	int node = 0, status;

	/* drains the lists of new pages of all CPUs, wherever the page is */
	syscall(SYS_move_pages, 0, 1UL, &page, &node, &status, MPOL_MF_MOVE);
	madvise(page, PAGE, MADV_PAGEOUT);
	return !physical_page(page);
}

TEST_F(replaced, by_a_page_from_swap)
{
	struct one_counter *r = &self->r;
	struct profil_status status;
	uint64_t *page = map_memory(PAGE);
	int k, out = 0;

	if (!add_swap())
		SKIP(return, "no swap");
	*page = 0;
	for (k = 0; k < 40; k++) {
		/* the page is out at the start, or at the first sample */
		out += swap_out(page);
		ASSERT_EQ(0, one_counter_start(r, page, k & 1 ? PROFIL_PIN_ON_HIT : 0));
		out += swap_out(page);
		if (k == 39)
			remove_swap();
		burn(one_counter_seconds(r, 3));
		status = expect_end(_metadata, r, false);
		r->base += status.counted;
	}
	EXPECT_LT(60, r->base);
	EXPECT_LT(20, out);
	ksft_print_msg("the page was swapped out %d times\n", out);
}

/* The page is taken out of use, as if it were about to fail. It is lost until the next boot. */
TEST_F(replaced, by_soft_offline)
{
	struct one_counter *r = &self->r;
	size_t i;
	int k, error;

	if (!in_virtual_machine())
		SKIP(return, "loses a page: in virtual machines only");
	for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
		ASSERT_EQ(0, one_counter_start(r, map_memory(PAGE), both_flags[i]));
		burn(one_counter_seconds(r, 3));
		/*
		 * EBUSY while the page is pinned; it is not while nothing is counted. EIO if the
		 * kernel is using the page at the moment.
		 */
		for (k = 0, error = EBUSY;
		     (error == EBUSY || error == EIO) && k < 100; k++) {
			error = advise(r, MADV_SOFT_OFFLINE);
			usleep(20000);
		}
		if (error == EINVAL || error == EPERM)
			SKIP(return, "no MADV_SOFT_OFFLINE");
		EXPECT_EQ(0, error) {
			TH_LOG("flags %u: %s", both_flags[i], strerror(error));
		}
		expect_counting(_metadata, r);
		expect_end(_metadata, r, false);
	}
}

TEST_HARNESS_MAIN
