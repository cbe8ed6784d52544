// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks up addresses in the names that a result has.
 */
#include <stdlib.h>
#include <string.h>

#include "symbol/names_read.h"
#include "util/array.h"

#define MOST_NESTED	32	/* functions that end before an address, within one that has it */

/* Find the innermost function at the address of a caller, which has no place. */
static const struct result_function *find_caller(const struct result_object *object,
						 uint64_t address)
{
	size_t i = array_first_not(object->nr_functions, j, object->functions[j].start <= address);
	const size_t end = i > MOST_NESTED ? i - MOST_NESTED : 0;

	while (i-- > end)
		if (object->functions[i].end > address)
			return &object->functions[i];
	return NULL;
}

int names_read_find(const struct result_object *object, uint64_t address, struct function *function)
{
	const struct result_place *place = result_find_place(object, address);
	const struct result_function *found;

	if (!place)
		found = find_caller(object, address);
	else
		found = place->function == RESULT_NO_FUNCTION ? NULL :
								&object->functions[place->function];
	if (!found)
		return 0;
	*function = (struct function){
		.start = found->start,
		.end = found->end,
		.name = found->name[0] ? found->name : NULL,
		.length = (int)strlen(found->name),
	};
	return 1;
}

static const char *text_of(const struct result *result, uint32_t index)
{
	return index ? result->strings[index] : NULL;
}

static int compare_start(const void *address, const void *function)
{
	const uint64_t wanted = *(const uint64_t *)address;
	const uint64_t start = ((const struct result_function *)function)->start;

	return wanted < start ? -1 : wanted > start;
}

/* Find a function that starts at an address: all that do have one line. Return: NULL: none. */
static const struct result_function *find_start(const struct result_object *object,
						uint64_t address)
{
	if (!object->nr_functions)
		return NULL;
	return bsearch(&address, object->functions, object->nr_functions,
		       sizeof(*object->functions), compare_start);
}

int names_read_line(const struct result *result, const struct result_object *object, uint64_t address,
		struct source_line *line)
{
	const struct result_place *place = result_find_place(object, address);
	const struct result_function *start;
	struct result_frame frame = { 0 };

	if (place && place->nr_frames) {
		frame = object->frames[place->frame];
	} else if (!place) {
		start = find_start(object, address);
		if (start)
			frame = (struct result_frame){ .file = start->file, .line = start->line };
	}
	if (!frame.file)
		return 0;
	line->file = text_of(result, frame.file);
	line->line = (int)frame.line;
	return 1;
}

int names_read_frames(const struct result *result, const struct result_object *object,
		  uint64_t address, struct source_frame frames[SYMBOLS_MAX_FRAMES], size_t *nr)
{
	const struct result_place *place = result_find_place(object, address);
	size_t i;

	*nr = place ? place->nr_frames : 0;
	for (i = 0; i < *nr; i++) {
		const struct result_frame *frame = &object->frames[place->frame + i];

		frames[i] = (struct source_frame){
			.function = text_of(result, frame->function),
			.file = text_of(result, frame->file),
			.line = (int)frame->line,
		};
	}
	return *nr > 0;
}
