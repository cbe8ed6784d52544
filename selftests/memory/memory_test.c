// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters' memory is unmapped, replaced or made read-only: the profile ends at once, and
 * neither its former pages nor those that replace them are written again. Changes that do not
 * affect the memory do not end the profile.
 *
 * A pipe keeps references to the pages, so that they can be read after a truncation or munmap().
 */
#include "kselftest_harness.h"
#include "child.h"
#include "profile/four_pages.h"

static void let_others_run(struct four_pages *m)
{
	run_threads_for(four_pages_seconds(m, 6));
}

/* Copies the memory at an address, even if it is protected. Missing pages are filled with 0xee. */
static char *copy_memory(const char *addr, size_t pages)
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
 * Makes a change that must end the running profile, then lets CPU time pass: nothing may change any
 * more in the former pages, at their addresses, or in the status.
 */
static void expect_end(struct __test_metadata *_metadata, struct four_pages *m,
		       int (*change)(struct four_pages *m),
		       void (*pass_time)(struct four_pages *m))
{
	char *held, *mirror = NULL, *view;
	struct profil_status status, later;
	int early[2], late[2];

	ASSERT_EQ(0, splice_pages(m->counters, PAGES, early));
	ASSERT_EQ(0, splice_pages(m->counters, PAGES, late));
	ASSERT_EQ(0, change(m)) {
		TH_LOG("errno %d", errno);
	}
	/* read this first, in case another call is what ends the counting */
	held = read_spliced_pages(early, PAGES);
	if (m->mirror)
		mirror = copy_memory(m->mirror, ALL_PAGES);
	view = copy_memory(m->view, ALL_PAGES);

	status = get_status(m->fd);
	EXPECT_EQ(PROFIL_STATE_FAULT, status.state);
	EXPECT_EQ(EFAULT, status.error);
	EXPECT_EQ(0, status.pinned_bytes);
	EXPECT_EQ(0, status.pending);
	EXPECT_EQ(0, pinned_kib());
	/* the pages contain exactly the samples that status reports as counted */
	EXPECT_EQ(sum_counters(held, PAGES * PAGE), status.counted);

	pass_time(m);
	EXPECT_TRUE(same(held, read_spliced_pages(late, PAGES), PAGES));
	if (m->mirror) {
		EXPECT_TRUE(same(mirror, copy_memory(m->mirror, ALL_PAGES), ALL_PAGES));
	}
	EXPECT_TRUE(same(view, copy_memory(m->view, ALL_PAGES), ALL_PAGES));

	later = stop(m->fd);
	EXPECT_EQ(PROFIL_STATE_FAULT, later.state);
	EXPECT_EQ(EFAULT, later.error);
	EXPECT_EQ(status.samples, later.samples);
	EXPECT_EQ(status.counted, later.counted);
	EXPECT_EQ(0, later.pending);
	EXPECT_EQ(later.samples, later.counted + later.out_of_range + later.lost);
	EXPECT_EQ(PROFIL_STATE_OFF, stop(m->fd).state);
	EXPECT_EQ(PROFIL_STATE_OFF, get_status(m->fd).state);
}

FIXTURE(gone) {
	struct four_pages m;
};

FIXTURE_VARIANT(gone) {
	enum source source;
	int (*change)(struct four_pages *m);
};

static int move_and_keep(struct four_pages *m);

/* Before Linux 5.13, MREMAP_DONTUNMAP works only for private anonymous memory. */
static bool can_move_and_keep(enum source source)
{
	char *page = source == ANON ? map_memory(PAGE) : map_shared(PAGE);
	char *moved = mremap(page, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL);

	if (moved != MAP_FAILED)
		munmap(moved, PAGE);
	munmap(page, PAGE);
	return moved != MAP_FAILED;
}

FIXTURE_SETUP(gone)
{
	if (variant->change == move_and_keep && !can_move_and_keep(variant->source))
		SKIP(return, "no MREMAP_DONTUNMAP for files");
	REQUIRE_DEVICE(self->m.fd);
	ASSERT_EQ(0, four_pages_init(&self->m));
}

FIXTURE_TEARDOWN(gone)
{
	stop(self->m.fd);
	EXPECT_EQ(0, pinned_kib());
	EXPECT_TRUE(pins_return_to(self->m.pins));
	close(self->m.fd);
}

static int munmap_all(struct four_pages *m)
{
	return munmap(m->counters, PAGES * PAGE);
}

static int munmap_first(struct four_pages *m)
{
	return munmap(m->counters, PAGE);
}

static int munmap_middle(struct four_pages *m)
{
	return munmap(m->counters + PAGE, 2 * PAGE);
}

static int munmap_last(struct four_pages *m)
{
	return munmap(m->counters + (PAGES - 1) * PAGE, PAGE);
}

static int map_over(char *addr, size_t pages, int prot)
{
	return mmap(addr, pages * PAGE, prot,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != addr;
}

static int map_read_only(struct four_pages *m)
{
	return map_over(m->counters, PAGES, PROT_READ);
}

static int map_writable(struct four_pages *m)
{
	return map_over(m->counters, PAGES, PROT_READ | PROT_WRITE);
}

static int map_part(struct four_pages *m)
{
	return map_over(m->counters + PAGE, 1, PROT_READ | PROT_WRITE);
}

static int move_all(struct four_pages *m)
{
	return mremap(m->counters, PAGES * PAGE, (PAGES + 1) * PAGE, MREMAP_MAYMOVE) == MAP_FAILED;
}

static int move_part(struct four_pages *m)
{
	void *to = map_memory(PAGE);

	return mremap(m->counters + 2 * PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to;
}

static int shrink(struct four_pages *m)
{
	return mremap(m->view, ALL_PAGES * PAGE, (ALL_PAGES - 2) * PAGE, 0) !=
	       m->view;
}

/* The pages move, and the old mapping stays empty. */
static int move_and_keep(struct four_pages *m)
{
	return mremap(m->counters, PAGES * PAGE, PAGES * PAGE,
		      MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL) == MAP_FAILED;
}

static int protect_all(struct four_pages *m)
{
	return mprotect(m->counters, PAGES * PAGE, PROT_READ);
}

static int deny_all(struct four_pages *m)
{
	return mprotect(m->counters, PAGES * PAGE, PROT_NONE);
}

static int protect_part(struct four_pages *m)
{
	return mprotect(m->counters + PAGE, PAGE, PROT_READ);
}

static int deny_part(struct four_pages *m)
{
	return mprotect(m->counters + (PAGES - 1) * PAGE, PAGE, PROT_NONE);
}

static int protect_and_back(struct four_pages *m)
{
	return mprotect(m->counters, PAGES * PAGE, PROT_READ) ||
	       mprotect(m->counters, PAGES * PAGE, PROT_READ | PROT_WRITE);
}

static int truncate_all(struct four_pages *m)
{
	return ftruncate(m->file, 0);
}

static int truncate_part(struct four_pages *m)
{
	return ftruncate(m->file, 3 * (off_t)PAGE);
}

static int detach(struct four_pages *m)
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
GONE(MEMFD, deny_all);
GONE(MEMFD, protect_part);
GONE(MEMFD, deny_part);
GONE(MEMFD, protect_and_back);
GONE(MEMFD, truncate_all);
GONE(MEMFD, truncate_part);
GONE(SYSV, detach);
GONE_ANON(munmap_middle);
GONE_ANON(move_all);
GONE_ANON(move_and_keep);
GONE_ANON(protect_and_back);

static uint64_t *counter_of(const struct four_pages *m, int page)
{
	return (uint64_t *)(m->counters + page * PAGE);
}

/*
 * Stays for two and a half ticks of CPU time where @page is hit: at least one sample. Returns -1 if
 * none is counted.
 */
static int stay_and_count(const struct four_pages *m, int page)
{
	uint64_t before = *counter_of(m, page);

	if (stay_at_pc(m->code + page * APART, four_pages_seconds(m, 2.5)))
		return -1;
	/* counts a pending sample */
	get_status(m->fd);
	return *counter_of(m, page) > before ? 0 : -1;
}

/* One thread at a time, so that all numbers are known */
TEST_F(gone, once)
{
	static const uint32_t flags[] = { 0, PROFIL_PIN_ON_HIT };
	struct four_pages *m = &self->m;
	struct profil_status status;
	long long faults;
	size_t i;
	int page;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		faults = figure("fault_ends");
		m->start.flags = flags[i];
		ASSERT_EQ(0, map_counters(m, variant->source));
		ASSERT_EQ(0, call(m->fd, PROFIL_IOC_START, &m->start));
		/* all pages are hit, so they are pinned with either flag */
		for (page = 0; page < PAGES; page++)
			EXPECT_EQ(0, stay_and_count(m, page));
		status = get_status(m->fd);
		EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
		EXPECT_EQ(PAGES * PAGE, status.pinned_bytes);
		EXPECT_EQ(PAGES * PAGE / 1024, pinned_kib());

		expect_end(_metadata, m, variant->change, hit_all_pages);
		EXPECT_LT(faults, figure("fault_ends"));
		unmap_counters(m);

		/* a new profile works */
		ASSERT_EQ(0, map_counters(m, variant->source));
		ASSERT_EQ(0, call(m->fd, PROFIL_IOC_START, &m->start));
		EXPECT_TRUE(still_counts(m->fd, 3));
		status = stop(m->fd);
		EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
		EXPECT_EQ(0, status.error);
		EXPECT_EQ(status.counted, sum_counters(m->counters, PAGES * PAGE));
		unmap_counters(m);
	}
}

/*
 * Whether a truncation takes away a page that has been hit. Otherwise the profile does not use the
 * missing pages, and ends only when one of them is hit.
 */
static bool truncates_counts(const struct four_pages *m)
{
	return *counter_of(m, PAGES - 2) || *counter_of(m, PAGES - 1);
}

/* During the change, threads are sampled on each CPU and in each page. */
TEST_F(gone, while_ticks_come)
{
	enum { CHANGES = 6 };
	struct four_pages *m = &self->m;
	struct one_pc threads[PAGES];
	int i;

	for (i = 0; i < PAGES; i++)
		ASSERT_EQ(0, enter_pc(&threads[i], m->code + i * APART));
	for (i = 0; i < CHANGES; i++) {
		ASSERT_EQ(0, map_counters(m, variant->source));
		m->start.flags = i % 2 ? PROFIL_PIN_ON_HIT : 0;
		ASSERT_EQ(0, call(m->fd, PROFIL_IOC_START, &m->start));
		/* vary the distance from the tick */
		run_threads_for(four_pages_seconds(m, 3 + i / (double)CHANGES));
		while (variant->change == truncate_part && !truncates_counts(m))
			run_threads_for(four_pages_seconds(m, 1));
		expect_end(_metadata, m, variant->change, let_others_run);
		unmap_counters(m);
	}
	for (i = 0; i < PAGES; i++)
		leave_pc(&threads[i]);
}

/* Changes of or next to the counters' memory that keep it writable: the profile continues. */
FIXTURE(stays) {
	struct four_pages m;
};

FIXTURE_SETUP(stays)
{
	REQUIRE_DEVICE(self->m.fd);
	ASSERT_EQ(0, four_pages_init(&self->m));
	ASSERT_EQ(0, map_counters(&self->m, MEMFD));
	ASSERT_EQ(0, call(self->m.fd, PROFIL_IOC_START, &self->m.start));
}

FIXTURE_TEARDOWN(stays)
{
	stop(self->m.fd);
	EXPECT_EQ(0, pinned_kib());
	EXPECT_TRUE(pins_return_to(self->m.pins));
	close(self->m.fd);
}

static int munmap_before(struct four_pages *m)
{
	return munmap(m->view, PAGE);
}

static int protect_after(struct four_pages *m)
{
	return mprotect(m->counters + PAGES * PAGE, PAGE, PROT_READ);
}

static int deny_after(struct four_pages *m)
{
	return mprotect(m->counters + PAGES * PAGE, PAGE, PROT_NONE);
}

static int make_executable(struct four_pages *m)
{
	return mprotect(m->counters, PAGES * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
}

static int make_write_only(struct four_pages *m)
{
	return mprotect(m->counters + PAGE, PAGE, PROT_WRITE);
}

static int munmap_mirror(struct four_pages *m)
{
	int error = munmap(m->mirror, ALL_PAGES * PAGE);

	m->mirror = NULL;
	return error;
}

static int lengthen(struct four_pages *m)
{
	return ftruncate(m->file, 2 * ALL_PAGES * (off_t)PAGE);
}

static int truncate_after(struct four_pages *m)
{
	return ftruncate(m->file, (PAGES + 1) * (off_t)PAGE);
}

static int munmap_after(struct four_pages *m)
{
	return munmap(m->counters + PAGES * PAGE, PAGE);
}

TEST_F(stays, running)
{
	static int (*const changes[])(struct four_pages *m) = {
		munmap_before, protect_after, deny_after, make_executable,
		make_write_only, munmap_mirror, lengthen, truncate_after,
		munmap_after,
	};
	struct profil_status status;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		burn(four_pages_seconds(&self->m, 2));
		ASSERT_EQ(0, changes[i](&self->m));
		EXPECT_TRUE(still_counts(self->m.fd, 5)) {
			TH_LOG("change %zu", i);
		}
		status = get_status(self->m.fd);
		EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
		EXPECT_EQ(0, status.lost);
		EXPECT_EQ(PAGES * PAGE, status.pinned_bytes);
	}
	ASSERT_EQ(0, mprotect(self->m.counters, PAGES * PAGE, PROT_READ));
	status = stop(self->m.fd);
	EXPECT_EQ(status.counted, sum_counters(self->m.counters, PAGES * PAGE));
}

/* Counting restarts from 0 in exactly the pages that are discarded. */
TEST_F(stays, where_pages_are_discarded)
{
	struct four_pages *m = &self->m;
	off_t begin = m->counters - m->view;
	int first, end, page;

	for (first = 0; first < PAGES; first++)
		for (end = first + 1; end <= PAGES; end++) {
			for (page = 0; page < PAGES; page++)
				ASSERT_EQ(0, stay_and_count(m, page));
			ASSERT_EQ(0, fallocate(m->file, FALLOC_FL_PUNCH_HOLE |
					       FALLOC_FL_KEEP_SIZE,
					       begin + first * (off_t)PAGE,
					       (end - first) * (off_t)PAGE));
			for (page = 0; page < PAGES; page++) {
				bool gone = page >= first && page < end;

				EXPECT_EQ(gone, !*counter_of(m, page));
				EXPECT_EQ(0, stay_and_count(m, page)) {
					TH_LOG("page %d of %d to %d", page, first, end - 1);
				}
			}
		}
	EXPECT_EQ(PROFIL_STATE_RUNNING, get_status(m->fd).state);
}

/* After the end of the profile, no pin prevents that the file is sealed. */
TEST_F(stays, until_file_is_sealed)
{
	struct four_pages *m = &self->m;

	EXPECT_TRUE(still_counts(m->fd, 2));
	EXPECT_EQ(-1, fcntl(m->file, F_ADD_SEALS, F_SEAL_WRITE));
	EXPECT_EQ(EBUSY, errno);
	EXPECT_TRUE(still_counts(m->fd, 2));
	ASSERT_EQ(0, munmap(m->view, ALL_PAGES * PAGE));
	ASSERT_EQ(0, munmap_mirror(m));
	EXPECT_EQ(0, fcntl(m->file, F_ADD_SEALS, F_SEAL_WRITE));
	EXPECT_EQ(PROFIL_STATE_FAULT, get_status(m->fd).state);
}

/* A change in one process does not end the profile of its parent or child. */
TEST_F(stays, in_other_process)
{
	struct four_pages *m = &self->m;
	struct profil_status status;
	int ready[2];
	pid_t pid;
	char byte;

	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		EXPECT_TRUE(still_counts(m->fd, 3));
		EXPECT_EQ(0, munmap_first(m));
		EXPECT_EQ(PROFIL_STATE_FAULT, get_status(m->fd).state);
		EXPECT_EQ(0, pinned_kib());
		_exit(0);
	}
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_TRUE(still_counts(m->fd, 3));
	EXPECT_EQ(PROFIL_STATE_RUNNING, get_status(m->fd).state);

	/* the same with the roles exchanged */
	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		EXPECT_EQ(1, read(ready[0], &byte, 1));
		EXPECT_TRUE(still_counts(m->fd, 5));
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

TEST_HARNESS_MAIN
