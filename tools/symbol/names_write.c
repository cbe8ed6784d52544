// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stores the names of sampled code in a result. Many addresses have the same function, and many
 * frames the same texts, so each is stored once.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/names_write.h"
#include "util/array.h"

/* A function that has been found, and its index in the object's functions */
struct found {
	struct function function;
	uint32_t index;
};

/* A text of frames, and its index in the result's strings */
struct text {
	const char *text;
	uint32_t index;
};

/* What is being stored */
struct store {
	struct result *result;
	struct symbols *symbols;
	void *texts;		/* tree of struct text, for the whole result */
	void *functions;	/* tree of struct found, for one object */
	uint32_t *nodes;	/* of stacks, by object */
	size_t *first_node;	/* of each object, in @nodes */
};

static int compare_texts(const void *va, const void *vb)
{
	const struct text *a = va, *b = vb;

	return strcmp(a->text, b->text);
}

/* Append a text to the strings. Return: 0 or -ENOMEM. */
static int append_text(struct store *store, const char *text)
{
	struct result *result = store->result;
	char **strings;
	struct text *new;

	/* with room for the NULL at the end */
	strings = array_with_room(result->strings, result->nr_strings + 1, sizeof(*strings));
	if (!strings)
		return -ENOMEM;
	result->strings = strings;
	new = malloc(sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->text = strdup(text);
	new->index = (uint32_t)result->nr_strings;
	if (!new->text || !tsearch(new, &store->texts, compare_texts)) {
		free((char *)new->text);
		free(new);
		return -ENOMEM;
	}
	result->strings[result->nr_strings++] = (char *)new->text;
	result->strings[result->nr_strings] = NULL;
	return 0;
}

/* Find the index of a text, which may be NULL. Return: 0 or -ENOMEM. */
static int find_text(struct store *store, const char *text, uint32_t *index)
{
	const struct text key = { .text = text ? text : "" };
	struct text **found = tfind(&key, &store->texts, compare_texts);

	if (!found && append_text(store, key.text))
		return -ENOMEM;
	if (!found)
		found = tfind(&key, &store->texts, compare_texts);
	*index = (*found)->index;
	return 0;
}

static int compare_found(const void *va, const void *vb)
{
	const struct found *a = va, *b = vb;

	if (a->function.start != b->function.start)
		return a->function.start < b->function.start ? -1 : 1;
	/* symbols.h keeps one copy of each name */
	return a->function.name < b->function.name ? -1 : a->function.name > b->function.name;
}

static int append_function(struct store *store, size_t number, const struct function *function)
{
	struct result_object *object = &store->result->objects[number];
	struct result_function *functions;
	struct source_line line = { 0 };
	struct found *new;
	uint32_t file;
	char *name;

	if (symbols_line(store->symbols, number, function->start, &line) < 0 ||
	    find_text(store, line.file, &file))
		return -ENOMEM;
	functions = array_with_room(object->functions, object->nr_functions, sizeof(*functions));
	if (!functions)
		return -ENOMEM;
	object->functions = functions;
	name = strndup(function->name ? function->name : "", (size_t)function->length);
	new = malloc(sizeof(*new));
	if (!name || !new)
		goto no_memory;
	*new = (struct found){ *function, (uint32_t)object->nr_functions };
	if (!tsearch(new, &store->functions, compare_found))
		goto no_memory;
	object->functions[object->nr_functions++] = (struct result_function){
		.start = function->start,
		.end = function->end > function->start ? function->end : function->start + 1,
		.name = name,
		.file = file,
		.line = file && line.line > 0 ? (uint32_t)line.line : 0,
	};
	return 0;

no_memory:
	free(name);
	free(new);
	return -ENOMEM;
}

/* Store the function at an address. @index: set to its index. Return: 0 or -ENOMEM. */
static int store_function(struct store *store, size_t object, uint64_t address, uint32_t *index)
{
	struct result_object *of = &store->result->objects[object];
	struct found key = { 0 }, **found;
	int is_found = symbols_find(store->symbols, object, address, &key.function);

	*index = RESULT_NO_FUNCTION;
	if (is_found <= 0)
		return is_found;
	if (!key.function.name)
		key.function.length = 0;
	found = tfind(&key, &store->functions, compare_found);
	if (!found && append_function(store, object, &key.function))
		return -ENOMEM;
	*index = found ? (*found)->index : (uint32_t)of->nr_functions - 1;
	return 0;
}

/* Set the frames of a place. Return: 0 or -ENOMEM. */
static int store_frames(struct store *store, size_t object, struct result_place *place)
{
	struct result_object *of = &store->result->objects[object];
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	size_t nr = 0, i;
	int has_frames = symbols_frames(store->symbols, object, place->address, frames, &nr);

	place->frame = (uint32_t)of->nr_frames;
	if (has_frames <= 0)
		return has_frames;
	for (i = 0; i < nr; i++) {
		struct result_frame *frame = array_append(of->frames, of->nr_frames);

		if (!frame)
			return -ENOMEM;
		frame->line = frames[i].line > 0 ? (uint32_t)frames[i].line : 0;
		if (find_text(store, frames[i].function, &frame->function) ||
		    find_text(store, frames[i].file, &frame->file))
			return -ENOMEM;
	}
	place->nr_frames = (uint32_t)nr;
	return 0;
}

/* Add a place for each address, in their order. Return: 0 or -ENOMEM. */
static int store_places(struct store *store, size_t object)
{
	struct result_object *of = &store->result->objects[object];
	int error = 0;
	size_t i;

	of->places = calloc(of->nr_parts + 1, sizeof(*of->places));
	if (!of->places)
		return -ENOMEM;
	for (i = 0; !error && i < of->nr_parts; i++) {
		struct result_place *place = &of->places[of->nr_places];

		if (i && of->parts[i].address == of->parts[i - 1].address)
			continue;
		place->address = of->parts[i].address;
		error = store_function(store, object, place->address, &place->function);
		if (!error)
			error = store_frames(store, object, place);
		of->nr_places++;
	}
	return error;
}

/* Store the functions of callers, which have no place. Return: 0 or -ENOMEM. */
static int store_callers(struct store *store, size_t object)
{
	const struct result *result = store->result;
	const size_t end = store->first_node[object + 1];
	const struct result_node *node;
	uint32_t function;
	int error = 0;
	size_t i;

	for (i = store->first_node[object]; !error && i < end; i++) {
		node = &result->nodes[store->nodes[i]];
		error = store_function(store, object, node->address, &function);
	}
	return error;
}

struct order {
	struct result_function function;
	uint32_t index;
};

static int compare_orders(const void *va, const void *vb)
{
	const struct order *a = va, *b = vb;

	if (a->function.start != b->function.start)
		return a->function.start < b->function.start ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

/* Sort the functions by address: one that contains another may have been found after it. */
static int sort_functions(struct result_object *object)
{
	struct order *order = calloc(object->nr_functions + 1, sizeof(*order));
	uint32_t *new = calloc(object->nr_functions + 1, sizeof(*new));
	int error = order && new ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !error && i < object->nr_functions; i++)
		order[i] = (struct order){ object->functions[i], (uint32_t)i };
	if (!error)
		qsort(order, object->nr_functions, sizeof(*order), compare_orders);
	for (i = 0; !error && i < object->nr_functions; i++) {
		object->functions[i] = order[i].function;
		new[order[i].index] = (uint32_t)i;
	}
	for (i = 0; !error && i < object->nr_places; i++)
		if (object->places[i].function != RESULT_NO_FUNCTION)
			object->places[i].function = new[object->places[i].function];
	free(order);
	free(new);
	return error;
}

static int store_object(struct store *store, size_t object)
{
	struct result_object *of = &store->result->objects[object];
	int error, is_stripped;

	error = store_places(store, object);
	if (!error)
		error = store_callers(store, object);
	if (!error)
		error = sort_functions(of);
	tdestroy(store->functions, free);
	store->functions = NULL;
	is_stripped = error ? error : symbols_are_stripped(store->symbols, object);
	/* also if the file turned out to be damaged */
	if (is_stripped < 0 || symbols_problem(store->symbols, object)) {
		result_release_names(of);
		return is_stripped < 0 ? is_stripped : 0;
	}
	of->has_names = true;
	of->is_stripped = is_stripped;
	of->names_note = symbols_explain(store->symbols, object, NULL);
	of->lines_note = symbols_explain_lines(store->symbols, object);
	return 0;
}

/* List the nodes by object: as many files are open as were used last. Return: 0 or -ENOMEM. */
static int list_nodes(struct store *store)
{
	const struct result *result = store->result;
	size_t i, j;

	store->nodes = calloc(result->nr_nodes + 1, sizeof(*store->nodes));
	store->first_node = calloc(result->nr_objects + 2, sizeof(*store->first_node));
	if (!store->nodes || !store->first_node)
		return -ENOMEM;
	for (i = 0; i < result->nr_nodes; i++)
		if (result->nodes[i].object != RESULT_NO_OBJECT)
			store->first_node[result->nodes[i].object + 2]++;
	for (i = 2; i < result->nr_objects + 2; i++)
		store->first_node[i] += store->first_node[i - 1];
	for (i = 0; i < result->nr_nodes; i++) {
		if (result->nodes[i].object == RESULT_NO_OBJECT)
			continue;
		/* then it is where the next object begins */
		j = store->first_node[result->nodes[i].object + 1]++;
		store->nodes[j] = (uint32_t)i;
	}
	return 0;
}

static bool has_code(const struct store *store, size_t object)
{
	const struct result_object *of = &store->result->objects[object];

	return result_is_file(of) && (of->nr_parts || store->first_node[object] <
							      store->first_node[object + 1]);
}

int names_write(struct result *result, struct symbols *symbols)
{
	struct store store = { .result = result, .symbols = symbols };
	uint32_t none;
	int error = list_nodes(&store);
	size_t i;

	/* the first one */
	if (!error)
		error = find_text(&store, NULL, &none);
	for (i = 0; !error && i < result->nr_objects; i++)
		if (has_code(&store, i))
			error = store_object(&store, i);
	tdestroy(store.texts, free);
	free(store.nodes);
	free(store.first_node);
	return error;
}
