// SPDX-License-Identifier: GPL-2.0-only
/*
 * sprofil() on the real module, with counters of all widths and an overflow bin: while a thread
 * stays at one pc, only the counter that the manual page specifies is incremented.
 * unit/lib/overlap_test.c tests regions that overlap.
 */
#include <sys/profil.h>

#include "common.h"
#include "kselftest_harness.h"

#if defined(__x86_64__)

#include "profile/counter_watch.h"

/* Added to the pcs below, at which no code can be mapped */
#define BASE		(SPINNER_LOWEST + 0x100000)
#define BUFFER_BYTES	0xc00UL

FIXTURE(regions) {
	int fd;
	struct counter_watch watch;
	char *buf;
	uint64_t overflow;	/* counter of the pcs in no region */
};

FIXTURE_SETUP(regions)
{
	REQUIRE_DEVICE(self->fd);
	ASSERT_EQ(0, counter_watch_create(&self->watch, self->fd));
	/* aligned for counters of any width */
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
 * Runs the code at the pc under the profile that is on, then stops the profile. Returns whether
 * only the counter at @byte was incremented, or none if @byte is -1.
 */
static bool only_counts_at(struct _test_data_regions *self, unsigned long pc,
			   long byte, size_t width)
{
	struct profil_status status;
	uint64_t count = 0;
	bool clear;

	if (counter_watch_run(&self->watch, byte >= 0 ? self->buf + byte : NULL, &status))
		return false;
	if (byte >= 0) {
		count = counter(self->buf + byte, width);
		memset(self->buf + byte, 0, width);
	}
	clear = counter_watch_clear(self->buf - WATCH_GUARD,
				    self->buf + BUFFER_BYTES + WATCH_GUARD);
	if (clear && count == status.counted && !count == (byte < 0) &&
	    status.state == PROFIL_STATE_RUNNING)
		return true;
	ksft_print_msg("pc %#lx: counted %llu, byte %ld: %llu, elsewhere: %s\n",
		       pc, (unsigned long long)status.counted, byte,
		       (unsigned long long)count, clear ? "no" : "yes");
	return false;
}

/* The same for a start by sprofil(), with the overflow bin as the last region. */
static bool sprofil_only_counts_at(struct _test_data_regions *self,
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
		only_counts_at(self, pc, byte, width);
	if (byte < 0 && !self->overflow) {
		ksft_print_msg("pc %#lx: not in the overflow bin\n", pc);
		right = false;
	}
	return right && !period.tv_sec &&
	       period.tv_usec == (long)(1e6 * self->watch.period);
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

TEST_F(regions, sprofil_counts_in_region_or_overflow_bin)
{
	struct prof profs[2];
	size_t i;

	for (i = 0; i < sizeof(one_region) / sizeof(*one_region); i++) {
		profs[0] = (struct prof) {
			self->buf, 0x400, BASE + 0x1000, one_region[i].scale,
		};
		EXPECT_TRUE(sprofil_only_counts_at(self, profs, 2,
						   one_region[i].flags,
						   one_region[i].pc,
						   one_region[i].byte)) {
			TH_LOG("row %zu", i);
		}
	}
}

/* Counters stay at their maximum, also the one of the overflow bin. */
TEST_F(regions, sprofil_counters_saturate)
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
			/* a full counter does not change */
			ASSERT_EQ(0, counter_watch_run(&self->watch, NULL, &status));
			EXPECT_LT(0, pc == BASE ? status.counted : status.out_of_range);
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
	ksft_test_result_skip("not supported on this architecture\n");
	return KSFT_SKIP;
}
#endif
