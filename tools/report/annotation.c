// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source lines that a function has samples in, including lines of other files from which code
 * was inlined.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "report/annotation.h"
#include "symbol/demangle.h"

/* A name that was compared with the wanted one: demangling takes long */
struct name {
	const char *text;	/* identifies the name: symbols keep one copy of each */
	bool is_wanted;
};

/* How an address belongs to the wanted function */
enum belonging {
	NOT,
	OWN,		/* the function has the code */
	INLINED,	/* it is inlined there */
};

static int add_line(struct annotation *annotation, const struct source_line *source,
		    uint64_t samples)
{
	if (annotation->nr == annotation->room) {
		size_t room = annotation->room ? 2 * annotation->room : 64;
		struct annotation_line *lines = reallocarray(annotation->lines, room, sizeof(*lines));

		if (!lines)
			return -ENOMEM;
		annotation->lines = lines;
		annotation->room = room;
	}
	annotation->lines[annotation->nr++] =
		(struct annotation_line){ *source, samples };
	return 0;
}

static int compare_lines(const void *va, const void *vb)
{
	const struct annotation_line *a = va, *b = vb;
	int order = strcmp(a->source.file, b->source.file);

	if (order)
		return order;
	return a->source.line < b->source.line ? -1 : a->source.line > b->source.line;
}

static void merge_lines(struct annotation *annotation)
{
	size_t from, to = 0;

	if (!annotation->nr)
		return;
	qsort(annotation->lines, annotation->nr, sizeof(*annotation->lines), compare_lines);
	for (from = 1; from < annotation->nr; from++) {
		if (!compare_lines(&annotation->lines[to], &annotation->lines[from]))
			annotation->lines[to].samples += annotation->lines[from].samples;
		else
			annotation->lines[++to] = annotation->lines[from];
	}
	annotation->nr = to + 1;
}

/* Whether @name is @wanted. The user may omit the parameters of a C++ function. */
static bool has_name(const char *name, const char *wanted)
{
	size_t length = strlen(wanted);

	return !strncmp(name, wanted, length) && (!name[length] || name[length] == '(');
}

/* Whether a symbol or its demangled name is wanted. Return: 1, 0 or -ENOMEM. */
static int compare_symbol(const struct annotation *annotation, const char *text, size_t length)
{
	char *symbol = strndup(text, length), *name;
	int found;

	if (!symbol)
		return -ENOMEM;
	name = annotation->keep_mangled ? NULL : demangle(symbol);
	found = has_name(symbol, annotation->function) ||
		(name && has_name(name, annotation->function));
	free(name);
	free(symbol);
	return found;
}

static int compare_names(const void *va, const void *vb)
{
	const struct name *a = va, *b = vb;

	return (uintptr_t)a->text < (uintptr_t)b->text ? -1 :
	       (uintptr_t)a->text > (uintptr_t)b->text;
}

/* The same for a name from @symbols, which may be NULL. */
static int is_wanted(struct annotation *annotation, const char *text, size_t length)
{
	struct name **found, *new;
	int wanted;

	if (!text)
		return 0;
	found = tfind(&(struct name){ .text = text }, &annotation->names, compare_names);
	if (found)
		return (*found)->is_wanted;
	wanted = compare_symbol(annotation, text, length);
	if (wanted < 0)
		return wanted;
	new = malloc(sizeof(*new));
	if (!new)
		return -ENOMEM;
	*new = (struct name){ text, wanted };
	if (!tsearch(new, &annotation->names, compare_names)) {
		free(new);
		return -ENOMEM;
	}
	return wanted;
}

/*
 * Find out how an address belongs to the wanted function. @function: the one that has the code.
 * Return: an enum belonging, or -ENOMEM.
 */
static int find_belonging(struct annotation *annotation, struct symbols *symbols, size_t object,
			  uint64_t address, const struct function *function)
{
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	int wanted = is_wanted(annotation, function->name, (size_t)function->length), found;
	size_t nr, i;

	if (wanted)
		return wanted < 0 ? wanted : OWN;
	if (!annotation->inlined)
		return NOT;
	found = symbols_frames(symbols, object, address, frames, &nr);
	if (found < 0)
		return found;
	for (i = 0; !wanted && i + 1 < nr; i++)
		if (frames[i].function)
			wanted = is_wanted(annotation, frames[i].function,
					   strlen(frames[i].function));
	return wanted < 0 ? wanted : wanted ? INLINED : NOT;
}

static int add_count(struct annotation *annotation, struct symbols *symbols, size_t object,
		     uint64_t address, uint64_t samples)
{
	struct source_line source;
	int found = symbols_line(symbols, object, address, &source);

	annotation->samples += samples;
	if (!found)
		annotation->unknown += samples;
	return found == 1 ? add_line(annotation, &source, samples) : found;
}

static int add_object(struct annotation *annotation, const struct result *result,
		      struct symbols *symbols, size_t i)
{
	const struct result_object *object = &result->objects[i];
	uint64_t last = 0;
	bool has_last = false;
	struct function function;
	size_t count;

	for (count = 0; count < object->nr_counts; count++) {
		const uint64_t address = object->counts[count].address;
		const uint64_t samples = object->counts[count].samples;
		int found = symbols_find(symbols, i, address, &function);

		if (!found)
			function = (struct function){ .start = address, .end = address + 1 };
		if (found >= 0)
			found = find_belonging(annotation, symbols, i, address, &function);
		if (found < 0)
			return found;
		if (found == NOT)
			continue;
		annotation->nr_inlined += found == INLINED ? samples : 0;
		found = add_count(annotation, symbols, i, address, samples);
		if (found < 0)
			return found;
		/* the counts of a function are consecutive */
		annotation->functions += !has_last || last != function.start;
		last = function.start;
		has_last = true;
	}
	if (has_last && !annotation->problem)
		annotation->problem = symbols_explain_lines(symbols, i);
	return 0;
}

int annotation_collect(struct annotation *annotation, const struct result *result,
		       struct symbols *symbols)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < result->nr_objects; i++)
		error = add_object(annotation, result, symbols, i);
	if (!error)
		merge_lines(annotation);
	return error;
}

void annotation_release(struct annotation *annotation)
{
	tdestroy(annotation->names, free);
	free(annotation->problem);
	free(annotation->lines);
	*annotation = (struct annotation){
		.function = annotation->function,
		.keep_mangled = annotation->keep_mangled,
		.inlined = annotation->inlined,
	};
}
