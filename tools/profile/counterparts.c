// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which objects of two results are the same. The objects of both are put into one list, which is
 * sorted by one key after the other, so that those that may be the same are neighbours.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/counterparts.h"
#include "util/base_name.h"
#include "util/shorten.h"

#define HASH_DIGITS	7	/* of a hash in a name; git prints no fewer */

/* The keys, the surest first */
enum key { NAME, BUILD_ID, UNVERSIONED, STEM, COMMAND, PROGRAM, NR_KEYS };

/* An object of either result */
struct candidate {
	const struct result *result;
	const struct result_object *object;
	const char **name;	/* to be set if its counterpart is known */
	const struct profile *profile;
	bool is_new;
	bool is_program;
	char *key;		/* NULL: none, or its counterpart is known */
};

/* Return: libx.so for libx.so.1.2, libc.so for libc-2.31.so; NULL: no memory. */
static char *drop_version(const char *name)
{
	char *key = strdup(name), *to = key;

	if (!key)
		return NULL;
	while (*name) {
		const char *digits = name + (strchr(".-_", *name) != NULL);
		const size_t hash = strspn(digits, "0123456789abcdef");

		if (digits > name && hash >= HASH_DIGITS)
			name = digits + hash;
		else if (isdigit((unsigned char)*digits))
			name = digits + strspn(digits, "0123456789");
		else
			*to++ = *name++;
	}
	*to = 0;
	return key;
}

/* Return: 0 or -ENOMEM. */
static int set_key(struct candidate *candidate, enum key by)
{
	const struct result *result = candidate->result;
	const struct result_object *object = candidate->object;
	const char *name = base_name(object->path);
	size_t bytes = object->build_id_bytes, i;

	free(candidate->key);
	candidate->key = NULL;
	if (*candidate->name || (by != NAME && !result_is_file(object)))
		return 0;
	switch (by) {
	case BUILD_ID:
		if (!bytes)
			return 0;
		candidate->key = malloc(2 * bytes + 1);
		for (i = 0; candidate->key && i <= 2 * bytes; i++)
			candidate->key[i] = i == 2 * bytes ? 0 :
				(char)('a' + (object->build_id[i / 2] >> (i % 2 ? 4 : 0) & 15));
		break;
	case UNVERSIONED:
		candidate->key = drop_version(name);
		break;
	case STEM:
		candidate->key = strndup(name, strcspn(name, ".-_"));
		break;
	case COMMAND:
		if (!result->nr_processes || strcmp(object->path, result->processes[0].program))
			return 0;
		candidate->key = strdup("");
		break;
	case PROGRAM:
		if (!candidate->is_program)
			return 0;
		candidate->key = strdup("");
		break;
	default:
		candidate->key = strdup(name);
	}
	return candidate->key ? 0 : -ENOMEM;
}

static int compare_keys(const void *va, const void *vb)
{
	const struct candidate *a = va, *b = vb;

	if (!a->key || !b->key)
		return !a->key - !b->key;
	return strcmp(a->key, b->key);
}

static int compare_texts(const void *va, const void *vb)
{
	const char *const *a = va, *const *b = vb;

	return strcmp(*a, *b);
}

/*
 * List the functions of an object, sorted, without suffixes of the compiler. Return: NULL: no
 * memory.
 */
static char **list_functions(const struct candidate *candidate, size_t *nr)
{
	const size_t object = (size_t)(candidate->object - candidate->result->objects);
	const struct profile *profile = candidate->profile;
	char **functions = calloc(profile->nr_rows + 1, sizeof(*functions));
	size_t i;

	*nr = 0;
	for (i = 0; functions && i < profile->nr_rows; i++) {
		const struct profile_row *row = &profile->rows[i];
		char *copy;

		if (row->index != object || !row->is_symbol)
			continue;
		copy = shorten_copy(row->function);
		if (copy)
			functions[(*nr)++] = copy;
	}
	if (functions)
		qsort(functions, *nr, sizeof(*functions), compare_texts);
	return functions;
}

/* Whether two objects have at least half of the functions of the one with fewer in common */
static bool are_alike(const struct candidate *candidates)
{
	size_t nr[2], at[2] = { 0, 0 }, common = 0;
	char **functions[2];
	int i;

	for (i = 0; i < 2; i++)
		functions[i] = list_functions(&candidates[i], &nr[i]);
	while (functions[0] && functions[1] && at[0] < nr[0] && at[1] < nr[1]) {
		const int order = strcmp(functions[0][at[0]], functions[1][at[1]]);

		common += !order;
		at[0] += order <= 0;
		at[1] += order >= 0;
	}
	for (i = 0; i < 2; i++) {
		for (at[i] = 0; functions[i] && at[i] < nr[i]; at[i]++)
			free(functions[i][at[i]]);
		free(functions[i]);
	}
	return common && 2 * common >= (nr[0] < nr[1] ? nr[0] : nr[1]);
}

/* Name the candidates with one key, if they are counterparts. */
static void match(struct candidate *candidates, size_t nr, enum key by)
{
	const char *name = NULL;
	size_t new = 0, i;

	for (i = 0; i < nr; i++) {
		if (!candidates[i].is_new)
			continue;
		name = base_name(candidates[i].object->path);
		new++;
	}
	if (by == NAME ? !new || new == nr : nr != 2 || new != 1)
		return;
	/* libnss_files is not libnss_dns */
	if (by == STEM && !are_alike(candidates))
		return;
	for (i = 0; i < nr; i++)
		*candidates[i].name = name;
}

/* Return: 0 or -ENOMEM. */
static int match_all(struct candidate *candidates, size_t nr, enum key by)
{
	size_t first, next;

	for (first = 0; first < nr; first++)
		if (set_key(&candidates[first], by))
			return -ENOMEM;
	qsort(candidates, nr, sizeof(*candidates), compare_keys);
	for (first = 0; first < nr && candidates[first].key; first = next) {
		for (next = first + 1; next < nr; next++)
			if (compare_keys(&candidates[first], &candidates[next]))
				break;
		match(&candidates[first], next - first, by);
	}
	return 0;
}

static int compare_path(const void *path, const void *object)
{
	return strcmp(path, ((const struct result_object *)object)->path);
}

/* Fill in @candidates with the objects of a result, which are sorted by path. */
static void add(struct candidate *candidates, const struct comparison_side *side,
		const char **names, bool is_new)
{
	const struct result *result = side->result;
	size_t i;

	for (i = 0; i < result->nr_objects; i++)
		candidates[i] = (struct candidate){
			.result = result, .object = &result->objects[i], .name = &names[i],
			.profile = side->profile, .is_new = is_new,
		};
	for (i = 0; i < result->nr_processes && result->nr_objects; i++) {
		const struct result_object *found;

		found = bsearch(result->processes[i].program, result->objects, result->nr_objects,
				sizeof(*found), compare_path);
		if (found)
			candidates[found - result->objects].is_program = true;
	}
}

int counterparts_find(const struct comparison_side *old, const struct comparison_side *new,
		      const char **names[2])
{
	const size_t nr_old = old->result->nr_objects, nr_new = new->result->nr_objects;
	const size_t nr = nr_old + nr_new;
	struct candidate *candidates = calloc(nr + 1, sizeof(*candidates));
	int error = 0;
	enum key by;
	size_t i;

	names[0] = calloc(nr_old + 1, sizeof(*names[0]));
	names[1] = calloc(nr_new + 1, sizeof(*names[1]));
	if (!candidates || !names[0] || !names[1]) {
		free(candidates);
		return -ENOMEM;
	}
	add(candidates, old, names[0], false);
	add(candidates + nr_old, new, names[1], true);
	for (by = NAME; !error && by < NR_KEYS; by++)
		error = match_all(candidates, nr, by);
	for (i = 0; i < nr; i++)
		free(candidates[i].key);
	free(candidates);
	return error;
}
