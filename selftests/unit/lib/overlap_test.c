// SPDX-License-Identifier: GPL-2.0-only
/*
 * Overlapping regions of sprofil() and of AIX's profil(). The library must cut them so that they do
 * not overlap (the fake device refuses others). The counter of each pc is compared with the result
 * of a search of all regions.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/profil.h>

#include "lib/include/profil.h"
#include "support/fake_device.h"
#include "support/test.h"

/* AIX's struct prof, renamed: the C library has one too */
#define prof	aix_prof
#define profil	aix_profil
#include "lib/include/profil/aix/mon.h"
#undef prof
#undef profil

#define MAX_REGIONS	6
#define ROUNDS		100000
/* Dearer: each maps memory. A wrong limit or scale in the library shows in one round of nine. */
#define AIX_ROUNDS	10000
#define PCS		96		/* checked pcs, from 0 on */
#define BUFFER		0x7000000000ULL
#define BUFFER_STEP	0x1000000ULL
#define CATCH_ALL_BUFFER	(BUFFER - 64)

typedef unsigned __int128 u128;

static uint64_t random_state = 88172645463325252ULL;

static uint64_t random_below(uint64_t bound)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % bound;
}

static void *buffer_of(int region)
{
	return (void *)(BUFFER + (uint64_t)region * BUFFER_STEP);
}

/*
 * The counter of a pc by sprofil()'s rule; 0: none. For equal offsets, which the rule does not
 * specify, the library uses the first region.
 */
static uint64_t sprofil_counter(const struct prof *profs, int nr, uint64_t pc, unsigned int width)
{
	uint64_t best = 0, highest = 0;
	int i;

	for (i = 0; i < nr; i++) {
		const struct prof *prof = &profs[i];
		u128 index;

		if (prof->pr_scale < 2 || pc < prof->pr_off ||
		    (!prof->pr_off && prof->pr_scale == 2))
			continue;
		index = (u128)((pc - prof->pr_off) / width) * prof->pr_scale /
			65536;
		if (index >= prof->pr_size / width || (best && prof->pr_off <= highest))
			continue;
		best = (uint64_t)prof->pr_base + (uint64_t)index * width;
		highest = prof->pr_off;
	}
	return best;
}

/* The catch-all counter, that of the first such region with room for a counter; 0: none. */
static uint64_t catch_all_counter(const struct prof *profs, int nr, unsigned int width)
{
	int i;

	for (i = 0; i < nr; i++)
		if (!profs[i].pr_off && profs[i].pr_scale == 2 && profs[i].pr_size >= width)
			return (uint64_t)profs[i].pr_base;
	return 0;
}

/* Whether a region other than a catch-all has a counter. */
static bool has_region(const struct prof *profs, int nr, unsigned int width)
{
	int i;

	for (i = 0; i < nr; i++)
		if (profs[i].pr_scale >= 2 && profs[i].pr_size >= width &&
		    (profs[i].pr_off || profs[i].pr_scale != 2))
			return true;
	return false;
}

static void check_sprofil(struct prof *profs, int nr, unsigned int width,
			  const uint64_t *pcs, size_t nr_pcs)
{
	static const unsigned int flags[] = {
		[2] = PROF_USHORT, [4] = PROF_UINT, [8] = PROF_UINT64,
	};
	uint64_t catch_all = catch_all_counter(profs, nr, width);
	size_t i;
	int j;

	assert_int_equal(0, sprofil(profs, nr, NULL, flags[width]));
	if (!catch_all && !has_region(profs, nr, width)) {
		assert_int_equal(PROFIL_STATE_OFF, fake_device.state);
		return;
	}
	assert_int_equal(PROFIL_STATE_RUNNING, fake_device.state);
	assert_int_equal(PROFIL_OVERFLOW_SATURATE, fake_device.start.overflow);
	assert_int_equal(0, fake_device.start.limit);
	for (i = 0; i < nr_pcs; i++) {
		uint64_t want = sprofil_counter(profs, nr, pcs[i], width);
		uint64_t got = fake_device_counter(pcs[i]);

		if (got == (want ? want : catch_all))
			continue;
		for (j = 0; j < nr; j++)
			print_message("%#lx + %#lx bytes, scale %#lx\n",
				      profs[j].pr_off, profs[j].pr_size,
				      profs[j].pr_scale);
		fail_msg("pc %#lx, %u bytes a counter: %#lx, not %#lx", pcs[i], width, got, want);
	}
}

static const unsigned int scales[] = {
	0, 1, 2, 3, 0x4000, 0x8000, 0xaaaa, 0xffff, 0x10000, 0x10001, 0x20000,
	0x30000, 0xffffffff,
};

FIXTURE(set_up)
{
	fake_device_reset();
	return 0;
}

TEST_WITH(sprofil_small_regions, set_up, NULL)
{
	struct prof profs[MAX_REGIONS];
	uint64_t pcs[PCS];
	int round, nr, i;

	for (i = 0; i < PCS; i++)
		pcs[i] = (uint64_t)i;
	for (round = 0; round < ROUNDS; round++) {
		nr = 1 + (int)random_below(MAX_REGIONS);
		for (i = 0; i < nr; i++)
			profs[i] = (struct prof){
				.pr_base = buffer_of(i),
				.pr_size = random_below(40),
				.pr_off = random_below(64),
				.pr_scale = scales[random_below(
					ARRAY_SIZE(scales))],
			};
		/* sometimes a catch-all region */
		if (!random_below(3))
			profs[random_below((uint64_t)nr)] = (struct prof){
				(void *)CATCH_ALL_BUFFER, random_below(12), 0, 2,
			};
		check_sprofil(profs, nr, 2U << random_below(3), pcs, PCS);
	}
}

/*
 * Offsets and sizes whose sums overflow 64 bits. The highest pcs are not checked: no instruction
 * can be there.
 */
TEST_WITH(sprofil_large_offsets, set_up, NULL)
{
	static const uint64_t places[] = {
		3, 0x1000, 1ULL << 32, 1ULL << 47, 1ULL << 63,
		UINT64_MAX - 0x10000, UINT64_MAX - 8,
	};
	const uint64_t nr_places = ARRAY_SIZE(places);
	uint64_t pcs[6 * ARRAY_SIZE(places)];
	struct prof profs[MAX_REGIONS];
	size_t nr_pcs = 0;
	int round, nr, i;

	for (i = 0; i < (int)nr_places; i++) {
		uint64_t at = places[i];

		for (; nr_pcs < 6 * (size_t)(i + 1); at++)
			pcs[nr_pcs++] = at - 3;
	}
	for (round = 0; round < ROUNDS; round++) {
		nr = 1 + (int)random_below(MAX_REGIONS);
		for (i = 0; i < nr; i++)
			profs[i] = (struct prof){
				.pr_base = buffer_of(i),
				.pr_size = 1ULL << random_below(47),
				.pr_off = places[random_below(nr_places)] +
					  random_below(3) - 1,
				.pr_scale = scales[random_below(
					ARRAY_SIZE(scales))],
			};
		check_sprofil(profs, nr, 2U << random_below(3), pcs, nr_pcs);
	}
}

/* Counters have the same addresses, even if the size exceeds all memory. */
TEST_WITH(sprofil_large_sizes, set_up, NULL)
{
	struct prof prof = { buffer_of(0), 0, 0x1000, 0x10000 };
	int shift;

	for (shift = 44; shift < 64; shift++) {
		prof.pr_size = 1UL << shift;
		assert_int_equal(0, sprofil(&prof, 1, NULL, PROF_USHORT));
		assert_int_equal(PROFIL_STATE_RUNNING, fake_device.state);
		assert_int_equal(BUFFER + (1ULL << 40), fake_device_counter(0x1000 + (1ULL << 40)));
	}
}

static uint64_t aix_index(uint64_t d, uint64_t scale)
{
	return (d * scale / 65536 + 1) / 2;
}

/* The meaning of p_scale -1: the largest scale at which the last pc has a counter. */
static uint64_t aix_scale(const struct aix_prof *prof)
{
	const uint64_t last = (uint64_t)(prof->p_high - prof->p_low) - 1;
	uint64_t scale = 0xffff;

	while (aix_index(last, scale) >= (uint64_t)prof->p_bufsize / 2)
		scale--;
	return scale;
}

/*
 * The counter of a pc by the rule of AIX's second form; 0: none. ranges[] has the scales of
 * elements with p_scale -1.
 */
static uint64_t aix_counter(const struct aix_prof *profs, const uint64_t *ranges, uint64_t pc)
{
	const struct aix_prof *prof;

	for (prof = profs; prof->p_high; prof++) {
		uint64_t low = (uint64_t)prof->p_low;
		uint64_t high = (uint64_t)prof->p_high;
		uint64_t size = (uint64_t)prof->p_bufsize;
		uint64_t scale = prof->p_scale % 65536, index;

		if (pc < low || pc >= high)
			continue;
		if (prof->p_scale == -1U)
			index = aix_index(pc - low, ranges[prof - profs]);
		else if (scale < 2)
			return 0;
		else
			index = scale == 2 ? 0 : aix_index(pc - low, scale);
		if (index >= size / 2)
			return 0;
		return (uint64_t)prof->p_buff + 2 * index;
	}
	return 0;
}

static void check_aix(const struct aix_prof *profs)
{
	const struct aix_prof off = { .p_high = 0 };
	const struct aix_prof *prof;
	uint64_t pc, got, want, ranges[MAX_REGIONS] = { 0 };

	for (prof = profs; prof->p_high; prof++)
		if (prof->p_scale == -1U && prof->p_bufsize >= 2 && prof->p_high > prof->p_low)
			ranges[prof - profs] = aix_scale(prof);
	assert_int_equal(0, profil_aix((void *)profs, -1U, 0, 0));
	if (fake_device.state == PROFIL_STATE_RUNNING) {
		assert_int_equal(PROFIL_OVERFLOW_SATURATE, fake_device.start.overflow);
		assert_int_equal(0, fake_device.start.limit);
	}
	for (pc = 0; pc < PCS; pc++) {
		want = aix_counter(profs, ranges, pc);
		/* without anything to count, the kernel has no session */
		got = fake_device.state == PROFIL_STATE_RUNNING ?
		      fake_device_counter(pc) : 0;
		if (got == want)
			continue;
		for (prof = profs; prof->p_high; prof++)
			print_message("%p to %p: %d bytes, scale %#x\n",
				      prof->p_low, prof->p_high,
				      prof->p_bufsize, prof->p_scale);
		fail_msg("pc %#lx: %#lx, not %#lx", pc, got, want);
	}
	assert_int_equal(0, profil_aix((void *)&off, -1U, 0, 0));
	assert_int_equal(PROFIL_STATE_OFF, fake_device.state);
}

TEST_WITH(aix_overlapping_elements, set_up, NULL)
{
	struct aix_prof profs[MAX_REGIONS + 1];
	int round, nr, i;

	for (round = 0; round < AIX_ROUNDS; round++) {
		uint64_t high = 0;

		nr = 1 + (int)random_below(MAX_REGIONS);
		memset(profs, 0, sizeof(profs));
		for (i = 0; i < nr; i++) {
			high += 1 + random_below(24);
			profs[i].p_high = (caddr_t)high;
			/* may overlap earlier elements, or be empty */
			profs[i].p_low = (caddr_t)random_below(high + 1);
			profs[i].p_buff = buffer_of(i);
			profs[i].p_bufsize = (int)random_below(40);
			profs[i].p_scale = random_below(3) ? -1U :
				scales[random_below(ARRAY_SIZE(scales))];
		}
		check_aix(profs);
	}
}

/* The example of the manual: its scales are 0x7ff7 and 0xffff. */
TEST_WITH(aix_example_of_the_manual, set_up, NULL)
{
	struct aix_prof profs[] = {
		{ (caddr_t)0x1000, (caddr_t)0x2000, buffer_of(0), 0x800, -1U },
		{ (caddr_t)0x8000, (caddr_t)0x8400,
		  (HISTCOUNTER *)((char *)buffer_of(0) + 0x800), 0x400, -1U },
		{ .p_high = 0 },
	};
	static const struct {
		uint64_t pc;
		uint64_t counter;
	} rows[] = {
		{ 0x0fff, 0 },
		{ 0x1000, BUFFER },
		{ 0x1004, BUFFER + 2 },
		{ 0x1ffc, BUFFER + 0x7fe },
		{ 0x2000, 0 },
		{ 0x8000, BUFFER + 0x800 },
		{ 0x8003, BUFFER + 0x802 },
		{ 0x83ff, BUFFER + 0xbfe },
		{ 0x8400, 0 },
	};
	const struct aix_prof off = { .p_high = 0 };
	size_t i;

	assert_int_equal(0, profil_aix(profs, -1U, 0, 0));
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(rows[i].counter, fake_device_counter(rows[i].pc));
	assert_int_equal(0, profil_aix((void *)&off, -1U, 0, 0));
}

FIXTURE(set_up_all)
{
	unsetenv("PROFIL_RATE");
	return 0;
}

GROUP(set_up_all, NULL)
