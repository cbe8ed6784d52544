// SPDX-License-Identifier: GPL-2.0-only
/*
 * Failed allocations and copies: the first, the second, ... of a call, until nothing is left to
 * fail. Each time the call succeeds completely, or fails with the errno that uapi/linux/profil.h
 * specifies. After a failure everything is as before: an earlier profile still counts, nothing is
 * pinned, charged or left over, and the same call succeeds if nothing fails.
 *
 * The user may pin just as much as the call needs, so that a charge which is not undone makes the
 * next call fail. fault_injection.h makes calls fail. kmemleak finds leaked memory:
 * machine/leak_test.sh.
 */
#include <sys/resource.h>

#include "kselftest_harness.h"
#include "child.h"
#include "kernel/fault_injection.h"
#include "kernel/pinned_pages.h"

#define REGIONS	200	/* more than fit into a page */

/* Starts, each of which allocates something that the others do not */
static const struct shape {
	const char *name;
	__u32 flags, clock, nr_regions;
	size_t pages;
	bool catch_all;		/* in the page before the counters */
} shapes[] = {
	{ .name = "a page", .nr_regions = 1, .pages = 1 },
	{ .name = "regions", .nr_regions = REGIONS, .pages = 4,
	  .catch_all = true },
	{ .name = "more than one batch of pages", .nr_regions = 2,
	  .pages = 600 },
	{ .name = "log", .flags = PROFIL_PC_LOG, .pages = 3 },
	{ .name = "on hit", .flags = PROFIL_PIN_ON_HIT, .nr_regions = 1,
	  .pages = 2, .catch_all = true },
	{ .name = "checked on hit", .nr_regions = 1, .pages = 2,
	  .flags = PROFIL_PIN_ON_HIT | PROFIL_CHECK_ON_HIT },
	{ .name = "thread and signal", .nr_regions = 1, .pages = 2,
	  .flags = PROFIL_THREAD_ONLY | PROFIL_FAULT_SIGNAL },
	{ .name = "random clock", .clock = PROFIL_CLOCK_RANDOM,
	  .nr_regions = 1, .pages = 2 },
};

#define SHAPES	(sizeof(shapes) / sizeof(*shapes))
#define MOST_PAGES	601

/* These must not change. */
struct figures {
	long long sessions, pinned_bytes, pinned_kib;
};

struct faults {
	struct injection injection;
	int fd;
	uint64_t *earlier;	/* the counter of the profile that is replaced */
	char *memory;		/* MOST_PAGES */
	long long max_sessions, max_regions;
	long long pins;
	struct profil_region earlier_region, regions[REGIONS];
	struct profil_start earlier_start, start;
	long hits, failures;
};

static struct figures figures_now(void)
{
	return (struct figures) {
		.sessions = figure("sessions"),
		.pinned_bytes = figure("pinned_bytes"),
		.pinned_kib = pinned_kib(),
	};
}

static void expect_figures(struct __test_metadata *_metadata, const struct figures *before)
{
	struct figures now = figures_now();

	EXPECT_EQ(before->sessions, now.sessions);
	EXPECT_EQ(before->pinned_bytes, now.pinned_bytes);
	EXPECT_EQ(before->pinned_kib, now.pinned_kib);
}

static void set_parameter(const char *name, long long value)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	snprintf(text, sizeof(text), "%lld", value);
	write_text(path, text);
}

static void set_up(struct __test_metadata *_metadata, struct faults *faults)
{
	const char *why;

	REQUIRE_DEVICE(faults->fd);
	why = init_injection(&faults->injection);
	if (why)
		SKIP(return, "%s", why);
	faults->max_sessions = read_number(PARAMETERS "max_user_sessions", "");
	faults->max_regions = read_number(PARAMETERS "max_user_regions", "");
	faults->earlier = map_memory(PAGE);
	faults->memory = map_memory(MOST_PAGES * PAGE);
	ASSERT_NE(MAP_FAILED, faults->earlier);
	ASSERT_NE(MAP_FAILED, faults->memory);
	madvise(faults->memory, MOST_PAGES * PAGE, MADV_NOHUGEPAGE);
	count_all(&faults->earlier_start, &faults->earlier_region,
		  faults->earlier, 64, get_info(faults->fd).tick_hz);
	faults->pins = pins_of_all();
}

static void tear_down(struct __test_metadata *_metadata, struct faults *faults)
{
	end_injection(&faults->injection);
	if (faults->max_sessions > 0) {
		set_parameter("max_user_sessions", faults->max_sessions);
		set_parameter("max_user_regions", faults->max_regions);
		stop(faults->fd);
		EXPECT_EQ(0, pinned_kib());
		EXPECT_TRUE(pins_return_to(faults->pins));
	}
	close(faults->fd);
}

static size_t pages_of(const struct shape *shape)
{
	return shape->pages + shape->catch_all;
}

/* Fills in the start. The catch-all counter is in the page before the other counters. */
static void shape_start(struct faults *faults, const struct shape *shape)
{
	struct profil_start *start = &faults->start;
	char *counters = faults->memory + (shape->catch_all ? PAGE : 0);
	size_t bytes = shape->pages * PAGE;
	__u32 i, nr = shape->nr_regions;

	count_all(start, &faults->regions[0], counters, 64, faults->earlier_start.rate);
	start->flags = shape->flags;
	start->clock = shape->clock;
	start->nr_regions = nr;
	start->catch_all = shape->catch_all ? (uintptr_t)faults->memory : 0;
	if (!nr) {
		start->regions = 0;
		start->log = (uintptr_t)counters;
		start->log_bytes = bytes;
		return;
	}
	/* the last region has no end, so that it contains all other code */
	faults->regions[0].bytes = bytes / nr / 8 * 8;
	for (i = 1; i < nr; i++) {
		faults->regions[i] = faults->regions[i - 1];
		faults->regions[i - 1].end = i * 16;
		faults->regions[i].start = i * 16;
		faults->regions[i].buf += faults->regions[i].bytes;
	}
}

/* Discards three pages, so that pinning has to allocate some, but not all. */
static void make_holes(struct faults *faults, const struct shape *shape)
{
	size_t pages = pages_of(shape), page;

	for (page = 0; page < pages; page++)
		faults->memory[page * PAGE] = 0;
	madvise(faults->memory, PAGE, MADV_DONTNEED);
	madvise(faults->memory + pages / 2 * PAGE, PAGE, MADV_DONTNEED);
	madvise(faults->memory + (pages - 1) * PAGE, PAGE, MADV_DONTNEED);
}

static int start_earlier(struct faults *faults)
{
	return call(faults->fd, PROFIL_IOC_START, &faults->earlier_start);
}

static int start_shape(struct faults *faults)
{
	return call(faults->fd, PROFIL_IOC_START, &faults->start);
}

/* Limits the user to what the shape needs, and to an earlier profile in addition (@replace). */
static void limit_user(const struct shape *shape, bool replace)
{
	struct rlimit limit;

	as_root();
	getrlimit(RLIMIT_MEMLOCK, &limit);
	limit.rlim_cur = (pages_of(shape) + replace) * PAGE;
	setrlimit(RLIMIT_MEMLOCK, &limit);
	set_parameter("max_user_sessions", 1);
	set_parameter("max_user_regions",
		      shape->nr_regions ? shape->nr_regions : 1);
}

static int expected_error(enum kind kind)
{
	return kind == COPIES ? EFAULT : ENOMEM;
}

static bool runs(const struct faults *faults, __u32 flags)
{
	struct profil_status status = get_status(faults->fd);

	return status.state == PROFIL_STATE_RUNNING && status.flags == flags;
}

/* Expects that nothing has changed, and that the same start now succeeds. */
static void check_failed(struct __test_metadata *_metadata,
			 struct faults *faults, const struct figures *before,
			 bool replace)
{
	expect_figures(_metadata, before);
	if (replace) {
		EXPECT_TRUE(runs(faults, 0));
		EXPECT_EQ(PAGE, get_status(faults->fd).pinned_bytes);
		EXPECT_TRUE(still_counts(faults->fd, 1));
	} else {
		EXPECT_EQ(PROFIL_STATE_OFF, get_status(faults->fd).state);
	}
	EXPECT_EQ(0, start_shape(faults));
	EXPECT_TRUE(runs(faults, faults->start.flags));
}

/* Returns whether anything has failed. */
static bool start_failing(struct __test_metadata *_metadata,
			  struct faults *faults, unsigned long n, bool replace)
{
	struct figures before;
	long hits;
	int error;

	next_user(&faults->injection);
	if (replace)
		EXPECT_EQ(0, start_earlier(faults));
	before = figures_now();
	arm(&faults->injection, n);
	error = start_shape(faults);
	hits = disarm(&faults->injection);
	if (error) {
		EXPECT_LT(0, hits);
		EXPECT_EQ(expected_error(faults->injection.kind), error);
		check_failed(_metadata, faults, &before, replace);
		faults->failures++;
	}
	EXPECT_TRUE(runs(faults, faults->start.flags));
	stop(faults->fd);
	before.sessions -= replace;
	before.pinned_bytes -= replace ? PAGE : 0;
	before.pinned_kib -= replace ? PAGE / 1024 : 0;
	expect_figures(_metadata, &before);
	faults->hits += hits;
	return hits;
}

/*
 * Returns the least number of failing starts: one for each allocation, except that large ones have
 * a fallback.
 */
static long least_failures(const struct faults *faults, const struct shape *shape)
{
	switch (faults->injection.kind) {
	case SLAB:
		if (shape->nr_regions == REGIONS)
			return 1;
		/* configuration, spans, session */
		return 3 + (shape->nr_regions > 0);
	case PAGES:
		/* a single failure may hit another page each time: the slab allocator's, or ours */
		return faults->injection.way == ALL_FROM &&
		       !(shape->flags & PROFIL_PIN_ON_HIT);
	default:
		return 1 + (shape->nr_regions > 0);
	}
}

static void sweep_start(struct __test_metadata *_metadata,
			struct faults *faults, const struct shape *shape,
			bool replace)
{
	long failures = faults->failures, hits = faults->hits;
	unsigned long n = 0;

	shape_start(faults, shape);
	limit_user(shape, replace);
	do
		make_holes(faults, shape);
	while (start_failing(_metadata, faults, ++n, replace) && !_metadata->exit_code);
	failures = faults->failures - failures;
	EXPECT_LE(least_failures(faults, shape), failures);
	TH_LOG("%s%s: %ld of %lu failed, %ld hit", shape->name,
	       replace ? ", replacing an earlier one" : "", failures, n,
	       faults->hits - hits);
}

FIXTURE(fault) {
	struct faults faults;
};

FIXTURE_VARIANT(fault) {
	enum kind kind;
	enum way way;
};

#define VARIANT(variant, _kind, _way)					\
	FIXTURE_VARIANT_ADD(fault, variant) {				\
		.kind = _kind,						\
		.way = _way,						\
	}

VARIANT(allocation, SLAB, ONE);
VARIANT(all_allocations, SLAB, ALL_FROM);
VARIANT(page, PAGES, ONE);
VARIANT(all_pages, PAGES, ALL_FROM);
VARIANT(copy, COPIES, ONE);

FIXTURE_SETUP(fault)
{
	set_up(_metadata, &self->faults);
	choose(&self->faults.injection, variant->kind, variant->way);
}

FIXTURE_TEARDOWN(fault)
{
	tear_down(_metadata, &self->faults);
}

/* Waits until the hooks are detached, some time after the last profile. */
static bool await_detached_hooks(void)
{
	int i;

	as_root();
	for (i = 0; i < 300 && !hooks_are_gone(); i++)
		usleep(100000);
	return hooks_are_gone();
}

static void sweep_attach(struct __test_metadata *_metadata, struct faults *faults, bool replace)
{
	static const struct shape random_clock = {
		.clock = PROFIL_CLOCK_RANDOM, .nr_regions = 1, .pages = 1,
	};
	unsigned long n = 0;

	shape_start(faults, &random_clock);
	limit_user(&random_clock, replace);
	do {
		if (replace)
			/* only that of the timer; the earlier profile needs the others */
			usleep(1500000);
		else
			ASSERT_TRUE(await_detached_hooks());
	} while (start_failing(_metadata, faults, ++n, replace) && !_metadata->exit_code);
	EXPECT_LT(0, faults->failures);
	TH_LOG("%ld failed in %lu", faults->failures, n);
}

/* Attaching the hooks fails. The very first time also allocates what is allocated only once. */
TEST_F_TIMEOUT(fault, attach, 600)
{
	if (variant->kind != SLAB || variant->way != ONE)
		SKIP(return, "tested by single failed allocations");
	detach_hooks_early(true);
	sweep_attach(_metadata, &self->faults, false);
	sweep_attach(_metadata, &self->faults, true);
	detach_hooks_early(false);
}

TEST_F_TIMEOUT(fault, start, 300)
{
	struct faults *faults = &self->faults;
	size_t i;

	for (i = 0; i < SHAPES && !_metadata->exit_code; i++) {
		sweep_start(_metadata, faults, &shapes[i], false);
		sweep_start(_metadata, faults, &shapes[i], true);
	}
	EXPECT_LT(0, faults->failures);
}

/* While on, this test has CPU 0 to itself, as far as possible: no worker runs there. */
static void alone(bool on)
{
	static const char cpumask[] = "/sys/devices/virtual/workqueue/cpumask";
	static char before[256];
	struct sched_param param = { .sched_priority = on };
	FILE *file;

	as_root();
	if (!*before) {
		file = fopen(cpumask, "re");
		if (!file || fscanf(file, "%255s", before) != 1)
			abort();
		fclose(file);
	}
	if (write_text(cpumask, on ? "1" : before))
		abort();
	put_on_cpu(0, 0);
	sched_setscheduler(0, on ? SCHED_FIFO : SCHED_OTHER, &param);
}

/* Discards the pages and waits for a sample. It stays pending, as the worker does not run. */
static void let_sample_wait(struct faults *faults)
{
	long long samples;

	madvise(faults->memory, 2 * PAGE, MADV_DONTNEED);
	samples = figure("samples");
	while (figure("samples") == samples)
		;
}

/* With PROFIL_PIN_ON_HIT. The counter is not in the first page, so that the index needs a node. */
static void start_on_hit(struct __test_metadata *_metadata, struct faults *faults)
{
	static const struct shape on_hit = {
		.flags = PROFIL_PIN_ON_HIT, .nr_regions = 1, .pages = 1,
		.catch_all = true,
	};

	next_user(&faults->injection);
	shape_start(faults, &on_hit);
	limit_user(&on_hit, false);
	as_user(&faults->injection);
	ASSERT_EQ(0, start_shape(faults));
	EXPECT_TRUE(still_counts(faults->fd, 1));
}

static int call_failing(struct faults *faults, unsigned long command, unsigned long n,
			struct profil_status *status, long *hits)
{
	int error;

	*status = (struct profil_status) { .size = sizeof(*status) };
	alone(true);
	let_sample_wait(faults);
	arm(&faults->injection, n);
	error = call(faults->fd, command, status);
	*hits = disarm(&faults->injection);
	alone(false);
	as_user(&faults->injection);
	return error;
}

/* A single failed allocation is retried, and has no effect. */
static void expect_failures(struct __test_metadata *_metadata,
			    const struct faults *faults, unsigned long n)
{
	EXPECT_LT(1, n);
	if (faults->injection.kind != SLAB || faults->injection.way != ONE)
		EXPECT_LT(0, faults->failures);
	TH_LOG("%ld of %lu failed", faults->failures, n);
}

/*
 * A call counts pending samples, or they are lost with ENOMEM. The call fails only if its result
 * cannot be written.
 */
static void expect_result(struct __test_metadata *_metadata,
			  struct faults *faults, int error,
			  const struct profil_status *status, long hits)
{
	if (faults->injection.kind == COPIES && hits) {
		EXPECT_EQ(EFAULT, error);
		return;
	}
	EXPECT_EQ(0, error);
	EXPECT_EQ(PROFIL_STATE_RUNNING, status->state);
	EXPECT_EQ(0, status->pending);
	EXPECT_EQ(status->samples, status->counted + status->out_of_range + status->lost);
	EXPECT_EQ(status->lost ? ENOMEM : 0, status->error);
	EXPECT_EQ(true, hits || !status->lost);
	faults->failures += status->lost > 0;
}

/*
 * Returns whether a tick has come after the call has failed to pin the page, and before it has
 * filled in its result: then that sample is pending, too. There is none after a stop.
 */
static bool tick_came_late(const struct profil_status *status)
{
	return status->lost && status->pending;
}

/*
 * How often this may happen in a row. If pending samples were left over, it would happen each time.
 */
#define LATE_TICKS	5

TEST_F(fault, status)
{
	struct faults *faults = &self->faults;
	struct profil_status status;
	unsigned int late = 0;
	unsigned long n = 1;
	long hits;
	int error;

	do {
		start_on_hit(_metadata, faults);
		error = call_failing(faults, PROFIL_IOC_STATUS, n, &status, &hits);
		if (tick_came_late(&status) && late < LATE_TICKS) {
			late++;
			stop(faults->fd);
			continue;
		}
		expect_result(_metadata, faults, error, &status, hits);
		faults->failures += error != 0;
		late = 0;
		n++;
		EXPECT_TRUE(runs(faults, PROFIL_PIN_ON_HIT));
		EXPECT_TRUE(still_counts(faults->fd, 1));
		EXPECT_EQ(PAGE, get_status(faults->fd).pinned_bytes);
		stop(faults->fd);
		EXPECT_EQ(0, pinned_kib());
	} while (hits && !_metadata->exit_code);
	expect_failures(_metadata, faults, n - 1);
}

/*
 * A stop that fails keeps the profile. But the result is written last, which fails if another
 * thread has just unmapped the memory: then the profile has ended.
 */
TEST_F(fault, stop)
{
	struct faults *faults = &self->faults;
	struct profil_status status;
	unsigned long n = 0;
	long hits, ended = 0;
	int error;

	do {
		start_on_hit(_metadata, faults);
		error = call_failing(faults, PROFIL_IOC_STOP, ++n, &status, &hits);
		expect_result(_metadata, faults, error, &status, hits);
		faults->failures += error != 0;
		EXPECT_EQ(0, hits && ended);
		if (error && runs(faults, PROFIL_PIN_ON_HIT)) {
			EXPECT_TRUE(still_counts(faults->fd, 1));
			EXPECT_EQ(PROFIL_STATE_RUNNING, stop(faults->fd).state);
		} else if (error) {
			ended++;
		}
		EXPECT_EQ(PROFIL_STATE_OFF, get_status(faults->fd).state);
		EXPECT_EQ(0, pinned_kib());
		EXPECT_EQ(0, start_shape(faults));
		stop(faults->fd);
	} while (hits && !_metadata->exit_code);
	EXPECT_EQ(variant->kind == COPIES, ended);
	/* the argument, the result, and a test write of it before */
	EXPECT_TRUE(variant->kind != COPIES || n == 4);
	expect_failures(_metadata, faults, n);
}

TEST_F(fault, info)
{
	struct faults *faults = &self->faults;
	struct profil_info info;
	unsigned long n = 0;
	long hits;

	if (variant->kind != COPIES)
		SKIP(return, "allocates nothing");
	do {
		info = (struct profil_info) { .size = sizeof(info) };
		arm(&faults->injection, ++n);
		EXPECT_EQ(n < 4 ? EFAULT : 0, call(faults->fd, PROFIL_IOC_INFO, &info));
		hits = disarm(&faults->injection);
	} while (hits && n < 10);
	/* the argument, the result, and a test write of it before */
	EXPECT_EQ(4, n);
	EXPECT_EQ(PROFIL_ABI_VERSION, info.abi_version);
}

TEST_HARNESS_MAIN
