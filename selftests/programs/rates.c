// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a workload with known shares of CPU time, sampled by a chosen clock, for bench/rates.sh and
 * machine/lockstep_test.sh.
 *
 *	rates CLOCK RATE WORKLOAD THREADS SECONDS
 *
 * CLOCK     tick, timer, random: of /dev/profil; sigprof: setitimer(ITIMER_PROF), as
 *           in the C library; perf: a cpu-clock event of perf, on a machine with one
 *           CPU; none
 * WORKLOAD  spin      uses CPU time in two functions
 *           syscalls  like spin, but the second function makes short system calls
 *           bursts    alternates 0.1 ms of CPU time and 0.1 ms of sleep
 *           fixed     a fixed amount of work for SECONDS, for a comparison of costs in a
 *                     guest whose clock counts instructions
 *           lockstep  in step with the kernel's tick, which is always in the second of
 *                     two functions, although that has only a tenth of the time
 *
 * Prints one line of name=value: the effective rate; samples; CPU seconds of all threads;
 * delivered: samples / (rate x CPU seconds); inside: samples in both functions; share: of these,
 * those in the first; true: the same of CPU time; elapsed: total time in ns.
 */
#include <asm/perf_regs.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <x86intrin.h>

#include "common.h"

#define FUNCTION(name)	__attribute__((noinline, section("work_" #name)))

/* From the linker: the addresses of the two functions */
extern const char __start_work_first[], __stop_work_first[];
extern const char __start_work_second[], __stop_work_second[];

struct worker {
	pthread_t thread;
	double first;	/* CPU seconds in the first function */
	double second;	/* CPU seconds in the second */
};

static double seconds_to_run;
static uint64_t tsc_hz;
static double tick_seconds;
/* Between two readings of the clock with nothing between: samples there are in neither function. */
static double reading_seconds;
/* Samples of SIGPROF or perf: in the first function, in the second, and elsewhere */
static uint64_t samples_of_others[3];

static void FUNCTION(first) in_first(uint64_t until)
{
	while (__rdtsc() < until)
		;
}

static void FUNCTION(second) in_second(uint64_t until)
{
	while (__rdtsc() < until)
		;
}

static uint64_t tsc_of(double seconds)
{
	return (uint64_t)(seconds * (double)tsc_hz);
}

/* Runs each function until a TSC value, and adds up the thread's CPU time in each. */
static void work(struct worker *worker, uint64_t first_end, uint64_t second_end)
{
	double begin = thread_seconds(), middle;

	in_first(first_end);
	middle = thread_seconds();
	worker->first += middle - begin - reading_seconds;
	in_second(second_end);
	worker->second += thread_seconds() - middle - reading_seconds;
}

/* CPU time at a ratio of 3 to 1, with a period that is not a multiple of any clock's. */
static void spin(struct worker *worker)
{
	uint64_t now = __rdtsc();
	uint64_t turn = tsc_of(0.0037);

	work(worker, now + turn * 3 / 4, now + turn);
}

/* Time in the kernel belongs to the function that called it. */
static void FUNCTION(second) call_kernel(int times)
{
	long result;

	while (times--)
		asm volatile("syscall" : "=a" (result) : "0" (SYS_getppid)
			     : "rcx", "r11", "memory");
}

static void do_syscalls(struct worker *worker)
{
	double begin = thread_seconds(), middle;

	in_first(__rdtsc() + tsc_of(0.0013));
	middle = thread_seconds();
	worker->first += middle - begin - reading_seconds;
	call_kernel(4000);
	worker->second += thread_seconds() - middle - reading_seconds;
}

static void bursts(struct worker *worker)
{
	static const struct timespec pause = { .tv_nsec = 100000 };
	uint64_t now = __rdtsc();

	work(worker, now + tsc_of(0.000075), now + tsc_of(0.0001));
	nanosleep(&pause, NULL);
}

static uint64_t coarse_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Return: the TSC just after a tick, which advances the coarse clock. */
static uint64_t await_tick(void)
{
	uint64_t before = coarse_ns();

	while (coarse_ns() == before)
		;
	return __rdtsc();
}

/* The first function runs from just after a tick to just before the next, then the second. */
static void lockstep(struct worker *worker)
{
	uint64_t tick = tsc_of(tick_seconds), at = await_tick();
	int i;

	/* waits for the tick every 25 ticks, because a busy host may have delayed it */
	for (i = 0; i < 25; i++, at += tick)
		work(worker, at + tick * 9 / 10, at + tick + tick / 50);
}

/* A loop of two instructions */
static void fixed(struct worker *worker)
{
	uint64_t turns = (uint64_t)(seconds_to_run * 5e8);
	double begin = thread_seconds();

	asm volatile("1: dec %0; jnz 1b" : "+r" (turns));
	worker->first = thread_seconds() - begin;
}

static void (*workload)(struct worker *);

static void *run(void *data)
{
	struct worker *worker = data;

	do
		workload(worker);
	while (workload != fixed && thread_seconds() < seconds_to_run);
	return NULL;
}

static void count_pc(uint64_t address)
{
	const char *pc = (const char *)address;
	int where = pc >= __start_work_first && pc < __stop_work_first ? 0 :
		    pc >= __start_work_second && pc < __stop_work_second ? 1 :
		    2;

	__atomic_add_fetch(&samples_of_others[where], 1, __ATOMIC_RELAXED);
}

static void count_signal(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *user = context;

	(void)signal;
	(void)info;
	count_pc((uint64_t)user->uc_mcontext.gregs[REG_RIP]);
}

static void start_signals(unsigned int rate)
{
	struct itimerval timer = { .it_interval.tv_usec = 1000000 / rate };
	struct sigaction action = {
		.sa_sigaction = count_signal,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};

	timer.it_value = timer.it_interval;
	if (sigaction(SIGPROF, &action, NULL) || setitimer(ITIMER_PROF, &timer, NULL)) {
		perror("rates: setitimer");
		exit(1);
	}
}

#define PERF_PAGES	1024	/* for 170,000 samples */

/* Samples the pc in user mode, also in system calls, as the other clocks do. */
static struct perf_event_mmap_page *start_perf(unsigned int rate)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr),
		.freq = 1,
		.sample_freq = rate,
		.sample_type = PERF_SAMPLE_REGS_USER,
		.sample_regs_user = 1 << PERF_REG_X86_IP,
		.inherit = 1,
	};
	/* an inherited event with a buffer is of one CPU */
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, 0, -1, PERF_FLAG_FD_CLOEXEC);
	void *buffer = fd < 0 ? MAP_FAILED : mmap(NULL, (1 + PERF_PAGES) * PAGE,
						   PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (buffer == MAP_FAILED) {
		perror("rates: perf_event_open");
		exit(1);
	}
	return buffer;
}

static void count_perf(const struct perf_event_mmap_page *buffer)
{
	struct {
		struct perf_event_header header;
		uint64_t abi;
		uint64_t pc;
	} sample;
	const char *data = (const char *)buffer + buffer->data_offset;
	uint64_t at, end = __atomic_load_n(&buffer->data_head, __ATOMIC_ACQUIRE);

	if (end > buffer->data_size) {
		fputs("rates: perf's buffer is full: use a lower rate\n", stderr);
		exit(1);
	}
	for (at = 0; at < end; at += sample.header.size) {
		memcpy(&sample, data + at, sizeof(sample));
		if (sample.header.type == PERF_RECORD_SAMPLE)
			count_pc(sample.pc);
	}
}

static struct profil_region region_of(const char *start, const char *stop, uint64_t *counter)
{
	struct profil_region region = {
		.start = (uintptr_t)start,
		.end = (uintptr_t)stop,
		.offset = (uintptr_t)start,
		.buf = (uintptr_t)counter,
		.bytes = sizeof(*counter),
		.rounding = PROFIL_ROUND_FIRST,
	};

	return region;
}

static void start_kernel(int device, unsigned int clock, unsigned int rate, uint64_t *counters)
{
	struct profil_region regions[2];
	struct profil_start start = {
		.size = sizeof(start),
		.rate = rate,
		.width = 64,
		.overflow = PROFIL_OVERFLOW_WRAP,
		.nr_regions = 2,
		.regions = (uintptr_t)regions,
		.catch_all = (uintptr_t)&counters[2],
		.clock = clock,
	};
	struct profil_region first = region_of(__start_work_first, __stop_work_first, &counters[0]);
	struct profil_region second = region_of(__start_work_second, __stop_work_second,
						&counters[1]);

	regions[first.start > second.start] = first;
	regions[first.start < second.start] = second;
	if (ioctl(device, PROFIL_IOC_START, &start)) {
		perror("rates: PROFIL_IOC_START");
		exit(1);
	}
}

static const struct {
	const char *name;
	void (*function)(struct worker *worker);
} workloads[] = {
	{ "spin", spin },
	{ "syscalls", do_syscalls },
	{ "bursts", bursts },
	{ "lockstep", lockstep },
	{ "fixed", fixed },
};

static void measure_clocks(void)
{
	double begin = clock_seconds(CLOCK_MONOTONIC);
	uint64_t tsc = __rdtsc();
	struct timespec resolution;
	double reading;
	int i;

	while (clock_seconds(CLOCK_MONOTONIC) < begin + 0.1)
		;
	tsc_hz = (uint64_t)((double)(__rdtsc() - tsc) /
			    (clock_seconds(CLOCK_MONOTONIC) - begin));
	clock_getres(CLOCK_MONOTONIC_COARSE, &resolution);
	tick_seconds = (double)resolution.tv_nsec / 1e9;
	/* the shortest has no interruption */
	for (i = 0; i < 100; i++) {
		reading = thread_seconds();
		reading = thread_seconds() - reading;
		if (!i || reading < reading_seconds)
			reading_seconds = reading;
	}
}

static double sum_seconds(const struct worker *workers, int nr, double *first)
{
	double all = 0;
	int i;

	*first = 0;
	for (i = 0; i < nr; i++) {
		*first += workers[i].first;
		all += workers[i].first + workers[i].second;
	}
	return all;
}

int main(int argc, char **argv)
{
	static const char *const clocks[] = { "auto", "tick", "timer", "random" };
	uint64_t *counters = map_memory(4096), samples, inside;
	struct profil_status status = { .rate = 0 };
	struct perf_event_mmap_page *perf = NULL;
	struct worker *workers;
	double used, all, first, elapsed;
	unsigned int rate, clock;
	int device, nr, i;
	size_t k;

	if (argc != 6) {
		fputs("usage: rates tick|timer|random|sigprof|perf|none RATE\n"
		      "             spin|syscalls|bursts|lockstep|fixed THREADS SECONDS\n", stderr);
		return 2;
	}
	rate = (unsigned int)atoi(argv[2]);
	nr = atoi(argv[4]);
	seconds_to_run = atof(argv[5]);
	for (k = 0; k < sizeof(workloads) / sizeof(*workloads); k++)
		if (!strcmp(argv[3], workloads[k].name))
			workload = workloads[k].function;
	for (clock = 1; clock < 4 && strcmp(argv[1], clocks[clock]); clock++)
		;
	workers = calloc((size_t)nr, sizeof(*workers));
	if (!workload || !workers || nr < 1)
		return 2;
	device = open_device();
	measure_clocks();

	if (clock < 4)
		start_kernel(device, clock, rate, counters);
	else if (!strcmp(argv[1], "sigprof"))
		start_signals(rate);
	else if (!strcmp(argv[1], "perf"))
		perf = start_perf(rate);
	used = process_seconds();
	elapsed = clock_seconds(CLOCK_MONOTONIC_RAW);
	for (i = 0; i < nr; i++)
		pthread_create(&workers[i].thread, NULL, run, &workers[i]);
	for (i = 0; i < nr; i++)
		pthread_join(workers[i].thread, NULL);
	used = process_seconds() - used;
	elapsed = clock_seconds(CLOCK_MONOTONIC_RAW) - elapsed;
	if (clock < 4) {
		status = stop(device);
		samples = status.samples;
	} else {
		struct itimerval off = { .it_value.tv_sec = 0 };

		setitimer(ITIMER_PROF, &off, NULL);
		if (perf)
			count_perf(perf);
		memcpy(counters, samples_of_others, sizeof(samples_of_others));
		samples = counters[0] + counters[1] + counters[2];
		status.rate = rate;
	}
	inside = counters[0] + counters[1];
	all = sum_seconds(workers, nr, &first);
	printf("clock=%s workload=%s threads=%d asked=%u rate=%u samples=%llu seconds=%.4f ",
	       argv[1], argv[3], nr, rate, status.rate, (unsigned long long)samples, used);
	printf("delivered=%.4f inside=%llu share=%.4f true=%.4f lost=%llu elapsed=%.0f\n",
	       (double)samples / (status.rate * used), (unsigned long long)inside,
	       (double)counters[0] / (inside ? (double)inside : 1), all > 0 ? first / all : 0,
	       (unsigned long long)status.lost, elapsed * 1e9);
	return 0;
}
