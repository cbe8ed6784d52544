// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code coverage of a program by kcov. With CONFIG_KCOV and without
 * CONFIG_KCOV_INSTRUMENT_ALL it covers the module only (module/Kbuild). Only the program's
 * first process is traced: no interrupts, so no sampling; no worker; no other process.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/kcov.h>

#include "run.h"

#define TRACE_WORDS	(64UL << 10)
#define MAX_PLACES	(1U << 15)	/* a power of 2, far from full */

static int kcov = -1;
static unsigned long *trace;	/* number of places, then the places */
static unsigned long places[MAX_PLACES];	/* open hashing; 0: free */
static unsigned int nr_places;

bool kcov_init(void)
{
	kcov = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	if (kcov < 0)
		return false;
	if (ioctl(kcov, KCOV_INIT_TRACE, TRACE_WORDS))
		return false;
	trace = mmap(NULL, TRACE_WORDS * sizeof(*trace), PROT_READ | PROT_WRITE,
		     MAP_SHARED, kcov, 0);
	if (trace == MAP_FAILED)
		trace = NULL;
	return trace;
}

void kcov_begin(void)
{
	if (trace && ioctl(kcov, KCOV_ENABLE, KCOV_TRACE_PC))
		failure("kcov cannot be enabled");
}

static bool add(unsigned long place)
{
	unsigned int at = (unsigned int)(place * 0x9e3779b97f4a7c15UL >> 49);

	while (places[at] && places[at] != place)
		at = (at + 1) % MAX_PLACES;
	if (places[at] || nr_places == MAX_PLACES / 2)
		return false;
	places[at] = place;
	nr_places++;
	return true;
}

unsigned int kcov_new(void)
{
	unsigned long i, nr;
	unsigned int new = 0;

	if (!trace)
		return 0;
	nr = __atomic_exchange_n(&trace[0], 0, __ATOMIC_RELAXED);
	for (i = 1; i <= nr && i < TRACE_WORDS; i++)
		new += add(trace[i]);
	return new;
}

void kcov_forget(void)
{
	memset(places, 0, sizeof(places));
	nr_places = 0;
}

unsigned int kcov_places(void)
{
	return nr_places;
}
