// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tells a user at a terminal what takes long, while it does.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/base_name.h"
#include "util/terminal.h"
#include "util/working.h"

#define TICK_NS		100000000L
#define PATIENCE	5	/* so many ticks of work are not worth a line */
#define ERASE		"\r\033[K"

static int terminal = -1;
static const char *said_what, *said_path;	/* what @line is about */
static unsigned int said_part;

/*
 * The handler reads these. It runs in the thread that writes them, so what is written before
 * @is_working is there if that is set.
 */
static volatile sig_atomic_t is_working, is_shown, ticks;
static char line[128];

static void write_line(const char *text)
{
	/* a terminal that takes no more does not matter */
	if (write(terminal, text, strlen(text)) < 0)
		return;
}

static void tick(int signal)
{
	const int error = errno;

	(void)signal;
	if (is_working && ticks < PATIENCE)
		ticks++;
	if (is_working && ticks == PATIENCE && !is_shown) {
		is_shown = true;
		write_line(line);
	}
	errno = error;
}

void working_show(int fd)
{
	/* what is interrupted continues */
	const struct sigaction action = { .sa_handler = tick, .sa_flags = SA_RESTART };
	const struct itimerspec times = { { 0, TICK_NS }, { 0, TICK_NS } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
	timer_t timer;

	if (terminal >= 0 || !isatty(fd))
		return;
	/* without a timer, there is no line */
	if (sigaction(SIGRTMIN, &action, NULL) || timer_create(CLOCK_MONOTONIC, &event, &timer))
		return;
	timer_settime(timer, 0, &times, NULL);
	terminal = fd;
}

/* A name that does not fit is cut. */
static void make_line(const char *what, const char *path, unsigned int part, unsigned int parts)
{
	FILE *out = fmemopen(line, sizeof(line) - 1, "w");

	if (!out)
		return;
	fprintf(out, "\rprofil: %s ", what);
	terminal_print_cut(out, base_name(path), 40);
	if (parts)
		fprintf(out, " (%u of %u)", part, parts);
	fputs("\033[K", out);
	fclose(out);
	said_what = what;
	said_path = path;
	said_part = part;
}

void working_begin_part(const char *what, const char *path, unsigned int part,
			unsigned int parts)
{
	if (terminal < 0)
		return;
	/* often the same thousands of times */
	if (what != said_what || path != said_path || part != said_part)
		make_line(what, path, part, parts);
	is_working = true;
}

void working_begin(const char *what, const char *path)
{
	working_begin_part(what, path, 0, 0);
}

void working_end(void)
{
	is_working = false;
	if (is_shown)
		write_line(ERASE);
	is_shown = false;
}
