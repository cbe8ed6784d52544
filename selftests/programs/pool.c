// SPDX-License-Identifier: GPL-2.0-only
/*
 * An unmodified program for the tests of the profil command: threads with names, which use CPU time
 * in user mode or in the kernel.
 *
 * usage: pool NAME user|kernel SECONDS [NAME user|kernel SECONDS]...
 *
 * Each thread prints its name and its CPU time in seconds at its end.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST	8

static volatile unsigned long sink;

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void use_user_mode(void)
{
	unsigned long i;

	for (i = 0; i < 200000; i++)
		sink += i;
}

static void use_kernel(void)
{
	static char bytes[1 << 20];
	int fd = open("/dev/zero", O_RDONLY);

	if (read(fd, bytes, sizeof(bytes)) < 0)
		perror("/dev/zero");
	close(fd);
}

static void *work(void *arguments)
{
	char *const *argv = arguments;
	void (*use)(void) = strcmp(argv[1], "user") ? use_kernel : use_user_mode;
	const double until = atof(argv[2]);

	pthread_setname_np(pthread_self(), argv[0]);
	while (cpu_seconds() < until)
		use();
	printf("%s %.6f\n", argv[0], cpu_seconds());
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];
	int nr = (argc - 1) / 3, i;

	if (nr > MOST)
		return 2;
	for (i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, work, &argv[1 + 3 * i]))
			return 1;
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
