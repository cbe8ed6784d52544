/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kselftests share: calls of the device, CPU time, and code that stays
 * at one known pc. No test judges by wall-clock time: CPU time used, counts and
 * ratios only.
 */
#ifndef SELFTESTS_COMMON_H
#define SELFTESTS_COMMON_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <linux/profil.h>

#define PAGE	((size_t)sysconf(_SC_PAGESIZE))

/* Open the device; -1 with errno. Tests skip where that is ENOENT. */
static inline int open_device(void)
{
	return open("/dev/profil", O_RDWR | O_CLOEXEC);
}

#define REQUIRE_DEVICE(fd)						\
	do {								\
		(fd) = open_device();					\
		if ((fd) < 0 && errno == ENOENT)			\
			SKIP(return, "no /dev/profil: load the module"); \
		ASSERT_GE((fd), 0);					\
	} while (0)

/* A command, with its errno instead of -1. */
static inline int call(int fd, unsigned long command, void *arg)
{
	return ioctl(fd, command, arg) ? errno : 0;
}

static inline struct profil_status get_status(int fd)
{
	struct profil_status status = { .size = sizeof(status) };

	if (ioctl(fd, PROFIL_IOC_STATUS, &status))
		status.state = ~0U;
	return status;
}

static inline struct profil_status stop(int fd)
{
	struct profil_status status = { .size = sizeof(status) };

	if (ioctl(fd, PROFIL_IOC_STOP, &status))
		status.state = ~0U;
	return status;
}

static inline struct profil_info get_info(int fd)
{
	struct profil_info info = { .size = sizeof(info) };

	if (ioctl(fd, PROFIL_IOC_INFO, &info))
		info.abi_version = 0;
	return info;
}

/* A valid start of one region: every pc of the process to one counter. */
static inline void count_all(struct profil_start *start,
			     struct profil_region *region, void *counter,
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

static inline double clock_seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static inline double process_seconds(void)
{
	return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static inline double thread_seconds(void)
{
	return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

/*
 * CPU time in which a thread has at least so many samples of the tick clock. One more
 * is for the phase: the time may begin just after a tick, and the rate anywhere between
 * two samples.
 */
static inline double time_of(unsigned int samples, unsigned int rate)
{
	return (samples + 1.0) / rate;
}

/* Use CPU time in user mode. */
static inline void burn(double seconds)
{
	double end = thread_seconds() + seconds;
	volatile unsigned int i;

	while (thread_seconds() < end)
		for (i = 0; i < 20000; i++)
			;
}

/*
 * A thread that stays at one instruction, a jump to itself, at a chosen pc.
 * The page is writable too, so that leave_pc() can make the jump a return.
 */
#if defined(__x86_64__) || defined(__i386__)
typedef uint16_t instruction;
#define JUMP_TO_SELF	0xfeeb
#define RETURN		0x90c3	/* ret; nop */
#define CODE_ALIGN	1
#elif defined(__aarch64__)
typedef uint32_t instruction;
#define JUMP_TO_SELF	0x14000000
#define RETURN		0xd65f03c0
#define CODE_ALIGN	4
#endif

struct one_pc {
	pthread_t thread;
	instruction *code;
};

static void *run_one_pc(void *code)
{
	((void (*)(void))code)();
	return NULL;
}

/* code: in memory that is readable, writable and executable. 0 or errno. */
static inline int enter_pc(struct one_pc *one, void *code)
{
	one->code = code;
	*one->code = JUMP_TO_SELF;
	__builtin___clear_cache((char *)code,
				(char *)code + sizeof(instruction));
	return pthread_create(&one->thread, NULL, run_one_pc, code);
}

static inline void leave_pc(struct one_pc *one)
{
	__atomic_store_n(one->code, RETURN, __ATOMIC_SEQ_CST);
	__builtin___clear_cache((char *)one->code,
				(char *)one->code + sizeof(instruction));
	pthread_join(one->thread, NULL);
}

/* Stay at a pc for some CPU time of its thread. 0 or errno. */
static inline int stay_at_pc(void *code, double seconds)
{
	struct one_pc one;
	clockid_t clock;
	int error = enter_pc(&one, code);

	if (error)
		return error;
	if (!pthread_getcpuclockid(one.thread, &clock)) {
		double end = clock_seconds(clock) + seconds, left;

		/* not sooner than that: who looks all the time is counted too */
		while ((left = end - clock_seconds(clock)) > 0)
			usleep((useconds_t)(left * 1e6) + 100);
	}
	leave_pc(&one);
	return 0;
}

/* pid: a process or thread, or 0. 0, or -1 and errno. */
static inline int put_on_cpu(pid_t pid, int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return sched_setaffinity(pid, sizeof(cpus), &cpus);
}

static inline void *map_code(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static inline void *map_memory(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

#endif /* SELFTESTS_COMMON_H */
