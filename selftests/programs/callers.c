// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that open the device, start a profile, stop it and close, in a loop until standard
 * input ends, while machine_test.sh loads and unloads the module. Either all calls succeed, or
 * open() fails because there is no module.
 *
 * Exit status: 0, with the totals on standard output; 1 after any other error, which is printed.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "child.h"

#define CALLERS	3
#define PAUSE_US	40000	/* maximum, so that at times all callers pause together */

struct shared {
	volatile bool over;
	struct totals {
		unsigned long profiles, refused;
	} of[CALLERS];
};

/* Returns 0, ENODEV if there is no module, or the errno of the failed call. */
static int one_profile(void)
{
	static uint64_t counter;
	struct profil_region region;
	struct profil_start start;
	struct profil_status status = { .size = sizeof(status) };
	int fd = open("/dev/profil", O_RDWR | O_CLOEXEC);
	int error;

	if (fd < 0)
		return errno == ENOENT || errno == ENXIO ? ENODEV : errno;
	count_all(&start, &region, &counter, 64, 100);
	error = call(fd, PROFIL_IOC_START, &start);
	if (!error)
		error = call(fd, PROFIL_IOC_STOP, &status);
	close(fd);
	return error;
}

static int call_until(volatile bool *over, struct totals *totals)
{
	int error;

	while (!*over) {
		error = one_profile();
		if (!error)
			totals->profiles++;
		else if (error == ENODEV)
			totals->refused++;
		else
			return error;
		usleep((useconds_t)rand() % PAUSE_US);
	}
	return 0;
}

int main(void)
{
	struct shared *shared = map_shared(sizeof(*shared));
	struct totals sum = { 0, 0 };
	int i, status, failed = 0;

	for (i = 0; i < CALLERS; i++)
		if (!fork()) {
			srand((unsigned int)i);
			_exit(call_until(&shared->over, &shared->of[i]));
		}
	while (getchar() != EOF)
		;
	shared->over = true;
	while (wait(&status) > 0) {
		if (!status)
			continue;
		fprintf(stderr, "callers: %s\n", WIFEXITED(status) ?
			strerror(WEXITSTATUS(status)) :
			strsignal(WTERMSIG(status)));
		failed = 1;
	}
	for (i = 0; i < CALLERS; i++) {
		sum.profiles += shared->of[i].profiles;
		sum.refused += shared->of[i].refused;
	}
	printf("%lu profiles, %lu times no module\n", sum.profiles, sum.refused);
	return failed;
}
