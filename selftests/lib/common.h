/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by all tests: ioctls of the device, CPU time, and code that stays at one known pc. Tests
 * compare CPU time, counts and ratios, never wall-clock time.
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

/* Opens the device. Returns -1 with errno on error. Tests are skipped if it is ENOENT. */
int open_device(void);

#define REQUIRE_DEVICE(fd)						\
	do {								\
		(fd) = open_device();					\
		if ((fd) < 0 && errno == ENOENT)			\
			SKIP(return, "no /dev/profil: load the module"); \
		ASSERT_GE((fd), 0);					\
	} while (0)

/* Calls the device. Returns 0 or an errno. */
int call(int fd, unsigned long command, void *arg);

/* On error, the state is ~0U. */
struct profil_status get_status(int fd);

struct profil_status stop(int fd);

/* On error, the ABI version is 0. */
struct profil_info get_info(int fd);

/* Fills in a valid start with one region that counts every pc of the process in one counter. */
void count_all(struct profil_start *start, struct profil_region *region, void *counter,
	       unsigned int width, unsigned int rate);

/* Starts such a profile, with a counter of 64 bits. Rate 0: the tick's. Returns 0 or an errno. */
int start_counting(int fd, void *counter, unsigned int rate, uint32_t flags);

double clock_seconds(clockid_t clock);

double process_seconds(void);

double thread_seconds(void);

/* The duration of an instruction, measured in a loop that has two per iteration. */
double instruction_seconds(void);

/* Returns that of the profile, or of the tick if there is none. */
unsigned int rate_of(int fd);

/*
 * Returns the CPU time in which a thread gets at least @samples samples from the tick. It has room
 * for one more, since it may begin just after a tick, and anywhere between two samples of the rate.
 */
double seconds_for(unsigned int samples, unsigned int rate);

/* Uses CPU time, in user mode except for reading the clock. Notes what late_ticks() needs. */
void burn(double seconds);

/*
 * A virtual machine's CPU stands still while its host is busy: for the guest, CPU time passes, and
 * the ticks that were due come late, as one. It stands for all of them, but finds another pc, mode
 * or thread than they would have found, or another process, which gets no sample.
 *
 * Returns whether this may happen: not where the clock counts instructions, so that no tick is late
 * unless a test keeps interrupts off.
 */
bool ticks_may_be_late(void);

/*
 * Returns for how many seconds a CPU stood still, or 0 if for less than a tick. burn() has noted it
 * in this process, or else notes it now.
 */
double late_ticks(void);

/*
 * A thread that stays at one instruction, a jump to itself, at a chosen pc. The page is writable,
 * so that leave_pc() can replace the jump by a return.
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

/* @code must be readable, writable and executable. Returns 0 or an errno. */
int enter_pc(struct one_pc *one, void *code);

void leave_pc(struct one_pc *one);

/*
 * Starts a thread that stays at @code for @seconds of its CPU time. It does not migrate: a time of
 * N + 1 ticks has N samples at least. Returns 0 or an errno.
 */
int stay_at_pc(void *code, double seconds);

/*
 * The same, for @samples samples at rate_of(@fd), and up to two more. If ticks may be late, stays
 * until so many are taken and in range, or the profile has ended.
 */
int stay_for(int fd, void *code, unsigned int samples);

/* @pid is a process, a thread, or 0 for the caller. Returns -1 with errno on error. */
int put_on_cpu(pid_t pid, int cpu);

void *map_code(size_t bytes);

void *map_memory(size_t bytes);

#endif /* SELFTESTS_COMMON_H */
