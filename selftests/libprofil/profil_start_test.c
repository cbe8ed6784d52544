// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil_start(), with which the program selects everything itself, and profil_stop().
 */
#include "kselftest_harness.h"
#include "profile/scene.h"

FIXTURE(profil_start) {
	struct scene scene;
};

FIXTURE_SETUP(profil_start)
{
	SET_SCENE(&self->scene);
}

FIXTURE_TEARDOWN(profil_start)
{
	clear_scene(&self->scene);
}

/* All of the text in one counter, for profil_start() */
static struct profil_attr one_counter(const struct scene *scene, struct profil_region *region)
{
	struct profil_attr attr = { 0 };

	*region = (struct profil_region) {
		.start = (uintptr_t)scene->text,
		.end = (uintptr_t)scene->text + scene->bytes,
		.offset = (uintptr_t)scene->text,
		.buf = (uintptr_t)scene->counters,
		.bytes = 8,
		.rounding = PROFIL_ROUND_FIRST,
	};
	attr.regions = region;
	attr.nr_regions = 1;
	return attr;
}

static uint64_t value_of(const struct scene *scene, unsigned int width)
{
	uint64_t count = 0;

	memcpy(&count, scene->counters, width / 8);
	return count;
}

TEST_F(profil_start, profil_start_limits_counters)
{
	static const struct {
		unsigned int width, overflow;
		uint64_t limit, before, after;
		unsigned int state;
	} rows[] = {
		{ 16, PROFIL_OVERFLOW_SATURATE, 0, 65534, 65535,
		  PROFIL_STATE_RUNNING },
		{ 32, PROFIL_OVERFLOW_SATURATE, 0, UINT32_MAX - 1, UINT32_MAX,
		  PROFIL_STATE_RUNNING },
		{ 64, PROFIL_OVERFLOW_SATURATE, 0, UINT64_MAX - 1, UINT64_MAX,
		  PROFIL_STATE_RUNNING },
		{ 32, PROFIL_OVERFLOW_SATURATE, 70000, 69999, 70000,
		  PROFIL_STATE_RUNNING },
		{ 64, PROFIL_OVERFLOW_STOP, 1ULL << 33, (1ULL << 33) - 2,
		  1ULL << 33, PROFIL_STATE_LIMIT },
		{ 32, PROFIL_OVERFLOW_STOP, 0, UINT32_MAX - 2, UINT32_MAX,
		  PROFIL_STATE_LIMIT },
	};
	struct scene *scene = &self->scene;
	struct profil_region region;
	struct profil_status status;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct profil_attr attr = one_counter(scene, &region);

		attr.width = rows[i].width;
		attr.overflow = rows[i].overflow;
		attr.limit = rows[i].limit;
		memset(scene->counters, 0, 16);
		memcpy(scene->counters, &rows[i].before, rows[i].width / 8);
		ASSERT_EQ(0, profil_start(&attr));
		stay(scene, NEAR, 4);
		ASSERT_EQ(0, profil_stop(&status));
		EXPECT_EQ(rows[i].state, status.state) {
			TH_LOG("row %zu", i);
		}
		EXPECT_EQ(rows[i].after, value_of(scene, rows[i].width));
		/* nothing beyond the counter */
		EXPECT_EQ(0, memcmp((char *)scene->counters + rows[i].width / 8,
				    "\0\0\0\0\0\0\0", 8));
	}
}

TEST_F(profil_start, profil_start_and_stop)
{
	struct scene *scene = &self->scene;
	struct profil_region region;
	struct profil_attr attr = one_counter(scene, &region);
	struct profil_status status;

	/* the defaults: counters of 32 bits, which wrap */
	memset(scene->counters, 0xff, 4);
	ASSERT_EQ(0, profil_start(&attr));
	EXPECT_TRUE(counts_at(scene, NEAR, 3));
	ASSERT_EQ(0, profil_status(&status));
	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	ASSERT_EQ(0, profil_stop(&status));
	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	EXPECT_EQ(status.counted - 1, value_of(scene, 64));
	/* a stop without a profile is no error */
	EXPECT_EQ(0, profil_stop(&status));
	EXPECT_EQ(PROFIL_STATE_OFF, status.state);
	EXPECT_EQ(0, profil_stop(NULL));
	EXPECT_EQ(0, profil_status(&status));
	EXPECT_EQ(PROFIL_STATE_OFF, status.state);
	/* a start that is refused leaves the running profile alone */
	ASSERT_EQ(0, profil_start(&attr));
	attr.width = 8;
	errno = 0;
	EXPECT_EQ(-1, profil_start(&attr));
	EXPECT_EQ(EINVAL, errno);
	attr.width = 32;
	attr.nr_regions = 100000;
	EXPECT_EQ(-1, profil_start(&attr));
	EXPECT_EQ(E2BIG, errno);
#if __SIZEOF_LONG__ > 4
	attr.nr_regions = (1UL << 32) + 1;
	EXPECT_EQ(-1, profil_start(&attr));
	EXPECT_EQ(E2BIG, errno);
#endif
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
}

TEST_HARNESS_MAIN
