// SPDX-License-Identifier: GPL-2.0-only
/*
 * What operations of a process cost that nobody samples, while another process is sampled. In a
 * guest with one CPU whose clock counts instructions.
 *
 *	ops STATE [LABEL]
 *
 * STATE  none             nobody is sampled; also without the module
 *        tick, random     another process is profiled by the command's clock of that name
 *        own-tick, own-timer  another process profiles itself
 *        perf             perf samples another process
 *
 * Prints a line for each operation, for bench/run: its median and mean. LABEL replaces STATE there.
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "attach/target.h"
#include "common.h"
#include "files.h"
#include "load/echo.h"

#define MOST		2000	/* turns */
#define WARM		20	/* turns that are not measured */
#define RANDOM_HZ	1000
#define PERF_HZ		1000
#define EXECUTED	"/run/true"	/* a static program in memory, by bench/ops.sh */

static int mapped;	/* a file */
static struct echo echo;

static void fail(const char *what)
{
	fprintf(stderr, "ops: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* --- operations ---------------------------------------------------------------------------- */

static void map(int protection)
{
	char *memory = mmap(NULL, 4096, protection, MAP_PRIVATE, mapped, 0);

	if (memory == MAP_FAILED || munmap(memory, 4096))
		fail("mmap");
}

static void map_as_data(void)
{
	map(PROT_READ);
}

static void map_as_code(void)
{
	map(PROT_READ | PROT_EXEC);
}

static void move_break(void)
{
	if (sbrk(4096) == (void *)-1 || sbrk(-4096) == (void *)-1)
		fail("sbrk");
}

static void *do_nothing(void *unused)
{
	return unused;
}

static void thread(void)
{
	pthread_t id;

	if (pthread_create(&id, NULL, do_nothing, NULL) || pthread_join(id, NULL))
		fail("pthread_create");
}

static void fork_and_exit(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		fail("fork");
}

static void fork_and_execute(void)
{
	char *argv[] = { EXECUTED, NULL };
	pid_t pid = vfork();
	int status;

	if (!pid) {
		execv(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		fail(EXECUTED);
}

static void switch_twice(void)
{
	if (!ask_echo(&echo))
		fail("pipe");
}

static const struct {
	const char *name;
	void (*run)(void);
	unsigned int turns;
} operations[] = {
	{ "mmap and munmap", map_as_data, 1000 },
	{ "the same of code", map_as_code, 1000 },
	{ "brk twice", move_break, 1000 },
	{ "thread", thread, 500 },
	{ "fork and exit", fork_and_exit, 100 },
	{ "vfork and exec", fork_and_execute, 60 },
	{ "switch twice", switch_twice, MOST },
};

/* --- the other process --------------------------------------------------------------------- */

static void attach(int device, const struct target *target, unsigned int clock, unsigned int rate)
{
	struct profil_attach attach = attachment(device, target);

	attach.clock = clock;
	if (rate)
		attach.rate = rate;
	errno = call(device, PROFIL_IOC_ATTACH, &attach);
	if (errno)
		fail("attach");
}

/* Runs in the other process. */
static void profile_itself(void *clock)
{
	static uint64_t counter;
	struct profil_region region;
	struct profil_start start;
	int device = open_device();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	count_all(&start, &region, &counter, 64, get_info(device).tick_hz);
	start.clock = *(unsigned int *)clock;
	if (start.clock)
		errno = call(device, PROFIL_IOC_START, &start);
	if (start.clock && errno)
		fail("start");
	wait_for_ever(NULL);
}

static void sample_by_perf(pid_t pid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr),
		.freq = 1,
		.sample_freq = PERF_HZ,
		.sample_type = PERF_SAMPLE_IP,
		/* as perf record asks for */
		.mmap = 1,
		.comm = 1,
		.task = 1,
		.inherit = 1,
	};
	/* an inherited event with a buffer is of one CPU */
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 || mmap(NULL, 9 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED)
		fail("perf_event_open");
}

/* The other process exists in each state, since forks share pages with it. */
static void enter(const char *state)
{
	static struct target target;
	static unsigned int clock;
	int device = -1;

	if (strcmp(state, "none") && strcmp(state, "perf")) {
		device = open_device();
		if (device < 0)
			fail("/dev/profil");
	}
	if (!strcmp(state, "own-tick"))
		clock = PROFIL_CLOCK_TICK;
	if (!strcmp(state, "own-timer"))
		clock = PROFIL_CLOCK_TIMER;
	errno = start_target(&target, device, profile_itself, &clock);
	if (errno)
		fail("fork");
	if (!strcmp(state, "tick"))
		attach(device, &target, PROFIL_CLOCK_TICK, 0);
	if (!strcmp(state, "random"))
		attach(device, &target, PROFIL_CLOCK_RANDOM, RANDOM_HZ);
	if (!strcmp(state, "perf"))
		sample_by_perf(target.pid);
	release(&target);
	sleep(1);
}

/* --- measuring ----------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void measure(unsigned int which, const char *state, double unit)
{
	static double costs[MOST];
	unsigned int turns = operations[which].turns, i;
	double begin, sum = 0;

	for (i = 0; i < WARM; i++)
		operations[which].run();
	for (i = 0; i < turns; i++) {
		begin = clock_seconds(CLOCK_MONOTONIC_RAW);
		operations[which].run();
		costs[i] = (clock_seconds(CLOCK_MONOTONIC_RAW) - begin) / unit;
		sum += costs[i];
	}
	qsort(costs, turns, sizeof(costs[0]), compare);
	printf("ops,%s,%s,instructions,%.0f,%.0f,%u\n", operations[which].name, state,
	       costs[turns / 2], sum / turns, turns);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const char *const states[] = {
		"none", "tick", "random", "own-tick", "own-timer", "perf"
	};
	const char *label = argc > 2 ? argv[2] : argc > 1 ? argv[1] : "";
	double unit = instruction_seconds();
	unsigned int i;

	for (i = 0; argc > 1 && i < 6 && strcmp(argv[1], states[i]); i++)
		;
	if (argc < 2 || i == 6) {
		fputs("usage: ops none|tick|random|own-tick|own-timer|perf [LABEL]\n", stderr);
		return 2;
	}
	mapped = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (mapped < 0)
		fail("/proc/self/exe");
	errno = start_echo(&echo);
	if (errno)
		fail("fork");
	enter(argv[1]);
	for (i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		measure(i, label, unit);
	return 0;
}
