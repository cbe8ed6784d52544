// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a sample of another sampler costs: how many instructions more an interrupt takes that
 * samples. In a guest with one CPU whose clock counts instructions.
 *
 *	peers SAMPLER HZ [PAIRS]
 *
 * SAMPLER  glibc       profil() of the C library, which has one rate: 100 Hz
 *          gperftools  ProfilerStart() of libprofiler
 *          perf        a cpu-clock event that writes pcs to a ring buffer, as perf record does
 *          perf-fp     perf with stacks by frame pointers, which this program has
 *          perf-dwarf  perf with 8 KiB of the stack
 *          perf-count  perf without a buffer: an event that only counts
 *          bpf         bpftrace counts pcs in a map
 *          tick, timer, random  a profile of /dev/profil, by the clock of that name
 *
 * glibc, gperftools and tick sample at a tick and are compared with ticks. The others have a timer
 * of their own and are compared with a timer that does nothing (selftests/late).
 *
 * With PAIRS, it measures the time on a real machine, in ns: interruptions without and with the
 * sampler in turn, so often. There is no selftests/late: what a sampler with a timer of its own
 * takes is then the whole interrupt.
 *
 * Prints a line for bench/run.
 */
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "common.h"
#include "kernel/late.h"
#include "load/gaps.h"

#define TICKS		250	/* interruptions to measure */
#define TIMERS		MAX_GAPS
#define SPREAD		400	/* instructions around the median: paths of the kernel */
#define LEAST		100	/* instructions that a sample of a peer takes */
#define LEAST_INTERRUPTS 20	/* for a median */
#define BUFFER_PAGES	256	/* for all samples of a run */
#define STACK_BYTES	8192	/* that perf copies */
#define STACK_PAGES	4096	/* for all samples with so much */
#define START_SECONDS	120	/* in which bpftrace compiles its program */

static void fail(const char *what)
{
	fprintf(stderr, "peers: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void start_own(unsigned int clock, unsigned int hz)
{
	static uint64_t counter;
	struct profil_region region;
	struct profil_start start;
	int device = open_device();

	if (device < 0)
		fail("/dev/profil");
	count_all(&start, &region, &counter, 64, hz);
	start.clock = clock;
	errno = call(device, PROFIL_IOC_START, &start);
	if (errno)
		fail("PROFIL_IOC_START");
}

static void start_tick(unsigned int hz)
{
	start_own(PROFIL_CLOCK_TICK, hz);
}

static void start_timer(unsigned int hz)
{
	start_own(PROFIL_CLOCK_TIMER, hz);
}

static void start_random(unsigned int hz)
{
	start_own(PROFIL_CLOCK_RANDOM, hz);
}

static void start_glibc(unsigned int hz)
{
	static unsigned short counters[32768];
	size_t text = (uintptr_t)measure_gaps & ~(PAGE - 1);

	(void)hz;
	if (profil(counters, sizeof(counters), text, 0x10000))
		fail("profil");
}

static void start_gperftools(unsigned int hz)
{
	int (*start)(const char *file);
	char text[16];
	void *library;

	snprintf(text, sizeof(text), "%u", hz);
	setenv("CPUPROFILE_FREQUENCY", text, 1);
	library = dlopen("libprofiler.so.0", RTLD_NOW);
	start = library ? (int (*)(const char *))dlsym(library, "ProfilerStart") : NULL;
	if (!start) {
		fprintf(stderr, "peers: %s; run scripts/deps/install bench\n", dlerror());
		exit(1);
	}
	if (!start("/dev/null"))
		fail("ProfilerStart");
}

static struct perf_event_attr cpu_clock(unsigned int hz)
{
	return (struct perf_event_attr) {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(struct perf_event_attr),
		.freq = 1,
		.sample_freq = hz,
		/* what perf record asks for */
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_PERIOD,
	};
}

/* Of this thread; its samples go to a buffer of so many pages, if any. */
static void open_perf(struct perf_event_attr attr, size_t pages)
{
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		fail("perf_event_open");
	if (pages && mmap(NULL, (1 + pages) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
			  fd, 0) == MAP_FAILED)
		fail("mmap of perf's buffer");
}

static void start_perf_count(unsigned int hz)
{
	open_perf(cpu_clock(hz), 0);
}

static void start_perf(unsigned int hz)
{
	open_perf(cpu_clock(hz), BUFFER_PAGES);
}

static void start_perf_fp(unsigned int hz)
{
	struct perf_event_attr attr = cpu_clock(hz);

	attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	open_perf(attr, BUFFER_PAGES);
}

static void start_perf_dwarf(unsigned int hz)
{
	struct perf_event_attr attr = cpu_clock(hz);

	attr.sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
			    PERF_SAMPLE_STACK_USER;
	attr.exclude_callchain_user = 1;
	attr.sample_regs_user = 0xff0fff;	/* all but segments */
	attr.sample_stack_user = STACK_BYTES;
	open_perf(attr, STACK_PAGES);
}

static pid_t bpftrace = -1;

static void stop_bpf(void)
{
	if (bpftrace > 0) {
		kill(bpftrace, SIGKILL);
		waitpid(bpftrace, NULL, 0);
	}
}

/* Waits until its program is attached, which its BEGIN probe then prints. */
static void start_bpf(unsigned int hz)
{
	char program[200], output[256], *argv[] = { "bpftrace", "-e", program, NULL };
	posix_spawn_file_actions_t actions;
	struct pollfd reader = { .events = POLLIN };
	ssize_t length = 0, got;
	int ends[2];

	snprintf(program, sizeof(program),
		 "BEGIN { printf(\"begun\\n\") } "
		 "profile:hz:%u /pid == %d/ { @[reg(\"ip\")] = count() }", hz, (int)getpid());
	if (pipe2(ends, O_CLOEXEC))
		fail("pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	errno = posix_spawnp(&bpftrace, argv[0], &actions, NULL, argv, environ);
	if (errno)
		fail("bpftrace: run scripts/deps/install bench");
	close(ends[1]);
	reader.fd = ends[0];
	do {
		if (poll(&reader, 1, START_SECONDS * 1000) < 1)
			fail("no word from bpftrace");
		got = read(ends[0], output + length, sizeof(output) - 1 - (size_t)length);
		if (got <= 0)
			fail("bpftrace has ended");
		length += got;
		output[length] = '\0';
	} while (!strstr(output, "begun"));
	/* BEGIN runs before the other probes are attached */
	sleep(2);
}

static const struct sampler {
	const char *name;
	void (*start)(unsigned int hz);
	bool at_ticks;
	bool stacks;
} samplers[] = {
	{ "glibc", start_glibc, true, false },
	{ "gperftools", start_gperftools, true, false },
	{ "perf", start_perf, false, false },
	{ "perf-fp", start_perf_fp, false, true },
	{ "perf-dwarf", start_perf_dwarf, false, true },
	{ "perf-count", start_perf_count, false, false },
	{ "bpf", start_bpf, false, false },
	{ "tick", start_tick, true, false },
	{ "timer", start_timer, false, false },
	{ "random", start_random, false, false },
};

#define NR_SAMPLERS	(sizeof(samplers) / sizeof(samplers[0]))

/* Measures below so many functions. */
static __attribute__((noinline)) void measure_below(struct gaps *gaps, unsigned int frames)
{
	volatile unsigned long room[3] = { 0 };

	if (frames)
		measure_below(gaps, frames - 1);
	else
		measure_gaps(gaps);
	room[1] = room[0];
}

/* Measures in a process that ends with its sampler, if there is one. */
static void measure(struct gaps *gaps, void (*start)(unsigned int hz), unsigned int hz,
		    unsigned int frames)
{
	/* the stack is as deep as perf copies it */
	volatile char deep[STACK_BYTES] = { 0 };

	pid_t pid = fork();
	int status;

	if (!pid) {
		if (start)
			start(hz);
		measure_below(gaps, frames + deep[0]);
		stop_bpf();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		fail("fork");
	if (status)
		exit(1);
}

/* Measures the same interrupts, which do not sample. */
static void measure_bare(struct gaps *gaps, bool at_ticks, unsigned int hz)
{
	char us[16];

	snprintf(us, sizeof(us), "%u", 1000000 / hz);
	if (!at_ticks && (load_late() || write_text(LATE "period", us)))
		fail("selftests/late");
	measure(gaps, NULL, hz, 0);
	if (!at_ticks && write_text(LATE "period", "0"))
		fail("selftests/late");
}

/* Keeps only the interruptions that sample: at 100 Hz, most ticks do not. */
static void keep_samples(struct gaps *gaps, double least)
{
	unsigned int i, nr = 0;

	for (i = 0; i < gaps->nr; i++)
		if (gaps->cost[i] >= least)
			gaps->cost[nr++] = gaps->cost[i];
	gaps->nr = nr;
}

/* In a guest: modes and means of instructions. Prints what a sample takes below so many frames. */
static void compare_with(struct gaps *gaps, const struct gaps *bare, double bare_mean,
			 const struct sampler *sampler, unsigned int hz, unsigned int frames)
{
	double mean;

	gaps->nr = bare->nr;
	measure(gaps, sampler->start, hz, frames);
	keep_samples(gaps, bare_mean + LEAST);
	if (!gaps->nr) {
		fprintf(stderr, "peers: %s took no sample\n", sampler->name);
		exit(1);
	}
	mean = mean_gap(gaps, SPREAD) - bare_mean;
	if (sampler->stacks)
		printf("stack,%u frames", frames);
	else
		printf("sample,%s", sampler->at_ticks ? "tick" : "timer");
	printf(",%s,instructions,%d,%.1f,%u\n", sampler->name,
	       (int)(most_frequent_gap(gaps) - most_frequent_gap(bare)), mean, gaps->nr);
}

static void compare_instructions(struct gaps *gaps, const struct sampler *sampler, unsigned int hz)
{
	static const unsigned int depths[] = { 5, 20, 100 };
	struct gaps bare;
	unsigned int i;
	double mean;

	measure_bare(gaps, sampler->at_ticks, hz);
	mean = mean_gap(gaps, SPREAD);
	bare = *gaps;
	if (!sampler->stacks)
		compare_with(gaps, &bare, mean, sampler, hz, 0);
	for (i = 0; sampler->stacks && i < 3; i++)
		compare_with(gaps, &bare, mean, sampler, hz, depths[i]);
}

/*
 * Returns the median in ns of the longest interruptions: as many as there were interrupts. A real
 * machine has shorter ones, too, of other causes.
 */
static double median_time(struct gaps *gaps, const struct sampler *sampler, bool sampled,
			  unsigned int hz)
{
	unsigned int interrupts;

	gaps->nr = MAX_GAPS;
	measure(gaps, sampled ? sampler->start : NULL, hz, 0);
	mean_gap(gaps, 0);	/* sorts */
	interrupts = (unsigned int)(gaps->seconds * hz);
	if (interrupts > gaps->nr)
		interrupts = gaps->nr;
	if (interrupts < LEAST_INTERRUPTS) {
		fprintf(stderr, "peers: %s: too many other interruptions: use an idle machine\n",
			sampler->name);
		exit(1);
	}
	return gaps->cost[gaps->nr - 1 - interrupts / 2];
}

/* On a machine: medians of ns, whose median and mean over all pairs count */
static void compare_times(struct gaps *gaps, const struct sampler *sampler, unsigned int hz,
			  unsigned int pairs)
{
	struct gaps *differences = make_gaps(0);
	double bare, difference, sum = 0;
	unsigned int i;

	if (!differences)
		fail("mmap");
	gaps->unit = 1;
	detach_hooks_early(true);
	for (i = 0; i < pairs && i < MAX_GAPS; i++) {
		/* the hooks of the sampler before are detached a second after its end */
		sleep(2);
		bare = sampler->at_ticks ? median_time(gaps, sampler, false, hz) : 0;
		difference = median_time(gaps, sampler, true, hz) - bare;
		sum += difference;
		/* noise may be greater than what a sample takes */
		differences->cost[differences->nr++] =
			difference < 0 ? 0 : (unsigned int)difference;
	}
	detach_hooks_early(false);
	mean_gap(differences, 0);
	printf("hardware,%s,%s,ns,%u,%.1f,%u\n",
	       sampler->at_ticks ? "tick" : "timer with its interrupt", sampler->name,
	       differences->cost[differences->nr / 2], sum / differences->nr, differences->nr);
}

int main(int argc, char **argv)
{
	unsigned int hz = argc >= 3 ? (unsigned int)atoi(argv[2]) : 0, i;
	unsigned int pairs = argc == 4 ? (unsigned int)atoi(argv[3]) : 0;
	struct gaps *gaps;

	for (i = 0; i < NR_SAMPLERS && (!hz || strcmp(argv[1], samplers[i].name)); i++)
		;
	if (i == NR_SAMPLERS || (argc == 4 && !pairs)) {
		fputs("usage: peers glibc|gperftools|perf|perf-fp|perf-dwarf|perf-count|bpf|tick|timer|"
		      "random HZ [PAIRS]\n", stderr);
		return 2;
	}
	gaps = make_gaps(samplers[i].at_ticks ? TICKS : TIMERS);
	if (!gaps || put_on_cpu(0, sched_getcpu()))
		fail("memory or CPU");
	if (pairs)
		compare_times(gaps, &samplers[i], hz, pairs);
	else
		compare_instructions(gaps, &samplers[i], hz);
	return 0;
}
