// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample(): stores the pc of each sample in an array, and returns the number stored since the
 * previous call.
 */
#include <limits.h>

#include "kselftest_harness.h"
#include "profile/scene.h"

#define NR	1000
#define UNUSED	((uintptr_t)0x5a5a5a5a)

FIXTURE(pcsample) {
	struct scene scene;
	uintptr_t samples[NR];
	uintptr_t pc;		/* at which threads stay */
};

FIXTURE_SETUP(pcsample)
{
	size_t i;

	SET_SCENE(&self->scene);
	self->pc = (uintptr_t)self->scene.text + NEAR;
	for (i = 0; i < NR; i++)
		self->samples[i] = UNUSED;
}

FIXTURE_TEARDOWN(pcsample)
{
	clear_scene(&self->scene);
}

static long samples_at_pc(const struct _test_data_pcsample *self)
{
	long i, nr = 0;

	for (i = 0; i < NR; i++)
		nr += self->samples[i] == self->pc;
	return nr;
}

TEST_F(pcsample, stores_pcs)
{
	struct scene *scene = &self->scene;
	long nr, i, wrong = 0;

	EXPECT_EQ(0, pcsample(self->samples, NR));
	EXPECT_TRUE(counts_at(scene, NEAR, 10));
	nr = pcsample(self->samples, 0);
	/* a tick may also sample this thread, which starts the other one and waits for it */
	EXPECT_LE(nr - 2, samples_at_pc(self));
	ASSERT_GE(NR, nr);
	/* no sample is elsewhere in the text */
	for (i = 0; i < nr; i++)
		wrong += self->samples[i] == UNUSED ||
			 (self->samples[i] != self->pc &&
			  self->samples[i] - (uintptr_t)scene->text < scene->bytes);
	EXPECT_EQ(0, wrong);
	for (; i < NR; i++)
		EXPECT_EQ(UNUSED, self->samples[i]);
}

/* Five samples are due for an array of three: three are stored, then sampling ends. */
TEST_F(pcsample, full_array_ends_sampling)
{
	struct scene *scene = &self->scene;
	struct profil_status status;

	EXPECT_EQ(0, pcsample(self->samples, 3));
	status = stay(scene, NEAR, 5);
	EXPECT_EQ(PROFIL_STATE_FULL, status.state);
	EXPECT_EQ(3, status.counted);
	stay(scene, NEAR, 2);
	EXPECT_NE(UNUSED, self->samples[0]);
	EXPECT_NE(UNUSED, self->samples[2]);
	EXPECT_EQ(UNUSED, self->samples[3]);
	/* the next call returns the number, and starts again */
	EXPECT_EQ(3, pcsample(self->samples + 10, 2));
	EXPECT_EQ(PROFIL_STATE_FULL, stay(scene, NEAR, 5).state);
	EXPECT_NE(UNUSED, self->samples[11]);
	EXPECT_EQ(UNUSED, self->samples[12]);
	EXPECT_EQ(UNUSED, self->samples[3]);
	EXPECT_EQ(2, pcsample(self->samples, 0));
	EXPECT_EQ(0, pcsample(self->samples, 0));
}

/* A call without an array ends sampling, and returns the number stored. */
TEST_F(pcsample, call_without_array_ends_sampling)
{
	struct scene *scene = &self->scene;
	long nr;

	EXPECT_EQ(0, pcsample(NULL, 0));
	EXPECT_EQ(0, pcsample(self->samples, NR));
	EXPECT_TRUE(counts_at(scene, NEAR, 4));
	nr = pcsample(NULL, 0);
	EXPECT_LE(4, nr);
	EXPECT_NE(UNUSED, self->samples[nr - 1]);
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
	stay(scene, NEAR, 2);
	EXPECT_EQ(UNUSED, self->samples[nr]);
	EXPECT_EQ(0, pcsample(NULL, 0));
}

/* A second call returns the number stored by the first, and continues in the other array. */
TEST_F(pcsample, second_call_continues_in_new_array)
{
	struct scene *scene = &self->scene;
	long nr;

	EXPECT_EQ(0, pcsample(self->samples, NR / 2));
	EXPECT_TRUE(counts_at(scene, NEAR, 3));
	nr = pcsample(self->samples + NR / 2, NR / 2);
	EXPECT_LE(3, nr);
	EXPECT_TRUE(counts_at(scene, NEAR, 3));
	EXPECT_EQ(UNUSED, self->samples[nr]);
	EXPECT_NE(UNUSED, self->samples[NR / 2 + 2]);
}

static int sample(const void *samples)
{
	return (int)pcsample((void *)samples, NR);
}

static int sample_no_more(const void *samples)
{
	return (int)pcsample((void *)samples, 0);
}

/* A child of vfork() is another process: it has no samples, and changes nothing. */
TEST_F(pcsample, vfork_child_is_another_process)
{
	struct scene *scene = &self->scene;

	EXPECT_EQ(0, in_borrower(sample, self->samples));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
	EXPECT_EQ(0, pcsample(self->samples, NR));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	EXPECT_EQ(0, in_borrower(sample, self->samples));
	EXPECT_EQ(0, in_borrower(sample_no_more, self->samples));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	EXPECT_LE(4, pcsample(self->samples, 0));
}

TEST_F(pcsample, negative_size_is_refused)
{
	static const long bad[] = { -1, -NR, LONG_MIN };
	struct scene *scene = &self->scene;
	size_t i;

	EXPECT_EQ(0, pcsample(self->samples, NR));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		errno = 0;
		EXPECT_EQ(-1, pcsample(self->samples, bad[i]));
		EXPECT_EQ(EINVAL, errno);
	}
	/* sampling continues */
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	EXPECT_LE(4, pcsample(self->samples, 0));
}

/* A failed start ends the earlier sampling, as profil.h documents. */
TEST_F(pcsample, failed_start_ends_sampling)
{
	struct scene *scene = &self->scene;

	EXPECT_EQ(0, pcsample(self->samples, NR));
	errno = 0;
	EXPECT_EQ(-1, pcsample((uintptr_t *)((char *)self->samples + 2), 8));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
	EXPECT_EQ(-1, pcsample(self->samples, LONG_MAX));
	EXPECT_EQ(E2BIG, errno);
}

/* profil() and pcsample() replace each other. After profil(), pcsample() returns 0. */
TEST_F(pcsample, profil_and_pcsample_replace_each_other)
{
	struct scene *scene = &self->scene;
	uint16_t before;
	int nr = 0;

	EXPECT_EQ(0, pcsample(self->samples, NR / 2));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	ASSERT_EQ(0, profil_solaris(scene->counters, scene->bytes, offset_of(scene), WHOLE));
	while (nr < NR / 2 && self->samples[nr] != UNUSED)
		nr++;
	EXPECT_LE(2, nr);
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	before = *scene_counter(scene, NEAR);
	EXPECT_LE(2, before);
	/* pcsample() stores no more samples */
	EXPECT_EQ(UNUSED, self->samples[nr]);
	EXPECT_EQ(0, pcsample(self->samples + NR / 2, NR / 2));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	EXPECT_EQ(before, *scene_counter(scene, NEAR));
	EXPECT_NE(UNUSED, self->samples[NR / 2 + 1]);
	/* profil() with a scale of 0 ends it, too */
	EXPECT_EQ(0, profil_solaris(scene->counters, 0, 0, 0));
	EXPECT_EQ(0, pcsample(self->samples, 0));
}

/* The memory ends before the array does: sampling ends there, without a signal. */
TEST_F(pcsample, missing_memory_ends_sampling)
{
	struct scene *scene = &self->scene;
	char *end = (char *)scene->counters + PAGE;
	uintptr_t *samples = (uintptr_t *)end - 4;
	uintptr_t *volatile nowhere = (uintptr_t *)64;
	struct profil_status status;

	take_away_far(scene);
	EXPECT_EQ(0, pcsample(samples, 100));
	status = stay(scene, NEAR, 10);
	EXPECT_EQ(PROFIL_STATE_FAULT, status.state);
	/* even if the worker is late: the first four samples are stored before the fifth faults */
	EXPECT_EQ(4, status.counted);
	EXPECT_NE(0, samples[0]);
	EXPECT_NE(0, samples[3]);
	EXPECT_EQ(4, pcsample(samples, 0));
	/* an array without any memory */
	EXPECT_EQ(0, pcsample(nowhere, 100));
	EXPECT_EQ(PROFIL_STATE_FAULT, stay(scene, NEAR, 1).state);
	EXPECT_EQ(0, pcsample(samples, 0));
}

/*
 * A child continues after its parent's samples, in its copy of the array. The number that it gets
 * includes them, so that the first elements, of this number, are all samples and no others.
 */
static struct _test_data_pcsample *of_test;

/* Elements of the array up to the last one that was stored */
static long elements_in_use(void)
{
	long nr = NR;

	while (nr && of_test->samples[nr - 1] == UNUSED)
		nr--;
	return nr;
}

static int sample_in_grandchild(const struct scene *scene)
{
	long before = elements_in_use(), nr;

	if (!counts_at(scene, NEAR, 2))
		return 10;
	nr = pcsample(NULL, 0);
	return nr >= before + 2 && nr == elements_in_use() ? 0 : 11;
}

static int sample_in_child(const struct scene *scene)
{
	long before = elements_in_use(), nr;
	int error;

	if (!counts_at(scene, NEAR, 3))
		return 1;
	error = in_child(sample_in_grandchild, scene);
	if (error)
		return error;
	nr = pcsample(of_test->samples, 2);
	if (nr < before + 3 || nr != elements_in_use())
		return 2;
	/* a new array begins at its first element, and its number is its own */
	stay(scene, NEAR, 5);
	return pcsample(NULL, 0) == 2 && pcsample(NULL, 0) == 0 ? 0 : 3;
}

TEST_F(pcsample, child_appends_to_its_copy)
{
	struct scene *scene = &self->scene;
	long nr, i;

	of_test = self;
	EXPECT_EQ(0, pcsample(self->samples, NR));
	EXPECT_TRUE(counts_at(scene, NEAR, 3));
	EXPECT_EQ(0, in_child(sample_in_child, scene));
	nr = pcsample(NULL, 0);
	EXPECT_LE(3, nr);
	for (i = 0; i < NR && self->samples[i] != UNUSED; i++)
		;
	EXPECT_EQ(nr, i);
}

/*
 * The device cannot be opened any more. Sampling can still be ended through the library's
 * descriptor. With that closed too, pcsample() fails, and does not return 0.
 */
static int without_descriptors(const struct scene *scene)
{
	struct rlimit before, none;
	uintptr_t sample;

	if (getrlimit(RLIMIT_NOFILE, &before) || pcsample(&sample, 1))
		return 1;
	none = before;
	none.rlim_cur = 0;
	if (setrlimit(RLIMIT_NOFILE, &none))
		return 2;
	if (!stay(scene, NEAR, 1).counted || pcsample(&sample, 0) != 1)
		return 3;
	if (scene_state(scene) != PROFIL_STATE_OFF || setrlimit(RLIMIT_NOFILE, &before) ||
	    pcsample(&sample, 1))
		return 4;
	if (syscall(SYS_close_range, scene->fd + 1, ~0U, 0) || setrlimit(RLIMIT_NOFILE, &none))
		return 5;
	if (pcsample(&sample, 0) != -1 || errno != EMFILE)
		return 6;
	if (setrlimit(RLIMIT_NOFILE, &before))
		return 7;
	/* the failed call has not ended sampling */
	return stay(scene, NEAR, 1).counted && pcsample(&sample, 0) == 1 ? 0 : 8;
}

TEST_F(pcsample, can_end_without_new_descriptors)
{
	EXPECT_EQ(0, in_child(without_descriptors, &self->scene));
}

TEST_HARNESS_MAIN
