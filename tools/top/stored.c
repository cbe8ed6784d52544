// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows of a stored result. Its names may have to be read from files, which a helper does.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/profile.h"
#include "symbol/symbols.h"
#include "top/stored.h"
#include "util/base_name.h"
#include "util/time_ns.h"

/* What the helper hands over of a function; its name follows */
struct stored_function {
	uint64_t samples;
	uint64_t system;
	size_t object;	/* index; SIZE_MAX: none */
	size_t bytes;	/* of the name and its 0 */
};

/* Arguments of write_functions() */
struct writing {
	const struct result *result;
	int file;
};

/* Return: 0 or errno. */
static int write_functions(void *data)
{
	const struct writing *writing = data;
	struct symbols *symbols = symbols_new(writing->result, NULL);
	struct profile profile = { 0 };
	int error = symbols ? profile_make(&profile, writing->result, symbols_find, symbols) :
			      -ENOMEM;
	FILE *out = error ? NULL : fdopen(dup(writing->file), "w");
	size_t i;

	if (!error)
		profile_demangle(&profile);
	for (i = 0; out && i < profile.nr_rows; i++) {
		const struct profile_row *row = &profile.rows[i];
		const struct stored_function function = {
			row->samples, row->system, row->index, strlen(row->function) + 1,
		};

		fwrite(&function, sizeof(function), 1, out);
		fwrite(row->function, function.bytes, 1, out);
	}
	profile_release(&profile);
	symbols_free(symbols);
	if (!error && (!out || fclose(out)))
		error = -errno;
	return -error;
}

/* Return: 0 or -ENOMEM. */
static int add(struct rows *rows, struct row *row, uint64_t samples, uint64_t system)
{
	if (!row)
		return -ENOMEM;
	rows_add(rows, row, samples, system);
	return 0;
}

/* Return: 0; -EBADMSG: the helper has not written this; or -ENOMEM. */
static int take_functions(struct rows *rows, const struct result *result, const char *at,
			  const char *end)
{
	int error = 0;

	while (!error && at < end) {
		struct stored_function function;
		const char *name = at + sizeof(function);

		if ((size_t)(end - at) < sizeof(function))
			return -EBADMSG;
		memcpy(&function, at, sizeof(function));
		if (!function.bytes || function.bytes > (size_t)(end - name) ||
		    name[function.bytes - 1] ||
		    (function.object != SIZE_MAX && function.object >= result->nr_objects))
			return -EBADMSG;
		at = name + function.bytes;
		error = add(rows, rows_new(rows, name, function.object == SIZE_MAX ? "-" :
					   result->objects[function.object].path),
			    function.samples, function.system);
	}
	return error;
}

static int add_functions(struct rows *rows, const struct result *result, char why[HELPER_WHY])
{
	struct writing writing = { result, helper_file() };
	struct helper helper = { .error = writing.file < 0 ? writing.file : 0 };
	char *text = NULL;
	size_t bytes;

	if (writing.file >= 0) {
		helper_run(&helper, &(struct helper_work){
			.run = write_functions, .data = &writing, .is_bounded = true,
		});
		text = (char *)helper_read(writing.file, &bytes);
		close(writing.file);
	}
	if (!helper.killer && !helper.error)
		helper.error = text ? take_functions(rows, result, text, text + bytes) : -ENOMEM;
	free(text);
	helper_explain(&helper, why);
	return helper.killer ? -EPROTO : helper.error;
}

static int add_threads(struct rows *rows, const struct result *result)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < result->nr_threads; i++) {
		const struct result_thread *thread = &result->threads[i];
		const struct result_process *process = thread->process == RESULT_NO_PROCESS ?
						       NULL : &result->processes[thread->process];
		const char *name = result_text(thread->name);
		struct row *row = rows_new(rows, name ? name : RESULT_UNKNOWN,
					   process ? process->program : RESULT_UNKNOWN);

		error = add(rows, row, thread->samples, thread->system);
		if (row) {
			row->pid = process ? process->pid : 0;
			row->tid = thread->tid;
		}
	}
	return error;
}

/* Programs are few. */
static int add_programs(struct rows *rows, const struct result *result)
{
	int error = 0;
	size_t i, j;

	for (i = 0; !error && i < result->nr_processes; i++) {
		const struct result_process *process = &result->processes[i];

		for (j = 0; j < rows->nr; j++)
			if (!strcmp(rows->list[j]->place, process->program))
				break;
		error = add(rows, j < rows->nr ? rows->list[j] :
			    rows_new(rows, base_name(process->program), process->program),
			    process->samples, process->system);
	}
	return error;
}

int stored_fill(struct rows *const *tables, const struct result *result, char why[HELPER_WHY])
{
	size_t by;
	int error;

	for (by = 0; by < NR_PAINT_BYS; by++) {
		tables[by]->weight = 1;
		tables[by]->whole_s = (double)result->elapsed_ns / NS_PER_S;
	}
	error = add_functions(tables[PAINT_FUNCTIONS], result, why);
	if (!error)
		error = add_threads(tables[PAINT_THREADS], result);
	if (!error)
		error = add_programs(tables[PAINT_PROGRAMS], result);
	return error;
}
