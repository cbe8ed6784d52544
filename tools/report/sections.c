// SPDX-License-Identifier: GPL-2.0-only
/*
 * The samples of wanted functions by address, and the code around these.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/sections.h"
#include "util/array.h"

static int add_count(struct section *section, const struct result_count *count)
{
	struct result_count *last = array_append(section->counts, section->nr_counts);

	if (!last)
		return -ENOMEM;
	*last = *count;
	section->samples += count->samples;
	return 0;
}

/* The counts of a function are consecutive. Code between functions is one section. */
static bool is_same(const struct section *section, size_t object, enum belonging belonging,
		    const struct function *function)
{
	if (section->object != object || section->belonging != belonging)
		return false;
	return section->function.start == function->start ||
	       (function->end - function->start == 1 && section->function.end > function->end);
}

/* Return: NULL: no memory. */
static struct section *find_section(struct sections *sections, size_t object, uint64_t end,
				    enum belonging belonging, const struct function *function)
{
	struct section *section;

	if (sections->nr && is_same(&sections->list[sections->nr - 1], object, belonging, function))
		return &sections->list[sections->nr - 1];
	section = array_append(sections->list, sections->nr);
	if (!section)
		return NULL;
	*section = (struct section){
		.object = object, .function = *function, .belonging = belonging,
	};
	/* nothing tells where code in no function ends (wanted_find()) */
	if (function->end - function->start == 1 && function->end < end)
		section->function.end = end;
	return section;
}

static int add_object(struct sections *sections, const struct result *result,
		      struct symbols *symbols, struct wanted *wanted, size_t i)
{
	const struct result_object *object = &result->objects[i];
	size_t count;

	for (count = 0; count < object->nr_counts; count++) {
		struct section *section;
		struct function function;
		int found = wanted_find(wanted, symbols, i, object->counts[count].address,
					&function);

		if (found < 0)
			return found;
		if (found == BELONGS_NOT)
			continue;
		section = find_section(sections, i, object->end, (enum belonging)found, &function);
		if (!section || add_count(section, &object->counts[count]))
			return -ENOMEM;
	}
	return 0;
}

static int compare_sections(const void *va, const void *vb)
{
	const struct section *a = va, *b = vb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->function.start < b->function.start ? -1 : a->function.start > b->function.start;
}

int sections_collect(struct sections *sections, const struct result *result,
		     struct symbols *symbols, struct wanted *wanted)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < result->nr_objects; i++)
		error = add_object(sections, result, symbols, wanted, i);
	if (!error && sections->nr)
		qsort(sections->list, sections->nr, sizeof(*sections->list), compare_sections);
	return error;
}

void sections_release(struct sections *sections)
{
	size_t i;

	for (i = 0; i < sections->nr; i++)
		free(sections->list[i].counts);
	free(sections->list);
	memset(sections, 0, sizeof(*sections));
}
