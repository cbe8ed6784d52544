// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profiled process for the shell tests. It starts a session, waits for a sample, prints
 * "running", and waits until its standard input ends.
 *
 * usage: session [and-change | on-hit]
 *
 * With "and-change", it stops the session before it prints "running", and two threads change the
 * memory of the counter all the time. With "on-hit", the module's worker pins the page.
 */
#include <stdio.h>

#include "kernel/pinned_pages.h"

static void *change_memory(void *page)
{
	for (;;) {
		madvise(page, PAGE, MADV_DONTNEED);
		*(volatile char *)page = 1;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	/* it counts until exit has finished, so it must not be on the stack */
	uint64_t *counter = map_memory(PAGE);
	bool changes = argc > 1 && !strcmp(argv[1], "and-change");
	struct profil_region region;
	struct profil_start start;
	int fd = open_device();
	int error, i;
	pthread_t thread;

	if (fd < 0) {
		perror("session: /dev/profil");
		return 1;
	}
	count_all(&start, &region, counter, 64, get_info(fd).tick_hz);
	if (argc > 1 && !strcmp(argv[1], "on-hit"))
		start.flags |= PROFIL_PIN_ON_HIT;
	error = call(fd, PROFIL_IOC_START, &start);
	if (error) {
		fprintf(stderr, "session: start: %s\n", strerror(error));
		return 1;
	}
	if (!still_counts(fd, 1) || !*counter) {
		fputs("session: nothing was counted\n", stderr);
		return 1;
	}
	for (i = 0; changes && i < 2; i++)
		pthread_create(&thread, NULL, change_memory, counter);
	if (changes)
		stop(fd);
	close(fd);
	puts("running");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
