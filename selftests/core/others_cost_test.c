// SPDX-License-Identifier: GPL-2.0-only
/*
 * What others pay: how many instructions more a process that nobody profiles needs for a mapping
 * and for a context switch, while another process is profiled. A change of the module that makes
 * these dearer fails here, and so does one that makes them cheaper, until its figures are written
 * down below. While nobody is profiled, a loaded module costs nothing.
 *
 * In a sealed guest, the clock counts instructions. Each operation is repeated often. Interrupts
 * and the kernel's caches of free memory make some repetitions dearer, in proportions that differ
 * from time to time. So the cost is the one that a twentieth of the repetitions do not exceed.
 *
 *	scripts/check/run sample_cost
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "attach/target.h"
#include "common.h"
#include "eventually.h"
#include "files.h"
#include "kernel/version.h"
#include "load/echo.h"

#define REPETITIONS	1000
#define CHEAP		(REPETITIONS / 20)
#define TOLERANCE	5	/* in instructions */
#define RATE		100

enum operation {
	MAPPING,	/* mmap() and munmap() */
	EXECUTABLE,	/* the same of a file, executable */
	SWITCH,		/* to another process, or back */
	OPERATIONS
};

static const char *const names[OPERATIONS] = { "mapping", "executable mapping", "switch" };

/* In instructions */
struct costs {
	double of[OPERATIONS];
};

FIXTURE(others) {
	int device;
	unsigned int clock;	/* of the variant */
	int file;
	double unit;		/* duration of an instruction in seconds */
	struct echo echo;
	struct target profiled;
};

FIXTURE_VARIANT(others) {
	bool attached;
	unsigned int clock;
	double figures[2][OPERATIONS];	/* on Linux 6.1 and 6.12 */
};

#define COST(name, attached_, clock_, ...)				\
	FIXTURE_VARIANT_ADD(others, name) {				\
		.attached = (attached_), .clock = (clock_),		\
		.figures = { __VA_ARGS__ },				\
	}

COST(session_tick, false, PROFIL_CLOCK_TICK, { 0, 0, 0 }, { 0, 0, 0 });
COST(session_timer, false, PROFIL_CLOCK_TIMER, { 0, 0, 51 }, { 0, 0, 53 });
COST(attached_tick, true, PROFIL_CLOCK_TICK, { 37, 75, 0 }, { 41, 80, 0 });
COST(attached_random, true, PROFIL_CLOCK_RANDOM, { 37, 75, 53 }, { 41, 80, 55 });

static bool map(int protection, int flags, int fd)
{
	void *mapped = mmap(NULL, PAGE, protection, MAP_PRIVATE | flags, fd, 0);

	return mapped != MAP_FAILED && !munmap(mapped, PAGE);
}

static bool operate(enum operation operation, const struct _test_data_others *self)
{
	switch (operation) {
	case MAPPING:
		return map(PROT_READ | PROT_WRITE, MAP_ANONYMOUS, -1);
	case EXECUTABLE:
		return map(PROT_READ | PROT_EXEC, 0, self->file);
	default:
		return ask_echo(&self->echo);
	}
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Returns a negative number on error. */
static double cheap_cost(enum operation operation, const struct _test_data_others *self)
{
	static double costs[REPETITIONS];
	double begin;
	int i;

	for (i = 0; i < REPETITIONS; i++) {
		begin = clock_seconds(CLOCK_MONOTONIC_RAW);
		if (!operate(operation, self))
			return -1;
		costs[i] = (clock_seconds(CLOCK_MONOTONIC_RAW) - begin) / self->unit;
	}
	qsort(costs, REPETITIONS, sizeof(costs[0]), compare);
	/* an answer takes two switches */
	return costs[CHEAP] / (operation == SWITCH ? 2 : 1);
}

static struct costs measure(const struct _test_data_others *self)
{
	struct costs costs;
	int i;

	for (i = 0; i < OPERATIONS; i++)
		costs.of[i] = cheap_cost(i, self);
	return costs;
}

static void expect_more(struct __test_metadata *_metadata, const struct costs *bare,
			struct costs costs, const double figures[OPERATIONS])
{
	double more;
	int i;

	for (i = 0; i < OPERATIONS; i++) {
		ASSERT_LT(0, bare->of[i]);
		ASSERT_LT(0, costs.of[i]);
		more = costs.of[i] - bare->of[i];
		ksft_print_msg("%s: %.1f instructions more than %.1f, %.0f expected\n", names[i],
			       more, bare->of[i], figures[i]);
		EXPECT_GE(figures[i] + TOLERANCE, more);
		EXPECT_LE(figures[i] - TOLERANCE, more);
	}
}

/* Returns 0 or an errno. */
static int unload(void)
{
	return syscall(SYS_delete_module, "profil", O_NONBLOCK) ? errno : 0;
}

/* Returns 0 or an errno. */
static int load(void)
{
	int fd = open(getenv("PROFIL_MODULE"), O_RDONLY | O_CLOEXEC);
	int error = fd < 0 || syscall(SYS_finit_module, fd, "", 0) ? errno : 0;

	close(fd);
	return error;
}

FIXTURE_SETUP(others)
{
	REQUIRE_ATTACH(self->device);
	close(self->device);
	self->device = -1;
	self->profiled.pid = -1;
	if (!getenv("PROFIL_LATE") || sysconf(_SC_NPROCESSORS_ONLN) > 1)
		SKIP(return, "sealed guests with one CPU only");
	self->clock = variant->clock;
	self->unit = instruction_seconds();
	/* which nobody else maps: the kernel sorts the mappings of a file */
	self->file = memfd_create("mapped", MFD_CLOEXEC);
	ASSERT_LE(0, self->file);
	ASSERT_EQ(0, ftruncate(self->file, PAGE));
	ASSERT_EQ(0, start_echo(&self->echo));
}

FIXTURE_TEARDOWN(others)
{
	kill_target(&self->profiled);
	end_echo(&self->echo);
	close(self->file);
	close(self->device);
}

/* What a target does that nobody attaches to. */
static void profile_itself(void *self_)
{
	const struct _test_data_others *self = self_;
	struct profil_region region;
	struct profil_start start;

	count_all(&start, &region, map_memory(PAGE), 64, RATE);
	start.clock = self->clock;
	if (!call(self->device, PROFIL_IOC_START, &start))
		wait_for_ever(NULL);
}

TEST_F(others, cost)
{
	static const double nothing[OPERATIONS];
	int kernel = figured_kernel();
	struct profil_attach attach;
	struct costs bare;

	if (kernel < 0)
		SKIP(return, "no figures of this kernel");
	/* a session holds it until a worker has ended it, and the module has hooks meanwhile */
	ASSERT_TRUE(EVENTUALLY(!unload()));
	bare = measure(self);
	ASSERT_EQ(0, load());
	self->device = open_device();
	ASSERT_LE(0, self->device);
	expect_more(_metadata, &bare, measure(self), nothing);

	/* which closes no device: it may need it */
	ASSERT_EQ(0, start_target(&self->profiled, -1, profile_itself, self));
	if (variant->attached) {
		attach = attachment(self->device, &self->profiled);
		attach.clock = variant->clock;
		attach.rate = RATE;
		ASSERT_EQ(0, call(self->device, PROFIL_IOC_ATTACH, &attach));
	} else {
		release(&self->profiled);
		ASSERT_TRUE(EVENTUALLY(figure("sessions") == 1));
	}
	expect_more(_metadata, &bare, measure(self), variant->figures[kernel]);
}

TEST_HARNESS_MAIN
