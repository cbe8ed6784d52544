// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a profile in each dialect, as the manual pages of the systems describe it: turning it
 * off, a second call, a full counter, threads, fork, exec, and missing memory. vectors_test.c tests
 * which counter a pc has; aix_test.c has more tests of AIX.
 */
#include "kselftest_harness.h"
#include "profile/expect_count.h"
#include "profile/dialect_calls.h"
#include "profile/scene.h"

FIXTURE(dialect) {
	struct scene scene;
	uint16_t *near, *far;
};

FIXTURE_VARIANT(dialect) {
	dialect_call *profil;
	unsigned int whole;	/* scale for 2 bytes of text per counter */
	unsigned int least;	/* lowest scale that turns profiling on */
	unsigned int overflow;	/* PROFIL_OVERFLOW_* */
	bool checks_at_call;	/* the call fails if memory is missing */
	bool kills;		/* a sample without memory sends SIGSEGV */
	bool keeps_first;	/* a second call has no effect */
};

#define DIALECT(name, wholes, lowest, on_overflow, ...)					\
	FIXTURE_VARIANT_ADD(dialect, name) {						\
		.profil = call_##name, .whole = (wholes), .least = (lowest),		\
		.overflow = PROFIL_OVERFLOW_##on_overflow, ##__VA_ARGS__ }

DIALECT(solaris, WHOLE, 2, STOP);
DIALECT(bsd, WHOLE, 1, WRAP, .checks_at_call = true);
DIALECT(linux099, WHOLE, 2, WRAP, .kills = true);
DIALECT(osf1, WHOLE, 2, WRAP);
DIALECT(aix, 0xffff, 2, SATURATE, .checks_at_call = true, .keeps_first = true);
DIALECT(svid, WHOLE, 2, WRAP);
DIALECT(glibc, WHOLE, 1, WRAP, .checks_at_call = true);

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

static int turn_on(const struct scene *scene, const struct _fixture_variant_dialect *variant)
{
	return variant->profil(scene->counters, scene->bytes, offset_of(scene), variant->whole);
}

static int turn_off(const struct scene *scene, const struct _fixture_variant_dialect *variant)
{
	return variant->profil(scene->counters, scene->bytes, offset_of(scene), 0);
}

struct turn {
	int (*call)(const struct scene *scene, const struct _fixture_variant_dialect *variant);
	const struct scene *scene;
	const struct _fixture_variant_dialect *variant;
};

static int take_turn(const void *data)
{
	const struct turn *turn = data;

	return turn->call(turn->scene, turn->variant);
}

/*
 * The pages speak of the calling process. A child of vfork() uses its parent's memory, but changes no
 * profile of its parent.
 */
TEST_F(dialect, vfork_child_is_another_process)
{
	struct scene *scene = &self->scene;
	const struct turn on = { turn_on, scene, variant }, off = { turn_off, scene, variant };
	struct stderr_capture captured;

	ASSERT_EQ(0, turn_on(scene, variant));
	EXPECT_EQ(0, in_borrower(take_turn, &off));
	EXPECT_EQ(PROFIL_STATE_RUNNING, scene_state(scene));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	EXPECT_EQ(0, in_borrower(take_turn, &on));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	/* the library knows, too, that the profile runs: the call finds and ends it */
	EXPECT_EQ(0, turn_off(scene, variant));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
	capture_stderr(&captured);
	EXPECT_EQ(0, in_borrower(take_turn, &on));
	EXPECT_STREQ("", end_capture(&captured));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
	EXPECT_TRUE(is_silent(scene));
	/* and that none does: where a second call has no effect, this is the first */
	EXPECT_EQ(0, turn_on(scene, variant));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
}

TEST_F(dialect, low_scale_turns_off)
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
		/* turning it off again is no error */
		EXPECT_EQ(0, variant->profil(scene->counters, scene->bytes,
					     offset_of(scene), scale));
	}
	/* a call that turns profiling off ignores the buffer */
	EXPECT_EQ(0, variant->profil((void *)8, scene->bytes, 0, 0));
	EXPECT_EQ(0, variant->profil(scene->counters, scene->bytes,
				     offset_of(scene), variant->least));
	EXPECT_EQ(PROFIL_STATE_RUNNING, scene_state(scene));
}

/*
 * The default rate is 100 Hz, whatever the tick is. Two threads use the CPU time, one after the
 * other. Each may have one sample more or less for its phase, and one for ticks left over on its
 * CPU.
 */
TEST_F(dialect, default_rate_is_100_hz)
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

/* A buffer without a counter may have any address, and nothing is counted. */
TEST_F(dialect, buffer_without_counter_counts_nothing)
{
	struct scene *scene = &self->scene;
	size_t bytes;

	for (bytes = 0; bytes < 2; bytes++) {
		EXPECT_EQ(0, variant->profil((void *)8, bytes, offset_of(scene), variant->whole));
		EXPECT_EQ(0, turn_off(scene, variant));
		EXPECT_EQ(0, variant->profil(self->near, bytes,
					     offset_of(scene) + NEAR,
					     variant->whole));
		EXPECT_TRUE(is_silent(scene));
		EXPECT_EQ(0, turn_off(scene, variant));
	}
	/* it replaces a running profile, like any other start */
	ASSERT_EQ(0, turn_on(scene, variant));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	EXPECT_EQ(0, variant->profil(scene->counters, 0, offset_of(scene), variant->whole));
	EXPECT_TRUE(is_silent(scene));
}

#define NR_CHILDREN	20
#define OTHER_USER	7303	/* a uid that no other test charges */

/*
 * Counts in a child, then waits until all children have counted. Returns 0, or a number for the
 * failed step. The children take turns on a CPU, and ticks may miss a child: a sample may then take
 * the time of several periods, but of 30 periods in at most one case of e^30.
 */
static int count_among_children(const struct scene *scene, int ready, int go)
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

/* Returns 0, or a number for the failed step. */
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
			_exit(count_among_children(scene, ready[1], go[0]));
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

/* Under the default RLIMIT_MEMLOCK of 8 MiB, 20 children with large buffers are all followed. */
TEST_F(dialect, many_children_are_all_followed)
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
		/* a huge page is charged whole: 2 MiB for the first sample of each child */
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

TEST_F(dialect, second_call_replaces_or_has_no_effect)
{
	struct scene *scene = &self->scene;
	uint16_t *others = map_memory(scene->bytes);
	uint16_t before;

	ASSERT_NE(MAP_FAILED, others);
	ASSERT_EQ(0, turn_on(scene, variant));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	before = *self->near;
	EXPECT_LE(2, before);
	EXPECT_EQ(0, variant->profil(others, scene->bytes, offset_of(scene), variant->whole));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	if (variant->keeps_first) {
		EXPECT_LT(before, *self->near);
		EXPECT_EQ(0, others[NEAR / 2]);
	} else {
		EXPECT_EQ(before, *self->near);
		EXPECT_LE(2, others[NEAR / 2]);
	}
	stop(scene->fd);
	munmap(others, scene->bytes);
}

/* Sets the counter, and its neighbours, which must not change. */
static void set_counters(struct _test_data_dialect *self, uint16_t value)
{
	self->near[-1] = 0xffff;
	self->near[0] = value;
	self->near[1] = 0x1234;
}

static void expect_stop_at_32767(struct __test_metadata *_metadata,
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

TEST_F(dialect, full_counter_stops_wraps_or_stays)
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
			expect_stop_at_32767(_metadata, self, before);
			/* the next start succeeds */
			continue;
		case PROFIL_OVERFLOW_WRAP:
			EXPECT_TRUE(counts_at(scene, NEAR, 4));
			status = stop(scene->fd);
			EXPECT_EQ((uint16_t)(before + status.counted), *self->near);
			break;
		case PROFIL_OVERFLOW_SATURATE:
			status = stay(scene, NEAR, 4);
			EXPECT_EQ(status.counted < 65535U - before ?
				  before + status.counted : 65535, *self->near);
			/* other counters still count */
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
 * All threads are counted: the caller, threads that existed before the call, and threads created
 * after it. No sample is lost although all of them use the same counter.
 */
TEST_F(dialect, all_threads_are_counted)
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
	 * The profile begins at an unknown time during the call. The threads use all CPUs: one
	 * sample more or less at each end, on each CPU.
	 */
	EXPECT_COUNT_IN(status.samples, hz * used, hz * before,
			2.0 * (double)sysconf(_SC_NPROCESSORS_ONLN));
}

/* Parent and child count, each in its own copy of the counters. */
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

TEST_F(dialect, child_counts_in_its_copy)
{
	struct scene *scene = &self->scene;
	uint16_t before;

	ASSERT_EQ(0, turn_on(scene, variant));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	before = *self->near;
	EXPECT_EQ(0, in_child(count_in_child, scene));
	EXPECT_EQ(before, *self->near);
	/* the child's stop does not stop the parent's profile */
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	EXPECT_LE(before + 2, *self->near);
}

/* Runs after exec: the profile is off, and stays off. */
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

TEST_F(dialect, exec_turns_off)
{
	struct scene *scene = &self->scene;

	ASSERT_EQ(0, turn_on(scene, variant));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	EXPECT_EQ(PROFIL_STATE_OFF, in_child(execute, scene));
	/* the parent's profile continues */
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
}

static void __attribute__((constructor)) constructor(void)
{
	if (getenv(EXECUTED))
		_exit(executed());
}

/* Whether a child has counted before a signal ends it; in shared memory */
static int *counted_before;

static int stay_without_memory(const struct scene *scene)
{
	*counted_before = counts_at(scene, NEAR, 2);
	stay_until_killed(scene);
	return 0;
}

/*
 * Half of the counters have no memory. Where the call does not check that, the profile runs until
 * one of them is needed.
 */
TEST_F(dialect, half_mapped_buffer_fails)
{
	struct scene *scene = &self->scene;
	struct profil_status status;

	/* mapped first, so that it does not fill the hole */
	counted_before = map_shared(PAGE);
	take_away_far(scene);
	errno = 0;
	if (variant->checks_at_call) {
		EXPECT_EQ(-1, turn_on(scene, variant));
		EXPECT_EQ(EFAULT, errno);
		EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
		EXPECT_TRUE(is_silent(scene));
		return;
	}
	EXPECT_EQ(0, turn_on(scene, variant));
	EXPECT_EQ(0, errno);
	if (variant->kills) {
		EXPECT_EQ(128 + SIGSEGV, in_child(stay_without_memory, scene));
		EXPECT_EQ(1, *counted_before);
		return;
	}
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	EXPECT_LE(2, *self->near);
	status = stay(scene, FAR, 1);
	EXPECT_EQ(PROFIL_STATE_FAULT, status.state);
	EXPECT_EQ(EFAULT, status.error);
	EXPECT_TRUE(is_silent(scene));
	/* with all of the buffer mapped, the next start succeeds */
	ASSERT_NE(MAP_FAILED, mmap((char *)scene->counters + PAGE, PAGE,
				   PROT_READ | PROT_WRITE, MAP_FIXED |
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	EXPECT_EQ(0, turn_on(scene, variant));
	EXPECT_TRUE(counts_at(scene, FAR, 1));
}

/*
 * Counters are unmapped while the profile runs. The profile ends when a sample needs one of them,
 * or earlier in dialects that check the buffer at the call.
 */
static int unmap_and_stay(const struct scene *scene)
{
	*counted_before = counts_at(scene, FAR, 2);
	take_away_far(scene);
	*counted_before &= counts_at(scene, NEAR, 2);
	stay_until_killed(scene);
	return 0;
}

TEST_F(dialect, unmapped_buffer_ends_profile)
{
	struct scene *scene = &self->scene;
	struct profil_status status;

	ASSERT_EQ(0, turn_on(scene, variant));
	if (variant->kills) {
		counted_before = map_shared(PAGE);
		EXPECT_EQ(128 + SIGSEGV, in_child(unmap_and_stay, scene));
		EXPECT_EQ(1, *counted_before);
		/* the child has unmapped its own copy only */
		EXPECT_TRUE(counts_at(scene, FAR, 1));
		return;
	}
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	EXPECT_TRUE(counts_at(scene, FAR, 1));
	take_away_far(scene);
	if (!variant->checks_at_call)
		EXPECT_TRUE(counts_at(scene, NEAR, 1));
	status = stay(scene, FAR, 1);
	EXPECT_EQ(PROFIL_STATE_FAULT, status.state);
	EXPECT_EQ(EFAULT, status.error);
	EXPECT_TRUE(is_silent(scene));
}

TEST_HARNESS_MAIN
