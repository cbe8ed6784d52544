// SPDX-License-Identifier: GPL-2.0-only
/*
 * The library's profil() of each dialect with the module's arithmetic: the counter of a pc in the
 * cases of dialects.vectors and in two million random cases of dialect_rules.h, and the overflow of
 * counters.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "module/counters/counter.h"
#include "profile/dialect_calls.h"
#include "profile/dialect_rules.h"
#include "support/fake_device.h"
#include "support/test.h"

/* Required by support/kernel/linux/atomic.h; no test here sets it */
void (*before_exchange)(void *word);

/*
 * Of nine faults put into module/counters/bins.h, the one that shows most rarely, a product of 2^64
 * bytes that is not seen, shows in one case of 120,000: these miss it with a probability of e^-16.
 */
#define CASES	2000000
#define BUFFER	0x7000000000ULL

static const struct dialect {
	const char *name;
	dialect_rule *rule;
	dialect_call *call;
	u64 max_bytes;		/* largest buffer that the arguments allow */
	u32 overflow;
	u32 max_count;
	u32 flags;
} dialects[] = {
	{ "solaris", rule_solaris, call_solaris, 1ULL << 40,
	  PROFIL_OVERFLOW_STOP, 32767,
	  PROFIL_PIN_ON_HIT | PROFIL_CHECK_ON_HIT },
	{ "bsd", rule_bsd, call_bsd, 1ULL << 40,
	  PROFIL_OVERFLOW_WRAP, 65535, 0 },
	{ "linux099", rule_linux099, call_linux099, UINT32_MAX,
	  PROFIL_OVERFLOW_WRAP, 65535,
	  PROFIL_PIN_ON_HIT | PROFIL_CHECK_ON_HIT | PROFIL_FAULT_SIGNAL },
	{ "osf1", rule_osf1, call_osf1, 1ULL << 40,
	  PROFIL_OVERFLOW_WRAP, 65535,
	  PROFIL_PIN_ON_HIT | PROFIL_CHECK_ON_HIT },
	{ "aix", rule_aix, call_aix, UINT32_MAX - 1,
	  PROFIL_OVERFLOW_SATURATE, 65535, 0 },
	{ "svid", rule_svid, call_svid, 1ULL << 40,
	  PROFIL_OVERFLOW_WRAP, 65535,
	  PROFIL_PIN_ON_HIT | PROFIL_CHECK_ON_HIT },
	{ "glibc", rule_glibc, call_glibc, 1ULL << 40,
	  PROFIL_OVERFLOW_WRAP, 65535, 0 },
};

/* Turn profiling on or off, and check that it is. */
static void turn(const struct dialect *dialect, bool on)
{
	if (dialect->call((void *)BUFFER, 2, 0, on ? 0x8000 : 0) ||
	    (fake_device.state == PROFIL_STATE_RUNNING) != on)
		fail_msg("%s: not %s", dialect->name, on ? "on" : "off");
}

/* The result of a call, as in a row of the tables. */
static int64_t result_of(const struct dialect *dialect, u64 n, u64 offset, u32 scale, u64 pc)
{
	bool was_on = fake_device.state == PROFIL_STATE_RUNNING;
	u64 at;

	errno = 0;
	if (dialect->call((void *)BUFFER, n, offset, scale))
		return errno == EINVAL &&
		       (fake_device.state == PROFIL_STATE_RUNNING) == was_on ?
		       VECTOR_EINVAL : -errno - 1000;
	/* without room for a counter, the kernel has no session */
	if (fake_device.state == PROFIL_STATE_OFF)
		return was_on || n >= 2 ? VECTOR_OFF : VECTOR_NONE;
	at = fake_device_counter(pc);
	return at ? (int64_t)(at - BUFFER) : VECTOR_NONE;
}

static void check(const struct dialect *dialect, u64 offset, const struct vector *row)
{
	int64_t got;
	char text[128];

	/* on AIX, a call that turns profiling on while it is on has no effect */
	if (row->result <= VECTOR_OFF)
		turn(dialect, true);
	got = result_of(dialect, row->bufsiz, offset, row->scale, offset + (u64)row->d);
	if (got != row->result)
		fail_msg("%s: %lld", vector_text(row, text, sizeof(text)), (long long)got);
	turn(dialect, false);
}

TEST(counters_of_vectors)
{
	struct vectors vectors;
	char path[4096];
	size_t i, j;

	vectors = vectors_read(vectors_path(path, sizeof(path),
					    "../../libprofil/dialects.vectors"));
	assert_int_equal(0, vectors.bad_line);
	assert_int_equal(115, vectors.nr);
	for (i = 0; i < vectors.nr; i++) {
		const struct vector *row = &vectors.rows[i];

		for (j = 0; j < ARRAY_SIZE(dialects); j++)
			if (!strcmp(row->dialect, dialects[j].name))
				check(&dialects[j], 1ULL << 40, row);
		/* the rules of the random cases agree with the table, too */
		assert_int_equal(row->result,
				 dialect_rule_result(dialect_rule_of(row->dialect), row));
	}
	free(vectors.rows);
}

/* Neither the offset nor the pc wraps. */
static u64 random_offset(int64_t d)
{
	u64 offset = random_any(64);

	if (d < 0)
		return offset < -(u64)d ? -(u64)d : offset;
	return offset > U64_MAX - (u64)d ? U64_MAX - (u64)d : offset;
}

TEST(counters_of_random_cases)
{
	u64 results[4] = { 0 };
	long i;

	random_seed_vectors(1);
	for (i = 0; i < CASES; i++) {
		const struct dialect *dialect = &dialects[i % (long)ARRAY_SIZE(dialects)];
		struct vector row = { .line = (int)i };

		strcpy(row.dialect, dialect->name);
		random_vector(dialect->rule, dialect->max_bytes, DISTANCE_BITS, &row);
		check(dialect, random_offset(row.d), &row);
		results[row.result < 0 ? -row.result : 0]++;
	}
	/* each kind of result occurred often */
	assert_in_range(results[0], CASES / 4, CASES);
	assert_in_range(results[-VECTOR_NONE], CASES / 4, CASES);
	assert_in_range(results[-VECTOR_OFF], CASES / 100, CASES);
	assert_in_range(results[-VECTOR_EINVAL], CASES / 200, CASES);
}

/* Counters at their maximum, with the overflow mode that was requested from the kernel. */
TEST(overflow_of_counters)
{
	const struct profil_start *start = &fake_device.start;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(dialects); i++) {
		const struct dialect *dialect = &dialects[i];
		u32 highest = dialect->max_count;
		u64 after = dialect->overflow == PROFIL_OVERFLOW_WRAP ?
			    0 : highest;

		turn(dialect, true);
		assert_int_equal(16, start->width);
		assert_int_equal(dialect->overflow, start->overflow);
		assert_int_equal(dialect->flags, start->flags);
		/* limit 0: the maximum of the counter's width */
		assert_int_equal(highest, start->limit ? start->limit : 65535);
		assert_int_equal(highest,
				 profil_count(highest - 1, 1, start->overflow, highest, 65535));
		assert_int_equal(after, profil_count(highest, 1, start->overflow, highest, 65535));
		turn(dialect, false);
	}
}

FIXTURE(set_up_all)
{
	unsetenv("PROFIL_DIALECT");
	unsetenv("PROFIL_RATE");
	return 0;
}

GROUP(set_up_all, NULL)
