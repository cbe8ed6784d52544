// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows of functions. Each address is looked up by itself. The bounds of a function do not
 * suffice, because another function may lie within them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/jit_objects.h"
#include "record/sample_hook.h"
#include "symbol/symbolize.h"
#include "top/live_functions.h"

#define WAITING	"..."	/* the name of a row whose samples wait for names */

/* An entry of the tree: functions of one name that start elsewhere are others */
struct known {
	const char *place;
	const char *name;
	uint64_t start;
	struct row *row;
};

static int compare(const void *va, const void *vb)
{
	const struct known *a = va, *b = vb;
	int order;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	order = strcmp(a->name, b->name);
	return order || a->place == b->place ? order : strcmp(a->place, b->place);
}

/* Return: the row of a function; NULL: no memory. */
static struct row *need_row(struct live_functions *functions, const char *name, uint64_t start,
			    const char *place)
{
	const struct known key = { .place = place, .name = name, .start = start };
	struct known **found = tfind(&key, &functions->by_name, compare), *new;

	if (found)
		return (*found)->row;
	new = malloc(sizeof(*new));
	if (!new)
		return NULL;
	*new = key;
	new->row = rows_new(&functions->rows, name, place);
	if (new->row)
		new->name = new->row->name;
	if (!new->row || !tsearch(new, &functions->by_name, compare)) {
		free(new);
		return NULL;
	}
	return new->row;
}

/* Return: the row of a file whose samples wait for names; NULL: no memory. */
static struct row *need_waiting(struct live_functions *functions, const struct file *file)
{
	struct row **waiting;
	size_t nr;

	if (file->number >= functions->nr_waiting) {
		nr = 2 * file->number + 16;
		waiting = reallocarray(functions->waiting, nr, sizeof(*waiting));
		if (!waiting)
			return NULL;
		memset(waiting + functions->nr_waiting, 0,
		       (nr - functions->nr_waiting) * sizeof(*waiting));
		functions->waiting = waiting;
		functions->nr_waiting = nr;
	}
	waiting = &functions->waiting[file->number];
	if (!*waiting) {
		*waiting = rows_new(&functions->rows, WAITING, file->path);
		if (*waiting)
			(*waiting)->is_waiting = true;
	}
	return *waiting;
}

static bool is_answered(const struct live_functions *functions, const struct counted_address *address)
{
	return (size_t)(address - functions->addresses.list) < functions->nr_answered;
}

/* Add samples in a file that may have names. */
static int add_in_file(struct live_functions *functions, const struct file *file,
		       const struct result_part *part)
{
	const struct named_address at = { part->address, file->number };
	struct counted_address *address = address_table_find(&functions->addresses, &at);
	double recent;

	if (!address)
		return -ENOMEM;
	if (!address->row)
		address->row = need_waiting(functions, file);
	if (!address->row)
		return -ENOMEM;
	recent = address->row->recent;
	rows_add(&functions->rows, address->row, part->samples, part->system);
	if (!is_answered(functions, address)) {
		address->samples += part->samples;
		address->system += part->system;
		address->recent += address->row->recent - recent;
	}
	return 0;
}

int live_functions_add(struct live_functions *functions, const struct file *file,
		       const struct result_part *part)
{
	const char *name = file ? file->path : RESULT_OUTSIDE, *vdso = NULL;
	struct row *row;

	if (file && file->path[0] != '[')
		return add_in_file(functions, file, part);
	/* other substitutes for a file have no functions */
	if (file)
		vdso = sample_hook_find_vdso(functions->recording, file, part->address);
	row = need_row(functions, vdso ? vdso : name, 0, file ? file->path : "-");
	if (!row)
		return -ENOMEM;
	rows_add(&functions->rows, row, part->samples, part->system);
	return 0;
}

/* A sample_hook_made_fn. The sum of the code without names falls when names are found. */
static int count_made(void *data, const char *program, const char *name, uint64_t samples,
		      uint64_t system)
{
	struct live_functions *functions = data;
	char *nameless = NULL;
	struct row *row = NULL;

	if (name || asprintf(&nameless, ROWS_JIT "%s", program) > 0)
		row = need_row(functions, name ? name : nameless, name ? 0 : 1, RESULT_JIT);
	free(nameless);
	if (!row)
		return -ENOMEM;
	if (samples > row->samples)
		rows_add(&functions->rows, row, samples - row->samples,
			 system > row->system ? system - row->system : 0);
	else if (samples < row->samples)
		rows_drop(&functions->rows, row, row->samples - samples,
			  system < row->system ? row->system - system : 0);
	return 0;
}

int live_functions_count_made(struct live_functions *functions)
{
	return sample_hook_list_made(functions->recording, count_made, functions);
}

/* The function of the first address that was not answered is known. */
static int apply_answer(struct live_functions *functions, const struct named_function *answer)
{
	struct counted_address *address = &functions->addresses.list[functions->nr_answered++];
	struct row *row = need_row(functions, answer->name, answer->start, address->row->place);

	if (!row)
		return -ENOMEM;
	rows_move(&functions->rows, address->row, row, address->samples, address->system,
		  address->recent);
	address->row = row;
	return 0;
}

/* Return: 0 or -ENOMEM. */
static int take_answers(struct live_functions *functions)
{
	struct named_function answer;
	int status, error = 0;

	while (!error && (status = name_reader_answer(functions->reader, &answer)) > 0)
		error = apply_answer(functions, &answer);
	if (error || !status)
		return error;
	/* what crashed the helper would crash the next one, too */
	if (functions->nr_answered < functions->nr_asked) {
		answer = (struct named_function){ .name = SYMBOLIZE_REST };
		error = apply_answer(functions, &answer);
	}
	functions->nr_asked = functions->nr_answered;
	return error;
}

/* Return: whether an answer is near. */
static bool ask(struct live_functions *functions)
{
	struct named_address addresses[NAME_READER_BATCH];
	const size_t nr_asked = functions->nr_asked;
	size_t nr;

	while (functions->nr_asked < functions->addresses.nr) {
		for (nr = 0; nr < NAME_READER_BATCH && functions->nr_asked + nr < functions->addresses.nr;
		     nr++)
			addresses[nr] = functions->addresses.list[functions->nr_asked + nr].at;
		if (!name_reader_ask(functions->reader, addresses, nr))
			break;
		functions->nr_asked += nr;
	}
	return functions->nr_asked > nr_asked;
}

int live_functions_name(struct live_functions *functions)
{
	int error = take_answers(functions);

	if (error || !ask(functions))
		return error;
	name_reader_wait(functions->reader);
	return take_answers(functions);
}

size_t live_functions_waiting(const struct live_functions *functions)
{
	return functions->addresses.nr - functions->nr_answered;
}

void live_functions_release(struct live_functions *functions)
{
	name_reader_free(functions->reader);
	tdestroy(functions->by_name, free);
	address_table_release(&functions->addresses);
	rows_release(&functions->rows);
	free(functions->waiting);
	memset(functions, 0, sizeof(*functions));
}
