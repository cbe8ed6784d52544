// SPDX-License-Identifier: GPL-2.0-only
/*
 * The calls that take several regions, sprofil() and AIX's profil() of struct
 * prof[], in the real kernel: a thread stays at one pc, and only the counter
 * moves that the manual page names.
 */
#include <sys/profil.h>

#include "common.h"
#include "kselftest_harness.h"

/*
 * AIX's structure by the dialect's own header, under a name that is free here
 */
#define prof	aix_prof
#define profil	aix_profil
#include "profil/aix/mon.h"
#undef prof
#undef profil

#if defined(__x86_64__)

#include "counter_watch.h"

/* Pcs below are those of the rules' examples, which are too low for code */
#define BASE		(SPINNER_LOWEST + 0x100000)
#define BUFFER_BYTES	0xc00UL

FIXTURE(regions) {
	int fd;
	struct counter_watch watch;
	char *buf;
	uint64_t overflow;	/* counter of all that is in no region */
};

FIXTURE_SETUP(regions)
{
	REQUIRE_DEVICE(self->fd);
	ASSERT_EQ(0, counter_watch_create(&self->watch, self->fd));
	/* counters of any width may lie there */
	self->buf = counter_watch_buffer(&self->watch, 4);
	ASSERT_EQ(0, (uintptr_t)self->buf % 8);
	self->overflow = 0;
}

FIXTURE_TEARDOWN(regions)
{
	profil_stop(NULL);
	close(self->fd);
}

static uint64_t counter(const void *at, size_t width)
{
	switch (width) {
	case 2: return *(const uint16_t *)at;
	case 4: return *(const uint32_t *)at;
	default: return *(const uint64_t *)at;
	}
}

/*
 * A profile is on, and there is code at a pc: have it counted, and stop. byte:
 * where the counter is; -1: there is none in a region.
 */
static bool only_moves(struct _test_data_regions *self, unsigned long pc,
		       long byte, size_t width)
{
	struct profil_status status;
	uint64_t moved = 0;
	bool clear;

	if (counter_watch_run(&self->watch, byte >= 0, &status))
		return false;
	if (byte >= 0) {
		moved = counter(self->buf + byte, width);
		memset(self->buf + byte, 0, width);
	}
	clear = counter_watch_clear(self->buf - WATCH_GUARD,
			    self->buf + BUFFER_BYTES + WATCH_GUARD);
	if (clear && moved == status.counted && !moved == (byte < 0) &&
	    status.state == PROFIL_STATE_RUNNING)
		return true;
	ksft_print_msg("pc %#lx: counted %llu, byte %ld: %llu, elsewhere: %s\n",
		       pc, (unsigned long long)status.counted, byte,
		       (unsigned long long)moved, clear ? "no" : "yes");
	return false;
}

static const struct {
	unsigned long pc;
	long byte;
} second_form[] = {
	{ 0x0fff, -1 },
	{ 0x1000, 0 },
	{ 0x1004, 2 },
	{ 0x1ffc, 0x7fe },
	{ 0x2000, -1 },
	{ 0x7fff, -1 },
	{ 0x8000, 0x800 },
	{ 0x8003, 0x802 },
	{ 0x83ff, 0xbfe },
	{ 0x8400, -1 },
};

TEST_F(regions, aix_second_form)
{
	struct aix_prof profs[] = {
		{ (char *)BASE + 0x1000, (char *)BASE + 0x2000,
		  (HISTCOUNTER *)self->buf, 0x800, -1U },
		{ (char *)BASE + 0x8000, (char *)BASE + 0x8400,
		  (HISTCOUNTER *)(self->buf + 0x800), 0x400, -1U },
		{ .p_high = 0 },
	};
	struct aix_prof off = { .p_high = 0 };
	size_t i;

	for (i = 0; i < sizeof(second_form) / sizeof(*second_form); i++) {
		ASSERT_EQ(0, spinner_place(&self->watch.spinner,
					   BASE + second_form[i].pc));
		ASSERT_EQ(0, profil_aix(profs, -1U, 0, 0));
		EXPECT_TRUE(only_moves(self, second_form[i].pc,
				       second_form[i].byte, 2));
	}
	/* as the page turns it off */
	ASSERT_EQ(0, profil_aix(profs, -1U, 0, 0));
	EXPECT_EQ(PROFIL_STATE_RUNNING, get_status(self->fd).state);
	ASSERT_EQ(0, profil_aix(&off, -1U, 0, 0));
	EXPECT_EQ(PROFIL_STATE_OFF, get_status(self->fd).state);
}

/* Where several elements hold a pc, the first of them counts it. */
TEST_F(regions, aix_first_that_holds)
{
	struct aix_prof profs[] = {
		{ (char *)BASE + 0x1000, (char *)BASE + 0x1100,
		  (HISTCOUNTER *)self->buf, 0x100, 0xffff },
		{ (char *)BASE + 0x0f00, (char *)BASE + 0x1200,
		  (HISTCOUNTER *)(self->buf + 0x100), 0x400, 0xffff },
		{ .p_high = 0 },
	};
	static const struct {
		unsigned long pc;
		long byte;
	} rows[] = {
		{ 0x0efe, -1 },
		{ 0x0f00, 0x100 },
		{ 0x0ffe, 0x1fe },
		{ 0x1000, 0 },
		{ 0x10fe, 0xfe },
		{ 0x1100, 0x300 },
		{ 0x11fe, 0x3fe },
		{ 0x1200, -1 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ASSERT_EQ(0, spinner_place(&self->watch.spinner,
					   BASE + rows[i].pc));
		ASSERT_EQ(0, profil_aix(profs, -1U, 0, 0));
		EXPECT_TRUE(only_moves(self, rows[i].pc, rows[i].byte, 2));
	}
}

/* Start by sprofil() and have a pc counted; the last region is for overflow. */
static bool sprofil_only_moves(struct _test_data_regions *self,
			       struct prof *profs, int nr, unsigned int flags,
			       unsigned long pc, long byte)
{
	size_t width = flags & PROF_UINT64 ? 8 : flags & PROF_UINT ? 4 : 2;
	struct timeval period = { 0, 0 };
	bool right;

	self->overflow = 0;
	profs[nr - 1] = (struct prof) { &self->overflow, width, 0, 2 };
	if (spinner_place(&self->watch.spinner, BASE + pc))
		return false;
	right = !sprofil(profs, nr, &period, flags) &&
		only_moves(self, pc, byte, width);
	if (byte < 0 && !self->overflow) {
		ksft_print_msg("pc %#lx: not in the overflow region\n", pc);
		right = false;
	}
	return right && !period.tv_sec &&
	       period.tv_usec == (long)(1e6 * self->watch.tick);
}

/* One region at 0x1000 of 0x400 bytes */
static const struct {
	unsigned int flags;
	unsigned int scale;
	unsigned long pc;
	long byte;
} one_region[] = {
	{ PROF_USHORT, 0x10000, 0x0fff, -1 },
	{ PROF_USHORT, 0x10000, 0x1000, 0 },
	{ PROF_USHORT, 0x10000, 0x1003, 2 },
	{ PROF_USHORT, 0x10000, 0x13ff, 0x3fe },
	{ PROF_USHORT, 0x10000, 0x1400, -1 },
	{ PROF_USHORT, 0x10000, 0x2000, -1 },
	{ PROF_UINT, 0x10000, 0x1003, 0 },
	{ PROF_UINT, 0x10000, 0x1007, 4 },
	{ PROF_UINT, 0x10000, 0x13ff, 0x3fc },
	{ PROF_UINT, 0x10000, 0x1400, -1 },
	{ PROF_UINT, 0x8000, 0x17ff, 0x3fc },
	{ PROF_UINT, 0x8000, 0x1800, -1 },
	{ PROF_UINT, 0x8000, 0x2000, -1 },
	{ PROF_UINT64, 0x10000, 0x100f, 8 },
	{ PROF_UINT64, 0x10000, 0x13ff, 0x3f8 },
	{ PROF_UINT64, 0x10000, 0x1400, -1 },
};

TEST_F(regions, sprofil)
{
	struct prof profs[2];
	size_t i;

	for (i = 0; i < sizeof(one_region) / sizeof(*one_region); i++) {
		profs[0] = (struct prof) {
			self->buf, 0x400, BASE + 0x1000, one_region[i].scale,
		};
		EXPECT_TRUE(sprofil_only_moves(self, profs, 2,
					       one_region[i].flags,
					       one_region[i].pc,
					       one_region[i].byte)) {
			TH_LOG("row %zu", i);
		}
	}
}

/* Of regions that overlap the one that begins highest counts; then it ends. */
TEST_F(regions, sprofil_overlap)
{
	static const struct {
		unsigned long pc;
		long byte;
	} rows[] = {
		{ 0x10ff, 0x0fe },
		{ 0x1100, 0x400 },
		{ 0x113f, 0x43e },
		{ 0x1140, 0x140 },
		{ 0x13ff, 0x3fe },
		{ 0x1400, -1 },
	};
	struct prof profs[3];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		/* in any order */
		profs[i % 2] = (struct prof) {
			self->buf, 0x400, BASE + 0x1000, 0x10000,
		};
		profs[!(i % 2)] = (struct prof) {
			self->buf + 0x400, 0x40, BASE + 0x1100, 0x10000,
		};
		EXPECT_TRUE(sprofil_only_moves(self, profs, 3, PROF_USHORT,
					       rows[i].pc, rows[i].byte));
	}
}

/* Counters stay at their highest value, also the one of the overflow region. */
TEST_F(regions, sprofil_saturates)
{
	static const unsigned int flags[] = {
		PROF_USHORT, PROF_UINT, PROF_UINT64,
	};
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		struct prof profs[] = {
			{ self->buf, 8, BASE, 0x10000 },
			{ &self->overflow, 8, 0, 2 },
		};
		struct profil_status status;
		unsigned long pc = BASE;

		for (; pc <= BASE + 0x1000; pc += 0x1000) {
			memset(self->buf, 0xff, 8);
			self->overflow = ~0ULL;
			ASSERT_EQ(0, spinner_place(&self->watch.spinner, pc));
			ASSERT_EQ(0, sprofil(profs, 2, NULL, flags[i]));
			ASSERT_EQ(0, counter_watch_run(&self->watch, pc == BASE,
						 &status));
				EXPECT_LT(0, pc == BASE ? status.counted :
						  status.out_of_range);
			EXPECT_EQ(~0ULL, counter(self->buf, 8));
			EXPECT_EQ(~0ULL, self->overflow);
		}
	}
}

TEST_HARNESS_MAIN

#else
int main(void)
{
	ksft_print_header();
	ksft_set_plan(1);
	ksft_test_result_skip("no code for this processor\n");
	return KSFT_SKIP;
}
#endif
