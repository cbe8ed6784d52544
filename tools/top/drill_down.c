// SPDX-License-Identifier: GPL-2.0-only
/*
 * A page of text about a row, from the code of `profil report'. The helper makes a result of the
 * copy of the recording that it has.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/profile.h"
#include "profile/share.h"
#include "report/annotate.h"
#include "report/nameless.h"
#include "report/table.h"
#include "result/select.h"
#include "symbol/symbols.h"
#include "top/drill_down.h"
#include "util/helper.h"
#include "util/time_ns.h"

/* What the helper writes about */
struct subject {
	const struct live_run *run;
	enum drill_down_of of;
	const struct row *row;
	struct terminal_style style;
	int file;
};

/* --- the helper ------------------------------------------------------------------ */

/* Print the functions of the samples that are selected, or the callers. Return: 0 or -errno. */
static int print_functions(FILE *out, const struct result *result, struct symbols *symbols,
			   const struct subject *subject)
{
	const bool is_callers = subject->of == DRILL_DOWN_CALLERS;
	const char *name = subject->row->name;
	const struct table_options options = {
		.is_part = true, .style = subject->style, .of = is_callers ? name : NULL,
	};
	struct profile profile = { 0 };
	const struct report report = {
		.result = result, .profile = &profile, .table = options, .symbols = symbols,
	};
	int error = is_callers ? profile_make_neighbours(&profile, result, symbols_find, symbols,
							 name, false) :
				 profile_make(&profile, result, symbols_find, symbols);

	if (!error) {
		profile_demangle(&profile);
		fprintf(out, "# %s: %llu samples%s\n", name, (unsigned long long)profile.samples,
			is_callers ? " of it and of all that it calls, by its callers" : "");
		if (profile.samples)
			error = table_print(out, result, &profile, &options);
		if (!error && !is_callers)
			error = nameless_print(out, &report);
	}
	profile_release(&profile);
	if (error != -ENOENT)
		return error;
	fprintf(out, "# no function of this name is in the call stacks\n");
	return 0;
}

static int select_row(struct result *result, const struct subject *subject)
{
	char *program = selection_pattern(subject->row->place), thread[16];
	struct selection selection = { .program = program };
	int error = program ? 0 : -ENOMEM;

	if (subject->of == DRILL_DOWN_THREAD) {
		snprintf(thread, sizeof(thread), "%d", subject->row->tid);
		selection = (struct selection){ .process = subject->row->pid, .thread = thread };
	}
	if (!error)
		error = result_select(result, &selection);
	free(program);
	return error;
}

static int print_annotated(FILE *out, const struct result *result, struct symbols *symbols,
			   const struct subject *subject)
{
	const struct annotate_options options = {
		.function = subject->row->name,
		.instructions = subject->of == DRILL_DOWN_INSTRUCTIONS,
		.style = subject->style,
	};
	const long functions = annotate_print(out, result, symbols, &options);

	if (!functions)
		fprintf(out, "# there is no file that has the code of this row\n");
	if (!functions && !strncmp(subject->row->name, ROWS_JIT, strlen(ROWS_JIT)))
		fprintf(out, "# to name it: %s\n",
			nameless_remedy(subject->row->name + strlen(ROWS_JIT)));
	return functions < 0 ? (int)functions : 0;
}

static int write_page(FILE *out, const struct subject *subject)
{
	const struct live_run *run = subject->run;
	struct symbols *symbols;
	struct result result;
	int error;

	if (run->stored)
		result = *run->stored;
	error = run->stored ? 0 : live_collect(run, &result);
	if (!error && (subject->of == DRILL_DOWN_THREAD || subject->of == DRILL_DOWN_PROGRAM))
		error = select_row(&result, subject);
	if (error)
		return error;
	if (subject->of == DRILL_DOWN_CALLERS && !result.nr_stack_parts) {
		fprintf(out, "# there are no call stacks: record them with `profil run -g', then `profil top FILE'\n");
		return 0;
	}
	symbols = run->stored ? symbols_new(&result, NULL) : live_symbols(run->recording, &result);
	if (!symbols)
		return -ENOMEM;
	return subject->of == DRILL_DOWN_SOURCE || subject->of == DRILL_DOWN_INSTRUCTIONS ?
	       print_annotated(out, &result, symbols, subject) :
	       print_functions(out, &result, symbols, subject);
}

static int write_in_helper(void *data)
{
	const struct subject *subject = data;
	FILE *out = fdopen(subject->file, "w");
	int error = out ? write_page(out, subject) : -ENOMEM;

	if (out && error)
		fprintf(out, "# %s (%s)\n", strerror(-error), strerrorname_np(-error));
	return 0;
}

/* --- this process ---------------------------------------------------------------- */

/* A page of one line. */
static void explain(struct drill_down *drill_down, const char *text)
{
	free(drill_down->text);
	free(drill_down->lines);
	drill_down->text = strdup(text);
	drill_down->lines = calloc(1, sizeof(*drill_down->lines));
	drill_down->nr = drill_down->text && drill_down->lines;
	if (drill_down->nr)
		drill_down->lines[0] = drill_down->text;
}

static void explain_helper(struct drill_down *drill_down)
{
	char text[HELPER_WHY + 64], why[HELPER_WHY];

	helper_explain(&drill_down->helper, why);
	snprintf(text, sizeof(text), "# no page: %s; press r to read it again", why);
	explain(drill_down, text);
}

static void end_helper(struct drill_down *drill_down)
{
	if (!drill_down->helper.pid)
		return;
	helper_kill(&drill_down->helper);
	close(drill_down->file);
}

/* What is known of a row before its files are read: some have 100 MB. */
static void begin_page(struct drill_down *drill_down, const struct row *row)
{
	char text[64];

	snprintf(text, sizeof(text), "# %" PRIu64 " samples, %.1f percent of them in the kernel",
		 row->samples, share_percent(row->system, row->samples));
	explain(drill_down, text);
}

void drill_down_begin(struct drill_down *drill_down, const struct live_run *run,
		      enum drill_down_of of, const struct row *row, int columns)
{
	struct subject subject = {
		.run = run, .of = of, .row = row, .style = { .columns = columns },
		.file = helper_file(),
	};

	end_helper(drill_down);
	/* the page stays until there is a newer one of the same */
	if (drill_down->row != row || drill_down->of != of)
		begin_page(drill_down, row);
	drill_down->row = row;
	drill_down->of = of;
	drill_down->start_ns = time_ns(CLOCK_MONOTONIC);
	drill_down->file = subject.file;
	drill_down->helper = (struct helper){ .error = subject.file < 0 ? subject.file : 0 };
	if (subject.file >= 0 && helper_start(&drill_down->helper, &(struct helper_work){
		.run = write_in_helper, .data = &subject, .is_beside = true, .is_bounded = true,
	}))
		close(subject.file);
	if (!drill_down->helper.pid)
		explain_helper(drill_down);
}

/* Split the text into lines. Return: 0 or -ENOMEM. */
static int split(struct drill_down *drill_down)
{
	char *at = drill_down->text, *const end = at + drill_down->bytes;
	size_t nr = 0;

	for (at = drill_down->text; at < end; at++)
		nr += *at == '\n';
	drill_down->nr = 0;
	drill_down->lines = calloc(nr + 1, sizeof(*drill_down->lines));
	if (!drill_down->lines)
		return -ENOMEM;
	for (at = drill_down->text; at < end; at++) {
		drill_down->lines[drill_down->nr++] = at;
		at = memchr(at, '\n', (size_t)(end - at));
		if (!at)
			break;
		*at = 0;
	}
	return 0;
}

bool drill_down_look(struct drill_down *drill_down)
{
	if (!drill_down->helper.pid || !helper_has_ended(&drill_down->helper, false))
		return false;
	free(drill_down->text);
	free(drill_down->lines);
	drill_down->lines = NULL;
	drill_down->text = (char *)helper_read(drill_down->file, &drill_down->bytes);
	if (!drill_down->text || split(drill_down))
		explain(drill_down, "# no memory (ENOMEM): end other programs");
	else if (drill_down->helper.killer)
		explain_helper(drill_down);
	close(drill_down->file);
	return true;
}

void drill_down_end(struct drill_down *drill_down)
{
	end_helper(drill_down);
	free(drill_down->lines);
	free(drill_down->text);
	memset(drill_down, 0, sizeof(*drill_down));
}
