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
int open_device(void);

#define REQUIRE_DEVICE(fd)						\
	do {								\
		(fd) = open_device();					\
		if ((fd) < 0 && errno == ENOENT)			\
			SKIP(return, "no /dev/profil: load the module"); \
		ASSERT_GE((fd), 0);					\
	} while (0)

/* A command, with its errno instead of -1. */
int call(int fd, unsigned long command, void *arg);

struct profil_status get_status(int fd);

struct profil_status stop(int fd);

struct profil_info get_info(int fd);

/* A valid start of one region: every pc of the process to one counter. */
void count_all(struct profil_start *start, struct profil_region *region, void *counter,
	       unsigned int width, unsigned int rate);

double clock_seconds(clockid_t clock);

double process_seconds(void);

double thread_seconds(void);

/*
 * CPU time in which a thread has at least so many samples of the tick clock. One more
 * is for the phase: the time may begin just after a tick, and the rate anywhere between
 * two samples.
 */
double seconds_for(unsigned int samples, unsigned int rate);

/* Use CPU time in user mode. */
void burn(double seconds);

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

/* code: in memory that is readable, writable and executable. 0 or errno. */
int enter_pc(struct one_pc *one, void *code);

void leave_pc(struct one_pc *one);

/* Stay at a pc for some CPU time of its thread. 0 or errno. */
int stay_at_pc(void *code, double seconds);

/* pid: a process or thread, or 0. 0, or -1 and errno. */
int put_on_cpu(pid_t pid, int cpu);

void *map_code(size_t bytes);

void *map_memory(size_t bytes);

#endif /* SELFTESTS_COMMON_H */
