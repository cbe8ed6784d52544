// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pushes a fixed recording, for ../host/push_test.sh.
 *
 * usage: push_sample PROGRAM URL [LABEL...]
 *
 * Writes PROGRAM with two functions, does what standard input says, a word a line, and prints each
 * word when that is done:
 *
 *	push	an interval of 100 samples, 60 of them in "much", is over
 *	wait	until what is pushed has been taken, or cannot be
 *	late	from now on, each wait is the longest
 *
 * At the end of the input, pushes the rest, of another 100 samples. Its exit status is 1 if
 * something was not pushed. Its clock stands still but for such long waits.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <live/pusher.h>
#include <util/time_ns.h>

#include "support/fake_log.h"
#include "support/made_program.h"
#include "support/test.h"

#define START		0x400000ul
#define TEXT_BYTES	128
#define SAMPLES		100
#define MUCH		60
#define LONG_S		1000

static struct fake_log fake;
static struct recording *recording;
static bool is_late;
static time_t now_s;

/* --- the clock: see the Makefile for --wrap ----------------------------------------- */

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __real_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
unsigned int __wrap_sleep(unsigned int seconds);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	if (clock != CLOCK_MONOTONIC)
		return __real_clock_gettime(clock, time);
	*time = (struct timespec){ .tv_sec = now_s };
	return 0;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	if (!is_late)
		return __real_nanosleep(time, left);
	now_s += LONG_S;
	return 0;
}

unsigned int __wrap_sleep(unsigned int seconds)
{
	return 0;
}

/* --- the recording ------------------------------------------------------------------ */

static void make_program(const char *path)
{
	static const struct made_function functions[] = {
		{ "much", 0, 64 }, { "less", 64, 64 }, { NULL, 0, 0 },
	};

	if (!made_program_write(path, ELFCLASS64, 0, TEXT_BYTES, functions, false))
		err(1, "%s", path);
	fake_log_exec(&fake, FAKE_PID, 1000000, 0, "program");
	fake_log_map_file(&fake, FAKE_PID, START, TEXT_BYTES, made_program_text(path), path,
			  PROFIL_MAP_PROGRAM);
	fake_log_run(&fake, FAKE_PID);
}

static void take_samples(void)
{
	int i;

	for (i = 0; i < SAMPLES; i++)
		fake_log_sample(&fake, FAKE_PID, START + (i < MUCH ? 0 : 64) + (i & 7) * 4, 1);
	if (recording_read(recording, fake.read) != 1)
		errx(1, "the log cannot be read");
}

int main(int argc, char **argv)
{
	char *command[] = { "./program", NULL };
	struct live_run run = {
		.log = { .status.rate = 100, .requested_rate = 100 }, .argv = command,
		.so_far.pid = FAKE_PID,
	};
	struct server server = { 0 };
	struct pusher pusher;
	siginfo_t end;
	char word[8];

	if (argc < 3)
		errx(2, "usage: push_sample PROGRAM URL [LABEL...]");
	server = (struct server){
		.url = argv[2], .labels = (const char **)argv + 3, .nr_labels = (size_t)argc - 3,
	};
	recording = recording_new();
	run.recording = recording;
	run.so_far.start_time_ns = time_ns(CLOCK_REALTIME);
	fake_log_open(&fake);
	make_program(argv[1]);
	if (pusher_begin(&pusher, &server))
		err(1, "push");
	while (scanf("%7s", word) == 1) {
		if (!strcmp(word, "push")) {
			take_samples();
			run.so_far.elapsed_ns += NS_PER_S;
			pusher_push(&pusher, &run, fake.read);
		} else if (!strcmp(word, "wait")) {
			if (pusher.helper.pid && waitid(P_PID, (id_t)pusher.helper.pid, &end, WEXITED | WNOWAIT))
				err(1, "wait");
		} else {
			is_late = true;
		}
		puts(word);
		fflush(stdout);
	}
	take_samples();
	run.so_far.elapsed_ns += NS_PER_S;
	return pusher_end(&pusher, &run, NULL) ? 0 : 1;
}
