// SPDX-License-Identifier: GPL-2.0-only
/*
 * The library's profil() of each dialect with the module's arithmetic: the counter of a pc in the
 * cases of dialects.vectors and in ten million random cases, and the overflow of counters. The
 * expected results of random cases are the rules of the manual pages, computed in 128 bits.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/profile/dialect_calls.h"
#include "../../lib/profile/vectors.h"
#include "module/counter.h"
#include "support/fake_device.h"
#include "support/test.h"

/* Required by support/kernel/linux/atomic.h; no test here sets it */
void (*before_exchange)(void *word);

#define CASES	10000000
#define BUFFER	0x7000000000ULL

typedef unsigned __int128 u128;

/* Random numbers, the same in each run */
static u64 random_state = 88172645463325252ULL;

static u64 random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static u64 random_below(u64 bound)
{
	return random_u64() % bound;
}

/* Of any magnitude; often a power of two, or close to one. */
static u64 random_any(unsigned int bits)
{
	u64 power = 1ULL << random_below(bits);

	if (random_below(2))
		return random_u64() % (2 * power - 1);
	return power + random_below(5) - 2;
}

/*
 * The rules: d is the distance of the pc from the offset, not negative; s the scale; n the buffer's
 * size in bytes. Return: offset of the counter in bytes, or VECTOR_*.
 */
static int64_t byte_if_below(u128 byte, u64 n)
{
	return byte + 2 <= (n & ~1ULL) ? (int64_t)byte : VECTOR_NONE;
}

static int64_t counter_if_below(u128 number, u64 n)
{
	return number < n / 2 ? (int64_t)(2 * number) : VECTOR_NONE;
}

static int64_t rule_solaris(u128 d, u32 s, u64 n)
{
	if (s == 0 || s == 1)
		return VECTOR_OFF;
	return byte_if_below((d * s / 65536) & ~(u128)1, n);
}

static int64_t rule_bsd(u128 d, u32 s, u64 n)
{
	if (s > 65536)
		return VECTOR_EINVAL;
	if (s == 0)
		return VECTOR_OFF;
	return byte_if_below(2 * ((d / 2) * s / 65536), n);
}

static int64_t rule_linux099(u128 d, u32 s, u64 n)
{
	if (n == 0 || s < 2 || s > INT32_MAX)
		return VECTOR_OFF;
	return byte_if_below((d * s / 65536) & ~(u128)1, n);
}

static int64_t rule_osf1(u128 d, u32 s, u64 n)
{
	return rule_solaris(d, s, n);
}

static int64_t rule_aix(u128 d, u32 s, u64 n)
{
	u128 halfwords;

	s %= 65536;
	if (s == 0 || s == 1)
		return VECTOR_OFF;
	/* shifted right by 16, rounded up to a halfword */
	halfwords = (d * s / 65536 + 1) / 2;
	return counter_if_below(s == 2 ? 0 : halfwords, n);
}

static int64_t rule_glibc(u128 d, u32 s, u64 n)
{
	if (s == 0)
		return VECTOR_OFF;
	return counter_if_below((d / 2) * s / 65536, n);
}

static const struct dialect {
	const char *name;
	int64_t (*rule)(u128 d, u32 s, u64 n);
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
static int64_t result_of(const struct dialect *dialect, u64 n, u64 offset,
			 u32 scale, u64 pc)
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

/* want: result of the rule for a pc that is not below the offset. */
static void check(const struct dialect *dialect, u64 offset, u64 pc, u32 scale,
		  u64 n, int64_t want)
{
	int64_t got;

	if (pc < offset && want >= 0)
		want = VECTOR_NONE;
	/* on AIX, a call that turns profiling on while it is on has no effect */
	if (want <= VECTOR_OFF)
		turn(dialect, true);
	got = result_of(dialect, n, offset, scale, pc);
	if (got != want)
		fail_msg("%s: d %s%#llx, scale %#x, %llu bytes: %lld, not %lld",
			 dialect->name, pc < offset ? "-" : "",
			 pc < offset ? offset - pc : pc - offset, scale, n,
			 (long long)got, (long long)want);
	turn(dialect, false);
}

static void counters_of_vectors(void **state)
{
	struct vectors vectors;
	char path[4096];
	size_t i, j;

	(void)state;
	vectors = vectors_read(vectors_path(path, sizeof(path),
					    "../../libprofil/dialects.vectors"));
	assert_int_equal(0, vectors.bad_line);
	assert_int_equal(90, vectors.nr);
	for (i = 0; i < vectors.nr; i++) {
		const struct vector *row = &vectors.rows[i];
		u64 offset = 1ULL << 40;

		for (j = 0; j < ARRAY_SIZE(dialects); j++)
			if (!strcmp(row->dialect, dialects[j].name))
				check(&dialects[j], offset,
				      offset + (u64)row->d, row->scale,
				      row->bufsiz, row->result);
	}
	free(vectors.rows);
}

/* A distance near the start of a counter; often the last counter, or after the buffer's end. */
static u64 random_distance(u32 scale, u64 n)
{
	u128 byte = random_below(2) ? n : random_below(n + 1), d;

	if (!random_below(4))
		return random_any(63);
	d = byte * 65536 / (scale ? scale : 1) + random_below(9);
	return d < 4 ? 0 : (u64)(d - 4);
}

static void counters_of_random_cases(void **state)
{
	u64 results[4] = { 0 };
	long i;

	(void)state;
	for (i = 0; i < CASES; i++) {
		const struct dialect *dialect =
			&dialects[i % (long)ARRAY_SIZE(dialects)];
		u32 scale = (u32)random_any(random_below(4) ? 17 : 32);
		u64 n = random_any(random_below(8) ? 31 : 40);
		u64 offset = random_any(64), d, pc;
		int64_t want;

		if (n > dialect->max_bytes)
			n = dialect->max_bytes;
		/* AIX uses only 16 bits of the scale */
		d = random_distance(dialect->rule == rule_aix ?
				    scale % 65536 : scale, n);
		if (offset > U64_MAX - d)
			offset = U64_MAX - d;
		pc = offset + d;
		if (!random_below(16) && offset) {
			d = 1 + random_below(offset);
			pc = offset - d;
		}
		want = dialect->rule(d, scale, n);
		check(dialect, offset, pc, scale, n, want);
		if (pc < offset && want >= 0)
			want = VECTOR_NONE;
		results[want < 0 ? -want : 0]++;
	}
	/* each kind of result occurred often */
	assert_in_range(results[0], CASES / 4, CASES);
	assert_in_range(results[-VECTOR_NONE], CASES / 4, CASES);
	assert_in_range(results[-VECTOR_OFF], CASES / 100, CASES);
	assert_in_range(results[-VECTOR_EINVAL], CASES / 200, CASES);
}

/* Counters at their maximum, with the overflow mode that was requested from the kernel. */
static void overflow_of_counters(void **state)
{
	const struct profil_start *start = &fake_device.start;
	size_t i;

	(void)state;
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
				 profil_count(highest - 1, 1, start->overflow,
					      highest, 65535));
		assert_int_equal(after, profil_count(highest, 1,
						     start->overflow, highest,
						     65535));
		turn(dialect, false);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_of_vectors),
		cmocka_unit_test(counters_of_random_cases),
		cmocka_unit_test(overflow_of_counters),
	};

	unsetenv("PROFIL_DIALECT");
	unsetenv("PROFIL_RATE");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
