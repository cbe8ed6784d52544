// SPDX-License-Identifier: GPL-2.0-only
/*
 * sprofil(): several regions, three widths of counters, the overflow bin and the period; and three
 * cases in which the GNU C library's sprofil() fails: a pc below the lowest region, a start after a
 * stop, and a call while profiling is on.
 */
#include <sys/profil.h>

#include "kselftest_harness.h"
#include "profile/scene.h"

FIXTURE(sprofil) {
	struct scene scene;
	struct prof regions[2];	/* for one page of the text each */
	struct prof bin;	/* the overflow bin, for pcs in no region */
	uint64_t overflow;	/* its counter */
};

FIXTURE_SETUP(sprofil)
{
	struct scene *scene = &self->scene;
	size_t i;

	SET_SCENE(scene);
	/* in an emulated guest, the highest rate would be throttled */
	set_throttle(false);
	for (i = 0; i < 2; i++)
		self->regions[i] = (struct prof) {
			.pr_base = (char *)scene->counters + i * PAGE,
			.pr_size = PAGE,
			.pr_off = (size_t)scene->text + i * PAGE,
			.pr_scale = WHOLE,
		};
	self->bin = (struct prof) {
		.pr_base = &self->overflow,
		.pr_size = sizeof(self->overflow),
		.pr_off = 0,
		.pr_scale = 2,
	};
}

FIXTURE_TEARDOWN(sprofil)
{
	set_throttle(true);
	clear_scene(&self->scene);
}

static const struct width {
	unsigned int flag;
	unsigned int bytes;
	uint64_t highest;
} widths[] = {
	{ PROF_USHORT, 2, UINT16_MAX },
	{ PROF_UINT, 4, UINT32_MAX },
	{ PROF_UINT64, 8, UINT64_MAX },
};

static uint64_t get(const struct scene *scene, size_t place, const struct width *width)
{
	uint64_t value = 0;

	/* little-endian, like all supported architectures */
	memcpy(&value, (char *)scene->counters + place, width->bytes);
	return value;
}

static void set(const struct scene *scene, size_t place, const struct width *width, uint64_t value)
{
	memcpy((char *)scene->counters + place, &value, width->bytes);
}

static int start(struct _test_data_sprofil *self, unsigned int flags)
{
	return sprofil(self->regions, 2, NULL, flags);
}

TEST_F(sprofil, counters_of_each_width_count)
{
	struct scene *scene = &self->scene;
	struct profil_status status;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		const struct width *width = &widths[i];
		/* the next sample carries into the upper half */
		uint64_t before = width->highest >> 4 * width->bytes;

		memset(scene->counters, 0, scene->bytes);
		set(scene, NEAR, width, before);
		/* the neighbours must not change */
		set(scene, NEAR - width->bytes, width, width->highest);
		set(scene, NEAR + width->bytes, width, 0x1234);
		ASSERT_EQ(0, start(self, width->flag));
		EXPECT_TRUE(counts_at(scene, NEAR, 3));
		status = stop(scene->fd);
		EXPECT_EQ(before + status.counted, get(scene, NEAR, width));
		EXPECT_EQ(width->highest, get(scene, NEAR - width->bytes, width));
		EXPECT_EQ(0x1234, get(scene, NEAR + width->bytes, width));
	}
}

static int turn_on(const void *data)
{
	return sprofil((struct prof *)data, 2, NULL, PROF_USHORT);
}

static int turn_off(const void *data)
{
	return sprofil((struct prof *)data, 0, NULL, PROF_USHORT);
}

/* A child of vfork() is another process: it changes no profile of its parent. */
TEST_F(sprofil, vfork_child_is_another_process)
{
	struct scene *scene = &self->scene;

	EXPECT_EQ(0, in_borrower(turn_on, self->regions));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
	ASSERT_EQ(0, start(self, PROF_USHORT));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	EXPECT_EQ(0, in_borrower(turn_off, self->regions));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	ASSERT_EQ(0, turn_off(self->regions));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
}

/* A full counter stays at its maximum, and the other counters still count. */
TEST_F(sprofil, full_counters_stay)
{
	struct scene *scene = &self->scene;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		const struct width *width = &widths[i];

		memset(scene->counters, 0, scene->bytes);
		set(scene, NEAR, width, width->highest - 1);
		self->overflow = width->highest;
		ASSERT_EQ(0, start(self, width->flag));
		EXPECT_TRUE(counts_at(scene, NEAR, 3));
		EXPECT_EQ(width->highest, get(scene, NEAR, width));
		EXPECT_TRUE(counts_at(scene, FAR, 1));
		EXPECT_LE(1, get(scene, FAR, width));
	}
}

TEST_F(sprofil, overflow_bin_counts_other_pcs)
{
	struct prof regions[] = { self->bin, self->regions[0] };
	struct scene *scene = &self->scene;
	struct profil_status status;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		self->overflow = 0;
		memset(scene->counters, 0, scene->bytes);
		ASSERT_EQ(0, sprofil(regions, 2, NULL, widths[i].flag));
		stay(scene, FAR, 4);
		EXPECT_TRUE(counts_at(scene, NEAR, 2));
		status = stop(scene->fd);
		EXPECT_LE(4, self->overflow);
		EXPECT_EQ(status.out_of_range, self->overflow);
		EXPECT_EQ(status.counted, get(scene, NEAR, &widths[i]));

		/* without other regions, it counts all pcs */
		self->overflow = 0;
		ASSERT_EQ(0, sprofil(&self->bin, 1, NULL, widths[i].flag));
		EXPECT_TRUE(counts_at(scene, NEAR, 2));
		status = stop(scene->fd);
		EXPECT_EQ(status.samples, self->overflow);
	}
	/* a full overflow bin stays at its maximum */
	self->overflow = UINT16_MAX - 1;
	ASSERT_EQ(0, sprofil(regions, 2, NULL, PROF_USHORT));
	EXPECT_LE(2, stay(scene, FAR, 2).out_of_range);
	stop(scene->fd);
	EXPECT_EQ(UINT16_MAX, self->overflow);
}

/* For a pc below the lowest region, the C library's sprofil() crashes the program. */
TEST_F(sprofil, pc_below_lowest_region_is_out_of_range)
{
	struct prof regions[] = { self->regions[1], self->bin };
	struct scene *scene = &self->scene;
	struct profil_status status;

	ASSERT_EQ(0, sprofil(regions, 1, NULL, PROF_USHORT));
	EXPECT_TRUE(is_silent(scene));
	EXPECT_TRUE(counts_at(scene, FAR, 1));
	status = stop(scene->fd);
	EXPECT_LE(4, status.out_of_range);
	EXPECT_EQ(status.counted, *scene_counter(scene, FAR));

	ASSERT_EQ(0, sprofil(regions, 2, NULL, PROF_USHORT));
	EXPECT_TRUE(is_silent(scene));
	status = stop(scene->fd);
	EXPECT_LE(4, self->overflow);
	EXPECT_EQ(status.out_of_range, self->overflow);
}

/* In the C library, a start after a stop frees memory twice. */
TEST_F(sprofil, can_start_after_stop)
{
	struct scene *scene = &self->scene;
	int i;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, start(self, PROF_USHORT));
		EXPECT_TRUE(counts_at(scene, NEAR, 1));
		EXPECT_EQ(0, sprofil(NULL, 0, NULL, PROF_USHORT));
		EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
		EXPECT_TRUE(is_silent(scene));
		EXPECT_EQ(0, sprofil(self->regions, 0, NULL, PROF_USHORT));
	}
}

/* In the C library, any call while profiling is on is a stop. */
TEST_F(sprofil, second_call_replaces)
{
	struct scene *scene = &self->scene;
	uint16_t before;

	ASSERT_EQ(0, start(self, PROF_USHORT));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	before = *scene_counter(scene, NEAR);
	ASSERT_EQ(0, sprofil(&self->regions[1], 1, NULL, PROF_UINT));
	EXPECT_TRUE(counts_at(scene, FAR, 2));
	EXPECT_EQ(before, *scene_counter(scene, NEAR));
	EXPECT_LE(2, *scene_counter(scene, FAR));
	/* profil() replaces it, and sprofil() stops a profile of profil() */
	ASSERT_EQ(0, profil(scene->counters, PAGE, (size_t)scene->text, WHOLE));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	EXPECT_LT(before, *scene_counter(scene, NEAR));
	EXPECT_EQ(0, sprofil(NULL, 0, NULL, 0));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
}

/* Regions without a counter are ignored. If all of them are, profiling is off. */
TEST_F(sprofil, regions_without_counter_are_ignored)
{
	struct scene *scene = &self->scene;
	struct timeval period = { 7, 7 };

	self->regions[0].pr_scale = 1;
	self->regions[0].pr_base = NULL;
	ASSERT_EQ(0, start(self, PROF_USHORT));
	EXPECT_TRUE(is_silent(scene));
	EXPECT_TRUE(counts_at(scene, FAR, 1));
	/* smaller than one counter */
	self->regions[1].pr_size = 3;
	ASSERT_EQ(0, sprofil(self->regions, 2, &period, PROF_UINT));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
	EXPECT_EQ(0, period.tv_sec);
	EXPECT_EQ(0, period.tv_usec);
}

static void expect_period(struct __test_metadata *_metadata,
			  struct _test_data_sprofil *self, unsigned int flags,
			  unsigned int rate)
{
	struct timeval period = { 7, 7 };

	ASSERT_EQ(0, sprofil(self->regions, 2, &period, flags));
	EXPECT_EQ(rate, get_status(self->scene.fd).rate);
	EXPECT_EQ(rate == 1, period.tv_sec);
	EXPECT_EQ(rate == 1 ? 0 : 1000000 / rate, period.tv_usec);
}

TEST_F(sprofil, period_is_that_of_rate)
{
	unsigned int highest = get_info(self->scene.fd).max_rate;

	ASSERT_EQ(0, profil_set_rate(0));
	expect_period(_metadata, self, PROF_USHORT, 100);
	expect_period(_metadata, self, PROF_UINT, 100);
	expect_period(_metadata, self, PROF_USHORT | PROF_FAST, highest);
	expect_period(_metadata, self, PROF_UINT64 | PROF_FAST, highest);
	ASSERT_EQ(0, profil_set_rate(50));
	expect_period(_metadata, self, PROF_USHORT, 50);
	expect_period(_metadata, self, PROF_FAST, highest);
	/* the environment overrides PROF_FAST, too */
	setenv("PROFIL_RATE", "20", 1);
	expect_period(_metadata, self, PROF_USHORT, 20);
	expect_period(_metadata, self, PROF_FAST, 20);
	setenv("PROFIL_RATE", "1", 1);
	expect_period(_metadata, self, PROF_USHORT, 1);
}

/* There is one sample per period of CPU time. */
TEST_F(sprofil, samples_match_period)
{
	struct scene *scene = &self->scene;
	struct rusage before, after;
	struct timeval period;
	double least, most, samples;
	long stretches;

	getrusage(RUSAGE_SELF, &before);
	/* the profile begins and ends at unknown times within the calls */
	most = process_seconds();
	ASSERT_EQ(0, sprofil(self->regions, 2, &period, PROF_FAST));
	least = process_seconds();
	ASSERT_EQ(0, stay_at_pc(scene->text + NEAR, 0.1));
	least = process_seconds() - least;
	samples = (double)stop(scene->fd).samples;
	most = process_seconds() - most;
	getrusage(RUSAGE_SELF, &after);
	/* each stretch on a CPU may have one sample more or less, for the phase */
	stretches = after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw + 1;
	EXPECT_LE(least * 1e6 / (double)period.tv_usec - (double)stretches, samples);
	EXPECT_GE(most * 1e6 / (double)period.tv_usec + (double)stretches, samples);
}

/* Returns the errno of the call, 0 if it succeeds. */
static int errno_of(struct _test_data_sprofil *self, int count,
		    unsigned int flags, struct timeval *period)
{
	errno = 0;
	return sprofil(self->regions, count, period, flags) == -1 ? errno : 0;
}

TEST_F(sprofil, failed_call_keeps_profile)
{
	struct scene *scene = &self->scene;
	struct timeval period = { 7, 7 };
	struct prof *first = &self->regions[0];
	struct prof old = *first;

	ASSERT_EQ(0, start(self, PROF_USHORT));
	EXPECT_EQ(EINVAL, errno_of(self, 2, 0x8, &period));
	EXPECT_EQ(EINVAL, errno_of(self, 2, 0x80000000, &period));
	EXPECT_EQ(EINVAL, errno_of(self, 2, PROF_UINT | PROF_UINT64, &period));
	EXPECT_EQ(EINVAL, errno_of(self, -1, PROF_USHORT, &period));
	EXPECT_EQ(EINVAL, errno_of(self, 0, 0x8, &period));
#if __SIZEOF_LONG__ > 4
	first->pr_scale = 1UL << 32;
	EXPECT_EQ(EINVAL, errno_of(self, 2, PROF_USHORT, &period));
	first->pr_scale = old.pr_scale;
#endif
	first->pr_base = (char *)old.pr_base + 2;
	EXPECT_EQ(EINVAL, errno_of(self, 2, PROF_UINT, &period));
	first->pr_base = (void *)8;
	EXPECT_EQ(EFAULT, errno_of(self, 2, PROF_USHORT, &period));
	first->pr_base = old.pr_base;
	setenv("PROFIL_RATE", "0", 1);
	EXPECT_EQ(EINVAL, errno_of(self, 2, PROF_USHORT, &period));
	EXPECT_EQ(7, period.tv_sec);
	EXPECT_EQ(7, period.tv_usec);
	/* the earlier profile continues */
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
}

TEST_HARNESS_MAIN
