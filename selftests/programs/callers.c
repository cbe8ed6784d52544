// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that open the device, start a profile, stop it and close, over and over
 * until standard input ends, while somebody else loads and unloads the module: either
 * it is there, and all of it works, or it is not, and open() says so.
 *
 * Exit status: 0 at the end, with the figures on stdout; 1 if anything else happened,
 * which is named.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "child.h"

#define CALLERS	3
#define PAUSE_US	40000	/* at most: all of them pause together at times */

struct shared {
	volatile bool over;
	struct figures {
		unsigned long profiles, refused;
	} of[CALLERS];
};

/* Return: 0; ENODEV if there is no module; or what went wrong. */
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

static int call_until(volatile bool *over, struct figures *figures)
{
	int error;

	while (!*over) {
		error = one_profile();
		if (!error)
			figures->profiles++;
		else if (error == ENODEV)
			figures->refused++;
		else
			return error;
		usleep((useconds_t)rand() % PAUSE_US);
	}
	return 0;
}

int main(void)
{
	struct shared *shared = map_shared(sizeof(*shared));
	struct figures sum = { 0, 0 };
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
