// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fixed recording of a shell that executes a program again and again, for ../host/cost_test.sh:
 * what each of these costs the command.
 *
 * usage: cost_forks DIRECTORY NUMBER
 *
 * The records are those of the kernel for /bin/true, without samples. The steps are functions of
 * their own, which callgrind shows.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmd/outcome.h>

#include "support/fake_log.h"
#include "support/test.h"

#define SHELL		"/bin/sh"
#define PROGRAM		"/bin/true"
#define LINKER		"/lib64/ld-linux-x86-64.so.2"
#define LIBRARY		"/lib/x86_64-linux-gnu/libc.so.6"

#define STEP	__attribute__((noinline, noclone)) void

static struct fake_log fake;
static struct recording *recording;
static struct outcome outcome;
static struct live_run run;

static STEP step_read(void)
{
	if (recording_read(recording, fake.read) != 1)
		errx(1, "the log cannot be read");
}

static void execute(int pid, const char *path, const char *args, size_t bytes)
{
	const char *name = path + sizeof("/bin/") - 1;

	fake_log_exec(&fake, pid, 1000000, 0, name);
	fake_log_map_file(&fake, pid, 0x555555554000, 0x4000, 0x2000, path, PROFIL_MAP_PROGRAM);
	fake_log_map_file(&fake, pid, 0x7ffff7fc5000, 0x25000, 0x1000, LINKER, 0);
	fake_log_map_file(&fake, pid, 0x7ffff7df0000, 0x155000, 0x26000, LIBRARY, 0);
	fake_log_args(&fake, pid, args, bytes, (uint32_t)bytes);
	fake_log_run_from(&fake, pid, 1100000);
}

static void fork_and_execute(int pid)
{
	static const char args[] = PROGRAM;

	fake_log_fork(&fake, pid, FAKE_PID);
	execute(pid, PROGRAM, args, sizeof(args));
	fake_log_thread(&fake, &(struct fake_thread){ pid, pid }, 2000000, "true");
	fake_log_exit(&fake, pid, 2000000 + 1000u * (unsigned int)(pid % 64));
}

static STEP step_end(void)
{
	if (!outcome_show(&outcome, &run))
		errx(1, "no result");
}

int main(int argc, char **argv)
{
	static const char args[] = "sh\0script";
	static struct resultfile file = { .path = "forks" };
	static const struct table_choice choice;
	static char *command[] = { "sh", "script", NULL };
	int nr, i;

	if (argc != 3 || chdir(argv[1]))
		errx(1, "usage: cost_forks DIRECTORY NUMBER");
	nr = atoi(argv[2]);
	recording = recording_new();
	fake_log_open(&fake);
	run = (struct live_run){
		.recording = recording,
		.log = { .status.rate = 100, .requested_rate = 100 },
		.so_far = { .pid = FAKE_PID, .elapsed_ns = 1000000000 },
		.argv = command,
	};
	outcome = (struct outcome){
		.file = &file,
		.table = stdout,
		.table_name = "standard output",
		.choice = &choice,
	};
	execute(FAKE_PID, SHELL, args, sizeof(args));
	for (i = 1; i <= nr; i++) {
		fork_and_execute(FAKE_PID + 1 + i % 256);
		if (i % 16 == 0)
			step_read();
	}
	step_read();
	step_end();
	recording_free(recording);
	fake_log_close(&fake);
	return 0;
}
