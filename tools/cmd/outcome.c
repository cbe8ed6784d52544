// SPDX-License-Identifier: GPL-2.0-only
/*
 * The outcome of a run: writes its result and prints the table, or explains why there is none.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/outcome.h"
#include "profile/profile.h"
#include "report/report.h"
#include "result/resultfile.h"
#include "result/resultnames.h"
#include "symbol/names_write.h"
#include "symbol/symbols.h"
#include "util/failure.h"
#include "util/helper.h"
#include "util/working.h"
#include "write_all.h"

/* Arguments of store() */
struct store_work {
	struct result *result;
	const struct recording *recording;
	int fd;
};

/* Store names, and write them to a file in memory. Return: 0 or errno. */
static int store(void *data)
{
	const struct store_work *work = data;
	struct symbols *symbols = live_symbols(work->recording, work->result);
	unsigned char *message = NULL;
	size_t bytes;
	int error;

	/* the command has ended, and its user waits */
	working_show(STDERR_FILENO);
	error = symbols ? names_write(work->result, symbols) : -ENOMEM;
	if (!error)
		error = resultnames_pack(work->result, &message, &bytes);
	if (!error)
		error = profil_write_all(work->fd, message, bytes);
	free(message);
	symbols_free(symbols);
	return -error;
}

/* Take names from a file in memory. Return: 0 or -errno. */
static int load(int fd, struct result *result)
{
	size_t bytes;
	unsigned char *message = helper_read(fd, &bytes);
	int error = message ? resultnames_take(result, message, bytes) : -ENOMEM;

	free(message);
	return error;
}

/* If there can be no helper, this process has stored some. */
static void drop_names(struct result *result)
{
	size_t i;

	for (i = 0; i < result->nr_objects; i++)
		if (result_is_file(&result->objects[i]))
			result_release_names(&result->objects[i]);
	/* they are of source frames only */
	result_free_argv(result->strings);
	result->strings = NULL;
	result->nr_strings = 0;
}

/* Without them, no name is to be read: there may be no sample in a run that is shorter than one. */
static bool has_samples_in_files(const struct result *result)
{
	size_t i;

	for (i = 0; i < result->nr_objects; i++)
		if (result->objects[i].nr_parts && result_is_file(&result->objects[i]))
			return true;
	return false;
}

/*
 * Store the names of the code in the result. A helper reads the files: a crash while one is changed
 * must not affect the exit status. Without names, the result is as it was.
 */
static void add_names(struct result *result, const struct recording *recording)
{
	struct store_work work = { result, recording, -1 };
	struct helper helper = { 0 };
	char why[HELPER_WHY];

	if (!has_samples_in_files(result))
		return;
	work.fd = helper_file();
	if (work.fd < 0) {
		helper.error = work.fd;
	} else {
		helper_run(&helper, &(struct helper_work){ .run = store, .data = &work });
		drop_names(result);
		if (!helper.error && !helper.killer)
			helper.error = load(work.fd, result);
		close(work.fd);
	}
	if (!helper.error && !helper.killer)
		return;
	helper_explain(&helper, why);
	failure_warnx("the result has no names of functions: %s", why);
}

static int print_report(FILE *out, const struct result *result, const struct table_choice *choice)
{
	struct symbols *symbols = symbols_new(result, NULL);
	struct profile profile = { 0 };
	int error;

	if (!symbols)
		return -ENOMEM;
	error = table_choice_make(choice, &profile, result, symbols);
	if (!error)
		error = report_print(out, &(struct report){
			.result = result,
			.profile = &profile,
			.symbols = symbols,
			.table = choice->table,
		});
	profile_release(&profile);
	symbols_free(symbols);
	return error;
}

/* Arguments of print_table() */
struct table_work {
	const struct outcome *outcome;
	const struct result *result;
};

/* Return: 0 or errno. */
static int print_table(void *data)
{
	const struct table_work *work = data;
	FILE *out = work->outcome->table;
	int error = print_report(out, work->result, work->outcome->choice);

	if (error)
		failure_warn("profile", -error);
	else if (fflush(out) || ferror(out))
		failure_warn(work->outcome->table_name, errno);
	else
		return 0;
	return EIO;
}

/*
 * Print the table, by a helper if names are read: a crash while a file is changed must not affect
 * the exit status. Return: whether the table was printed.
 */
static bool show_table(const struct outcome *outcome, const struct result *result)
{
	struct table_work work = { outcome, result };
	char why[HELPER_WHY];
	struct helper helper;
	int error;

	if (!has_samples_in_files(result))
		return !print_table(&work);
	error = helper_run(&helper, &(struct helper_work){ .run = print_table, .data = &work });
	if (helper.killer) {
		helper_explain(&helper, why);
		failure_warnx("no table: %s; try `profil report'", why);
	}
	return !error;
}

static void print_file_name(const struct outcome *outcome)
{
	const struct terminal_style style = terminal_style(outcome->table, TERMINAL_AUTO);
	const char *name = strcmp(outcome->output, RESULTFILE_DEFAULT) ? outcome->output : "";

	terminal_print_comment(outcome->table, &style,
			       "# result in %s; `profil report%s%s' prints other views of it",
			       outcome->output, *name ? " " : "", name);
}

/* Return: 0: the result is in its file; or -errno. */
static int write_result(struct outcome *outcome, const struct result *result)
{
	int unkept = 0, unwritten;
	char *left;

	unwritten = resultfile_write(outcome->output, result, &left,
				     outcome->has_written ? NULL : &unkept);
	if (unkept)
		resultfile_explain_unkept(outcome->output, unkept);
	if (left)
		failure_warnx("%s: %s (%s): the result is in %s", outcome->output,
			      strerror(-unwritten), strerrorname_np(-unwritten), left);
	else if (unwritten)
		resultfile_explain_unwritten(outcome->output, unwritten);
	free(left);
	if (!unwritten)
		outcome->has_written = true;
	return unwritten;
}

/*
 * The result is written first, as the table can be printed again from it. Return: whether it was
 * written.
 */
static bool use_result(struct outcome *outcome, const struct result *result)
{
	bool is_written = outcome->output && !write_result(outcome, result);
	bool is_shown = outcome->table && show_table(outcome, result);

	/* the user may not expect a file in the current directory */
	if (is_shown && is_written && isatty(fileno(outcome->table)))
		print_file_name(outcome);
	return is_written;
}

bool outcome_show(struct outcome *outcome, const struct live_run *run)
{
	struct result result;
	int error = live_collect(run, &result);
	bool is_written = false;

	if (!error) {
		add_names(&result, run->recording);
		is_written = use_result(outcome, &result);
	}
	else if (error == -ENODATA)
		failure_warnx("no profile: %s may not be traced, because it changes its user or group, or its file cannot be read: run profil as root",
			      run->argv[0]);
	else
		failure_warn("profile", -error);
	result_release(&result);
	return is_written;
}
