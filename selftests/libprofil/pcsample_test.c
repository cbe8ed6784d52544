// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample(): where the program was, one pc after the other, and how many there
 * were since the call before.
 */
#include <limits.h>

#include "kselftest_harness.h"
#include "scene.h"

#define NR	1000
#define UNUSED	((uintptr_t)0x5a5a5a5a)

FIXTURE(pcsample) {
	struct scene scene;
	uintptr_t samples[NR];
	uintptr_t pc;		/* where threads stay */
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

static long samples_there(const struct _test_data_pcsample *self)
{
	long i, nr = 0;

	for (i = 0; i < NR; i++)
		nr += self->samples[i] == self->pc;
	return nr;
}

TEST_F(pcsample, where_it_was)
{
	struct scene *scene = &self->scene;
	long nr, i, wrong = 0;

	EXPECT_EQ(0, pcsample(self->samples, NR));
	EXPECT_TRUE(counts_at(scene, NEAR, 10));
	nr = pcsample(self->samples, 0);
	/* this thread starts the other one, and waits for it: a tick may meet it */
	EXPECT_LE(nr - 2, samples_there(self));
	ASSERT_GE(NR, nr);
	/* nobody was anywhere else in the text */
	for (i = 0; i < nr; i++)
		wrong += self->samples[i] == UNUSED ||
			 (self->samples[i] != self->pc &&
			  self->samples[i] - (uintptr_t)scene->text < scene->bytes);
	EXPECT_EQ(0, wrong);
	for (; i < NR; i++)
		EXPECT_EQ(UNUSED, self->samples[i]);
}

/* Five ticks in an array of three: three are stored, then it is off. */
TEST_F(pcsample, full)
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
	/* the next call tells how many there were, and begins anew */
	EXPECT_EQ(3, pcsample(self->samples + 10, 2));
	EXPECT_EQ(PROFIL_STATE_FULL, stay(scene, NEAR, 5).state);
	EXPECT_NE(UNUSED, self->samples[11]);
	EXPECT_EQ(UNUSED, self->samples[12]);
	EXPECT_EQ(UNUSED, self->samples[3]);
	EXPECT_EQ(2, pcsample(self->samples, 0));
	EXPECT_EQ(0, pcsample(self->samples, 0));
}

/* No samples wanted: it is off, and tells what there was until then. */
TEST_F(pcsample, off)
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

/*
 * A second call while it runs: what the first had, and on in the other array.
 */
TEST_F(pcsample, second_call)
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

TEST_F(pcsample, negative)
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
	/* what runs is not touched */
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	EXPECT_LE(4, pcsample(self->samples, 0));
}

/* What cannot be begun ends what was, as the header says. */
TEST_F(pcsample, errors)
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

/*
 * profil() and pcsample() end each other, and profil() what there was to tell.
 */
TEST_F(pcsample, and_profil)
{
	struct scene *scene = &self->scene;
	uint16_t before;
	int nr = 0;

	EXPECT_EQ(0, pcsample(self->samples, NR / 2));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	ASSERT_EQ(0, profil_solaris(scene->counters, scene->bytes,
				    offset_of(scene), WHOLE));
	while (nr < NR / 2 && self->samples[nr] != UNUSED)
		nr++;
	EXPECT_LE(2, nr);
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	before = *scene_counter(scene, NEAR);
	EXPECT_LE(2, before);
	/* nothing is stored any more */
	EXPECT_EQ(UNUSED, self->samples[nr]);
	EXPECT_EQ(0, pcsample(self->samples + NR / 2, NR / 2));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	EXPECT_EQ(before, *scene_counter(scene, NEAR));
	EXPECT_NE(UNUSED, self->samples[NR / 2 + 1]);
	/* profil()'s off is an end as well */
	EXPECT_EQ(0, profil_solaris(scene->counters, 0, 0, 0));
	EXPECT_EQ(0, pcsample(self->samples, 0));
}

/*
 * The array ends where the memory does: it is off there, and no signal comes.
 */
TEST_F(pcsample, memory_ends)
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
	/* however late the worker comes: the four have waited longer than the fifth */
	EXPECT_EQ(4, status.counted);
	EXPECT_NE(0, samples[0]);
	EXPECT_NE(0, samples[3]);
	EXPECT_EQ(4, pcsample(samples, 0));
	/* nowhere at all */
	EXPECT_EQ(0, pcsample(nowhere, 100));
	EXPECT_EQ(PROFIL_STATE_FAULT, stay(scene, NEAR, 1).state);
	EXPECT_EQ(0, pcsample(samples, 0));
}

/* The child goes on behind its parent's, in its copy, and counts its own. */
static struct _test_data_pcsample *of_test;

static int sample_in_child(const struct scene *scene)
{
	long nr, i, used = 0;

	if (!counts_at(scene, NEAR, 3))
		return 1;
	nr = pcsample(NULL, 0);
	for (i = 0; i < NR; i++)
		used += of_test->samples[i] != UNUSED;
	/*
	 * Its parent's are before; what that stored while it forked may be
	 * missing in between.
	 */
	return nr >= 3 && used > nr ? 0 : 2;
}

TEST_F(pcsample, fork)
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
 * The device cannot be opened any more. What runs can be turned off; and what cannot be
 * asked, since all descriptors are closed, is not told as "nothing was stored".
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
	if (syscall(SYS_close_range, scene->fd + 1, ~0U, 0) ||
	    setrlimit(RLIMIT_NOFILE, &none))
		return 5;
	if (pcsample(&sample, 0) != -1 || errno != EMFILE)
		return 6;
	if (setrlimit(RLIMIT_NOFILE, &before))
		return 7;
	/* nothing was stopped by that */
	return stay(scene, NEAR, 1).counted && pcsample(&sample, 0) == 1 ? 0 : 8;
}

TEST_F(pcsample, without_descriptors)
{
	EXPECT_EQ(0, in_child(without_descriptors, &self->scene));
}

TEST_HARNESS_MAIN
