// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that is compiled and linked with the C library alone, for compat_test.sh. It profiles
 * itself by profil() or sprofil() for 0.3 s of CPU time, and prints the number of samples and the
 * sampler: "signals" if the C library uses the program's timer and SIGPROF, else "kernel".
 *
 * usage: old profil|sprofil [SCALE]
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/profil.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

extern const char etext[], __executable_start[];

static unsigned short counters[32768];

/* Starts a profile, or turns it off. Returns 0, or -1 with errno. */
static int profile(const char *how, int on, unsigned int scale)
{
	struct prof region = {
		.pr_base = counters,
		.pr_size = sizeof(counters),
		.pr_off = (size_t)__executable_start,
		.pr_scale = scale,
	};
	unsigned short *volatile buffer = on ? counters : NULL;

	if (!strcmp(how, "sprofil"))
		return sprofil(&region, on, NULL, PROF_USHORT);
	return profil(buffer, sizeof(counters), region.pr_off, scale);
}

static int uses_timer(void)
{
	struct itimerval timer;
	struct sigaction action;

	return getitimer(ITIMER_PROF, &timer) || timer.it_interval.tv_usec ||
	       sigaction(SIGPROF, NULL, &action) ||
	       action.sa_handler != SIG_DFL;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "profil";
	unsigned int scale = argc > 2 ? strtoul(argv[2], NULL, 0) : 0x8000;
	unsigned long sum = 0;
	volatile size_t work = 0;
	clock_t end;
	int timer;
	size_t i;

	if (profile(how, 1, scale)) {
		perror("old");
		return 1;
	}
	timer = uses_timer();
	end = clock() + CLOCKS_PER_SEC / 10 * 3;
	while (clock() < end)
		for (i = 0; i < 100000; i++)
			work += i;
	if (profile(how, 0, 0))
		return 1;
	for (i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		sum += counters[i];
	printf("%lu %s\n", sum, timer ? "signals" : "kernel");
	return 0;
}
