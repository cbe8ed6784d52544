// SPDX-License-Identifier: GPL-2.0-only
/*
 * A comparison as JSON, as specified by profil-diff.schema.json.
 */
#include <string.h>

#include "report/comparison_gate.h"
#include "util/escape.h"
#include "util/json.h"

#define VERSION		1

/* Print the sums of all runs, and the mean of their CPU times. */
static void print_side(struct json *json, const char *name, const char *file,
		       const struct comparison_side *side)
{
	uint64_t samples = 0, lost = 0;
	double seconds = 0;
	size_t i;

	for (i = 0; i <= side->nr_more; i++) {
		const struct comparison_side *run = comparison_run(side, i);

		samples += run->profile->samples;
		lost += run->result->lost;
		seconds += result_seconds(run->result, run->profile->samples);
	}
	json_member(json, name);
	json_enter(json, '{');
	json_string(json, "file", file);
	json_number(json, "runs", 1 + side->nr_more);
	json_number(json, "samples", samples);
	json_number(json, "lost", lost);
	json_real(json, "mean_rate", result_rate(side->result));
	json_real(json, "seconds", seconds / (double)(1 + side->nr_more));
	json_leave(json, '}');
}

/* Print the files that are compared, although they have other names. */
static void print_renamed(struct json *json, const struct comparison *comparison)
{
	size_t i;

	json_member(json, "renamed");
	json_enter(json, '[');
	for (i = 0; i < comparison->old->nr_objects; i++) {
		const char *old = comparison_renamed(comparison, i);

		if (!old)
			continue;
		json_next(json);
		json_enter(json, '{');
		json_string(json, "old", old);
		json_string(json, "new", comparison->counterparts[i]);
		json_leave(json, '}');
	}
	json_leave(json, ']');
}

/* Whether the name of a part is new: not that of its row, nor of a part before it */
static bool is_other(const struct comparison *comparison, const struct comparison_row *row,
		     size_t part)
{
	const char *name = comparison->parts[part].row->function;
	size_t before;

	for (before = row->part; before != part; before = comparison->parts[before].next)
		if (!strcmp(name, comparison->parts[before].row->function))
			return false;
	return strcmp(name, row->function);
}

static void print_merged(struct json *json, const struct comparison *comparison,
			 const struct comparison_row *row)
{
	size_t part = row->part;

	json_member(json, "merged");
	json_enter(json, '[');
	do {
		if (row == &comparison->all || row->is_nameless || row->is_alone)
			break;
		if (is_other(comparison, row, part)) {
			json_next(json);
			escape_json(json->out, comparison->parts[part].row->function);
		}
		part = comparison->parts[part].next;
	} while (part != row->part);
	json_leave(json, ']');
}

/* Print the members of a row. */
static void print_row(struct json *json, const struct comparison *comparison,
		      const struct comparison_row *row, const struct comparison_gate *gate)
{
	json_enter(json, '{');
	json_string(json, "function", row->function);
	json_string(json, "object", row->object);
	json_number(json, "old_samples", row->old_samples);
	json_number(json, "new_samples", row->new_samples);
	json_real(json, "old", row->old);
	json_real(json, "new", row->new);
	json_real(json, "change", row->change);
	json_real(json, "low", row->interval.low);
	json_real(json, "high", row->interval.high);
	json_bool(json, "is_significant", row->is_significant);
	json_bool(json, "fails", gate->is_set &&
		  comparison_is_worse(comparison, row, gate->percent));
	print_merged(json, comparison, row);
	json_leave(json, '}');
}

void comparison_print_json(FILE *out, const struct comparison *comparison,
			   const char *const names[2], const struct comparison_side sides[2],
			   const struct comparison_table *table,
			   const struct comparison_gate *gate)
{
	const size_t nr = comparison_count_shown(comparison, table);
	struct json json = { .out = out };
	size_t i;

	json_enter(&json, '{');
	json_string(&json, "format", "profil-diff");
	json_number(&json, "version", VERSION);
	json_string(&json, "of", comparison->of == COMPARISON_OF_SHARES ? "shares" : "seconds");
	print_side(&json, "old", names[0], &sides[0]);
	print_side(&json, "new", names[1], &sides[1]);
	if (gate->is_set)
		json_real(&json, "fail_above", gate->percent);
	else
		json_string(&json, "fail_above", NULL);
	json_bool(&json, "fails", comparison_fails(comparison, gate));
	json_bool(&json, "undecided", comparison_undecided(comparison, gate));
	print_renamed(&json, comparison);
	json_member(&json, "all");
	print_row(&json, comparison, &comparison->all, gate);
	json_number(&json, "omitted", comparison->nr_rows - nr);
	json_member(&json, "functions");
	json_enter(&json, '[');
	for (i = 0; i < nr; i++) {
		json_next(&json);
		print_row(&json, comparison, &comparison->rows[i], gate);
	}
	json_leave(&json, ']');
	json_leave(&json, '}');
	putc('\n', out);
}
