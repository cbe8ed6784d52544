// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bounds of what it takes to read the files of programs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "util/bound.h"
#include "util/time_ns.h"

#define MIB		((uint64_t)1 << 20)
#define TICK_US		50000UL	/* of CPU time; most helpers end before the first one */
#define TICKS_PER_S	(1000000 / TICK_US)
#define SECONDS		30
#define SHARE		20	/* of the time that it runs, a helper may always read */
#define LEAST_MIB	1024	/* or a quarter of the memory */
#define MAX_REFUSED	64	/* if there are more, no file is read */
#define MAX_READERS	16	/* that run at a time, in the same command */

enum why { WHY_TIME, WHY_MEMORY, WHY_CRASH, WHY_KILLED };

/**
 * struct shared - what helpers and those that start them share
 * @readers:  the file that each helper reads, or has read last
 * @nr_begun: helpers so far
 * @refused:  files
 * @nr_refused: number of them
 * @nr_again: how many of these since what is done now was begun
 */
static struct shared {
	struct { pid_t pid; uint64_t file; } readers[MAX_READERS];
	unsigned int nr_begun;
	struct { uint64_t file; enum why why; int killer; } refused[MAX_REFUSED];
	unsigned int nr_refused;
	unsigned int nr_again;
} *shared;

/* Of this helper. The handler of the tick reads them. */
static uint64_t *own_file;
static volatile sig_atomic_t is_reading;
static volatile unsigned long file_ticks, all_ticks;
static unsigned long most_ticks;
static uint64_t begun_ns;

/* Return: the value of a variable; @otherwise: it has none. */
static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);
	unsigned long value;
	char *end;

	if (!text || !*text)
		return otherwise;
	value = strtoul(text, &end, 10);
	return *end || value > 1 << 30 ? otherwise : value;
}

static uint64_t seconds(void)
{
	return setting("PROFIL_READ_SECONDS", SECONDS);
}

static uint64_t mebibytes(void)
{
	const uint64_t quarter = (uint64_t)sysconf(_SC_PHYS_PAGES) / 4 *
				 (uint64_t)sysconf(_SC_PAGESIZE) / MIB;

	return setting("PROFIL_READ_MIB", quarter > LEAST_MIB ? quarter : LEAST_MIB);
}

void bound_prepare(bool is_again)
{
	if (!shared) {
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			      -1, 0);
		if (shared == MAP_FAILED)
			shared = NULL;
	}
	if (shared && !is_again)
		shared->nr_again = 0;
}

static void tick(int number)
{
	const uint64_t share_ns = (time_ns(CLOCK_MONOTONIC) - begun_ns) / SHARE;

	if (!is_reading || !most_ticks)
		return;
	file_ticks++;
	all_ticks++;
	if (file_ticks < most_ticks && all_ticks < 2 * most_ticks + share_ns / (TICK_US * 1000))
		return;
	signal(number, SIG_DFL);
	raise(number);
}

/* Allow so much more memory than now. */
static void add_memory(uint64_t bytes)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return;
	limit.rlim_cur += bytes;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_AS, &limit);
}

/* Bound the memory, besides that which is used already. */
static void limit_memory(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;
	struct rlimit limit;
	rlim_t most;

	if (!file)
		return;
	if (fscanf(file, "%lu", &pages) == 1 && mebibytes() && !getrlimit(RLIMIT_AS, &limit)) {
		most = pages * (rlim_t)sysconf(_SC_PAGESIZE) + mebibytes() * MIB;
		if (most < limit.rlim_cur)
			limit.rlim_cur = most;
		setrlimit(RLIMIT_AS, &limit);
	}
	fclose(file);
}

void bound_begin(void)
{
	/* what is interrupted continues */
	const struct sigaction action = { .sa_handler = tick, .sa_flags = SA_RESTART };
	const struct itimerval times = { { 0, TICK_US }, { 0, TICK_US } };
	unsigned int i;

	if (!shared)
		return;
	i = __atomic_fetch_add(&shared->nr_begun, 1, __ATOMIC_RELAXED) % MAX_READERS;
	own_file = &shared->readers[i].file;
	*own_file = 0;
	shared->readers[i].pid = getpid();
	is_reading = false;
	file_ticks = all_ticks = 0;
	most_ticks = seconds() * TICKS_PER_S;
	if (most_ticks) {
		most_ticks = shared->nr_again < 20 ? most_ticks >> shared->nr_again : 0;
		most_ticks += !most_ticks;
	}
	begun_ns = time_ns(CLOCK_MONOTONIC);
	limit_memory();
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &times, NULL);
}

void bound_allow(int fd)
{
	struct stat state;

	if (!own_file || fstat(fd, &state))
		return;
	/* a sparse file has less than its size */
	add_memory((uint64_t)(state.st_size < state.st_blocks * 512 ? state.st_size :
								      state.st_blocks * 512));
}

void bound_read(uint64_t file)
{
	if (!own_file)
		return;
	if (*own_file != file)
		file_ticks = 0;
	*own_file = file;
	is_reading = true;
}

void bound_end(void)
{
	is_reading = false;
}

static enum why find_why(int killer)
{
	switch (killer) {
	case 0:
		return WHY_MEMORY;
	case SIGPROF:
		return WHY_TIME;
	case SIGKILL:
		return WHY_KILLED;
	default:
		return WHY_CRASH;
	}
}

bool bound_refuse(pid_t pid, int killer, int error)
{
	uint64_t file = 0;
	size_t i;

	if (!shared || (!killer && error != ENOMEM))
		return false;
	for (i = 0; i < MAX_READERS; i++)
		if (shared->readers[i].pid == pid)
			file = shared->readers[i].file;
	if (!file || bound_problem(file))
		return false;
	i = shared->nr_refused++;
	shared->refused[i].file = file;
	shared->refused[i].why = find_why(killer);
	shared->refused[i].killer = killer;
	shared->nr_again++;
	return true;
}

const char *bound_problem(uint64_t file)
{
	static char text[160];
	unsigned int i = 0;

	if (!shared || !shared->nr_refused)
		return NULL;
	while (i < shared->nr_refused && shared->refused[i].file != file)
		i++;
	if (i == MAX_REFUSED)
		return "it was not read: too many files took too long";
	if (i == shared->nr_refused)
		return NULL;
	switch (shared->refused[i].why) {
	case WHY_TIME:
		snprintf(text, sizeof(text), "it takes more CPU time to read than files of programs may (PROFIL_READ_SECONDS=%llu allows more)",
			 (unsigned long long)seconds() * 10);
		break;
	case WHY_MEMORY:
		snprintf(text, sizeof(text), "it takes more memory to read than files of programs may (PROFIL_READ_MIB=%llu allows more)",
			 (unsigned long long)mebibytes() * 4);
		break;
	case WHY_CRASH:
		snprintf(text, sizeof(text), "it is damaged, or changed while it was read (SIG%s)",
			 sigabbrev_np(shared->refused[i].killer));
		break;
	case WHY_KILLED:
		return "its reader was killed (SIGKILL), as the kernel does if memory is short";
	}
	return text;
}
