// SPDX-License-Identifier: GPL-2.0-only
/*
 * sprofil(): several regions, three widths of counters, the overflow bin, the
 * true period; and what the GNU C library's gets wrong: a pc below the lowest
 * region, start after stop, a call while it is on.
 */
#include <sys/profil.h>

#include "kselftest_harness.h"
#include "scene.h"

FIXTURE(sprofil) {
	struct scene scene;
	struct prof regions[2];	/* a page of the text each */
	struct prof bin;	/* of pcs in no region */
	uint64_t overflow;	/* its counter */
};

FIXTURE_SETUP(sprofil)
{
	struct scene *scene = &self->scene;
	size_t i;

	SET_SCENE(scene);
	/* emulated, the highest rate takes more of a processor than it may */
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

static uint64_t get(const struct scene *scene, size_t place,
		    const struct width *width)
{
	uint64_t value = 0;

	/* little-endian, as all that profil runs on */
	memcpy(&value, (char *)scene->counters + place, width->bytes);
	return value;
}

static void set(const struct scene *scene, size_t place,
		const struct width *width, uint64_t value)
{
	memcpy((char *)scene->counters + place, &value, width->bytes);
}

static int start(struct _test_data_sprofil *self, unsigned int flags)
{
	return sprofil(self->regions, 2, NULL, flags);
}

TEST_F(sprofil, widths)
{
	struct scene *scene = &self->scene;
	struct profil_status status;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		const struct width *width = &widths[i];
		/* the carry goes to its upper half */
		uint64_t before = width->highest >> 4 * width->bytes;

		memset(scene->counters, 0, scene->bytes);
		set(scene, NEAR, width, before);
		/* those beside it stay as they are */
		set(scene, NEAR - width->bytes, width, width->highest);
		set(scene, NEAR + width->bytes, width, 0x1234);
		ASSERT_EQ(0, start(self, width->flag));
		EXPECT_TRUE(counts_at(scene, NEAR, 3));
		status = stop(scene->fd);
		EXPECT_EQ(before + status.counted, get(scene, NEAR, width));
		EXPECT_EQ(width->highest,
			  get(scene, NEAR - width->bytes, width));
		EXPECT_EQ(0x1234, get(scene, NEAR + width->bytes, width));
	}
}

/* A full counter stays as it is, and is no matter to the others. */
TEST_F(sprofil, full_counters)
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

TEST_F(sprofil, overflow_bin)
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

		/* a bin alone has all pcs */
		self->overflow = 0;
		ASSERT_EQ(0, sprofil(&self->bin, 1, NULL, widths[i].flag));
		EXPECT_TRUE(counts_at(scene, NEAR, 2));
		status = stop(scene->fd);
		EXPECT_EQ(status.samples, self->overflow);
	}
	/* a full one stays so */
	self->overflow = UINT16_MAX - 1;
	ASSERT_EQ(0, sprofil(regions, 2, NULL, PROF_USHORT));
	EXPECT_LE(2, stay(scene, FAR, 2).out_of_range);
	stop(scene->fd);
	EXPECT_EQ(UINT16_MAX, self->overflow);
}

/* The C library's gets lost below the lowest region, and ends the program. */
TEST_F(sprofil, below_the_lowest_region)
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

/* There, start, stop and start again is a double free. */
TEST_F(sprofil, start_and_stop)
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

/* There, any call while it is on is a stop. */
TEST_F(sprofil, second_call)
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
	/* another face's call ends it as well, and its call another's */
	ASSERT_EQ(0, profil(scene->counters, PAGE, (size_t)scene->text, WHOLE));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	EXPECT_LT(before, *scene_counter(scene, NEAR));
	EXPECT_EQ(0, sprofil(NULL, 0, NULL, 0));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
}

/*
 * Regions that can have no counter are left out; if all are, nothing goes on.
 */
TEST_F(sprofil, left_out)
{
	struct scene *scene = &self->scene;
	struct timeval period = { 7, 7 };

	self->regions[0].pr_scale = 1;
	self->regions[0].pr_base = NULL;
	ASSERT_EQ(0, start(self, PROF_USHORT));
	EXPECT_TRUE(is_silent(scene));
	EXPECT_TRUE(counts_at(scene, FAR, 1));
	/* one that is smaller than a counter */
	self->regions[1].pr_size = 3;
	ASSERT_EQ(0, sprofil(self->regions, 2, &period, PROF_UINT));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
	EXPECT_EQ(0, period.tv_sec);
	EXPECT_EQ(0, period.tv_usec);
}

static void see_period(struct __test_metadata *_metadata,
		       struct _test_data_sprofil *self, unsigned int flags,
		       unsigned int rate)
{
	struct timeval period = { 7, 7 };

	ASSERT_EQ(0, sprofil(self->regions, 2, &period, flags));
	EXPECT_EQ(rate, get_status(self->scene.fd).rate);
	EXPECT_EQ(rate == 1, period.tv_sec);
	EXPECT_EQ(rate == 1 ? 0 : 1000000 / rate, period.tv_usec);
}

TEST_F(sprofil, period)
{
	unsigned int highest = get_info(self->scene.fd).max_rate;

	ASSERT_EQ(0, profil_set_rate(0));
	see_period(_metadata, self, PROF_USHORT, 100);
	see_period(_metadata, self, PROF_UINT, 100);
	see_period(_metadata, self, PROF_USHORT | PROF_FAST, highest);
	see_period(_metadata, self, PROF_UINT64 | PROF_FAST, highest);
	ASSERT_EQ(0, profil_set_rate(50));
	see_period(_metadata, self, PROF_USHORT, 50);
	see_period(_metadata, self, PROF_FAST, highest);
	/* who runs the program decides, over PROF_FAST too */
	setenv("PROFIL_RATE", "20", 1);
	see_period(_metadata, self, PROF_USHORT, 20);
	see_period(_metadata, self, PROF_FAST, 20);
	setenv("PROFIL_RATE", "1", 1);
	see_period(_metadata, self, PROF_USHORT, 1);
}

/* The CPU time has a tick for each of its periods. */
TEST_F(sprofil, period_is_true)
{
	struct scene *scene = &self->scene;
	struct rusage before, after;
	struct timeval period;
	double least, most, samples;
	long stints;

	getrusage(RUSAGE_SELF, &before);
	/* the profile begins and ends somewhere within the calls */
	most = process_seconds();
	ASSERT_EQ(0, sprofil(self->regions, 2, &period, PROF_FAST));
	least = process_seconds();
	ASSERT_EQ(0, stay_at_pc(scene->text + NEAR, 0.1));
	least = process_seconds() - least;
	samples = (double)stop(scene->fd).samples;
	most = process_seconds() - most;
	getrusage(RUSAGE_SELF, &after);
	/* each time that a thread is on a CPU may have one more or less, for the phase */
	stints = after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw + 1;
	EXPECT_LE(least * 1e6 / (double)period.tv_usec - (double)stints, samples);
	EXPECT_GE(most * 1e6 / (double)period.tv_usec + (double)stints, samples);
}

/* What is refused leaves the profile before as it was. */
static int refused(struct _test_data_sprofil *self, int count,
		   unsigned int flags, struct timeval *period)
{
	errno = 0;
	return sprofil(self->regions, count, period, flags) == -1 ? errno : 0;
}

TEST_F(sprofil, errors)
{
	struct scene *scene = &self->scene;
	struct timeval period = { 7, 7 };
	struct prof *first = &self->regions[0];
	struct prof old = *first;

	ASSERT_EQ(0, start(self, PROF_USHORT));
	EXPECT_EQ(EINVAL, refused(self, 2, 0x8, &period));
	EXPECT_EQ(EINVAL, refused(self, 2, 0x80000000, &period));
	EXPECT_EQ(EINVAL, refused(self, 2, PROF_UINT | PROF_UINT64, &period));
	EXPECT_EQ(EINVAL, refused(self, -1, PROF_USHORT, &period));
	EXPECT_EQ(EINVAL, refused(self, 0, 0x8, &period));
#if __SIZEOF_LONG__ > 4
	first->pr_scale = 1UL << 32;
	EXPECT_EQ(EINVAL, refused(self, 2, PROF_USHORT, &period));
	first->pr_scale = old.pr_scale;
#endif
	first->pr_base = (char *)old.pr_base + 2;
	EXPECT_EQ(EINVAL, refused(self, 2, PROF_UINT, &period));
	first->pr_base = (void *)8;
	EXPECT_EQ(EFAULT, refused(self, 2, PROF_USHORT, &period));
	first->pr_base = old.pr_base;
	setenv("PROFIL_RATE", "0", 1);
	EXPECT_EQ(EINVAL, refused(self, 2, PROF_USHORT, &period));
	EXPECT_EQ(7, period.tv_sec);
	EXPECT_EQ(7, period.tv_usec);
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
}

TEST_HARNESS_MAIN
