// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profiled process for the shell tests, which executes the steps of its command line in order:
 *
 *	steps STEP...
 *
 * Exit status: 0; 1 if a step failed, after its name and error on standard error; 2 for an unknown
 * step.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "common.h"

static int device;
static char *counters;
static size_t bytes;

static int start(const char *pages, unsigned int flags)
{
	struct profil_region region;
	struct profil_start arg;

	bytes = strtoul(pages, NULL, 10) * PAGE;
	counters = map_memory(bytes);
	if (counters == MAP_FAILED)
		return errno;
	count_all(&arg, &region, counters, 64, get_info(device).tick_hz);
	region.bytes = bytes;
	arg.flags = flags;
	return call(device, PROFIL_IOC_START, &arg);
}

/* starts a profile with this number of pages of counters, all pinned at once */
static int do_start(const char *pages)
{
	return start(pages, 0);
}

/* the same with PROFIL_PIN_ON_HIT; all samples hit the first page */
static int do_hit(const char *pages)
{
	return start(pages, PROFIL_PIN_ON_HIT);
}

static int do_stop(const char *unused)
{
	(void)unused;
	return stop(device).state > PROFIL_STATE_FAULT ? EIO : 0;
}

/* uses 0.1 s of CPU time */
static int do_burn(const char *unused)
{
	(void)unused;
	burn(0.1);
	return 0;
}

/* forks a child, which uses as much, and waits for it */
static int do_fork(const char *unused)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return errno;
	if (!pid) {
		printf("child %d\n", (int)getpid());
		fflush(stdout);
		do_burn(unused);
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid && !status ? 0 : ECHILD;
}

/* unmaps the counters; the status call notices it and ends the profile */
static int do_unmap(const char *unused)
{
	(void)unused;
	if (munmap(counters, bytes))
		return errno;
	return get_status(device).state == PROFIL_STATE_FAULT ? 0 : EIO;
}

/* prints pinned_bytes of the status */
static int do_pinned(const char *unused)
{
	(void)unused;
	printf("pinned %llu\n",
	       (unsigned long long)get_status(device).pinned_bytes);
	fflush(stdout);
	return 0;
}

/* prints "waiting", and waits for a line or the end of standard input */
static int do_wait(const char *unused)
{
	int c;

	(void)unused;
	printf("waiting %d\n", (int)getpid());
	fflush(stdout);
	do {
		c = getchar();
	} while (c != '\n' && c != EOF);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(const char *argument);
} steps[] = {
	{ "start=", do_start },
	{ "hit=", do_hit },
	{ "stop", do_stop },
	{ "burn", do_burn },
	{ "fork", do_fork },
	{ "unmap", do_unmap },
	{ "pinned", do_pinned },
	{ "wait", do_wait },
};

static int do_step(const char *step)
{
	size_t i, length;
	int error;

	for (i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		length = strlen(steps[i].name);
		if (strncmp(step, steps[i].name, length))
			continue;
		error = steps[i].run(step + length);
		if (error)
			fprintf(stderr, "steps: %s: %s\n", step, strerror(error));
		return error ? 1 : 0;
	}
	fprintf(stderr, "steps: unknown step %s\n", step);
	return 2;
}

int main(int argc, char **argv)
{
	int i, status = 0;

	device = open_device();
	if (device < 0) {
		perror("steps: /dev/profil");
		return 1;
	}
	for (i = 1; i < argc && !status; i++)
		status = do_step(argv[i]);
	return status;
}
