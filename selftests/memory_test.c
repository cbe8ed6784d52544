// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters' memory goes away, or may not be written any more: the profile
 * ends there and then, and what was its memory never changes again, nor does
 * what takes its place.
 *
 * The counters lie in a file in memory (or in System V shared memory) that is
 * mapped twice: what the profile knows of is the first mapping. A pipe holds the
 * pages too, so that those that are truncated or unmapped can still be read.
 * There are four pages of counters, each hit by a thread at a pc of its own, so
 * that wherever a page goes, there are some left that might still be written.
 */
#include <signal.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "child.h"
#include "common.h"
#include "memory.h"
#include "kselftest_harness.h"

#define PAGES		4	/* of counters */
#define ALL_PAGES	(PAGES + 2)	/* with one before and one behind */
#define APART		64	/* bytes between two pcs */
#define RACES		20	/* times that a change is tried with ticks about */

enum source { MEMFD, SYSV, ANON };

struct memory {
	int fd;
	enum source source;
	int file;		/* memfd, or System V identifier */
	char *view;		/* ALL_PAGES, known to the profile */
	char *counters;		/* PAGES of them, from the second on */
	char *mirror;		/* the same pages at another place, or NULL */
	char *code;
	struct profil_region regions[PAGES + 2];
	struct profil_start start;
	long long pins;
};

/* Every pc has a counter: what is counted is what the pages have. */
static int set_up(struct memory *m)
{
	struct profil_region *region = m->regions;
	size_t i;

	m->pins = pins_of_all();
	m->code = map_code(PAGE);
	if (m->code == MAP_FAILED)
		return -1;
	for (i = 0; i < PAGES + 2; i++, region++) {
		region->start = i ? (uintptr_t)m->code + (i - 1) * APART : 0;
		region->end = (uintptr_t)m->code + i * APART;
		region->rounding = PROFIL_ROUND_FIRST;
	}
	region[-1].end = 0;
	m->start = (struct profil_start) {
		.size = sizeof(m->start),
		.rate = get_info(m->fd).tick_hz,
		.width = 64,
		.nr_regions = PAGES + 2,
		.regions = (uintptr_t)m->regions,
	};
	return 0;
}

/* Fresh counters of the kind that a change is for. */
static int map_counters(struct memory *m, enum source source)
{
	size_t i, bytes = ALL_PAGES * PAGE;

	m->source = source;
	m->mirror = NULL;
	m->file = -1;
	switch (source) {
	case MEMFD:
		m->file = memfd_create("counters",
				       MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (m->file < 0 || ftruncate(m->file, (off_t)bytes))
			return -1;
		m->view = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			       m->file, 0);
		m->mirror = mmap(NULL, bytes, PROT_READ, MAP_SHARED, m->file,
				 0);
		break;
	case SYSV:
		m->file = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
		if (m->file < 0)
			return -1;
		m->view = shmat(m->file, NULL, 0);
		m->mirror = shmat(m->file, NULL, SHM_RDONLY);
		/* it goes with its last mapping */
		shmctl(m->file, IPC_RMID, NULL);
		break;
	case ANON:
		m->view = map_memory(bytes);
		break;
	}
	if (m->view == MAP_FAILED || m->mirror == MAP_FAILED)
		return -1;
	memset(m->view, 0, bytes);
	m->counters = m->view + PAGE;
	for (i = 0; i < PAGES; i++) {
		m->regions[i + 1].buf = (uintptr_t)m->counters + i * PAGE;
		m->regions[i + 1].bytes = sizeof(uint64_t);
	}
	/* the rest of the program, below and above, in the outer pages */
	m->regions[0].buf = m->regions[PAGES].buf + PAGE - sizeof(uint64_t);
	m->regions[PAGES + 1].buf = m->regions[1].buf + PAGE - sizeof(uint64_t);
	m->regions[0].bytes = sizeof(uint64_t);
	m->regions[PAGES + 1].bytes = sizeof(uint64_t);
	return 0;
}

static void unmap_counters(struct memory *m)
{
	size_t bytes = ALL_PAGES * PAGE;

	if (m->source == SYSV) {
		shmdt(m->view);
		shmdt(m->mirror);
		return;
	}
	/* what has moved from here stays where it is */
	munmap(m->view, bytes);
	if (m->mirror)
		munmap(m->mirror, bytes);
	if (m->file >= 0)
		close(m->file);
}

static double ticks(const struct memory *m, double nr)
{
	return nr / m->start.rate;
}

/* 50 ticks, ten of them at each of the pcs. */
static void visit_all(struct memory *m)
{
	int i;

	for (i = 0; i < PAGES; i++)
		stay_at_pc(m->code + i * APART, ticks(m, 10));
	burn(ticks(m, 10));
}

/* Other threads are at the pcs: wait until they have used some CPU time. */
static void let_run(double seconds)
{
	double end = process_seconds() + seconds;

	while (process_seconds() < end)
		usleep(2000);
}

static void let_others_run(struct memory *m)
{
	let_run(ticks(m, 6));
}

/*
 * What is to be read at an address, the memory's protection notwithstanding;
 * pages that are not there are taken as full of a mark.
 */
static char *look(const char *addr, size_t pages)
{
	int self = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	char *image = malloc(pages * PAGE);
	size_t i;

	for (i = 0; i < pages * PAGE; i += PAGE)
		if (pread(self, image + i, PAGE, (off_t)(uintptr_t)addr +
						 (off_t)i) != (ssize_t)PAGE)
			memset(image + i, 0xee, PAGE);
	close(self);
	return image;
}

static bool same(char *one, char *other, size_t pages)
{
	bool equal = !memcmp(one, other, pages * PAGE);

	free(one);
	free(other);
	return equal;
}

/*
 * Make a change, which must end the running profile, then let CPU time pass:
 * nothing changes any more, neither in the pages that were the profile's, nor at
 * their addresses, nor in the figures.
 */
static void see_it_end(struct __test_metadata *_metadata, struct memory *m,
		       int (*change)(struct memory *m),
		       void (*pass_time)(struct memory *m))
{
	char *held, *mirror = NULL, *view;
	struct profil_status status, later;
	int early[2], late[2];

	ASSERT_EQ(0, hold(m->counters, PAGES, early));
	ASSERT_EQ(0, hold(m->counters, PAGES, late));
	ASSERT_EQ(0, change(m)) {
		TH_LOG("errno %d", errno);
	}
	/* before anything else, lest it be what stops the counting */
	held = look_at_held(early, PAGES);
	if (m->mirror)
		mirror = look(m->mirror, ALL_PAGES);
	view = look(m->view, ALL_PAGES);

	status = get_status(m->fd);
	EXPECT_EQ(PROFIL_STATE_FAULT, status.state);
	EXPECT_EQ(EFAULT, status.error);
	EXPECT_EQ(0, status.pinned_bytes);
	EXPECT_EQ(0, status.waiting);
	EXPECT_EQ(0, pinned_kib());
	/* not one is in the pages that is not counted, or the other way round */
	EXPECT_EQ(sum_of(held, PAGES * PAGE), status.counted);

	pass_time(m);
	EXPECT_TRUE(same(held, look_at_held(late, PAGES), PAGES));
	if (m->mirror) {
		EXPECT_TRUE(same(mirror, look(m->mirror, ALL_PAGES),
				 ALL_PAGES));
	}
	EXPECT_TRUE(same(view, look(m->view, ALL_PAGES), ALL_PAGES));

	later = stop(m->fd);
	EXPECT_EQ(PROFIL_STATE_FAULT, later.state);
	EXPECT_EQ(EFAULT, later.error);
	EXPECT_EQ(status.ticks, later.ticks);
	EXPECT_EQ(status.counted, later.counted);
	EXPECT_EQ(0, later.waiting);
	EXPECT_EQ(later.ticks, later.counted + later.out_of_range + later.lost);
	EXPECT_EQ(PROFIL_STATE_OFF, stop(m->fd).state);
	EXPECT_EQ(PROFIL_STATE_OFF, get_status(m->fd).state);
}

FIXTURE(gone) {
	struct memory m;
};

FIXTURE_VARIANT(gone) {
	enum source source;
	int (*change)(struct memory *m);
};

FIXTURE_SETUP(gone)
{
	REQUIRE_DEVICE(self->m.fd);
	ASSERT_EQ(0, set_up(&self->m));
}

FIXTURE_TEARDOWN(gone)
{
	stop(self->m.fd);
	EXPECT_EQ(0, pinned_kib());
	EXPECT_TRUE(pins_went_back_to(self->m.pins));
	close(self->m.fd);
}

static int munmap_all(struct memory *m)
{
	return munmap(m->counters, PAGES * PAGE);
}

static int munmap_first(struct memory *m)
{
	return munmap(m->counters, PAGE);
}

static int munmap_middle(struct memory *m)
{
	return munmap(m->counters + PAGE, 2 * PAGE);
}

static int munmap_last(struct memory *m)
{
	return munmap(m->counters + (PAGES - 1) * PAGE, PAGE);
}

static int map_over(char *addr, size_t pages, int prot)
{
	return mmap(addr, pages * PAGE, prot,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != addr;
}

static int map_read_only(struct memory *m)
{
	return map_over(m->counters, PAGES, PROT_READ);
}

static int map_writable(struct memory *m)
{
	return map_over(m->counters, PAGES, PROT_READ | PROT_WRITE);
}

static int map_part(struct memory *m)
{
	return map_over(m->counters + PAGE, 1, PROT_READ | PROT_WRITE);
}

static int move_all(struct memory *m)
{
	return mremap(m->counters, PAGES * PAGE, (PAGES + 1) * PAGE,
		      MREMAP_MAYMOVE) == MAP_FAILED;
}

static int move_part(struct memory *m)
{
	void *to = map_memory(PAGE);

	return mremap(m->counters + 2 * PAGE, PAGE, PAGE,
		      MREMAP_MAYMOVE | MREMAP_FIXED, to) != to;
}

static int shrink(struct memory *m)
{
	return mremap(m->view, ALL_PAGES * PAGE, (ALL_PAGES - 2) * PAGE, 0) !=
	       m->view;
}

/* The pages move, and the old mapping stays, with nothing in it. */
static int move_and_keep(struct memory *m)
{
	return mremap(m->counters, PAGES * PAGE, PAGES * PAGE,
		      MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL) == MAP_FAILED;
}

static int protect_all(struct memory *m)
{
	return mprotect(m->counters, PAGES * PAGE, PROT_READ);
}

static int forbid_all(struct memory *m)
{
	return mprotect(m->counters, PAGES * PAGE, PROT_NONE);
}

static int protect_part(struct memory *m)
{
	return mprotect(m->counters + PAGE, PAGE, PROT_READ);
}

static int forbid_part(struct memory *m)
{
	return mprotect(m->counters + (PAGES - 1) * PAGE, PAGE, PROT_NONE);
}

static int protect_and_back(struct memory *m)
{
	return mprotect(m->counters, PAGES * PAGE, PROT_READ) ||
	       mprotect(m->counters, PAGES * PAGE, PROT_READ | PROT_WRITE);
}

static int truncate_all(struct memory *m)
{
	return ftruncate(m->file, 0);
}

static int truncate_part(struct memory *m)
{
	return ftruncate(m->file, 3 * (off_t)PAGE);
}

static int detach(struct memory *m)
{
	return shmdt(m->view);
}

#define GONE(kind, change_)						\
	FIXTURE_VARIANT_ADD(gone, change_) {				\
		.source = (kind), .change = (change_),			\
	}
#define GONE_ANON(change_)						\
	FIXTURE_VARIANT_ADD(gone, anon_ ## change_) {			\
		.source = ANON, .change = (change_),			\
	}

GONE(MEMFD, munmap_all);
GONE(MEMFD, munmap_first);
GONE(MEMFD, munmap_middle);
GONE(MEMFD, munmap_last);
GONE(MEMFD, map_read_only);
GONE(MEMFD, map_writable);
GONE(MEMFD, map_part);
GONE(MEMFD, move_all);
GONE(MEMFD, move_part);
GONE(MEMFD, shrink);
GONE(MEMFD, move_and_keep);
GONE(MEMFD, protect_all);
GONE(MEMFD, forbid_all);
GONE(MEMFD, protect_part);
GONE(MEMFD, forbid_part);
GONE(MEMFD, protect_and_back);
GONE(MEMFD, truncate_all);
GONE(MEMFD, truncate_part);
GONE(SYSV, detach);
GONE_ANON(munmap_middle);
GONE_ANON(move_all);
GONE_ANON(move_and_keep);
GONE_ANON(protect_and_back);

/* One thread at a time, so that each figure is known. */
TEST_F_TIMEOUT(gone, once, 60)
{
	static const uint32_t flags[] = { 0, PROFIL_PIN_ON_HIT };
	struct memory *m = &self->m;
	struct profil_status status;
	long long faults;
	size_t i;
	int page, try;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		faults = figure("faults");
		m->start.flags = flags[i];
		ASSERT_EQ(0, map_counters(m, variant->source));
		ASSERT_EQ(0, call(m->fd, PROFIL_IOC_START, &m->start));
		/* all pages are hit, and so pinned in either way */
		for (page = 0, try = 0; page < PAGES && try < 50; try++) {
			stay_at_pc(m->code + page * APART, ticks(m, 3));
			page += *(uint64_t *)(m->counters + page * PAGE) > 0;
		}
		EXPECT_EQ(PAGES, page);
		status = get_status(m->fd);
		EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
		EXPECT_EQ(PAGES * PAGE, status.pinned_bytes);
		EXPECT_EQ(PAGES * PAGE / 1024, pinned_kib());

		see_it_end(_metadata, m, variant->change, visit_all);
		EXPECT_LT(faults, figure("faults"));
		unmap_counters(m);

		/* a new one is a new one */
		ASSERT_EQ(0, map_counters(m, variant->source));
		ASSERT_EQ(0, call(m->fd, PROFIL_IOC_START, &m->start));
		EXPECT_TRUE(counts_on(m->fd, 3));
		status = stop(m->fd);
		EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
		EXPECT_EQ(0, status.error);
		EXPECT_EQ(status.counted, sum_of(m->counters, PAGES * PAGE));
		unmap_counters(m);
	}
}

/* Threads are counted at the very moment, on each CPU and into each page. */
TEST_F_TIMEOUT(gone, while_ticks_come, 120)
{
	struct memory *m = &self->m;
	struct one_pc threads[PAGES];
	int i;

	for (i = 0; i < PAGES; i++)
		ASSERT_EQ(0, enter_pc(&threads[i], m->code + i * APART));
	for (i = 0; i < RACES; i++) {
		ASSERT_EQ(0, map_counters(m, variant->source));
		m->start.flags = i % 2 ? PROFIL_PIN_ON_HIT : 0;
		ASSERT_EQ(0, call(m->fd, PROFIL_IOC_START, &m->start));
		/* not always at the same distance from a tick */
		let_run(ticks(m, 3 + i / (double)RACES));
		see_it_end(_metadata, m, variant->change, let_others_run);
		unmap_counters(m);
	}
	for (i = 0; i < PAGES; i++)
		leave_pc(&threads[i]);
}

/*
 * What has to do with the counters' memory, or lies next to it, and takes
 * nothing away: the profile goes on.
 */
FIXTURE(stays) {
	struct memory m;
};

FIXTURE_SETUP(stays)
{
	REQUIRE_DEVICE(self->m.fd);
	ASSERT_EQ(0, set_up(&self->m));
	ASSERT_EQ(0, map_counters(&self->m, MEMFD));
	ASSERT_EQ(0, call(self->m.fd, PROFIL_IOC_START, &self->m.start));
}

FIXTURE_TEARDOWN(stays)
{
	stop(self->m.fd);
	EXPECT_EQ(0, pinned_kib());
	EXPECT_TRUE(pins_went_back_to(self->m.pins));
	close(self->m.fd);
}

static int munmap_before(struct memory *m)
{
	return munmap(m->view, PAGE);
}

static int protect_behind(struct memory *m)
{
	return mprotect(m->counters + PAGES * PAGE, PAGE, PROT_READ);
}

static int forbid_behind(struct memory *m)
{
	return mprotect(m->counters + PAGES * PAGE, PAGE, PROT_NONE);
}

static int make_executable(struct memory *m)
{
	return mprotect(m->counters, PAGES * PAGE,
			PROT_READ | PROT_WRITE | PROT_EXEC);
}

static int make_write_only(struct memory *m)
{
	return mprotect(m->counters + PAGE, PAGE, PROT_WRITE);
}

static int munmap_mirror(struct memory *m)
{
	int error = munmap(m->mirror, ALL_PAGES * PAGE);

	m->mirror = NULL;
	return error;
}

static int lengthen(struct memory *m)
{
	return ftruncate(m->file, 2 * ALL_PAGES * (off_t)PAGE);
}

static int truncate_behind(struct memory *m)
{
	return ftruncate(m->file, (PAGES + 1) * (off_t)PAGE);
}

static int munmap_behind(struct memory *m)
{
	return munmap(m->counters + PAGES * PAGE, PAGE);
}

TEST_F(stays, running)
{
	static int (*const changes[])(struct memory *m) = {
		munmap_before, protect_behind, forbid_behind, make_executable,
		make_write_only, munmap_mirror, lengthen, truncate_behind,
		munmap_behind,
	};
	struct profil_status status;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		burn(ticks(&self->m, 2));
		ASSERT_EQ(0, changes[i](&self->m));
		EXPECT_TRUE(counts_on(self->m.fd, 5)) {
			TH_LOG("change %zu", i);
		}
		status = get_status(self->m.fd);
		EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
		EXPECT_EQ(0, status.lost);
		EXPECT_EQ(PAGES * PAGE, status.pinned_bytes);
	}
	ASSERT_EQ(0, mprotect(self->m.counters, PAGES * PAGE, PROT_READ));
	status = stop(self->m.fd);
	EXPECT_EQ(status.counted, sum_of(self->m.counters, PAGES * PAGE));
}

/* Once it is over, no pin stands in the way of who wants the file for himself. */
TEST_F(stays, until_it_can_be_sealed)
{
	struct memory *m = &self->m;

	EXPECT_TRUE(counts_on(m->fd, 2));
	EXPECT_EQ(-1, fcntl(m->file, F_ADD_SEALS, F_SEAL_WRITE));
	EXPECT_EQ(EBUSY, errno);
	EXPECT_TRUE(counts_on(m->fd, 2));
	ASSERT_EQ(0, munmap(m->view, ALL_PAGES * PAGE));
	ASSERT_EQ(0, munmap_mirror(m));
	EXPECT_EQ(0, fcntl(m->file, F_ADD_SEALS, F_SEAL_WRITE));
	EXPECT_EQ(PROFIL_STATE_FAULT, get_status(m->fd).state);
}

/* What a process does to its memory ends its own profile only. */
TEST_F(stays, in_the_other_process)
{
	struct memory *m = &self->m;
	struct profil_status status;
	int ready[2];
	pid_t pid;
	char byte;

	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		EXPECT_TRUE(counts_on(m->fd, 3));
		EXPECT_EQ(0, munmap_first(m));
		EXPECT_EQ(PROFIL_STATE_FAULT, get_status(m->fd).state);
		EXPECT_EQ(0, pinned_kib());
		_exit(0);
	}
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_TRUE(counts_on(m->fd, 3));
	EXPECT_EQ(PROFIL_STATE_RUNNING, get_status(m->fd).state);

	/* once more, with the roles changed */
	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		EXPECT_EQ(1, read(ready[0], &byte, 1));
		EXPECT_TRUE(counts_on(m->fd, 5));
		status = get_status(m->fd);
		EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
		EXPECT_EQ(0, status.lost);
		_exit(0);
	}
	EXPECT_EQ(0, munmap_first(m));
	EXPECT_EQ(PROFIL_STATE_FAULT, get_status(m->fd).state);
	EXPECT_EQ(1, write(ready[1], "", 1));
	EXPECT_EQ(0, wait_for(pid));
}

/*
 * The whole address space goes, and not by the process's own doing. All that was
 * pinned is given back, in figures and in pages.
 */
FIXTURE(killed) {
	struct memory m;
	long long sessions, pinned;
};

FIXTURE_SETUP(killed)
{
	REQUIRE_DEVICE(self->m.fd);
	ASSERT_EQ(0, set_up(&self->m));
	/* what the test before has left behind */
	await_figure("sessions", 0);
	self->sessions = figure("sessions");
	self->pinned = figure("pinned_bytes");
	ASSERT_LE(0, self->sessions);
	ASSERT_LE(0, self->pinned);
}

FIXTURE_TEARDOWN(killed)
{
	stop(self->m.fd);
	EXPECT_EQ(self->sessions, await_figure("sessions", self->sessions));
	EXPECT_EQ(self->pinned, await_figure("pinned_bytes", self->pinned));
	EXPECT_TRUE(pins_went_back_to(self->m.pins));
	close(self->m.fd);
}

/*
 * In a child: threads that are counted, and memory, so that there is something to
 * do when it ends. Says by a byte that it is under way; never returns.
 */
static void be_busy(struct memory *m, uint32_t flags, size_t bytes, int ready)
{
	struct one_pc threads[PAGES];
	int i;

	m->start.flags = flags;
	if (map_counters(m, ANON) || call(m->fd, PROFIL_IOC_START, &m->start))
		_exit(1);
	for (i = 0; i < PAGES; i++)
		if (enter_pc(&threads[i], m->code + i * APART))
			_exit(2);
	memset(map_memory(bytes), 1, bytes);
	burn(ticks(m, 2));
	if (write(ready, "", 1) != 1)
		_exit(3);
	for (;;)
		burn(1);
}

TEST_F_TIMEOUT(killed, by_signal, 120)
{
	int i, ready[2];
	pid_t pid;
	char byte;

	ASSERT_EQ(0, pipe(ready));
	for (i = 0; i < RACES; i++) {
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid)
			be_busy(&self->m, i % 2 ? PROFIL_PIN_ON_HIT : 0, PAGE,
				ready[1]);
		ASSERT_EQ(1, read(ready[0], &byte, 1));
		EXPECT_LT(self->sessions, figure("sessions"));
		EXPECT_LT(self->pinned, figure("pinned_bytes"));
		kill(pid, SIGKILL);
		EXPECT_EQ(128 + SIGKILL, wait_for(pid));
	}
}

/*
 * process_mrelease(2) takes the memory of a process that is being killed from
 * outside, as the OOM reaper does and by the same code: the module is asked not
 * to sleep.
 */
#ifndef SYS_process_mrelease
#define SYS_process_mrelease	448
#endif

TEST_F_TIMEOUT(killed, and_reaped, 120)
{
	int i, ready[2], pidfd, reaped = 0;
	pid_t pid;
	char byte;

	ASSERT_EQ(0, pipe(ready));
	for (i = 0; i < RACES; i++) {
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid)
			be_busy(&self->m, i % 2 ? PROFIL_PIN_ON_HIT : 0,
				8 << 20, ready[1]);
		pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
		ASSERT_EQ(1, read(ready[0], &byte, 1));
		kill(pid, SIGKILL);
		/* it may be quicker, and gone */
		if (pidfd >= 0)
			reaped += !syscall(SYS_process_mrelease, pidfd, 0);
		close(pidfd);
		EXPECT_EQ(128 + SIGKILL, wait_for(pid));
	}
	if (!reaped)
		SKIP(return, "no process was there long enough");
	ksft_print_msg("%d of %d were reaped\n", reaped, RACES);
}

#define CGROUP	"/sys/fs/cgroup"
#define GROUP	CGROUP "/profil-memory-test"

/* In a child: profiled, use more memory than its cgroup has. */
static void use_up_memory(struct memory *m, uint32_t flags)
{
	struct one_pc threads[PAGES];
	size_t chunk = 1 << 20;
	int i;

	write_text("/proc/self/oom_score_adj", "1000");
	m->start.flags = flags;
	if (write_text(GROUP "/cgroup.procs", "0") || map_counters(m, ANON) ||
	    call(m->fd, PROFIL_IOC_START, &m->start))
		_exit(1);
	for (i = 0; i < PAGES; i++)
		if (enter_pc(&threads[i], m->code + i * APART))
			_exit(2);
	for (;;)
		memset(map_memory(chunk), 1, chunk);
}

TEST_F_TIMEOUT(killed, out_of_memory, 120)
{
	pid_t pid;
	int i;

	/* its call trace in the kernel's log would be taken for a crash */
	if (!getenv("PROFIL_TEST_OOM"))
		SKIP(return, "set PROFIL_TEST_OOM=1 to have processes killed");
	write_text(CGROUP "/cgroup.subtree_control", "+memory");
	if (mkdir(GROUP, 0755) || write_text(GROUP "/memory.max", "33554432"))
		SKIP(return, "no memory controller in " CGROUP);
	write_text(GROUP "/memory.swap.max", "0");
	for (i = 0; i < 4; i++) {
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid)
			use_up_memory(&self->m, i % 2 ? PROFIL_PIN_ON_HIT : 0);
		EXPECT_EQ(128 + SIGKILL, wait_for(pid));
	}
	EXPECT_EQ(4, number_in(GROUP "/memory.events", "oom_kill "));
	EXPECT_EQ(0, rmdir(GROUP));
}

/*
 * The page under a counter is found to be broken. It costs the machine a page
 * until it boots again.
 */
static void ignore_bus_error(int signal)
{
	(void)signal;
}

static bool is_virtual(void)
{
	return !system("grep -qw hypervisor /proc/cpuinfo");
}

TEST_F(killed, page_is_poisoned)
{
	static const uint32_t flags[] = { 0, PROFIL_PIN_ON_HIT };
	struct memory *m = &self->m;
	struct profil_status status, later;
	size_t i;
	int try;

	if (!is_virtual())
		SKIP(return, "costs a page: in virtual machines only");
	signal(SIGBUS, ignore_bus_error);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		m->start.flags = flags[i];
		ASSERT_EQ(0, map_counters(m, ANON));
		ASSERT_EQ(0, call(m->fd, PROFIL_IOC_START, &m->start));
		visit_all(m);
		if (madvise(m->counters + PAGE, PAGE, MADV_HWPOISON) &&
		    (errno == EINVAL || errno == EPERM))
			SKIP(return, "no MADV_HWPOISON");
		/* noticed at once, or when a sample needs the page */
		for (try = 0; try < 20; try++) {
			status = get_status(m->fd);
			if (status.state != PROFIL_STATE_RUNNING)
				break;
			stay_at_pc(m->code + APART, ticks(m, 2));
		}
		EXPECT_EQ(PROFIL_STATE_FAULT, status.state);
		EXPECT_NE(0, status.error);
		EXPECT_EQ(0, status.pinned_bytes);
		burn(ticks(m, 10));
		later = stop(m->fd);
		EXPECT_EQ(status.ticks, later.ticks);
		EXPECT_EQ(0, pinned_kib());
		unmap_counters(m);
	}
}

TEST_HARNESS_MAIN
