// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs, and the results of their recordings: stories.txt, which explains itself. Each story is a test.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <record/recording_state.h>

#include "support/recorded.h"

#define STORIES	"record/stories.txt"

static const char letters[] = "PCDE";
static bool is_read;	/* there is nothing to read before the next result */

static struct fake_thread thread_of(const char *word)
{
	struct fake_thread thread = { 0 };
	const char *letter = strchr(letters, *word);

	if (letter)
		thread.pid = FAKE_PID + (int)(letter - letters);
	thread.tid = thread.pid + (*word && word[1] ? atoi(word + 2) : 0);
	return thread;
}

static void write_names(int pid, const char *lines)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	file = fopen(path, "w");
	assert_non_null(file);
	for (; *lines; lines++)
		fputc(*lines == '|' ? '\n' : *lines, file);
	fputc('\n', file);
	assert_int_equal(fclose(file), 0);
}

static void write_args(int pid, uint32_t all_bytes, const char *text)
{
	const size_t bytes = strlen(text);
	char args[256];
	size_t i;

	for (i = 0; i < bytes; i++)
		args[i] = text[i] == '|' ? 0 : text[i];
	fake_log_args(&fake, pid, args, bytes, all_bytes ? : (uint32_t)bytes);
}

#define IS(name)	(!strcmp(word[0], name))

static void run_command(char *command)
{
	static const struct profil_record unknown = { .type = 99, .bytes = sizeof(unknown) };
	static const struct profil_record invalid = {
		.type = PROFIL_RECORD_RUN, .bytes = 8, .pid = -1,
	};
	char *word[6] = { "", "", "", "", "", "" }, *copy = strdup(command), *at = copy;
	struct profil_record_map map = { 0 };
	struct fake_thread of;
	uint64_t hex[6], number[6];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(word) && (word[i] = strsep(&at, " ")); i++) {
		hex[i] = strtoull(word[i], NULL, 16);
		number[i] = strtoull(word[i], NULL, 10);
	}
	for (; i < ARRAY_SIZE(word); i++) {
		word[i] = "";
		hex[i] = number[i] = 0;
	}
	of = thread_of(word[1]);
	is_read = IS("invalid") || IS("status") || IS("read-names");
	if (IS("start")) {
		const char *program = *word[2] ? word[2] : "/program";

		fake_log_exec(&fake, of.pid, number[3], 0, "comm");
		fake_log_run_from(&fake, of.pid, number[3]);
		fake_log_map_file(&fake, of.pid, 0x10000, 0x2000, 0x1000, program,
				  PROFIL_MAP_PROGRAM);
	} else if (IS("exec")) {
		fake_log_exec(&fake, of.pid, number[2], !strcmp(word[4], "denied") ?
			      PROFIL_EXEC_DENIED : *word[4] ? PROFIL_EXEC_LEFT : 0, word[3]);
	} else if (IS("run")) {
		fake_log_run_from(&fake, of.pid, number[2]);
	} else if (IS("exit")) {
		fake_log_exit(&fake, of.pid, number[2]);
	} else if (IS("fork")) {
		(*word[3] == 's' ? fake_log_fork_sharing : *word[3] ? fake_log_fork_denied :
		 fake_log_fork)(&fake, of.pid, thread_of(word[2]).pid);
	} else if (IS("thread")) {
		fake_log_thread(&fake, &of, number[2], word[3]);
	} else if (IS("args")) {
		write_args(of.pid, (uint32_t)number[2], *word[3] ? command + (word[3] - copy) : "");
	} else if (IS("program") || IS("map")) {
		fake_log_map_file(&fake, of.pid, hex[2], 0x1000, 0, word[3],
				  IS("program") ? PROFIL_MAP_PROGRAM : 0);
	} else if (IS("memory")) {
		map.start = hex[2];
		map.end = hex[3];
		fake_log_map(&fake, of.pid, &map, word[4]);
	} else if (IS("inode")) {
		map.start = hex[2];
		map.end = hex[2] + 0x1000;
		map.inode = number[3];
		fake_log_map(&fake, of.pid, &map, word[4]);
	} else if (IS("sample")) {
		(*word[4] ? fake_log_kernel : fake_log_user)(&fake, &of, hex[2],
							    (uint32_t)number[3]);
	} else if (IS("lost")) {
		fake_log_lost(&fake, number[1], number[2]);
	} else if (IS("unknown")) {
		fake_log_bytes(&fake, &unknown, sizeof(unknown));
	} else if (IS("names")) {
		write_names(of.pid, command + (word[2] - copy));
	} else if (IS("read")) {
		assert_int_equal(recording_read(recording, fake.read), 1);
	} else if (IS("read-names")) {
		assert_int_equal(recording_read_names(recording), 0);
	} else if (IS("invalid")) {
		if (!*word[1])
			fake_log_bytes(&fake, &invalid, sizeof(invalid));
		assert_int_equal(recording_read(recording, fake.read), -EBADMSG);
	} else if (IS("limit")) {
		recording->processes.limit = number[1];
	} else if (IS("status")) {
		run_log.status.error = *word[2] ? ENOBUFS : 0;
		run_log.status.lost = number[1];
	} else {
		fail_msg("%s: no such command", command);
	}
	free(copy);
}

/* --- the result as text ------------------------------------------------------------------ */

/* " SAMPLES", and how many of them are in the kernel */
static void print_samples(FILE *out, uint64_t samples, uint64_t kernel)
{
	fprintf(out, kernel ? " %" PRIu64 " (%" PRIu64 ")\n" : " %" PRIu64 "\n", samples, kernel);
}

static void print_pid(FILE *out, const char *before, int pid)
{
	const size_t i = (size_t)(pid - FAKE_PID);

	if (i < sizeof(letters) - 1)
		fprintf(out, "%s%c", before, letters[i]);
	else
		fprintf(out, "%s%d", before, pid);
}

/* Not if a process has only its main thread, whose end is not known */
static void print_threads(FILE *out, uint32_t process)
{
	const int pid = result.processes[process].pid;
	bool any = false;
	size_t i;

	for (i = 0; i < result.nr_threads; i++)
		if (result.threads[i].process == process)
			any |= result.threads[i].tid != pid || result.threads[i].has_cpu_ns;
	for (i = 0; any && i < result.nr_threads; i++) {
		const struct result_thread *thread = &result.threads[i];

		if (thread->process != process)
			continue;
		print_pid(out, "", pid);
		fprintf(out, ".%d %s", thread->tid - pid, thread->name ? : "-");
		if (thread->has_cpu_ns)
			fprintf(out, " used %" PRIu64, thread->cpu_ns);
		print_samples(out, thread->samples, thread->system);
	}
}

static void print_process(FILE *out, uint32_t i)
{
	const struct result_process *process = &result.processes[i];
	char **arg;

	print_pid(out, "", process->pid);
	if (process->parent)
		print_pid(out, " of ", process->parent);
	fprintf(out, process->is_fork ? " fork %s" : " %s", process->program);
	if (process->start_cpu_ns)
		fprintf(out, " from %" PRIu64, process->start_cpu_ns);
	if (process->has_ended)
		fprintf(out, " used %" PRIu64, process->cpu_ns);
	print_samples(out, process->samples, process->system);
	if (process->argv) {
		print_pid(out, "", process->pid);
		fputs(" args ", out);
		for (arg = process->argv; *arg; arg++)
			fprintf(out, "%s|", *arg);
		fputc('\n', out);
	}
	print_threads(out, i);
}

static void print_object(FILE *out, const struct result_object *object)
{
	size_t i;

	if (!result_is_file(object))
		fprintf(out, "%s from %" PRIx64 " to %" PRIx64 " + %" PRIx64 "\n", object->path,
			object->start, object->end, object->bias);
	for (i = 0; i < object->nr_functions; i++)
		fprintf(out, "%s from %" PRIx64 " to %" PRIx64 " %s\n", object->path,
			object->functions[i].start, object->functions[i].end,
			object->functions[i].name);
	for (i = 0; i < object->nr_counts; i++) {
		const struct result_count *count = &object->counts[i];
		const struct result_function *function =
			result_is_file(object) ? NULL : result_find_function(object, count->address);

		fprintf(out, "%s %" PRIx64, object->path, count->address);
		if (function)
			fprintf(out, " %s", function->name);
		print_samples(out, count->samples, count->system);
	}
}

static char *print_result(void)
{
	char *text = NULL;
	size_t size;
	uint32_t i;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	if (!result.nr_processes)
		fputs("no process\n", out);
	for (i = 0; i < result.nr_processes; i++)
		print_process(out, i);
	for (i = 0; i < result.nr_objects; i++)
		print_object(out, &result.objects[i]);
	if (result.outside) {
		fputs("outside", out);
		print_samples(out, result.outside, result.outside_system);
	}
	if (result.lost)
		fprintf(out, "lost %" PRIu64 "\n", result.lost);
	if (result.lost_records)
		fprintf(out, "lost records %" PRIu64 "\n", result.lost_records);
	if (result.records_filled_log)
		fputs("records filled the log\n", out);
	if (result.unlisted_processes)
		fprintf(out, "unlisted %" PRIu64 ", %" PRIu64 " used %" PRIu64 "\n",
			result.unlisted_processes, result.unlisted_ended, result.unlisted_cpu_ns);
	for (i = 0; i < result.nr_unprofiled; i++)
		fprintf(out, "unprofiled %s %" PRIu64 " used %" PRIu64 "\n",
			result.unprofiled[i].program, result.unprofiled[i].processes,
			result.unprofiled[i].cpu_ns);
	fclose(out);
	return text;
}

/* --- the stories ------------------------------------------------------------------------- */

FIXTURE(tear_down_story)
{
	size_t i;

	for (i = 0; i < sizeof(letters) - 1; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/tmp/perf-%d.map", FAKE_PID + (int)i);
		unlink(path);
	}
	return tear_down(NULL);
}

/* Parts of a line are separated by "; ". Return: the next one; "": there is none. */
static char *next_part(char **line)
{
	char *part = *line, *end = strstr(part, "; ");

	*line = end ? end + 2 : strchr(part, 0);
	if (end)
		*end = 0;
	return part;
}

static void compare(const char *wanted)
{
	char *text;

	if (!is_read)
		assert_int_equal(recording_read(recording, fake.read), 1);
	collect();
	text = print_result();
	if (strcmp(text, wanted))
		fail_msg("wanted:\n%sgot:\n%s", wanted, text);
	free(text);
}

static void tell(void **state)
{
	char *text = strdup(*state), *rest = text, *line, *part, wanted[2048] = "";

	while ((line = strsep(&rest, "\n"))) {
		const bool is_wanted = *line == '\t';

		if (!is_wanted && *wanted) {
			compare(wanted);
			*wanted = 0;
		}
		if (is_wanted)
			line++;
		while (*line != '#' && *(part = next_part(&line))) {
			if (is_wanted)
				strcat(strcat(wanted, part), "\n");
			else
				run_command(part);
		}
	}
	free(text);
}

static void load_stories(void)
{
	static char text[65536];
	FILE *file = fopen(STORIES, "r");
	char *story, *end;

	if (!file) {
		perror(STORIES);
		exit(1);
	}
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	for (story = strstr(text, "\n== "); story; story = strstr(end + 1, "\n== ")) {
		/* the end of the one before; then the name, and the story */
		*story = 0;
		story += 4;
		end = strchr(story, '\n');
		*end = 0;
		test_add(story, tell, set_up, tear_down_story, end + 1);
	}
}

AT_START(stories)
{
	load_stories();
}
