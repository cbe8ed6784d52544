// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that the linker of one build has folded, and the other one has apart, or with others.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/originals.h"
#include "util/array.h"
#include "util/folded.h"

/* One of the names of a row */
struct name {
	char *original;
	const char *object;
	size_t row;
};

static int compare_name(const void *va, const void *vb)
{
	const struct name *a = va, *b = vb;
	int order = strcmp(a->original, b->original);

	return order ? order : strcmp(a->object, b->object);
}

/* Find the names of all rows. Return: 0 or -ENOMEM. */
static int find_names(const struct comparison_row *rows, size_t nr_rows, struct name **names,
		      size_t *nr)
{
	size_t i, length;

	for (i = 0; i < nr_rows; i++) {
		const struct comparison_row *row = &rows[i];
		/* generated code has any names, and no linker */
		const char *rest = *row->object == '[' ? NULL : row->original, *text;

		while ((text = folded_next(&rest, &length))) {
			struct name *name = array_append(*names, *nr);

			if (!name)
				return -ENOMEM;
			*name = (struct name){ strndup(text, length), row->object, i };
			if (!name->original)
				return -ENOMEM;
		}
	}
	return 0;
}

/* Return: the row that stands for those that have a name in common with one. */
static size_t find_main(size_t *mains, size_t row)
{
	while (mains[row] != row) {
		mains[row] = mains[mains[row]];
		row = mains[row];
	}
	return row;
}

/* The one with the longest list of names stands for both. */
static void unite(const struct comparison_row *rows, size_t *mains, size_t a, size_t b)
{
	size_t lengths[2];
	bool is_first;

	a = find_main(mains, a);
	b = find_main(mains, b);
	lengths[0] = strlen(rows[a].original);
	lengths[1] = strlen(rows[b].original);
	is_first = lengths[0] != lengths[1] ? lengths[0] > lengths[1] :
		   strcmp(rows[a].original, rows[b].original) < 0;
	mains[is_first ? b : a] = is_first ? a : b;
}

/* Give all rows that have a name in common the same original. Return: 0 or -ENOMEM. */
static int unite_names(struct comparison_row *rows, size_t nr_rows, struct name *names,
		       size_t nr)
{
	size_t *mains = calloc(nr_rows + 1, sizeof(*mains)), i;
	int error = mains ? 0 : -ENOMEM;

	for (i = 0; !error && i < nr_rows; i++)
		mains[i] = i;
	if (nr)
		qsort(names, nr, sizeof(*names), compare_name);
	for (i = 1; !error && i < nr; i++)
		if (!compare_name(&names[i - 1], &names[i]))
			unite(rows, mains, names[i - 1].row, names[i].row);
	for (i = 0; !error && i < nr_rows; i++) {
		const size_t of = find_main(mains, i);
		char *original = of == i ? NULL : strdup(rows[of].original);

		if (of == i)
			continue;
		free(rows[i].original);
		rows[i].original = original;
		error = original ? 0 : -ENOMEM;
	}
	free(mains);
	return error;
}

int originals_unite(struct comparison_row *rows, size_t nr_rows)
{
	struct name *names = NULL;
	size_t nr = 0, i = 0;
	int error;

	while (i < nr_rows && !folded_has_several(rows[i].original))
		i++;
	if (i == nr_rows)
		return 0;
	error = find_names(rows, nr_rows, &names, &nr);
	if (!error)
		error = unite_names(rows, nr_rows, names, nr);
	while (nr)
		free(names[--nr].original);
	free(names);
	return error;
}
