// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dialect of profil() and the rate, as the program or its environment selects them; and
 * profil_start(), with which the program selects everything itself.
 */
#include "kselftest_harness.h"
#include "profile/scene.h"

FIXTURE(dialect_select) {
	struct scene scene;
};

FIXTURE_SETUP(dialect_select)
{
	SET_SCENE(&self->scene);
}

FIXTURE_TEARDOWN(dialect_select)
{
	clear_scene(&self->scene);
}

/* profil() itself, whose dialect is selected */
static int call_profil(const struct scene *scene, unsigned int scale)
{
	return profil(scene->counters, scene->bytes, (size_t)scene->text,
		      scale);
}

/* Returns the selected dialect, found by calls on which the dialects differ. */
static const char *effective_dialect(const struct scene *scene)
{
	unsigned int after_one, flags;

	stop(scene->fd);
	if (call_profil(scene, 65537) == -1)
		return errno == EINVAL ? "bsd" : "none";
	/* AIX uses the lower 16 bits, a scale of 1, which is off */
	if (scene_state(scene) == PROFIL_STATE_OFF)
		return "aix";
	flags = get_status(scene->fd).flags;
	call_profil(scene, 1);
	after_one = scene_state(scene);
	stop(scene->fd);
	if (after_one == PROFIL_STATE_RUNNING)
		return "glibc";
	if (flags & PROFIL_FAULT_SIGNAL)
		return "linux099";
	*scene_counter(scene, NEAR) = 32767;
	call_profil(scene, WHOLE);
	return counts_at(scene, NEAR, 1) ? "osf1" : "solaris";
}

static const char *const names[] = { "solaris", "bsd", "linux099", "osf1",
				     "aix", "glibc" };

TEST_F(dialect_select, profil_dialect_selects)
{
	struct scene *scene = &self->scene;
	size_t i;

	EXPECT_STREQ("glibc", profil_dialect(NULL));
	EXPECT_STREQ("glibc", effective_dialect(scene));
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		EXPECT_STREQ(names[i], profil_dialect(names[i]));
		EXPECT_STREQ(names[i], profil_dialect(NULL));
		EXPECT_STREQ(names[i], effective_dialect(scene));
	}
}

/* Runs in a child with PROFIL_DIALECT set, before its first call of the library. */
static int dialect_of_environment(const struct scene *scene)
{
	const char *name = getenv("PROFIL_DIALECT");

	if (strcmp(effective_dialect(scene), name))
		return 1;
	if (strcmp(profil_dialect(NULL), name))
		return 2;
	/* the program's own selection overrides the environment */
	return strcmp(profil_dialect("osf1"), "osf1") ||
	       strcmp(effective_dialect(scene), "osf1") ? 3 : 0;
}

TEST_F(dialect_select, environment_selects)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		setenv("PROFIL_DIALECT", names[i], 1);
		EXPECT_EQ(0, in_child(dialect_of_environment, &self->scene)) {
			TH_LOG("%s", names[i]);
		}
	}
}

/* Returns whether the text is one line with the names of all dialects. */
static bool lists_all_dialects(const char *text)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strstr(text, names[i]))
			return false;
	return count_lines(text) == 1;
}

TEST_F(dialect_select, unknown_dialect_is_refused)
{
	struct scene *scene = &self->scene;
	struct stderr_capture captured;

	ASSERT_EQ(0, profil_osf1((short *)scene->counters, scene->bytes,
				 offset_of(scene), WHOLE));
	setenv("PROFIL_DIALECT", "ultrix", 1);
	errno = 0;
	capture_stderr(&captured);
	EXPECT_EQ(-1, call_profil(scene, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_TRUE(lists_all_dialects(end_capture(&captured)));
	EXPECT_NE(NULL, strstr(captured.text, "ultrix"));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));

	capture_stderr(&captured);
	errno = 0;
	EXPECT_EQ(NULL, profil_dialect(NULL));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_TRUE(lists_all_dialects(end_capture(&captured)));

	/* the program can still select a dialect */
	EXPECT_STREQ("aix", profil_dialect("aix"));
	capture_stderr(&captured);
	errno = 0;
	EXPECT_EQ(NULL, profil_dialect("AIX"));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_TRUE(lists_all_dialects(end_capture(&captured)));
	EXPECT_STREQ("aix", profil_dialect(NULL));
	stop(scene->fd);
	EXPECT_STREQ("aix", effective_dialect(scene));
}

/* The selection does not affect profil_osf1() and the other functions of one dialect. */
TEST_F(dialect_select, functions_of_one_dialect_keep_it)
{
	struct scene *scene = &self->scene;

	ASSERT_STREQ("solaris", profil_dialect("solaris"));
	ASSERT_EQ(0, profil_osf1((short *)scene->counters, scene->bytes,
				 offset_of(scene), WHOLE));
	*scene_counter(scene, NEAR) = 32767;
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
}

static unsigned int rate_of(const struct scene *scene)
{
	return get_status(scene->fd).rate;
}

TEST_F(dialect_select, rate_of_program_and_environment)
{
	struct scene *scene = &self->scene;
	struct profil_info info = get_info(scene->fd);
	struct profil_attr attr = { 0 };

	attr.flags = PROFIL_PC_LOG;
	attr.width = 64;
	attr.log = scene->counters;
	attr.log_bytes = scene->bytes;

	EXPECT_EQ(0, profil_set_rate(0));
	ASSERT_EQ(0, call_profil(scene, WHOLE));
	EXPECT_EQ(100, rate_of(scene));
	EXPECT_EQ(0, profil_set_rate(50));
	/* it applies to later starts, by any function */
	EXPECT_EQ(100, rate_of(scene));
	ASSERT_EQ(0, call_profil(scene, WHOLE));
	EXPECT_EQ(50, rate_of(scene));
	ASSERT_EQ(0, pcsample((uintptr_t *)scene->counters, 8));
	EXPECT_EQ(50, rate_of(scene));
	ASSERT_EQ(0, profil_start(&attr));
	EXPECT_EQ(50, rate_of(scene));
	attr.rate = 20;
	ASSERT_EQ(0, profil_start(&attr));
	EXPECT_EQ(20, rate_of(scene));
	/* an unsupported rate is refused, and changes nothing */
	errno = 0;
	EXPECT_EQ(-1, profil_set_rate(info.max_rate + 1));
	EXPECT_EQ(EINVAL, errno);
	ASSERT_EQ(0, call_profil(scene, WHOLE));
	EXPECT_EQ(50, rate_of(scene));
	EXPECT_EQ(0, profil_set_rate(info.max_rate));
	ASSERT_EQ(0, call_profil(scene, WHOLE));
	EXPECT_EQ(info.max_rate, rate_of(scene));

	setenv("PROFIL_RATE", "30", 1);
	ASSERT_EQ(0, call_profil(scene, WHOLE));
	EXPECT_EQ(30, rate_of(scene));
	ASSERT_EQ(0, profil_start(&attr));
	EXPECT_EQ(30, rate_of(scene));
	ASSERT_EQ(0, profil_set_rate(10));
	ASSERT_EQ(0, call_profil(scene, WHOLE));
	EXPECT_EQ(30, rate_of(scene));
}

static const char *const invalid_rates[] = { "", "0", "-1", "fast", "10Hz", "1e3",
					"99999999999999999999" };

TEST_F(dialect_select, invalid_rate_is_refused)
{
	struct scene *scene = &self->scene;
	struct stderr_capture captured;
	size_t i;

	ASSERT_EQ(0, call_profil(scene, WHOLE));
	for (i = 0; i < ARRAY_SIZE(invalid_rates); i++) {
		setenv("PROFIL_RATE", invalid_rates[i], 1);
		capture_stderr(&captured);
		errno = 0;
		EXPECT_EQ(-1, call_profil(scene, WHOLE));
		EXPECT_EQ(EINVAL, errno);
		EXPECT_EQ(1, count_lines(end_capture(&captured)));
		EXPECT_NE(NULL, strstr(captured.text, "PROFIL_RATE"));
		/* the earlier profile continues */
		EXPECT_TRUE(counts_at(scene, NEAR, 1));
	}
	/* turning profiling off needs no rate */
	EXPECT_EQ(0, call_profil(scene, 0));
	/* a valid rate above the maximum */
	setenv("PROFIL_RATE", "1000000", 1);
	capture_stderr(&captured);
	EXPECT_EQ(-1, call_profil(scene, WHOLE));
	EXPECT_EQ(1, count_lines(end_capture(&captured)));
	EXPECT_NE(NULL, strstr(captured.text, "PROFIL_RATE"));
}

/* All of the text in one counter, for profil_start() */
static struct profil_attr one_counter(const struct scene *scene,
				      struct profil_region *region)
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

TEST_F(dialect_select, profil_start_limits_counters)
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

TEST_F(dialect_select, profil_start_and_stop)
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
