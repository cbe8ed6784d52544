/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_COMPARISON_GATE_H
#define PROFIL_COMPARISON_GATE_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/comparison.h"
#include "report/comparison_table.h"

/* A limit of what becomes slower */
struct comparison_gate {
	bool is_set;	/* there is a limit */
	double percent;	/* what comparison_is_worse() permits */
};

/* Whether something exceeds the limit. */
bool comparison_fails(const struct comparison *comparison, const struct comparison_gate *gate);

/* The row that may exceed the limit most. NULL: one does for certain, or none does. */
const struct comparison_row *comparison_undecided(const struct comparison *comparison,
						  const struct comparison_gate *gate);

/* Print what exceeds the limit, a line for each, or else the row that is undecided. */
void comparison_explain_failure(FILE *out, const struct comparison *comparison,
				const struct comparison_gate *gate);

/**
 * comparison_print_json - print JSON as specified by profil-diff.schema.json
 * @names:      the names of the old and the new file, of several the first
 * @sides:      the old and the new side
 */
void comparison_print_json(FILE *out, const struct comparison *comparison,
			   const char *const names[2], const struct comparison_side sides[2],
			   const struct comparison_table *table,
			   const struct comparison_gate *gate);

/*
 * Print a table of GitHub's Markdown, with names shortened, of the rows within the limits of
 * @table; without limits, those that changed significantly. Return: 0 or -ENOMEM.
 */
int comparison_print_markdown(FILE *out, const struct comparison *comparison,
			      const struct comparison_table *table,
			      const struct comparison_gate *gate);

#endif /* PROFIL_COMPARISON_GATE_H */
