// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profiled process for the shell tests: it starts a session, sees that it
 * counts, says "running", and waits until its standard input ends.
 */
#include <stdio.h>

#include "common.h"

int main(void)
{
	/* counted in until the end of exit(), so not where its frames will be */
	static uint64_t counter;
	struct profil_region region;
	struct profil_start start;
	int fd = open_device();
	int error, tries;

	if (fd < 0) {
		perror("session: /dev/profil");
		return 1;
	}
	count_all(&start, &region, &counter, 64, get_info(fd).tick_hz);
	error = call(fd, PROFIL_IOC_START, &start);
	if (error) {
		fprintf(stderr, "session: start: %s\n", strerror(error));
		return 1;
	}
	close(fd);
	/* a busy host may keep ticks from coming */
	for (tries = 0; tries < 20 && !counter; tries++)
		burn(0.05);
	if (!counter) {
		fputs("session: nothing was counted\n", stderr);
		return 1;
	}
	puts("running");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
