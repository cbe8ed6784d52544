// SPDX-License-Identifier: GPL-2.0-only
/*
 * The line above a report's table about the call stacks.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/share.h"
#include "report/stacks_head.h"
#include "result/stacks.h"
#include "util/base_name.h"
#include "util/terminal.h"

/* The samples whose stacks end for one reason, and most of which are in one object there */
struct broken {
	enum result_stack why;
	uint64_t samples;
};

static int compare_broken(const void *va, const void *vb)
{
	const struct broken *a = va, *b = vb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return (int)a->why - (int)b->why;
}

/* Return: the object in which most stacks end that end for a reason; NULL: none, or no memory. */
static const struct result_object *find_end(const struct result *result, enum result_stack why)
{
	uint64_t *samples = calloc(result->nr_objects + 1, sizeof(*samples));
	size_t most = result->nr_objects, outermost, i;
	uint32_t object;

	for (i = 0; samples && i < result->nr_stack_parts; i++) {
		const struct result_part *part = &result->stack_parts[i];

		if (result_stack_why(result, part->address, &outermost) != why)
			continue;
		object = result->nodes[outermost].object;
		if (object != RESULT_NO_OBJECT)
			samples[object] += part->samples;
	}
	for (i = 0; samples && i < result->nr_objects; i++)
		if (samples[i] && (most == result->nr_objects || samples[i] > samples[most]))
			most = i;
	free(samples);
	return most < result->nr_objects ? &result->objects[most] : NULL;
}

/* Print a reason without "[incomplete: ]", and where it is. */
static void print_why(FILE *out, const struct result *result, enum result_stack why)
{
	static const char before[] = "[incomplete: ";
	const char *name = result_stack_name(why) + strlen(before);
	const struct result_object *object = NULL;

	fprintf(out, "%.*s", (int)strlen(name) - 1, name);
	if (why == RESULT_STACK_UNKNOWN || why == RESULT_STACK_UNCLEAR)
		object = find_end(result, why);
	if (!object)
		return;
	fputs(" (", out);
	terminal_print_name(out, base_name(object->path));
	putc(')', out);
}

void stacks_head_print(FILE *out, const struct result *result)
{
	struct broken broken[RESULT_STACK_FRAMES] = { 0 };
	uint64_t all = 0;
	size_t outermost, i;

	for (i = 0; i < RESULT_STACK_FRAMES; i++)
		broken[i].why = (enum result_stack)i;
	for (i = 0; i < result->nr_stack_parts; i++) {
		const struct result_part *part = &result->stack_parts[i];

		enum result_stack why = result_stack_why(result, part->address, &outermost);

		broken[why].samples += part->samples;
		all += part->samples;
	}
	if (!all)
		return;
	fprintf(out, "# %.1f %% of the call stacks are complete",
		share_percent(broken[0].samples, all));
	qsort(&broken[1], RESULT_STACK_FRAMES - 1, sizeof(broken[0]), compare_broken);
	for (i = 1; i < RESULT_STACK_FRAMES && broken[i].samples; i++) {
		fprintf(out, "; %.1f %%: ", share_percent(broken[i].samples, all));
		print_why(out, result, broken[i].why);
	}
	putc('\n', out);
}
