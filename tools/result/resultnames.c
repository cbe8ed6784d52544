// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names in a result as a message: a result of its own, which has the objects with their
 * addresses, as places are in the order of these, and the least of what a result must have.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/resultnames.h"
#include "result/resultpack.h"

/* Copy an object, with one sample at each of its addresses. */
static int copy_object(struct result_object *to, const struct result_object *from)
{
	size_t i;

	*to = *from;
	to->parts = calloc(from->nr_parts + 1, sizeof(*to->parts));
	to->nr_parts = 0;
	if (!to->parts)
		return -ENOMEM;
	for (i = 0; i < from->nr_parts; i++)
		if (!i || from->parts[i].address != from->parts[i - 1].address)
			to->parts[to->nr_parts++] = (struct result_part){
				.address = from->parts[i].address,
				.samples = 1,
				.thread = RESULT_NO_THREAD,
			};
	return 0;
}

int resultnames_pack(const struct result *result, unsigned char **message, size_t *bytes)
{
	static char name[] = "names";
	static char *argv[] = { name, NULL };
	struct result_process process = { .program = name };
	struct result names = {
		.argv = argv,
		.rate = 1,
		.objects = calloc(result->nr_objects + 1, sizeof(*names.objects)),
		.nr_objects = result->nr_objects,
		.processes = &process,
		.nr_processes = 1,
		.strings = result->strings,
		.nr_strings = result->nr_strings,
	};
	int error = names.objects ? 0 : -ENOMEM;
	size_t i;

	*message = NULL;
	for (i = 0; !error && i < result->nr_objects; i++)
		error = copy_object(&names.objects[i], &result->objects[i]);
	if (!error)
		error = resultpack_pack(&names, message, bytes);
	for (i = 0; names.objects && i < result->nr_objects; i++)
		free(names.objects[i].parts);
	free(names.objects);
	return error;
}

/* Move the names of a file, which @from then lacks. */
static void move_names(struct result_object *to, struct result_object *from)
{
	to->functions = from->functions;
	to->nr_functions = from->nr_functions;
	to->has_names = from->has_names;
	to->is_stripped = from->is_stripped;
	to->names_note = from->names_note;
	to->lines_note = from->lines_note;
	to->places = from->places;
	to->nr_places = from->nr_places;
	to->frames = from->frames;
	to->nr_frames = from->nr_frames;
	from->functions = NULL;
	from->names_note = from->lines_note = NULL;
	from->places = NULL;
	from->frames = NULL;
	from->nr_functions = from->nr_places = from->nr_frames = 0;
}

static bool is_of(const struct result *names, const struct result *result)
{
	size_t i;

	if (names->nr_objects != result->nr_objects)
		return false;
	for (i = 0; i < result->nr_objects; i++)
		if (names->objects[i].nr_counts != result->objects[i].nr_counts ||
		    result_compare_objects(&names->objects[i], &result->objects[i]))
			return false;
	return true;
}

int resultnames_take(struct result *result, const unsigned char *message, size_t bytes)
{
	struct result names;
	const char *why;
	int error = resultpack_unpack(message, bytes, &names, &why);
	size_t i;

	if (!error && !is_of(&names, result))
		error = -EBADMSG;
	for (i = 0; !error && i < result->nr_objects; i++)
		if (result_is_file(&result->objects[i]))
			move_names(&result->objects[i], &names.objects[i]);
	if (!error) {
		result->strings = names.strings;
		result->nr_strings = names.nr_strings;
		names.strings = NULL;
		names.nr_strings = 0;
	}
	result_release(&names);
	return error;
}
