// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pushes a fixed recording, for ../host/push_test.sh.
 *
 * usage: push_sample PROGRAM URL INTERVALS MILLISECONDS [LABEL...]
 *
 * Writes PROGRAM with two functions, and pushes an interval of 100 samples, 60 of them in "much",
 * every so many milliseconds; then the rest, of another 100. Prints for how long it was kept from
 * reading the log, at most, in milliseconds. Its exit status is 1 if something was not pushed.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmd/pusher.h>
#include <util/time_ns.h>

#include "support/fake_log.h"
#include "support/made_program.h"
#include "support/test.h"

#define START		0x400000ul
#define TEXT_BYTES	128
#define SAMPLES		100
#define MUCH		60

static struct fake_log fake;
static struct recording *recording;

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
	struct child_end so_far = { .pid = FAKE_PID };
	struct outcome outcome = {
		.log = { .status.rate = 100, .requested_rate = 100 }, .argv = command,
	};
	struct server server = { 0 };
	uint64_t start, longest = 0;
	struct pusher pusher;
	long i;

	if (argc < 5)
		errx(2, "usage: push_sample PROGRAM URL INTERVALS MILLISECONDS [LABEL...]");
	server = (struct server){
		.url = argv[2], .labels = (const char **)argv + 5, .nr_labels = (size_t)argc - 5,
	};
	recording = recording_new();
	outcome.recording = recording;
	so_far.start_time_ns = time_ns(CLOCK_REALTIME);
	fake_log_open(&fake);
	make_program(argv[1]);
	if (pusher_begin(&pusher, &server))
		err(1, "push");
	for (i = 0; i < strtol(argv[3], NULL, 10); i++) {
		take_samples();
		usleep((useconds_t)strtoul(argv[4], NULL, 10) * 1000);
		so_far.elapsed_ns = time_ns(CLOCK_REALTIME) - so_far.start_time_ns;
		start = time_ns(CLOCK_MONOTONIC);
		pusher_push(&pusher, &outcome, &so_far, fake.read);
		start = time_ns(CLOCK_MONOTONIC) - start;
		longest = start > longest ? start : longest;
	}
	take_samples();
	so_far.elapsed_ns = time_ns(CLOCK_REALTIME) - so_far.start_time_ns;
	printf("%.1f\n", (double)longest / 1e6);
	return pusher_end(&pusher, &outcome, &so_far) ? 0 : 1;
}
