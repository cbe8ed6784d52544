// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded into the programs of programs/pages, for host/pages_test.sh: the fake device is their
 * /dev/profil, and no time passes. A timer of CPU time is over at once, and all samples of that
 * time are at the programs' one instruction. They count by the module's code. What depends on the
 * kernel alone is not here: real samples, those of other threads, and the end of a profile at exec.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "lib/device.h"
#include "module/counters/counter.h"
#include "support/fake_device.h"

#define INSTRUCTION	0x20000404	/* programs/pages/page.h */
#define PAGE		4096UL
#define MAX_BYTES	(1ULL << 30)	/* PROFIL_MAX_BYTES of the module */

/* Required by support/kernel/linux/atomic.h */
void (*before_exchange)(void *word);

static double now;		/* CPU time, in seconds */
static double sigprof_after;	/* the period of ITIMER_PROF; 0: none */

static bool is_mapped(uint64_t at, uint64_t bytes)
{
	return !msync((void *)(at & ~(PAGE - 1)), bytes + at % PAGE, MS_ASYNC);
}

static void count(uint64_t samples)
{
	const struct profil_start *start = &fake_device.start;
	u64 before, limit = start->limit ? start->limit : U16_MAX;
	uint64_t counter;

	if (fake_device.state != PROFIL_STATE_RUNNING)
		return;
	counter = fake_device_counter(INSTRUCTION);
	if (!counter)
		return;
	if (!is_mapped(counter, 2)) {
		fake_device.state = PROFIL_STATE_FAULT;
		if (start->flags & PROFIL_FAULT_SIGNAL)
			raise(SIGSEGV);
		return;
	}
	profil_counter_add((void *)counter, samples, 1, start->overflow, limit, &before);
	if (start->overflow == PROFIL_OVERFLOW_STOP && before + samples >= limit)
		fake_device.state = PROFIL_STATE_LIMIT;
}

static void pass(double seconds)
{
	now += seconds;
	count((uint64_t)(seconds * fake_device.start.rate + 0.5));
	if (sigprof_after && sigprof_after <= seconds)
		raise(SIGPROF);
}

/* What the fake device does not refuse (module/config.c, module/counters/pin.c) */
static int refuse(const struct profil_start *start)
{
	const struct profil_region *regions = (const struct profil_region *)start->regions;
	uint32_t i;

	for (i = 0; i < start->nr_regions; i++) {
		if (regions[i].bytes > MAX_BYTES)
			return -E2BIG;
		if (!(start->flags & PROFIL_CHECK_ON_HIT) &&
		    !is_mapped(regions[i].buf, regions[i].bytes))
			return -EFAULT;
	}
	return 0;
}

int ioctl(int fd, unsigned long command, ...)
{
	va_list arguments;
	void *arg;
	int error;

	va_start(arguments, command);
	arg = va_arg(arguments, void *);
	va_end(arguments);
	error = command == PROFIL_IOC_START ? refuse(arg) : 0;
	if (!error)
		error = profil_device_call(fd, command, arg);
	errno = -error;
	return error ? -1 : 0;
}

long syscall(long number, ...)
{
	long (*next)(long number, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	va_list arguments;
	long arg[6];
	int i;

	va_start(arguments, number);
	for (i = 0; i < 6; i++)
		arg[i] = va_arg(arguments, long);
	va_end(arguments);
	if (number == SYS_openat && !strcmp((const char *)arg[1], PROFIL_DEVICE))
		arg[1] = (long)FAKE_DEVICE;
	return next(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

static double seconds_of(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

int setitimer(__itimer_which_t which, const struct itimerval *new, struct itimerval *old)
{
	if (which == ITIMER_PROF) {
		sigprof_after = seconds_of(&new->it_interval);
		return 0;
	}
	pass(seconds_of(&new->it_value));
	return raise(SIGVTALRM);
}

clock_t clock(void)
{
	return (clock_t)(now * CLOCKS_PER_SEC + 0.5);
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
	return 0;
}
