// SPDX-License-Identifier: GPL-2.0-only
/*
 * A system call discards, replaces or protects the page of the counter, but the memory stays
 * writable: counting continues in the page that the program sees, and no sample is lost.
 */
#include "kselftest_harness.h"
#include "child.h"
#include "profile/one_counter_checks.h"

enum source { ANON, MEMFD };
enum effect { KEEPS, DISCARDS, MAY_DISCARD };

FIXTURE(change) {
	struct one_counter r;
};

FIXTURE_VARIANT(change) {
	enum source source;
	enum effect effect;
	int (*make)(struct one_counter *r);	/* ENOSYS: not supported here */
	int times;			/* at most in "accounted_for", at least in "storm" */
};

FIXTURE_SETUP(change)
{
	REQUIRE_DEVICE(self->r.fd);
	one_counter_init(&self->r);
}

ONE_COUNTER_TEARDOWN(change)

static int dont_need(struct one_counter *r)
{
	return advise(r, MADV_DONTNEED);
}

/* Freed lazily, and reclaimed at once */
static int free_lazily(struct one_counter *r)
{
	int error = advise(r, MADV_FREE);

	return error ? error : advise(r, MADV_PAGEOUT);
}

static int page_out(struct one_counter *r)
{
	return advise(r, MADV_PAGEOUT);
}

static int make_cold(struct one_counter *r)
{
	return advise(r, MADV_COLD);
}

static int make_hole(struct one_counter *r)
{
	return advise(r, MADV_REMOVE);
}

static int punch_hole(struct one_counter *r)
{
	return fallocate(r->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			 (off_t)PAGE) ? errno : 0;
}

static int clear_soft_dirty(struct one_counter *r)
{
	(void)r;
	return write_text("/proc/self/clear_refs", "4");
}

static int clear_referenced(struct one_counter *r)
{
	(void)r;
	return write_text("/proc/self/clear_refs", "1");
}

static int lock_and_unlock(struct one_counter *r)
{
	return mlock(r->counter, PAGE) || munlock(r->counter, PAGE) ? errno : 0;
}

static int fork_once(struct one_counter *r)
{
	pid_t pid = fork();

	if (!pid) {
		*r->counter = 1ULL << 40;
		_exit(0);
	}
	return wait_for(pid) ? EIO : 0;
}

static int compact(struct one_counter *r)
{
	int error = write_text("/proc/sys/vm/compact_memory", "1");

	(void)r;
	return error == ENOENT || error == EACCES ? ENOSYS : error;
}

/* The memory stays writable, though its protection changes. */
static int make_executable(struct one_counter *r)
{
	return mprotect(r->counter, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) ||
	       mprotect(r->counter, PAGE, PROT_READ | PROT_WRITE) ? errno : 0;
}

#define CHANGE(source_, make_, effect_, times_)				\
	FIXTURE_VARIANT_ADD(change, source_ ## _ ## make_) {		\
		.source = (source_), .effect = (effect_),		\
		.make = (make_), .times = (times_),			\
	}

CHANGE(ANON, dont_need, DISCARDS, 200);
CHANGE(ANON, free_lazily, MAY_DISCARD, 200);
CHANGE(ANON, page_out, KEEPS, 200);
CHANGE(ANON, make_cold, KEEPS, 200);
CHANGE(ANON, clear_soft_dirty, KEEPS, 60);
CHANGE(ANON, clear_referenced, KEEPS, 60);
CHANGE(ANON, lock_and_unlock, KEEPS, 200);
CHANGE(ANON, fork_once, KEEPS, 20);
/*
 * Each may move all memory that can be moved, which depends on what ran before: the guest's 65 MiB
 * of files took 0.7 s of CPU time each time with one seed. So twice 5 end within the harness's 30 s
 * also with four times as much memory.
 */
CHANGE(ANON, compact, KEEPS, 5);
CHANGE(ANON, make_executable, KEEPS, 200);
CHANGE(MEMFD, dont_need, KEEPS, 200);
CHANGE(MEMFD, make_hole, DISCARDS, 200);
CHANGE(MEMFD, punch_hole, DISCARDS, 200);
CHANGE(MEMFD, page_out, KEEPS, 200);
CHANGE(MEMFD, clear_soft_dirty, KEEPS, 60);

static void *map_for(struct one_counter *r, enum source source)
{
	return source == MEMFD ? map_memfd(r, MAP_SHARED, PAGE) :
				 map_memory(PAGE);
}

/*
 * The values read before each discard and the final one add up to all samples, except those between
 * the reading and the discard. The discarded page is not written any more.
 */
TEST_F(change, accounted_for)
{
	struct one_counter *r = &self->r;
	bool discards = variant->effect == DISCARDS;
	int k, error, restarts, early[2], late[2];
	struct profil_status status;
	uint64_t sum, seen, between;
	char *old, *older;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
		ASSERT_EQ(0, one_counter_start(r, map_for(r, variant->source), both_flags[i]));
		sum = 0;
		between = 0;
		restarts = 0;
		for (k = 0; k < 25 && k < variant->times; k++) {
			EXPECT_TRUE(still_counts(r->fd, 1));
			if (discards)
				ASSERT_FALSE(splice_pages(r->counter, 1, early) ||
					     splice_pages(r->counter, 1, late));
			between -= get_status(r->fd).samples;
			seen = one_counter_value(r);
			error = variant->make(r);
			if (error == ENOSYS)
				SKIP(return, "not supported here");
			ASSERT_EQ(0, error);
			older = discards ? read_spliced_pages(early, 1) : NULL;
			status = get_status(r->fd);
			between += status.samples;
			EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
			restarts += one_counter_value(r) < seen;
			sum += seen;
			EXPECT_TRUE(still_counts(r->fd, 1));
			if (discards) {
				old = read_spliced_pages(late, 1);
				EXPECT_EQ(0, memcmp(older, old, PAGE));
				free(older);
				free(old);
			}
		}
		expect_counting(_metadata, r);
		status = expect_end(_metadata, r, variant->effect != KEEPS);
		if (discards) {
			sum += one_counter_value(r);
			EXPECT_GE(status.counted, sum);
			EXPECT_LE(status.counted, sum + between + 5);
			EXPECT_LT(20, restarts);
		}
	}
}

TEST_F(change, storm)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
		ASSERT_EQ(0, one_counter_start(&self->r, map_for(&self->r, variant->source),
					       both_flags[i]));
		if (variant->make(&self->r) == ENOSYS)
			SKIP(return, "not supported here");
		change_while_counting(_metadata, &self->r, variant->make, variant->times,
				      variant->effect != KEEPS);
	}
}

TEST_HARNESS_MAIN
