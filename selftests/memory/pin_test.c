// SPDX-License-Identifier: GPL-2.0-only
/*
 * PROFIL_PIN_ON_HIT: the pages of a large histogram are pinned and charged when samples need them,
 * and no sample is lost.
 *
 * Threads stay in a small piece of code, profiled at a large scale, so that each spot of it has its
 * counter in a page of its own. The rest of the program is out of range and pins nothing.
 */
#include "child.h"
#include "common.h"
#include "load/cpu_hog.h"
#include "kernel/pinned_pages.h"
#include "kselftest_harness.h"
#include "profile/expect_count.h"

#define HISTOGRAM	((size_t)64 << 20)
#define CODE		((size_t)64 << 10)
#define SPOTS		50
#define SPACING		1280	/* bytes between two spots */
#define LIMIT		8	/* pages that the unprivileged user may pin */

FIXTURE(pin) {
	int fd;
	char *code;
	char *counters;
	struct profil_region region;
	struct profil_start start;
	long long pins;
};

/* Uses @bytes bytes of counters for the whole code. */
static void use(struct _test_data_pin *self, char *counters, size_t bytes)
{
	/* a huge page would be pinned and charged as a whole */
	madvise(counters, bytes, MADV_NOHUGEPAGE);
	self->counters = counters;
	self->region.buf = (uintptr_t)counters;
	self->region.bytes = bytes;
	self->region.scale = (uint32_t)(bytes / CODE) << 16;
}

FIXTURE_SETUP(pin)
{
	char *counters = map_memory(HISTOGRAM);

	REQUIRE_DEVICE(self->fd);
	ASSERT_TRUE(get_info(self->fd).features & PROFIL_FEATURE_PIN_ON_HIT);
	self->pins = pins_of_all();
	self->code = map_code(CODE);
	ASSERT_NE(MAP_FAILED, self->code);
	ASSERT_NE(MAP_FAILED, counters);
	self->region = (struct profil_region) {
		.start = (uintptr_t)self->code,
		.end = (uintptr_t)self->code + CODE,
		.offset = (uintptr_t)self->code,
	};
	use(self, counters, HISTOGRAM);
	self->start = (struct profil_start) {
		.size = sizeof(self->start),
		.flags = PROFIL_PIN_ON_HIT,
		.rate = get_info(self->fd).tick_hz,
		.width = 64,
		.nr_regions = 1,
		.regions = (uintptr_t)&self->region,
	};
}

FIXTURE_TEARDOWN(pin)
{
	stop(self->fd);
	EXPECT_EQ(0, pinned_kib());
	EXPECT_TRUE(pins_return_to(self->pins));
	close(self->fd);
}

static int begin(struct _test_data_pin *self)
{
	return call(self->fd, PROFIL_IOC_START, &self->start);
}

static char *spot(struct _test_data_pin *self, int nr)
{
	return self->code + nr * SPACING;
}

static uint64_t *counter(struct _test_data_pin *self, int nr)
{
	size_t per_byte = self->region.scale >> 16;

	return (uint64_t *)(self->counters + nr * SPACING * per_byte);
}

static char *page_of(struct _test_data_pin *self, int nr)
{
	char *at = (char *)counter(self, nr);

	return at - (uintptr_t)at % PAGE;
}

static uint64_t sum_of_spots(struct _test_data_pin *self)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < SPOTS; i++)
		sum += *counter(self, i);
	return sum;
}

static double ticks(struct _test_data_pin *self, double nr)
{
	return nr / self->start.rate;
}

/*
 * Stays at each spot for more than two ticks, so that there are at least two ticks, of which the
 * first may hit the thread elsewhere.
 */
static void stay(struct _test_data_pin *self, int from, int to)
{
	int i;

	for (i = from; i < to; i++)
		stay_at_pc(spot(self, i), ticks(self, 2.5));
}

/* Stays at each spot. Returns at how many of them a sample was counted. */
static int hit(struct _test_data_pin *self, int from, int to)
{
	uint64_t before;
	int i, nr = 0;

	for (i = from; i < to; i++) {
		before = *counter(self, i);
		stay(self, i, i + 1);
		/* counts a pending sample */
		get_status(self->fd);
		nr += *counter(self, i) > before;
	}
	return nr;
}

static void expect_pinned(struct __test_metadata *_metadata,
			  struct _test_data_pin *self, size_t pages)
{
	struct profil_status status = get_status(self->fd);

	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	EXPECT_EQ(pages * PAGE, status.pinned_bytes);
	EXPECT_EQ((long long)(pages * PAGE / 1024), pinned_kib());
}

/* Stops the profile, and expects that @counts samples were counted and none was lost. */
static struct profil_status expect_end(struct __test_metadata *_metadata,
				       struct _test_data_pin *self,
				       uint64_t counts)
{
	struct profil_status status = stop(self->fd);

	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	EXPECT_EQ(PROFIL_PIN_ON_HIT, status.flags);
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(0, status.lost);
	EXPECT_EQ(0, status.pending);
	EXPECT_EQ(status.samples, status.counted + status.out_of_range);
	EXPECT_EQ(status.counted, counts);
	EXPECT_EQ(0, pinned_kib());
	return status;
}

TEST_F(pin, pins_incrementally)
{
	long long pinned = figure("pinned_bytes");
	int i;

	ASSERT_EQ(0, begin(self));
	expect_pinned(_metadata, self, 0);
	burn(ticks(self, 5));
	expect_pinned(_metadata, self, 0);
	for (i = 1; i <= SPOTS; i++) {
		ASSERT_EQ(1, hit(self, i - 1, i));
		expect_pinned(_metadata, self, (size_t)i);
	}
	/* further hits pin no further pages */
	EXPECT_EQ(SPOTS, hit(self, 0, SPOTS));
	expect_pinned(_metadata, self, SPOTS);
	EXPECT_EQ(pinned + SPOTS * (long long)PAGE, figure("pinned_bytes"));
	expect_end(_metadata, self, sum_of_spots(self));
	EXPECT_EQ(pinned, figure("pinned_bytes"));
}

/* Many threads at once: the first sample of each hits a page that is not pinned. */
#define THREADS	16

static bool all_hit(struct _test_data_pin *self, int spots)
{
	int i;

	for (i = 0; i < spots; i++)
		if (!__atomic_load_n(counter(self, i), __ATOMIC_RELAXED))
			return false;
	return true;
}

/*
 * Profiles the threads for 1 s. They and this thread hand the CPUs over to each other, so each CPU
 * has one stretch, which has a random sampling point more or less at each end. The worker and other
 * kernel threads run after the sampling points that wake them, so they are not hit: there is at
 * most one sample per period and CPU. The clock is random, since turns of equal length may be in
 * step with the tick, which then never hits some thread. Random points miss one of 16 threads, on
 * two CPUs at 250 Hz, with a probability of 16 exp(-250 x 2 / 16 t), 5e-13 for t = 1 s.
 *
 * The CPU time of a thread on another CPU is known up to its last tick. So the CPU time at the
 * start may lack a tick of each other CPU, and the time until the end include it.
 */
static void profile_threads(struct __test_metadata *_metadata, struct _test_data_pin *self)
{
	double cpus = (double)sysconf(_SC_NPROCESSORS_ONLN);
	double before, begun, end, hz = self->start.rate;
	struct profil_status status;

	madvise(self->counters, HISTOGRAM, MADV_DONTNEED);
	before = clock_seconds(CLOCK_MONOTONIC);
	ASSERT_EQ(0, begin(self));
	begun = process_seconds();
	sleep(1);
	EXPECT_TRUE(all_hit(self, THREADS));
	status = get_status(self->fd);
	EXPECT_EQ(THREADS * PAGE, status.pinned_bytes);
	end = process_seconds();
	status = stop(self->fd);
	EXPECT_COUNT_IN(status.samples, hz * (end - begun) - (cpus - 1),
			hz * cpus * (clock_seconds(CLOCK_MONOTONIC) - before), 2 * cpus);
	EXPECT_EQ(0, status.lost);
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(status.samples, status.counted + status.out_of_range);
	EXPECT_EQ(status.counted, sum_of_spots(self));
}

TEST_F(pin, by_many_threads)
{
	struct one_pc threads[THREADS];
	int i;

	self->start.clock = PROFIL_CLOCK_RANDOM;
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, enter_pc(&threads[i], spot(self, i)));
	profile_threads(_metadata, self);
	profile_threads(_metadata, self);
	for (i = 0; i < THREADS; i++)
		leave_pc(&threads[i]);
}

/*
 * Forks a child, and a grandchild. Each starts with the counts of its parent and pins its own
 * pages: five that its parent has pinned, and five that it has not.
 */
static void fork_child(struct __test_metadata *_metadata,
		       struct _test_data_pin *self, int generations)
{
	uint64_t before = sum_of_spots(self);
	int from = 20 - 5 * generations;
	pid_t pid = fork();

	if (!pid) {
		expect_pinned(_metadata, self, 0);
		EXPECT_EQ(10, hit(self, from, from + 10));
		expect_pinned(_metadata, self, 10);
		if (generations > 1)
			fork_child(_metadata, self, generations - 1);
		expect_pinned(_metadata, self, 10);
		expect_end(_metadata, self, sum_of_spots(self) - before);
		_exit(0);
	}
	EXPECT_EQ(0, wait_for(pid));
	/* the child's samples are not counted in the parent's memory */
	EXPECT_EQ(before, sum_of_spots(self));
}

TEST_F(pin, in_children)
{
	ASSERT_EQ(0, begin(self));
	EXPECT_EQ(15, hit(self, 0, 15));
	fork_child(_metadata, self, 2);
	expect_pinned(_metadata, self, 15);
	EXPECT_EQ(5, hit(self, 12, 17));
	expect_pinned(_metadata, self, 17);
	EXPECT_EQ(1, get_status(self->fd).forks_followed);
	expect_end(_metadata, self, sum_of_spots(self));
}

/* A child pins on hit, even if its parent has pinned all pages at the start. */
TEST_F(pin, in_a_child_of_an_eager_parent)
{
	size_t bytes = 4 * CODE;
	uint64_t before;
	pid_t pid;

	self->start.flags = 0;
	use(self, self->counters, bytes);
	ASSERT_EQ(0, begin(self));
	expect_pinned(_metadata, self, bytes / PAGE);
	EXPECT_EQ(5, hit(self, 0, 5));
	before = sum_of_spots(self);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		EXPECT_EQ(3, hit(self, 3, 6));
		expect_pinned(_metadata, self, 3);
		EXPECT_EQ(stop(self->fd).counted, sum_of_spots(self) - before);
		_exit(0);
	}
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_EQ(before, sum_of_spots(self));
	expect_pinned(_metadata, self, bytes / PAGE);
}

/*
 * RLIMIT_MEMLOCK applies to the pages that are hit, not to the whole histogram. Samples beyond it
 * are lost and reported; the others are still counted.
 */
TEST_F(pin, up_to_the_limit)
{
	struct profil_status status;
	pid_t pid;

	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		EXPECT_EQ(0, become_user(65501, LIMIT));
		EXPECT_EQ(0, begin(self));
		EXPECT_EQ(LIMIT, hit(self, 0, LIMIT));
		expect_pinned(_metadata, self, LIMIT);
		EXPECT_EQ(0, get_status(self->fd).lost);
		stay(self, LIMIT, 2 * LIMIT);
		status = get_status(self->fd);
		EXPECT_LT(0, status.lost);
		EXPECT_EQ(ENOMEM, status.error);
		EXPECT_EQ(LIMIT, hit(self, 0, LIMIT));
		expect_pinned(_metadata, self, LIMIT);
		status = stop(self->fd);
		EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
		EXPECT_EQ(ENOMEM, status.error);
		EXPECT_EQ(status.samples, status.counted + status.out_of_range + status.lost);
		EXPECT_EQ(status.counted, sum_of_spots(self));
		/* everything was uncharged */
		EXPECT_EQ(0, begin(self));
		EXPECT_EQ(LIMIT, hit(self, LIMIT, 2 * LIMIT));
		expect_pinned(_metadata, self, LIMIT);
		/* without PROFIL_PIN_ON_HIT, the start is refused */
		self->start.flags = 0;
		EXPECT_EQ(ENOMEM, begin(self));
		expect_pinned(_metadata, self, LIMIT);
		_exit(0);
	}
	EXPECT_EQ(0, wait_for(pid));
}

/* More pages than are removed from the index under one hold of its lock */
TEST_F(pin, all_of_many_pages_discarded_at_once)
{
	const size_t bytes = (size_t)16 << 20;

	use(self, self->counters, bytes);
	self->start.flags = 0;
	ASSERT_EQ(0, begin(self));
	expect_pinned(_metadata, self, bytes / PAGE);
	EXPECT_EQ(SPOTS, hit(self, 0, SPOTS));
	ASSERT_EQ(0, madvise(self->counters, bytes, MADV_DONTNEED));
	expect_pinned(_metadata, self, 0);
	EXPECT_EQ(0, sum_of_spots(self));
	EXPECT_EQ(SPOTS, hit(self, 0, SPOTS));
	expect_pinned(_metadata, self, SPOTS);
	EXPECT_EQ(0, get_status(self->fd).lost);
}

/* Discarded pages are uncharged, so that others can be pinned. */
TEST_F(pin, discarded_pages_are_not_charged)
{
	struct profil_status status;
	pid_t pid;
	int i;

	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		EXPECT_EQ(0, become_user(65502, LIMIT));
		EXPECT_EQ(0, begin(self));
		EXPECT_EQ(LIMIT, hit(self, 0, LIMIT));
		for (i = 0; i < LIMIT / 2; i++)
			madvise(page_of(self, i), PAGE, MADV_DONTNEED);
		expect_pinned(_metadata, self, LIMIT / 2);
		EXPECT_EQ(LIMIT / 2, hit(self, LIMIT, LIMIT + LIMIT / 2));
		expect_pinned(_metadata, self, LIMIT);
		EXPECT_EQ(0, get_status(self->fd).lost);
		/* now these are beyond the limit */
		stay(self, 0, LIMIT / 2);
		status = get_status(self->fd);
		EXPECT_LT(0, status.lost);
		EXPECT_EQ(ENOMEM, status.error);
		expect_pinned(_metadata, self, LIMIT);
		_exit(0);
	}
	EXPECT_EQ(0, wait_for(pid));
}

/* The start checks the whole buffer, though it pins nothing. */
TEST_F(pin, refused_at_start)
{
	char *first = self->counters, *last = first + HISTOGRAM - PAGE;

	ASSERT_EQ(0, begin(self));
	EXPECT_EQ(1, hit(self, 0, 1));
	ASSERT_EQ(0, mprotect(last, PAGE, PROT_NONE));
	use(self, first + PAGE, HISTOGRAM - PAGE);
	EXPECT_EQ(EFAULT, begin(self));
	stop(self->fd);
	EXPECT_EQ(EFAULT, begin(self));
	EXPECT_EQ(PROFIL_STATE_OFF, get_status(self->fd).state);
	ASSERT_EQ(0, mprotect(last, PAGE, PROT_READ));
	EXPECT_EQ(EFAULT, begin(self));
	ASSERT_EQ(0, munmap(last, PAGE));
	EXPECT_EQ(EFAULT, begin(self));
	use(self, first, HISTOGRAM - PAGE);
	EXPECT_EQ(0, begin(self));
	expect_pinned(_metadata, self, 0);
}

/* The kernel does not notify of changes to empty pages, but the first sample detects them. */
TEST_F(pin, protected_before_the_first_hit)
{
	struct profil_status status;

	ASSERT_EQ(0, begin(self));
	EXPECT_EQ(5, hit(self, 0, 5));
	ASSERT_EQ(0, mprotect(page_of(self, 30), PAGE, PROT_READ));
	stay(self, 30, 31);
	status = get_status(self->fd);
	EXPECT_EQ(PROFIL_STATE_FAULT, status.state);
	EXPECT_EQ(EFAULT, status.error);
	EXPECT_EQ(0, status.pinned_bytes);
	EXPECT_EQ(0, pinned_kib());
	EXPECT_EQ(0, *counter(self, 30));
	EXPECT_EQ(status.samples, status.counted + status.out_of_range + status.lost);

	/* if the change is reverted before it is noticed, it has no effect */
	ASSERT_EQ(0, mprotect(page_of(self, 30), PAGE, PROT_READ | PROT_WRITE));
	use(self, map_memory(HISTOGRAM), HISTOGRAM);
	ASSERT_EQ(0, begin(self));
	EXPECT_EQ(5, hit(self, 0, 5));
	ASSERT_EQ(0, mprotect(page_of(self, 30), PAGE, PROT_NONE));
	ASSERT_EQ(0, mprotect(page_of(self, 30), PAGE, PROT_READ | PROT_WRITE));
	if (get_status(self->fd).state == PROFIL_STATE_RUNNING) {
		EXPECT_EQ(1, hit(self, 30, 31));
		expect_end(_metadata, self, sum_of_spots(self));
	}
}

/* If the worker gets no CPU, samples that exceed the room for pending ones are lost. */
TEST_F(pin, pending_log_full)
{
	/* for 300 ms, rounded up to a power of two */
	enum { RATE = 250, ROOM = 128, PLACES = 1000 };
	struct profil_status status;
	pid_t spinners[MAX_CPU_HOGS];
	int nr;

	if (self->start.rate < RATE)
		SKIP(return, "workers get a CPU before enough ticks have passed");
	self->start = (struct profil_start) {
		.size = sizeof(self->start),
		.flags = PROFIL_PC_LOG | PROFIL_PIN_ON_HIT,
		.rate = RATE,
		.width = 64,
		.log = (uintptr_t)self->counters,
		.log_bytes = PLACES * 8,
	};
	nr = start_cpu_hogs(spinners);
	if (nr < 0)
		SKIP(return, "needs the right to use SCHED_FIFO");
	ASSERT_EQ(0, begin(self));
	burn(1.2 * ROOM / RATE);
	status = stop(self->fd);
	stop_cpu_hogs(spinners, nr);
	EXPECT_LT(0, status.lost);
	EXPECT_EQ(ENOBUFS, status.error);
	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	EXPECT_LE(ROOM, status.counted);
	EXPECT_EQ(status.samples, status.counted + status.lost);
}

/* The pages of a pc log are pinned on hit, too. */
TEST_F(pin, pages_of_a_log)
{
	uint64_t *log = (uint64_t *)(self->counters + PAGE) - 40;
	struct profil_status status;
	int i, nr, hits = 0;

	self->start = (struct profil_start) {
		.size = sizeof(self->start),
		.flags = PROFIL_PC_LOG | PROFIL_PIN_ON_HIT,
		.rate = self->start.rate,
		.width = 64,
		.log = (uintptr_t)log,
		.log_bytes = 80 * sizeof(*log),
	};
	ASSERT_EQ(0, begin(self));
	stay(self, 0, 2);
	expect_pinned(_metadata, self, 1);
	/* at least two ticks each time, at the spot or on the way to it */
	for (nr = 0; nr < 40 && !log[79]; nr++)
		stay(self, 0, 1);
	status = get_status(self->fd);
	EXPECT_EQ(PROFIL_STATE_FULL, status.state);
	EXPECT_EQ(0, status.pinned_bytes);
	status = stop(self->fd);
	EXPECT_EQ(80, status.counted);
	EXPECT_EQ(status.samples, status.counted + status.lost);
	EXPECT_EQ(0, status.error);
	for (i = 0; i < 80; i++) {
		EXPECT_NE(0, log[i]);
		hits += log[i] == (uintptr_t)spot(self, 0);
	}
	EXPECT_LT(20, hits);
	EXPECT_EQ(0, log[-1]);
	EXPECT_EQ(0, log[80]);
}

/* Returns the CPU time of a start with new memory, the least of two. */
static double start_seconds(struct _test_data_pin *self, uint32_t flags)
{
	double used, best = 1e9;
	int i;

	self->start.flags = flags;
	for (i = 0; i < 2; i++) {
		madvise(self->counters, HISTOGRAM, MADV_DONTNEED);
		used = thread_seconds();
		if (begin(self))
			return -1;
		used = thread_seconds() - used;
		stop(self->fd);
		if (used < best)
			best = used;
	}
	return best;
}

TEST_F(pin, start_is_cheaper)
{
	double at_once = start_seconds(self, 0);
	double on_hit = start_seconds(self, PROFIL_PIN_ON_HIT);

	ksft_print_msg("start: %.3f ms, with PROFIL_PIN_ON_HIT %.3f ms\n",
		       at_once * 1e3, on_hit * 1e3);
	ASSERT_LT(0, on_hit);
	EXPECT_LT(20 * on_hit, at_once);
}

TEST_HARNESS_MAIN
