// SPDX-License-Identifier: GPL-2.0-only
/*
 * Innermost functions. The start of a function that is not inlined must be known when its inlined
 * copies are found. So all counts of an object are looked up at once: first those in code that is
 * not inlined, then the others.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/innermost.h"

/* A function of the object */
struct row {
	const char *name;	/* NULL: unknown. Equal names have equal addresses (interned.h) */
	const char *file;	/* of its source; NULL: of no importance, or unknown */
	struct function function;
	bool has_own;		/* it has samples in code that is not inlined */
	bool has_inlined;
	char *text;		/* the name that is shown */
	struct row *next;
};

/* Where a count is */
struct place {
	struct row *row;	/* NULL: in no function */
	const char *inlined;	/* name of an inlined function, whose row is not known yet */
	const char *file;	/* as in struct row */
};

struct innermost {
	struct symbols *symbols;
	const struct result *result;
	symbolize_demangle_fn *demangle;
	bool mark;
	size_t object;		/* that @places are of */
	struct place *places;	/* by count; NULL: none */
	struct row *rows;	/* of all objects */
};

/* The rows of an object, while they are made */
struct index {
	struct innermost *innermost;
	void *by_start;		/* a tree of rows that are not inlined */
	void *by_name;		/* a tree of all rows with a name; of equal names, only the first */
};

struct innermost *innermost_new(struct symbols *symbols, const struct result *result,
				symbolize_demangle_fn *demangle, bool mark)
{
	struct innermost *innermost = calloc(1, sizeof(*innermost));

	if (!innermost)
		return NULL;
	innermost->symbols = symbols;
	innermost->result = result;
	innermost->demangle = demangle;
	innermost->mark = mark;
	return innermost;
}

void innermost_free(struct innermost *innermost)
{
	struct row *row, *next;

	if (!innermost)
		return;
	for (row = innermost->rows; row; row = next) {
		next = row->next;
		free(row->text);
		free(row);
	}
	free(innermost->places);
	free(innermost);
}

static int compare_pointers(const void *a, const void *b)
{
	return (uintptr_t)a < (uintptr_t)b ? -1 : (uintptr_t)a > (uintptr_t)b;
}

static int compare_starts(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;

	if (a->function.start != b->function.start)
		return a->function.start < b->function.start ? -1 : 1;
	return compare_pointers(a->name, b->name);
}

static int compare_names(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;
	const int order = compare_pointers(a->name, b->name);

	return order ? order : compare_pointers(a->file, b->file);
}

/*
 * Static functions of several files may have the same name. A mangled name is that of one function,
 * and its file may have several paths.
 */
static const char *file_of(const char *name, const char *file)
{
	return !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2) ? NULL : file;
}

/* Return: the row of @key in a tree, which is added if it is new; NULL: no memory. */
static struct row *need_row(struct index *index, void **tree,
			    int (*compare)(const void *va, const void *vb), const struct row *key)
{
	struct row **found = tfind(key, tree, compare), *row;

	if (found)
		return *found;
	row = malloc(sizeof(*row));
	if (!row)
		return NULL;
	*row = *key;
	row->next = index->innermost->rows;
	index->innermost->rows = row;
	return tsearch(row, tree, compare) ? row : NULL;
}

/* Find the function at an address that is not inlined. Return: 0 or -ENOMEM. */
static int add_own(struct index *index, size_t object, uint64_t address, const char *file,
		   struct place *place)
{
	struct row key = { .has_own = true };
	int found = symbols_find(index->innermost->symbols, object, address, &key.function);

	if (found != 1)
		return found;
	key.name = key.function.name;
	if (key.name)
		key.file = file_of(key.name, file);
	place->row = need_row(index, &index->by_start, compare_starts, &key);
	if (!place->row || (key.name && !tsearch(place->row, &index->by_name, compare_names)))
		return -ENOMEM;
	return 0;
}

static int add_count(struct index *index, size_t object, uint64_t address, struct place *place)
{
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	size_t nr;
	int found = symbols_frames(index->innermost->symbols, object, address, frames, &nr);

	if (found < 0)
		return found;
	if (nr < 2 || !frames[0].function)
		return add_own(index, object, address, nr == 1 ? frames[0].file : NULL, place);
	place->inlined = frames[0].function;
	place->file = file_of(frames[0].function, frames[0].file);
	return 0;
}

static int add_inlined(struct index *index, uint64_t address, struct place *place)
{
	const struct row key = {
		.name = place->inlined,
		.file = place->file,
		.function = {
			.start = address,
			.end = address + 1,
			.name = place->inlined,
			.length = (int)strlen(place->inlined),
		},
	};

	place->row = need_row(index, &index->by_name, compare_names, &key);
	if (!place->row)
		return -ENOMEM;
	place->row->has_inlined = true;
	return 0;
}

/* Set the name that is shown. Return: 0 or -ENOMEM. */
static int name_row(const struct innermost *innermost, struct row *row)
{
	const char *note = row->has_own ? INNERMOST_SOME_NOTE : INNERMOST_ALL_NOTE;
	char *name = NULL;
	int length;

	if (row->text || !row->name)
		return 0;
	if (innermost->demangle)
		name = innermost->demangle(row->name);
	if (!innermost->mark || !row->has_inlined)
		note = "";
	length = asprintf(&row->text, "%s%s", name ? name : row->name, note);
	free(name);
	if (length < 0) {
		row->text = NULL;
		return -ENOMEM;
	}
	return 0;
}

static void keep(void *row)
{
	(void)row;
}

/* Find the functions of all counts of an object. Return: 0 or -ENOMEM. */
static int find_all(struct innermost *innermost, size_t number)
{
	const struct result_object *object = &innermost->result->objects[number];
	struct index index = { .innermost = innermost };
	int error = 0;
	size_t i;

	free(innermost->places);
	innermost->object = number;
	innermost->places = calloc(object->nr_counts + 1, sizeof(*innermost->places));
	if (!innermost->places)
		return -ENOMEM;
	for (i = 0; !error && i < object->nr_counts; i++)
		error = add_count(&index, number, object->counts[i].address, &innermost->places[i]);
	for (i = 0; !error && i < object->nr_counts; i++)
		if (innermost->places[i].inlined)
			error = add_inlined(&index, object->counts[i].address,
					    &innermost->places[i]);
	for (i = 0; !error && i < object->nr_counts; i++)
		if (innermost->places[i].row)
			error = name_row(innermost, innermost->places[i].row);
	tdestroy(index.by_start, keep);
	tdestroy(index.by_name, keep);
	return error;
}

static int compare_counts(const void *va, const void *vb)
{
	const struct result_count *a = va, *b = vb;

	return a->address < b->address ? -1 : a->address > b->address;
}

int innermost_find(void *innermost, size_t object, uint64_t address, struct function *function)
{
	struct innermost *all = innermost;
	const struct result_object *from = &all->result->objects[object];
	const struct result_count *count;
	const struct row *row;

	if ((!all->places || all->object != object) && find_all(all, object))
		return -ENOMEM;
	count = bsearch(&(struct result_count){ .address = address }, from->counts, from->nr_counts,
			sizeof(*count), compare_counts);
	row = count ? all->places[count - from->counts].row : NULL;
	if (!row)
		return 0;
	*function = row->function;
	function->name = row->text;
	function->length = row->text ? (int)strlen(row->text) : 0;
	return 1;
}
