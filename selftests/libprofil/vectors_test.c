// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil() of each dialect on the real module: while a thread stays at one pc, only the counter
 * that the table specifies is incremented. Nothing else in the buffer or around it changes.
 * dialects.vectors was worked out from the manual pages by hand; the results of random cases are
 * those of dialect_rules.h. Both are run with the functions of <profil.h>, and with profil() of
 * each dialect's library, which has the types of the system's manual page.
 *
 * The environment variable SEED, a number, selects other random cases, and CASES how many.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "profil.h"

#if defined(__x86_64__) || defined(__i386__)

#include "profile/counter_watch.h"
#include "profile/dialect_calls.h"
#include "profile/dialect_rules.h"
#include "profile/page_calls.h"

#define RANDOM_CASES	333
/*
 * Hz, for the random cases: above the rate of the tick, where a timer takes the samples. The
 * library and the module count them as those at a tick, for which the cases of dialects.vectors
 * wait. With 8 ns an instruction, a case takes 4 ms instead of 10.
 */
#define RANDOM_RATE	2000
/* Of a distance: addresses of programs have 47 bits, and those of 32-bit programs 32. */
#define MAX_BITS	(sizeof(long) < 8 ? 32 : 46)

static bool complain(const struct vector *row, const char *fault, long long got)
{
	char text[128];

	ksft_print_msg("%s: %s %lld\n",
		       vector_text(row, text, sizeof(text)), fault, got);
	return false;
}

/* The row's call has been made, and there is code at its pc: runs it, and checks all counters. */
static bool counts_as_specified(struct counter_watch *watch, dialect_call *start,
				const struct vector *row, char *buf)
{
	struct profil_status status = { .state = PROFIL_STATE_OFF };
	int error = counter_watch_run(watch, row->result >= 0 ? buf + row->result : NULL, &status);
	unsigned int count = 0;
	bool clear;

	/* by the same function: AIX ignores an end by another one */
	if (start(buf, row->bufsiz, 0, 0))
		return complain(row, "off: errno", errno);
	if (row->result >= 0) {
		count = *(uint16_t *)(buf + row->result);
		*(uint16_t *)(buf + row->result) = 0;
	}
	clear = counter_watch_clear(buf - WATCH_GUARD, buf + row->bufsiz + WATCH_GUARD);
	if (!clear)
		return complain(row, "also counted elsewhere; in the counter", count);
	/* the library starts no session for a buffer without a counter */
	if (status.state != (row->bufsiz < 2 ? PROFIL_STATE_OFF : PROFIL_STATE_RUNNING))
		return complain(row, "state", status.state);
	if (row->result < 0 && status.counted)
		return complain(row, "counted", (long long)status.counted);
	if (row->result >= 0 && (!count || count != status.counted))
		return complain(row, "counter is", count);
	return !error || complain(row, "no samples: errno", error);
}

/* A pc in a page so high that the offset, pc - d, is above the lowest address. */
static uint64_t pc_of(uint64_t lowest, const struct vector *row)
{
	uint64_t above = row->d > 0 ? (uint64_t)row->d : 0;

	return lowest + (above | (WATCH_PAGE - 1)) + 1 +
	       (unsigned int)row->line * 97 % WATCH_PAGE;
}

/* Returns how far above the offset a pc can have a counter in the buffer, in any dialect. */
static uint64_t counted_range(const struct vector *row)
{
	bool is_aix = !strcmp(row->dialect, "aix");
	uint32_t scale = is_aix ? row->scale % 65536 : row->scale;

	if (scale == 2 && (is_aix || !strcmp(row->dialect, "svid")))
		return UINT64_MAX;
	return scale ? (row->bufsiz << 16) / scale + 1 : 0;
}

/*
 * With 32-bit addresses, the pc and the offset must be below the memory that the kernel maps into a
 * program. In a 32-bit program, that memory must not be counted either: all threads make their
 * system calls through the vdso.
 */
static bool row_fits(uint64_t lowest, const struct vector *row)
{
	const uint64_t highest = 0xe0000000;
	uint64_t pc = pc_of(lowest, row), offset = pc - (uint64_t)row->d;

	if (lowest > highest)
		return true;
	if (sizeof(long) < 8 && counted_range(row) > highest - offset)
		return false;
	return pc < highest && offset < highest;
}

static bool row_counts(struct counter_watch *watch, dialect_call *start, uint64_t lowest,
		       const struct vector *row)
{
	char *buf = counter_watch_buffer(watch, row->line);
	uintptr_t pc = (uintptr_t)pc_of(lowest, row);
	int error;

	error = spinner_place(&watch->spinner, pc);
	if (error)
		return complain(row, "no code there: errno", error);
	if (start(buf, row->bufsiz, pc - (unsigned long)row->d, row->scale))
		return complain(row, "errno", errno);
	return counts_as_specified(watch, start, row, buf);
}

/* Rows that turn profiling off, and rows that fail and keep the earlier profile. */
static bool row_starts_nothing(struct counter_watch *watch, dialect_call *start, uint64_t lowest,
			       const struct vector *row)
{
	bool refused = row->result == VECTOR_EINVAL;
	char *buf = counter_watch_buffer(watch, row->line);
	struct profil_status status;
	int result;

	if (start(buf, 0x400, (unsigned long)lowest, 0x8000) ||
	    profil_status(&status) || status.state != PROFIL_STATE_RUNNING)
		return complain(row, "no earlier profile: errno", errno);
	errno = 0;
	result = start(buf, row->bufsiz, (unsigned long)lowest - (unsigned long)row->d, row->scale);
	if (result != (refused ? -1 : 0) || errno != (refused ? EINVAL : 0))
		return complain(row, "errno", errno);
	if (profil_status(&status) ||
	    status.state != (refused ? PROFIL_STATE_RUNNING : PROFIL_STATE_OFF))
		return complain(row, "state", status.state);
	return !profil_stop(NULL);
}

FIXTURE(dialect) {
	int fd;
	struct counter_watch watch;
};

FIXTURE_VARIANT(dialect) {
	const char *name;
	dialect_call *start;
	unsigned long lowest;		/* offset */
};

#define DIALECT(dialect_name)						\
	FIXTURE_VARIANT_ADD(dialect, dialect_name) {			\
		.name = #dialect_name,					\
		.start = call_##dialect_name,				\
		.lowest = SPINNER_LOWEST,				\
	}

/* The same with the dialect's library and the types of its manual page */
#define PAGE_DIALECT(dialect_name)					\
	FIXTURE_VARIANT_ADD(dialect, page_##dialect_name) {		\
		.name = #dialect_name,					\
		.start = page_call_##dialect_name,			\
		.lowest = SPINNER_LOW,					\
	}

DIALECT(solaris);
DIALECT(bsd);
DIALECT(linux099);
DIALECT(osf1);
DIALECT(aix);
DIALECT(svid);
DIALECT(glibc);
PAGE_DIALECT(solaris);
PAGE_DIALECT(bsd);
PAGE_DIALECT(linux099);
PAGE_DIALECT(osf1);
PAGE_DIALECT(aix);
PAGE_DIALECT(svid);

FIXTURE_SETUP(dialect)
{
	REQUIRE_DEVICE(self->fd);
	ASSERT_EQ(0, counter_watch_create(&self->watch, self->fd));
}

FIXTURE_TEARDOWN(dialect)
{
	profil_stop(NULL);
	close(self->fd);
}

/* Returns how many of the dialect's rows fail, or -1 if none has been run. */
static int failing_rows(struct counter_watch *watch, const struct _fixture_variant_dialect *dialect,
			const char *table, const struct vector *rows, size_t nr)
{
	int failed = 0, tried = 0, too_far = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct vector *row = &rows[i];

		if (strcmp(row->dialect, dialect->name))
			continue;
		if (!row_fits(dialect->lowest, row)) {
			too_far++;
			continue;
		}
		tried++;
		if (row->bufsiz > WATCH_LARGEST)
			failed += !complain(row, "buffer above", WATCH_LARGEST);
		else if (row->result < VECTOR_NONE)
			failed += !row_starts_nothing(watch, dialect->start, dialect->lowest, row);
		else
			failed += !row_counts(watch, dialect->start, dialect->lowest, row);
	}
	ksft_print_msg("%s: %d rows of %s, %d skipped: they need higher addresses\n", table, tried,
		       dialect->name, too_far);
	return tried ? failed : -1;
}

TEST_F(dialect, counters_match_manual_pages)
{
	struct vectors vectors;
	char path[4096];

	vectors = vectors_read(vectors_path(path, sizeof(path), "dialects.vectors"));
	ASSERT_EQ(0, vectors.bad_line);
	EXPECT_EQ(0, failing_rows(&self->watch, variant, "dialects.vectors", vectors.rows,
				  vectors.nr));
	free(vectors.rows);
}

TEST_F_TIMEOUT(dialect, counters_match_rules, 300)
{
	const char *seed = getenv("SEED"), *number = getenv("CASES");
	const int cases = number ? atoi(number) : RANDOM_CASES;
	struct vector *rows = calloc((size_t)cases, sizeof(*rows));
	int i;

	ASSERT_NE(NULL, rows);
	ASSERT_EQ(0, counter_watch_set_rate(&self->watch, RANDOM_RATE));
	random_seed_vectors(seed ? strtoull(seed, NULL, 0) : 1993);
	for (i = 0; i < cases; i++) {
		strcpy(rows[i].dialect, variant->name);
		rows[i].line = i;
		random_vector(dialect_rule_of(variant->name), WATCH_LARGEST, MAX_BITS, &rows[i]);
	}
	EXPECT_EQ(0, failing_rows(&self->watch, variant, "random cases", rows, (size_t)cases));
	free(rows);
}

TEST_HARNESS_MAIN

#else
int main(void)
{
	ksft_print_header();
	ksft_set_plan(1);
	ksft_test_result_skip("not supported on this architecture\n");
	return KSFT_SKIP;
}
#endif
