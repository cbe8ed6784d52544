// SPDX-License-Identifier: GPL-2.0-only
/*
 * A report as JSON, as specified by profil-report.schema.json.
 */
#include <sys/wait.h>

#include "profile/confidence.h"
#include "profile/share.h"
#include "report/owners.h"
#include "report/report_json.h"

#define VERSION		1

void report_json_share(struct json *json, const struct result *result, uint64_t samples,
		       uint64_t system, uint64_t all)
{
	const struct interval interval = confidence_share(samples, all);

	json_number(json, "samples", samples);
	json_number(json, "system", system);
	json_real(json, "seconds", result_seconds(result, samples));
	json_real(json, "percent", share_percent(samples, all));
	json_real(json, "low", 100 * interval.low);
	json_real(json, "high", 100 * interval.high);
}

static void print_end(struct json *json, int status)
{
	if (WIFSIGNALED(status)) {
		json_string(json, "exit_status", NULL);
		json_number(json, "signal", (uint64_t)WTERMSIG(status));
	} else {
		json_number(json, "exit_status", (uint64_t)WEXITSTATUS(status));
		json_string(json, "signal", NULL);
	}
}

/* Print the rows, and the number of those that are omitted. */
static void print_rows(struct json *json, const struct report *report)
{
	struct profile *profile = report->profile;
	const size_t nr = table_show(profile, &report->table);
	size_t i;

	json_number(json, "omitted", profile->nr_rows - nr);
	json_member(json, "rows");
	json_enter(json, '[');
	for (i = 0; i < nr; i++) {
		const struct profile_row *row = &profile->rows[i];

		json_next(json);
		json_enter(json, '{');
		json_string(json, "name", row->function);
		json_string(json, "object", row->object);
		report_json_share(json, report->result, row->samples, row->system,
				  profile->samples);
		if (profile->has_totals)
			json_number(json, "total", row->total);
		else
			json_string(json, "total", NULL);
		json_string(json, "caller", row->caller);
		json_number(json, "depth", row->depth);
		json_leave(json, '}');
	}
	json_leave(json, ']');
}

int report_print_json(FILE *out, const struct report *report)
{
	const struct result *result = report->result;
	struct table_options table = report->table;
	struct json json = { .out = out };
	int error = 0;

	table.is_part = report->selection;
	json_enter(&json, '{');
	json_string(&json, "format", "profil-report");
	json_number(&json, "version", VERSION);
	json_texts(&json, "command", result->argv);
	print_end(&json, result->status);
	json_number(&json, "samples", result_samples(result));
	json_number(&json, "system", result_system_samples(result));
	json_number(&json, "lost", result->lost);
	json_real(&json, "mean_rate", result_rate(result));
	json_real(&json, "seconds", result_seconds(result, result_samples(result)));
	json_string(&json, "by", table_name(report->table.by));
	if (table_is_of_owners(report->table.by))
		error = owners_print_json(&json, result, &table);
	else
		print_rows(&json, report);
	json_leave(&json, '}');
	putc('\n', out);
	return error;
}
