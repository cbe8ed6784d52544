// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fixed recording, for ../host/cost_test.sh: what it costs to read it, to write a snapshot and
 * the result, and how large these are.
 *
 * usage: cost_sample DIRECTORY
 *
 * Writes a snapshot and a result to DIRECTORY, and prints the size of the message in the result.
 * Then writes a program with the functions of the result, and "named", the same result with the
 * path of that program, to be reported. Each step is a function of its own, which callgrind shows.
 *
 * The recording is like that of a build: short processes of one program and two libraries, and
 * samples at many addresses, of which few have many.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <live/run.h>
#include <result/resultfile.h>
#include <result/resultpack.h>
#include <symbol/names_write.h>
#include <symbol/symbols.h>

#include "support/fake_log.h"
#include "support/made_program.h"
#include "support/test.h"

#define PROCESSES	64
#define SAMPLES		1000	/* of each process; their records fit in a pipe */
#define FUNCTIONS	2048
#define FUNCTION_BYTES	64
#define TEXT_BYTES	(FUNCTIONS * FUNCTION_BYTES)
#define TEXT_START	0x400000ul
#define LIBRARY_START	0x7f0000000000ul
#define PROGRAM		"/made/program"

#define STEP	__attribute__((noinline, noclone)) void

static struct fake_log fake;
static struct recording *recording;
static struct live_run run;

/* Return: the same numbers in each run, below @limit. */
static unsigned long number(unsigned long limit)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % limit;
}

/* The first functions have most of the samples. */
static uint64_t any_pc(void)
{
	const uint64_t offset = number(number(TEXT_BYTES) + 1) & ~3ul;

	return offset + (number(4) ? TEXT_START : LIBRARY_START + number(2) * TEXT_BYTES * 2);
}

static STEP step_read(void)
{
	if (recording_read(recording, fake.read) != 1)
		errx(1, "the log cannot be read");
}

static void record_process(int pid)
{
	int i;

	if (pid != FAKE_PID)
		fake_log_fork(&fake, pid, FAKE_PID);
	fake_log_exec(&fake, pid, 1000000, 0, "program");
	fake_log_map_file(&fake, pid, TEXT_START, TEXT_BYTES, 0, PROGRAM, PROFIL_MAP_PROGRAM);
	fake_log_map_file(&fake, pid, LIBRARY_START, TEXT_BYTES, 0, "/made/library1", 0);
	fake_log_map_file(&fake, pid, LIBRARY_START + 2 * TEXT_BYTES, TEXT_BYTES, 0,
			  "/made/library2", 0);
	fake_log_run(&fake, pid);
	step_read();
	for (i = 0; i < SAMPLES; i++)
		fake_log_sample(&fake, pid, any_pc(), 1);
	step_read();
	if (pid != FAKE_PID)
		fake_log_exit(&fake, pid, SAMPLES * 10000000ull + number(1000000));
	step_read();
}

/* What the helper of a snapshot does */
static STEP step_snapshot(void)
{
	struct resultfile file = { .path = "snapshot", .is_written = true };
	struct result result;
	char *left;

	resultfile_look(&file);
	recording_sort(recording);
	if (live_collect(&run, &result) || resultfile_replace(&file, &result, false, &left))
		errx(1, "no snapshot");
	result_release(&result);
}

static STEP step_collect(struct result *result)
{
	if (live_collect(&run, result))
		errx(1, "no result");
}

static STEP step_write(struct result *result)
{
	char *left;

	if (resultfile_write("result", result, &left, NULL))
		errx(1, "the result cannot be written");
}

/* Let the size of a result not depend on the machine. */
static void fix_names(struct result *result)
{
	free(result->host);
	free(result->kernel);
	result->host = strdup("host");
	result->kernel = strdup("6.12 x86_64");
}

static void make_program(void)
{
	static struct made_function functions[FUNCTIONS + 1];
	static char names[FUNCTIONS][16];
	size_t i;

	for (i = 0; i < FUNCTIONS; i++) {
		snprintf(names[i], sizeof(names[i]), "function_%zu", i);
		functions[i] = (struct made_function){
			.name = names[i],
			.start = i * FUNCTION_BYTES,
			.size = FUNCTION_BYTES,
		};
	}
	if (!made_program_write("program", ELFCLASS64, 0, TEXT_BYTES, functions, false))
		err(1, "program");
}

/* As if the program had been read. The addresses in it are offsets in the file. */
static void write_named(struct result *result)
{
	struct result_object *object = result->objects;
	char *left;

	while (strcmp(object->path, PROGRAM))
		object++;
	free(object->path);
	object->path = realpath("program", NULL);
	object->unread = false;
	if (!object->path || resultfile_write("named", result, &left, NULL))
		err(1, "named");
}

/* The same with names in the result. */
static void write_stored(struct result *result)
{
	struct symbols *symbols = symbols_new(result, NULL);
	char *left;

	if (!symbols || names_write(result, symbols) ||
	    resultfile_write("stored", result, &left, NULL))
		errx(1, "stored");
	symbols_free(symbols);
}

int main(int argc, char **argv)
{
	static char *command[] = { "program", NULL };
	unsigned char *message;
	struct result result;
	size_t bytes;
	int i;

	if (argc != 2 || chdir(argv[1]))
		errx(1, "usage: cost_sample DIRECTORY");
	recording = recording_new();
	fake_log_open(&fake);
	run = (struct live_run){
		.recording = recording,
		.log = { .status.rate = 100, .requested_rate = 100 },
		.so_far = { .pid = FAKE_PID, .elapsed_ns = 1000000000 },
		.argv = command,
	};
	for (i = 0; i < PROCESSES; i++)
		record_process(FAKE_PID + i);
	step_snapshot();
	record_process(FAKE_PID + PROCESSES);
	step_snapshot();
	step_collect(&result);
	fix_names(&result);
	step_write(&result);
	if (resultpack_pack(&result, &message, &bytes))
		errx(1, "no memory");
	printf("%zu\n", bytes);
	free(message);
	make_program();
	write_named(&result);
	write_stored(&result);
	result_release(&result);
	recording_free(recording);
	fake_log_close(&fake);
	return 0;
}
