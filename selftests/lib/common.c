// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of the device, CPU time, and threads that stay at one pc.
 */
#include "common.h"
#include "eventually.h"

int open_device(void)
{
	return open("/dev/profil", O_RDWR | O_CLOEXEC);
}

int call(int fd, unsigned long command, void *arg)
{
	return ioctl(fd, command, arg) ? errno : 0;
}

struct profil_status get_status(int fd)
{
	struct profil_status status = { .size = sizeof(status) };

	if (ioctl(fd, PROFIL_IOC_STATUS, &status))
		status.state = ~0U;
	return status;
}

struct profil_status stop(int fd)
{
	struct profil_status status = { .size = sizeof(status) };

	if (ioctl(fd, PROFIL_IOC_STOP, &status))
		status.state = ~0U;
	return status;
}

struct profil_info get_info(int fd)
{
	struct profil_info info = { .size = sizeof(info) };

	if (ioctl(fd, PROFIL_IOC_INFO, &info))
		info.abi_version = 0;
	return info;
}

void count_all(struct profil_start *start, struct profil_region *region, void *counter,
	       unsigned int width, unsigned int rate)
{
	*region = (struct profil_region) {
		.buf = (uintptr_t)counter,
		.bytes = width / 8,
		.rounding = PROFIL_ROUND_FIRST,
	};
	*start = (struct profil_start) {
		.size = sizeof(*start),
		.rate = rate,
		.width = width,
		.nr_regions = 1,
		.regions = (uintptr_t)region,
	};
}

int start_counting(int fd, void *counter, unsigned int rate, uint32_t flags)
{
	struct profil_region region;
	struct profil_start start;

	count_all(&start, &region, counter, 64, rate ? rate : get_info(fd).tick_hz);
	start.flags = flags;
	return call(fd, PROFIL_IOC_START, &start);
}

double clock_seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double process_seconds(void)
{
	return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

double thread_seconds(void)
{
	return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

double instruction_seconds(void)
{
	double least = 1, begin, seconds;
	int i;

	for (i = 0; i < 5; i++) {
		unsigned long turns = 500000;

		begin = clock_seconds(CLOCK_MONOTONIC_RAW);
		/* the compiler would need three or four instructions a turn */
#if defined(__aarch64__)
		__asm__ volatile("1: subs %0, %0, #1; b.ne 1b" : "+r" (turns) : : "cc");
#else
		__asm__ volatile("1: dec %0; jnz 1b" : "+r" (turns) : : "cc");
#endif
		seconds = (clock_seconds(CLOCK_MONOTONIC_RAW) - begin) / 1e6;
		if (seconds < least)
			least = seconds;
	}
	return least;
}

unsigned int rate_of(int fd)
{
	unsigned int rate = get_status(fd).rate;

	return rate ? rate : get_info(fd).tick_hz;
}

double seconds_for(unsigned int samples, unsigned int rate)
{
	return (samples + 1.0) / rate;
}

/* The least and the most CPU time between two readings of the clock in burn() */
static double shortest_turn = 1, longest_turn;

void burn(double seconds)
{
	double begin = thread_seconds(), end = begin + seconds, turn;
	volatile unsigned int i;

	while (begin < end) {
		for (i = 0; i < 20000; i++)
			;
		turn = thread_seconds() - begin;
		begin += turn;
		if (turn < shortest_turn)
			shortest_turn = turn;
		if (turn > longest_turn)
			longest_turn = turn;
	}
}

bool ticks_may_be_late(void)
{
	/* only sealed guests have this module */
	return !getenv("PROFIL_LATE");
}

double late_ticks(void)
{
	double tick;
	int fd, i;

	if (!ticks_may_be_late())
		return 0;
	fd = open_device();
	tick = 1.0 / get_info(fd).tick_hz;
	close(fd);
	/* a turn that takes a tick longer than another contains one, which could not come then */
	for (i = 0; i < 10 && longest_turn - shortest_turn < tick; i++)
		burn(0.025);
	return longest_turn - shortest_turn < tick ? 0 : longest_turn - shortest_turn;
}

static void *run_one_pc(void *code)
{
	((void (*)(void))code)();
	return NULL;
}

int enter_pc(struct one_pc *one, void *code)
{
	one->code = code;
	*one->code = JUMP_TO_SELF;
	__builtin___clear_cache((char *)code, (char *)code + sizeof(instruction));
	return pthread_create(&one->thread, NULL, run_one_pc, code);
}

/* The thread stays on the caller's CPU, which is free while the caller sleeps. */
static int enter_pc_here(struct one_pc *one, void *code)
{
	cpu_set_t before, here;
	int error;

	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	if (sched_getaffinity(0, sizeof(before), &before))
		return errno;
	/* the new thread inherits it */
	sched_setaffinity(0, sizeof(here), &here);
	error = enter_pc(one, code);
	sched_setaffinity(0, sizeof(before), &before);
	return error;
}

void leave_pc(struct one_pc *one)
{
	__atomic_store_n(one->code, RETURN, __ATOMIC_SEQ_CST);
	__builtin___clear_cache((char *)one->code, (char *)one->code + sizeof(instruction));
	pthread_join(one->thread, NULL);
}

int stay_at_pc(void *code, double seconds)
{
	struct one_pc one;
	clockid_t clock;
	int error = enter_pc_here(&one, code);

	if (error)
		return error;
	if (!pthread_getcpuclockid(one.thread, &clock)) {
		double end = clock_seconds(clock) + seconds, left;

		/* sleep until then: reading the clock in a loop would be sampled too */
		while ((left = end - clock_seconds(clock)) > 0)
			usleep((useconds_t)(left * 1e6) + 100);
	}
	leave_pc(&one);
	return 0;
}

static uint64_t in_range(int fd)
{
	struct profil_status status = get_status(fd);

	return status.samples - status.out_of_range;
}

int stay_for(int fd, void *code, unsigned int samples)
{
	double seconds = seconds_for(samples, rate_of(fd));
	uint64_t enough = in_range(fd) + samples;
	int error;

	WORK_UNTIL(error = stay_at_pc(code, seconds),
		   error || get_status(fd).state != PROFIL_STATE_RUNNING ||
		   in_range(fd) >= enough);
	return error;
}

int put_on_cpu(pid_t pid, int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return sched_setaffinity(pid, sizeof(cpus), &cpus);
}

void *map_code(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void *map_memory(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
