/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profil(2), Linux 0.99.11, written from its page alone.
 */
#ifdef PROFIL_PAGE_TYPES
#include <unistd.h>
#endif

int profil(char *buf, int bufsiz, int offset, int scale);

#include "steps.h"

static void call(char *buf, int bufsiz, int scale)
{
	if (profil(buf, bufsiz, (int)OFFSET, scale))
		fail("profil() returns", 1);
}

static void on(void)
{
	call(buffer, (int)SIZE, (int)SCALE);
}

static volatile int signals;

static void on_signal(int signal_number)
{
	(void)signal_number;
	signals++;
}

/* A timer with a period of 5 ms of CPU time: it expires within LONG_TIME. */
static void must_leave_timer_alone(int byte)
{
	struct itimerval timer;

	memset(&timer, 0, sizeof(timer));
	timer.it_value.tv_usec = 5000;
	timer.it_interval = timer.it_value;
	signal(SIGPROF, on_signal);
	setitimer(ITIMER_PROF, &timer, NULL);
	must_count(byte);
	timer.it_value.tv_usec = 0;
	setitimer(ITIMER_PROF, &timer, NULL);
	if (!signals)
		fail("signals", signals);
}

int main(int argc, char **argv)
{
	int status;

	begin(argc, argv);

	must_count_at("2 bytes to each counter", 3, 0x10000, 2);
	must_count_at("an odd distance", 3, 0xffff, 2);
	must_count_within();
	must_count_at("any scale", 0x35, 0x6000, 18);

	doing = "scale is less than 2: 1";
	call(buffer, (int)SIZE, 1);
	must_restart(18);
	doing = "scale is less than 2: 0";
	call(buffer, (int)SIZE, 0);
	must_restart(18);
	doing = "scale is less than 2: -1";
	call(buffer, (int)SIZE, -1);
	must_restart(18);
	doing = "bufsiz is 0";
	call(buffer, 0, (int)SCALE);
	must_restart(18);
	doing = "NULL";
	call(NULL, (int)SIZE, (int)SCALE);
	must_restart(18);
	doing = "the program's own ITIMER_PROF";
	must_leave_timer_alone(18);
	must_count_after_fork_and_exec(18);
	doing = "an invalid buf produces a core dump";
	status = status_of_child(lose_buffer);
	if (status != 256 + SIGSEGV)
		fail("status", status);
	must_count(18);
	call(buffer, (int)SIZE, 0);
	must_be_off();
	return 0;
}
