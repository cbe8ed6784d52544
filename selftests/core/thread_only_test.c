// SPDX-License-Identifier: GPL-2.0-only
/*
 * PROFIL_THREAD_ONLY: a profile counts the thread that starts it and the processes that this thread
 * forks, but no other thread and its children.
 */
#include <sys/stat.h>

#include "eventually.h"
#include "kselftest_harness.h"
#include "profile/expect_count.h"
#include "profile/scene.h"

FIXTURE(thread_only) {
	struct scene scene;
	struct profil_region region;	/* the text */
	struct profil_start start;
	uint16_t elsewhere;		/* counter of all other pcs */
};

FIXTURE_SETUP(thread_only)
{
	struct scene *scene = &self->scene;

	SET_SCENE(scene);
	ASSERT_TRUE(get_info(scene->fd).features & PROFIL_FEATURE_THREAD_ONLY);
	count_scene(scene, &self->start, &self->region);
	self->start.catch_all = (uintptr_t)&self->elsewhere;
}

FIXTURE_TEARDOWN(thread_only)
{
	clear_scene(&self->scene);
}

/* Returns 0 or an errno. */
static int begin_with(struct _test_data_thread_only *self, uint32_t flags)
{
	self->start.flags = flags;
	return call(self->scene.fd, PROFIL_IOC_START, &self->start);
}

/* A thread that starts a profile and stays at a place of the text */
struct starter {
	struct _test_data_thread_only *test;
	pthread_barrier_t started;
	int error;
};

static void *start_and_stay(void *data)
{
	struct starter *starter = data;
	char *text = starter->test->scene.text;

	starter->error = begin_with(starter->test, PROFIL_THREAD_ONLY);
	pthread_barrier_wait(&starter->started);
	((void (*)(void))(text + NEAR))();
	return NULL;
}

static int start_thread(struct _test_data_thread_only *self, struct starter *starter,
			struct one_pc *one)
{
	starter->test = self;
	one->code = (instruction *)(self->scene.text + NEAR);
	*one->code = JUMP_TO_SELF;
	__builtin___clear_cache((char *)one->code, (char *)one->code + 4);
	pthread_barrier_init(&starter->started, NULL, 2);
	if (pthread_create(&one->thread, NULL, start_and_stay, starter))
		return -1;
	pthread_barrier_wait(&starter->started);
	return starter->error;
}

/*
 * A joined thread may still be sampled at its last pc while the kernel ends it: waits until it is
 * gone.
 */
static void await_end_of_others(void)
{
	struct stat threads;

	while (!stat("/proc/self/task", &threads) && threads.st_nlink > 2 + 1)
		usleep(1000);
}

TEST_F(thread_only, this_thread)
{
	struct scene *scene = &self->scene;

	ASSERT_EQ(0, begin_with(self, PROFIL_THREAD_ONLY));
	EXPECT_TRUE(is_silent(scene));
	EXPECT_EQ(0, get_status(scene->fd).counted);
	EXPECT_TRUE(WORK_UNTIL(burn(seconds_for(5, self->start.rate)), self->elsewhere >= 5));
	EXPECT_EQ(PROFIL_STATE_RUNNING, scene_state(scene));
	/* without the flag, all threads are counted */
	ASSERT_EQ(0, begin_with(self, 0));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
}

TEST_F(thread_only, another_thread)
{
	struct scene *scene = &self->scene;
	struct profil_status status;
	struct starter starter;
	struct one_pc one;
	uint16_t counts;

	/* the start replaces this thread's profile, since a process has only one */
	ASSERT_EQ(0, begin_with(self, PROFIL_THREAD_ONLY));
	ASSERT_EQ(0, start_thread(self, &starter, &one));
	/* wait until the thread is there */
	while (!__atomic_load_n(scene_counter(scene, NEAR), __ATOMIC_RELAXED))
		usleep(1000);
	self->elsewhere = 0;
	burn(seconds_for(5, self->start.rate));
	EXPECT_EQ(0, self->elsewhere);
	leave_pc(&one);
	await_end_of_others();
	/* the profile continues after the end of the thread */
	counts = *scene_counter(scene, NEAR);
	self->elsewhere = 0;
	EXPECT_TRUE(is_silent(scene));
	burn(0.05);
	EXPECT_EQ(0, self->elsewhere);
	status = stop(scene->fd);
	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	EXPECT_EQ(PROFIL_THREAD_ONLY, status.flags);
	EXPECT_EQ(counts, status.counted);
}

/* A thread that only starts a profile */
static void *start_only(void *data)
{
	return (void *)(long)begin_with(data, PROFIL_THREAD_ONLY);
}

/*
 * A profile of all threads that replaces one of a single thread counts only the CPU time since its
 * start.
 */
static void expect_no_past(struct __test_metadata *_metadata, struct _test_data_thread_only *self)
{
	pthread_t thread;
	void *error;
	double used;

	ASSERT_EQ(0, pthread_create(&thread, NULL, start_only, self));
	ASSERT_EQ(0, pthread_join(thread, &error));
	ASSERT_EQ(NULL, error);
	burn(0.1);
	used = process_seconds();
	ASSERT_EQ(0, begin_with(self, 0));
	burn(0.01);
	used = process_seconds() - used;
	EXPECT_COUNT(stop(self->scene.fd).samples, used * self->start.rate, 2);
}

TEST_F(thread_only, replaced_by_all_threads)
{
	expect_no_past(_metadata, self);
	self->start.clock = PROFIL_CLOCK_TIMER;
	self->start.rate = 1000;
	expect_no_past(_metadata, self);
}

/*
 * In a child that this thread forks, the forking thread is counted. Its children are followed, too.
 */
static uint16_t *elsewhere;

static int be_followed(const struct scene *scene)
{
	if (scene_state(scene) != PROFIL_STATE_RUNNING)
		return 1;
	*elsewhere = 0;
	if (!WORK_UNTIL(burn(seconds_for(5, get_info(scene->fd).tick_hz)), *elsewhere >= 5))
		return 2;
	return is_silent(scene) && !get_status(scene->fd).counted ? 0 : 3;
}

static int fork_once_more(const struct scene *scene)
{
	int status = be_followed(scene);

	return status ? status : 10 * in_child(be_followed, scene);
}

static void *fork_in_thread(void *scene)
{
	return (void *)(intptr_t)in_child(be_followed, scene);
}

TEST_F(thread_only, fork)
{
	struct scene *scene = &self->scene;
	struct profil_status status;
	pthread_t thread;
	void *result;

	elsewhere = &self->elsewhere;
	ASSERT_EQ(0, begin_with(self, PROFIL_THREAD_ONLY));
	EXPECT_EQ(0, in_child(fork_once_more, scene));
	EXPECT_EQ(1, get_status(scene->fd).forks_followed);

	/* the child of another thread is not followed */
	ASSERT_EQ(0, pthread_create(&thread, NULL, fork_in_thread, scene));
	ASSERT_EQ(0, pthread_join(thread, &result));
	EXPECT_EQ(1, (intptr_t)result);
	status = get_status(scene->fd);
	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	EXPECT_EQ(1, status.forks_followed);
	EXPECT_EQ(0, status.fork_failures);
	/* without the flag, it is followed */
	self->elsewhere = 0;
	ASSERT_EQ(0, begin_with(self, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, fork_in_thread, scene));
	ASSERT_EQ(0, pthread_join(thread, &result));
	EXPECT_EQ(3, (intptr_t)result);
	EXPECT_EQ(1, get_status(scene->fd).forks_followed);
}

TEST_HARNESS_MAIN
