// SPDX-License-Identifier: GPL-2.0-only
/*
 * mon.out files by function. Counters and calls are both in the order of their pcs, so
 * consecutive ones are mostly of one function, and are added up as they are read. Then the sums
 * are sorted and merged by function.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monout/prof.h"
#include "util/array.h"

/* Samples and calls of a part of a function. The start identifies the function (functions.h). */
struct part {
	struct function function;
	double samples;
	uint64_t calls;
};

struct parts {
	struct part *part;
	size_t nr;
	struct part nowhere;	/* samples and calls outside functions */
};

/* Add samples and calls to a part. Calls saturate. */
static void add_to_part(struct part *to, double samples, uint64_t calls)
{
	to->samples += samples;
	if (__builtin_add_overflow(to->calls, calls, &to->calls))
		to->calls = UINT64_MAX;
}

/* Return: 0 or -ENOMEM. */
static int add_part(struct parts *parts, const struct part *new)
{
	struct part *last = parts->nr ? &parts->part[parts->nr - 1] : NULL, *part;

	if (last && last->function.start == new->function.start) {
		add_to_part(last, new->samples, new->calls);
		return 0;
	}
	part = array_append(parts->part, parts->nr);
	if (!part)
		return -ENOMEM;
	*part = *new;
	return 0;
}

/* @found: as from a symbols_find_fn. Return: 0 or -errno. */
static int add(struct parts *parts, int found, const struct part *new)
{
	if (found < 0)
		return found;
	if (found)
		return add_part(parts, new);
	add_to_part(&parts->nowhere, new->samples, new->calls);
	return 0;
}

/* Add the samples of a counter to one function. */
static int add_whole(struct parts *parts, uint64_t first, uint64_t last, double samples,
		     const struct prof_functions *functions)
{
	struct part new = { .samples = samples };
	int found = functions->find(functions->symbols, 0, first, &new.function);

	if (!found)
		found = functions->find(functions->symbols, 0, last, &new.function);
	return add(parts, found, &new);
}

/* Divide the samples of a counter, which covers the text from @first to @last. */
static int add_divided(struct parts *parts, uint64_t first, uint64_t last, double samples,
		       const struct prof_functions *functions)
{
	const double bytes = (double)(last - first) + 1;

	for (;;) {
		struct part new = { 0 };
		int error, found = functions->find(functions->symbols, 0, first, &new.function);
		uint64_t end = last + 1;	/* of this part; 0: the end of all addresses */

		if (found >= 0 && new.function.end > first && new.function.end <= last)
			end = new.function.end;
		new.samples = samples * (double)(end - first) / bytes;
		error = add(parts, found, &new);
		if (error || end == last + 1)
			return error;
		first = end;
	}
}

static int add_counter(struct parts *parts, const struct monout *monout, size_t counter,
		       const struct prof_functions *functions)
{
	const double samples = monout_samples(monout, counter);
	uint64_t first, last;

	/* profiling was off, so the counter has no pc */
	if (monout->scale < 2)
		return add(parts, 0, &(struct part){ .samples = samples });
	first = monout_pc(monout, counter);
	last = monout_pc(monout, counter + 1) - 1;
	if (!functions->divide)
		return add_whole(parts, first, last, samples, functions);
	/* the last counter can cover more than the text that was sampled */
	if (last >= monout->high && first < monout->high)
		last = monout->high - 1;
	return add_divided(parts, first, last < first ? first : last, samples, functions);
}

static int add_counters(struct parts *parts, const struct monout *monout,
			const struct prof_functions *functions)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < monout->nr_counters; i++)
		if (monout_samples(monout, i))
			error = add_counter(parts, monout, i, functions);
	return error;
}

static int add_calls(struct parts *parts, const struct monout *monout,
		     const struct prof_functions *functions)
{
	symbols_find_fn *find = functions->find_called ? functions->find_called : functions->find;
	int error = 0;
	size_t i;

	for (i = 0; !error && i < monout->nr_calls; i++) {
		struct part new = { .calls = monout->calls[i].calls };
		int found = find(functions->symbols, 0, monout->calls[i].pc, &new.function);

		if (found || !functions->find_called)
			error = add(parts, found, &new);
	}
	return error;
}

static int add_always(struct parts *parts, const struct prof_functions *functions)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < functions->nr_always; i++)
		error = add_part(parts, &(struct part){ .function = functions->always[i] });
	return error;
}

static int compare_starts(const void *va, const void *vb)
{
	const struct part *a = va, *b = vb;

	if (a->function.start != b->function.start)
		return a->function.start < b->function.start ? -1 : 1;
	return 0;
}

static void merge_parts(struct parts *parts)
{
	size_t i, nr = parts->nr ? 1 : 0;

	if (nr)
		qsort(parts->part, parts->nr, sizeof(*parts->part), compare_starts);
	for (i = 1; i < parts->nr; i++) {
		const struct part *next = &parts->part[i];

		if (!compare_starts(&parts->part[nr - 1], next))
			add_to_part(&parts->part[nr - 1], next->samples, next->calls);
		else
			parts->part[nr++] = *next;
	}
	parts->nr = nr;
}

/* Return: a name, to be freed with free(); NULL: no memory. */
static char *name_function(const struct function *function, symbolize_demangle_fn *demangle)
{
	char *symbol, *name;

	if (!function->name || function->length <= 0)
		return asprintf(&name, "0x%" PRIx64, function->start) < 0 ? NULL : name;
	symbol = strndup(function->name, (size_t)function->length);
	name = symbol && demangle ? demangle(symbol) : NULL;
	if (!name)
		return symbol;
	free(symbol);
	return name;
}

/* Append a row, which takes ownership of @name; NULL: no memory. Return: 0 or -ENOMEM. */
static int add_row(struct prof *prof, const struct part *part, char *name, bool is_function)
{
	if (!name)
		return -ENOMEM;
	prof->rows[prof->nr_rows++] = (struct prof_row){
		.name = name,
		.is_function = is_function,
		.address = part->function.start,
		.samples = part->samples,
		.calls = part->calls,
	};
	prof->samples += part->samples;
	return 0;
}

static int make_rows(struct prof *prof, const struct parts *parts,
		     symbolize_demangle_fn *demangle)
{
	const struct part *nowhere = &parts->nowhere;
	int error = 0;
	size_t i;

	prof->rows = calloc(parts->nr + 1, sizeof(*prof->rows));
	if (!prof->rows)
		return -ENOMEM;
	for (i = 0; !error && i < parts->nr; i++)
		error = add_row(prof, &parts->part[i],
				name_function(&parts->part[i].function, demangle), true);
	if (!error && (nowhere->samples || nowhere->calls))
		error = add_row(prof, nowhere, strdup(PROF_NOWHERE), false);
	return error;
}

int prof_make(struct prof *prof, const struct monout *files, size_t nr_files,
	      const struct prof_functions *functions)
{
	struct parts parts = { 0 };
	int error;
	size_t i;

	memset(prof, 0, sizeof(*prof));
	error = add_always(&parts, functions);
	for (i = 0; !error && i < nr_files; i++) {
		error = add_counters(&parts, &files[i], functions);
		if (!error)
			error = add_calls(&parts, &files[i], functions);
	}
	if (!error) {
		merge_parts(&parts);
		error = make_rows(prof, &parts, functions->demangle);
	}
	free(parts.part);
	prof_sort(prof->rows, prof->nr_rows, PROFILE_BY_SAMPLES);
	return error;
}

static int compare_addresses(const void *va, const void *vb)
{
	const struct prof_row *a = va, *b = vb;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->is_function - b->is_function;
}

static int compare_samples(const void *va, const void *vb)
{
	const struct prof_row *a = va, *b = vb;
	int order;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	order = strcmp(a->name, b->name);
	return order ? order : compare_addresses(a, b);
}

static int compare_names(const void *va, const void *vb)
{
	const struct prof_row *a = va, *b = vb;
	int order = strcmp(a->name, b->name);

	return order ? order : compare_samples(a, b);
}

void prof_sort(struct prof_row *rows, size_t nr, enum profile_order order)
{
	static int (*const compare[])(const void *va, const void *vb) = {
		[PROFILE_BY_SAMPLES] = compare_samples,
		[PROFILE_BY_NAME] = compare_names,
		[PROFILE_BY_OBJECT] = compare_samples,
		[PROFILE_BY_ADDRESS] = compare_addresses,
	};

	if (nr)
		qsort(rows, nr, sizeof(*rows), compare[order]);
}

static int compare_calls(const void *va, const void *vb)
{
	const struct prof_row *a = va, *b = vb;

	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	return compare_samples(a, b);
}

void prof_sort_by_calls(struct prof_row *rows, size_t nr)
{
	if (nr)
		qsort(rows, nr, sizeof(*rows), compare_calls);
}

void prof_release(struct prof *prof)
{
	size_t i;

	for (i = 0; i < prof->nr_rows; i++)
		free(prof->rows[i].name);
	free(prof->rows);
	memset(prof, 0, sizeof(*prof));
}
