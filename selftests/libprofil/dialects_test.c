// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the manual pages of the old systems say of profil(), and of what becomes
 * of a profile: how it is turned off, what a second call does, a full counter,
 * threads, fork, exec, and memory that is not there. Which counter a pc has is
 * no matter here, and AIX has more to say of its calls in aix_test.c.
 */
#include "kselftest_harness.h"
#include "expect_count.h"
#include "dialect_calls.h"
#include "scene.h"

FIXTURE(dialect) {
	struct scene scene;
	uint16_t *near, *far;
};

FIXTURE_VARIANT(dialect) {
	dialect_call *profil;
	unsigned int whole;	/* scale for 2 bytes of text to a counter */
	unsigned int least;	/* lowest scale that is on */
	unsigned int overflow;	/* PROFIL_OVERFLOW_* */
	bool asks;		/* at the call whether the memory is there */
	bool kills;		/* where it is not when it is needed */
	bool keeps;		/* the first of two profiles */
};

FIXTURE_VARIANT_ADD(dialect, solaris) {
	.profil = call_solaris,
	.whole = WHOLE,
	.least = 2,
	.overflow = PROFIL_OVERFLOW_STOP,
};

FIXTURE_VARIANT_ADD(dialect, bsd) {
	.profil = call_bsd,
	.whole = WHOLE,
	.least = 1,
	.overflow = PROFIL_OVERFLOW_WRAP,
	.asks = true,
};

FIXTURE_VARIANT_ADD(dialect, linux099) {
	.profil = call_linux099,
	.whole = WHOLE,
	.least = 2,
	.overflow = PROFIL_OVERFLOW_WRAP,
	.kills = true,
};

FIXTURE_VARIANT_ADD(dialect, osf1) {
	.profil = call_osf1,
	.whole = WHOLE,
	.least = 2,
	.overflow = PROFIL_OVERFLOW_WRAP,
};

FIXTURE_VARIANT_ADD(dialect, aix) {
	.profil = call_aix,
	.whole = 0xffff,
	.least = 2,
	.overflow = PROFIL_OVERFLOW_SATURATE,
	.asks = true,
	.keeps = true,
};

FIXTURE_VARIANT_ADD(dialect, glibc) {
	.profil = call_glibc,
	.whole = WHOLE,
	.least = 1,
	.overflow = PROFIL_OVERFLOW_WRAP,
	.asks = true,
};

FIXTURE_SETUP(dialect)
{
	SET_SCENE(&self->scene);
	self->near = scene_counter(&self->scene, NEAR);
	self->far = scene_counter(&self->scene, FAR);
}

FIXTURE_TEARDOWN(dialect)
{
	clear_scene(&self->scene);
}

static int turn_on(const struct scene *scene,
		   const struct _fixture_variant_dialect *variant)
{
	return variant->profil(scene->counters, scene->bytes, offset_of(scene),
			       variant->whole);
}

static int turn_off(const struct scene *scene,
		    const struct _fixture_variant_dialect *variant)
{
	return variant->profil(scene->counters, scene->bytes, offset_of(scene),
			       0);
}

TEST_F(dialect, off)
{
	struct scene *scene = &self->scene;
	unsigned int scale;

	for (scale = 0; scale < variant->least; scale++) {
		ASSERT_EQ(0, turn_on(scene, variant));
		EXPECT_TRUE(counts_at(scene, NEAR, 2));
		EXPECT_EQ(0, variant->profil(scene->counters, scene->bytes,
					     offset_of(scene), scale));
		EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
		EXPECT_TRUE(is_silent(scene));
		/* what is off may be turned off */
		EXPECT_EQ(0, variant->profil(scene->counters, scene->bytes,
					     offset_of(scene), scale));
	}
	/* the buffer is nobody's business then */
	EXPECT_EQ(0, variant->profil((void *)8, scene->bytes, 0, 0));
	EXPECT_EQ(0, variant->profil(scene->counters, scene->bytes,
				     offset_of(scene), variant->least));
	EXPECT_EQ(PROFIL_STATE_RUNNING, scene_state(scene));
}

/*
 * 100 Hz, if nothing else is asked for, whatever the tick: of the two threads that have the
 * time one after the other, each has one sample more or less for its phase, and one for the
 * ticks that its CPU has left over.
 */
TEST_F(dialect, rate)
{
	struct scene *scene = &self->scene;
	struct profil_status status;
	double used;

	ASSERT_EQ(0, profil_set_rate(0));
	ASSERT_EQ(0, turn_on(scene, variant));
	used = process_seconds();
	EXPECT_TRUE(counts_at(scene, NEAR, 20));
	used = process_seconds() - used;
	status = stop(scene->fd);
	EXPECT_EQ(100, status.rate);
	EXPECT_COUNT(status.samples, 100 * used, 4);
}

/*
 * A buffer without a counter: it may lie anywhere, and in what goes on is
 * nothing.
 */
TEST_F(dialect, nothing_to_count)
{
	struct scene *scene = &self->scene;
	size_t bytes;

	for (bytes = 0; bytes < 2; bytes++) {
		EXPECT_EQ(0, variant->profil((void *)8, bytes, offset_of(scene),
					     variant->whole));
		EXPECT_EQ(0, turn_off(scene, variant));
		EXPECT_EQ(0, variant->profil(self->near, bytes,
					     offset_of(scene) + NEAR,
					     variant->whole));
		EXPECT_TRUE(is_silent(scene));
		EXPECT_EQ(0, turn_off(scene, variant));
	}
	/* it takes the place of what was counted, as others do */
	ASSERT_EQ(0, turn_on(scene, variant));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	EXPECT_EQ(0, variant->profil(scene->counters, 0, offset_of(scene),
				     variant->whole));
	EXPECT_TRUE(is_silent(scene));
}

#define NR_CHILDREN	20
#define OTHER_USER	7303	/* which no other test charges */

/*
 * Count in a child, and wait until all have tried. Return: 0, or what is wrong. The children
 * take turns on a CPU, of which a tick may see none: so a sample may take the time of
 * several, but of 30 in one case of e^30 at most.
 */
static int count_beside_others(const struct scene *scene, int ready, int go)
{
	uint64_t before = get_status(scene->fd).counted;
	bool counts = false;
	char byte;
	int i;

	for (i = 0; i < 30 && !counts; i++)
		counts = stay(scene, NEAR, 1).counted > before;
	if (write(ready, "", 1) != 1 || read(go, &byte, 1))
		return 1;
	if (get_status(scene->fd).lost)
		return 2;
	return counts ? 0 : 4;
}

/* Return: 0, or what is wrong. */
static int fork_children(const struct scene *scene,
			 const struct _fixture_variant_dialect *variant, size_t bytes)
{
	int ready[2], go[2], i, wrong = 0;
	char byte;

	if (become_user(OTHER_USER, (8 << 20) / PAGE) || pipe(ready) || pipe(go) ||
	    variant->profil(scene->counters, bytes, offset_of(scene), variant->whole))
		return 100;
	for (i = 0; i < NR_CHILDREN; i++) {
		if (!fork()) {
			close(go[1]);
			_exit(count_beside_others(scene, ready[1], go[0]));
		}
	}
	close(ready[1]);
	for (i = 0; i < NR_CHILDREN; i++)
		if (read(ready[0], &byte, 1) != 1)
			wrong = 101;
	close(go[1]);
	for (i = 0; i < NR_CHILDREN; i++)
		wrong |= wait_for(-1);
	return wrong ? wrong : get_status(scene->fd).forks_followed != NR_CHILDREN;
}

/* An ordinary user's limit is 8 MiB: 20 children with large buffers are all followed. */
TEST_F(dialect, many_children)
{
	static const size_t sizes[] = { 32 << 10, 1 << 20, 6 << 20 };
	struct scene scene = self->scene;
	size_t i;

	if (getuid())
		SKIP(return, "needs root, to be another user");
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		pid_t pid;

		scene.counters = map_memory(sizes[i]);
		ASSERT_NE(MAP_FAILED, scene.counters);
		/* of which each counts in whole, 2 MiB for a child's first sample */
		madvise(scene.counters, sizes[i], MADV_NOHUGEPAGE);
		pid = fork();
		if (!pid)
			_exit(fork_children(&scene, variant, sizes[i]));
		EXPECT_EQ(0, wait_for(pid)) {
			TH_LOG("%zu bytes", sizes[i]);
		}
		munmap(scene.counters, sizes[i]);
	}
}

TEST_F(dialect, second_call)
{
	struct scene *scene = &self->scene;
	uint16_t *others = map_memory(scene->bytes);
	uint16_t before;

	ASSERT_NE(MAP_FAILED, others);
	ASSERT_EQ(0, turn_on(scene, variant));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	before = *self->near;
	EXPECT_LE(2, before);
	EXPECT_EQ(0, variant->profil(others, scene->bytes, offset_of(scene),
				     variant->whole));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	if (variant->keeps) {
		EXPECT_LT(before, *self->near);
		EXPECT_EQ(0, others[NEAR / 2]);
	} else {
		EXPECT_EQ(before, *self->near);
		EXPECT_LE(2, others[NEAR / 2]);
	}
	stop(scene->fd);
	munmap(others, scene->bytes);
}

/*
 * Counters stand where the program has put them, and neighbours stay as they
 * are.
 */
static void set_counters(struct _test_data_dialect *self, uint16_t value)
{
	self->near[-1] = 0xffff;
	self->near[0] = value;
	self->near[1] = 0x1234;
}

static void see_stop(struct __test_metadata *_metadata,
		     struct _test_data_dialect *self, uint16_t before)
{
	struct profil_status status = stay(&self->scene, NEAR, 5);

	EXPECT_EQ(PROFIL_STATE_LIMIT, status.state);
	EXPECT_EQ(before < 32767 ? 32767 : before, *self->near);
	EXPECT_EQ(*self->near - before, status.counted);
	EXPECT_TRUE(is_silent(&self->scene));
	*self->near = 0;
	EXPECT_TRUE(is_silent(&self->scene));
}

static const uint16_t almost_full[] = { 32765, 32766, 32767, 0x9000, 65534,
					65535 };

TEST_F(dialect, full_counter)
{
	struct scene *scene = &self->scene;
	struct profil_status status;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(almost_full); i++) {
		uint16_t before = almost_full[i];

		set_counters(self, before);
		*self->far = 0;
		ASSERT_EQ(0, turn_on(scene, variant));
		switch (variant->overflow) {
		case PROFIL_OVERFLOW_STOP:
			see_stop(_metadata, self, before);
			/* for good; but another profile may begin */
			continue;
		case PROFIL_OVERFLOW_WRAP:
			EXPECT_TRUE(counts_at(scene, NEAR, 4));
			status = stop(scene->fd);
			EXPECT_EQ((uint16_t)(before + status.counted),
				  *self->near);
			break;
		case PROFIL_OVERFLOW_SATURATE:
			status = stay(scene, NEAR, 4);
			EXPECT_EQ(status.counted < 65535U - before ?
				  before + status.counted : 65535, *self->near);
			/* one that is full is no matter to the others */
			EXPECT_TRUE(counts_at(scene, FAR, 2));
			EXPECT_LE(2, *self->far);
			status = stop(scene->fd);
			break;
		}
		EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
		EXPECT_EQ(0xffff, self->near[-1]);
		EXPECT_EQ(0x1234, self->near[1]);
	}
}

#define THREADS	4

struct caller {
	const struct scene *scene;
	const struct _fixture_variant_dialect *variant;
	int result;
};

static void *call_in_thread(void *data)
{
	struct caller *caller = data;

	caller->result = turn_on(caller->scene, caller->variant);
	return NULL;
}

/*
 * All threads are counted: the one that called, those that were there before the call, and
 * those that came after. No count is lost where all of them meet in one counter.
 */
TEST_F(dialect, threads)
{
	const struct scene *scene = &self->scene;
	struct caller caller = { scene, variant, -1 };
	struct one_pc threads[THREADS];
	struct profil_status status;
	double before, used, hz = get_info(scene->fd).tick_hz;
	pthread_t thread;
	int i;

	for (i = 0; i < THREADS / 2; i++)
		ASSERT_EQ(0, enter_pc(&threads[i], scene->text + NEAR));
	before = process_seconds();
	ASSERT_EQ(0, pthread_create(&thread, NULL, call_in_thread, &caller));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_EQ(0, caller.result);
	used = process_seconds();
	for (; i < THREADS; i++)
		ASSERT_EQ(0, enter_pc(&threads[i], scene->text + NEAR));
	while (process_seconds() < used + 0.2)
		usleep(10000);
	for (i = 0; i < THREADS; i++)
		leave_pc(&threads[i]);
	status = stop(scene->fd);
	used = process_seconds() - used;
	before = process_seconds() - before;
	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	EXPECT_EQ(0, status.lost);
	EXPECT_EQ(status.counted, *self->near);
	/*
	 * The profile begins somewhere in the call. All CPUs are busy with the threads: one
	 * more or less for each end, on each CPU.
	 */
	EXPECT_COUNT_IN(status.samples, hz * used, hz * before,
			2.0 * (double)sysconf(_SC_NPROCESSORS_ONLN));
}

/* In both, each in its own copy. */
static int count_in_child(const struct scene *scene)
{
	uint16_t before = *scene_counter(scene, NEAR);
	struct profil_status status;

	if (!counts_at(scene, NEAR, 3))
		return 1;
	status = stop(scene->fd);
	return *scene_counter(scene, NEAR) == (uint16_t)(before + status.counted) ?
		0 : 2;
}

TEST_F(dialect, fork)
{
	struct scene *scene = &self->scene;
	uint16_t before;

	ASSERT_EQ(0, turn_on(scene, variant));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	before = *self->near;
	EXPECT_EQ(0, in_child(count_in_child, scene));
	EXPECT_EQ(before, *self->near);
	/* nor is it the parent's that the child has stopped */
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	EXPECT_LE(before + 2, *self->near);
}

/* It is off, and there is nothing left of it that could do harm. */
#define EXECUTED	"PROFIL_TEST_EXECUTED"

static int executed(void)
{
	int fd = open_device();
	unsigned int before = get_status(fd).state;

	burn(0.05);
	return (int)(before ? before : get_status(fd).state);
}

static int execute(const struct scene *scene)
{
	if (scene_state(scene) != PROFIL_STATE_RUNNING)
		return 126;
	setenv(EXECUTED, "1", 1);
	execl("/proc/self/exe", "dialects_test", NULL);
	return 127;
}

TEST_F(dialect, exec)
{
	struct scene *scene = &self->scene;

	ASSERT_EQ(0, turn_on(scene, variant));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	EXPECT_EQ(PROFIL_STATE_OFF, in_child(execute, scene));
	/* the parent has not executed anything */
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
}

static void __attribute__((constructor)) constructor(void)
{
	if (getenv(EXECUTED))
		_exit(executed());
}

/* What a child did until a signal ended it */
static int *achieved;

static int stay_where_nothing_is(const struct scene *scene)
{
	*achieved = counts_at(scene, NEAR, 2);
	stay_until_killed(scene);
	return 0;
}

/*
 * Half of the counters have no memory: the page of those may not be needed yet.
 */
TEST_F(dialect, half_a_buffer)
{
	struct scene *scene = &self->scene;
	struct profil_status status;

	/* mapped first, or it might be where the counters were */
	achieved = map_shared(PAGE);
	take_away_far(scene);
	errno = 0;
	if (variant->asks) {
		EXPECT_EQ(-1, turn_on(scene, variant));
		EXPECT_EQ(EFAULT, errno);
		EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
		EXPECT_TRUE(is_silent(scene));
		return;
	}
	EXPECT_EQ(0, turn_on(scene, variant));
	EXPECT_EQ(0, errno);
	if (variant->kills) {
		EXPECT_EQ(128 + SIGSEGV,
			  in_child(stay_where_nothing_is, scene));
		EXPECT_EQ(1, *achieved);
		return;
	}
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	EXPECT_LE(2, *self->near);
	status = stay(scene, FAR, 1);
	EXPECT_EQ(PROFIL_STATE_FAULT, status.state);
	EXPECT_EQ(EFAULT, status.error);
	EXPECT_TRUE(is_silent(scene));
	/* off is off: a next one may begin, if the buffer is whole */
	ASSERT_NE(MAP_FAILED, mmap((char *)scene->counters + PAGE, PAGE,
				   PROT_READ | PROT_WRITE, MAP_FIXED |
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	EXPECT_EQ(0, turn_on(scene, variant));
	EXPECT_TRUE(counts_at(scene, FAR, 1));
}

/*
 * The memory goes while it is counted in: that matters when it is needed again.
 */
static int take_away_and_stay(const struct scene *scene)
{
	*achieved = counts_at(scene, FAR, 2);
	take_away_far(scene);
	*achieved &= counts_at(scene, NEAR, 2);
	stay_until_killed(scene);
	return 0;
}

TEST_F(dialect, buffer_taken_away)
{
	struct scene *scene = &self->scene;
	struct profil_status status;

	ASSERT_EQ(0, turn_on(scene, variant));
	if (variant->kills) {
		achieved = map_shared(PAGE);
		EXPECT_EQ(128 + SIGSEGV, in_child(take_away_and_stay, scene));
		EXPECT_EQ(1, *achieved);
		/* it was the child's */
		EXPECT_TRUE(counts_at(scene, FAR, 1));
		return;
	}
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	EXPECT_TRUE(counts_at(scene, FAR, 1));
	take_away_far(scene);
	if (!variant->asks)
		EXPECT_TRUE(counts_at(scene, NEAR, 1));
	status = stay(scene, FAR, 1);
	EXPECT_EQ(PROFIL_STATE_FAULT, status.state);
	EXPECT_EQ(EFAULT, status.error);
	EXPECT_TRUE(is_silent(scene));
}

TEST_HARNESS_MAIN
