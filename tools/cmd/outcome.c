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
#include "live/snapshot.h"
#include "profile/profile.h"
#include "record/signals.h"
#include "report/report.h"
#include "result/resultfile.h"
#include "result/resultnames.h"
#include "symbol/names_write.h"
#include "symbol/symbols.h"
#include "util/distribution.h"
#include "util/failure.h"
#include "util/helper.h"
#include "util/stream.h"
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

/* Whether there are samples in files; or else in code that programs have made. */
static bool has_samples_in(const struct result *result, bool files)
{
	size_t i;

	for (i = 0; i < result->nr_objects; i++)
		if (result->objects[i].nr_parts && result_is_file(&result->objects[i]) == files)
			return true;
	return false;
}

/* Without them, no name is to be read: there may be no sample in a run that is shorter than one. */
static bool has_samples_in_files(const struct result *result)
{
	return has_samples_in(result, true);
}

/*
 * Store the names of the code in the result. A helper reads the files: a crash while one is changed,
 * and a signal, must affect neither the result nor the exit status. Without names, the result is as
 * it was. Return: 0 or -errno; -EINTR: the user does not wait for names.
 */
static int add_names(struct result *result, const struct recording *recording)
{
	struct store_work work = { result, recording, -1 };
	struct helper helper = { 0 };
	char why[HELPER_WHY];

	work.fd = helper_file();
	if (work.fd < 0) {
		helper.error = work.fd;
	} else {
		helper_run(&helper, &(struct helper_work){
			.run = store, .data = &work, .ends = signals_held(), .is_bounded = true,
		});
		drop_names(result);
		if (!helper.error && !helper.killer)
			helper.error = load(work.fd, result);
		close(work.fd);
	}
	if (!helper.error && !helper.killer)
		return 0;
	helper_explain(&helper, why);
	failure_warnx("the result has no names of functions: %s", why);
	return helper.killer ? -EPROTO : helper.error;
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
			/* to look takes longer than a script should wait */
			.records = isatty(fileno(out)) ? DISTRIBUTION_RECORDS : NULL,
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
 * Print the table, by a helper: a crash while a file is changed must not affect the exit status, and
 * a signal ends what waits for a reader. Without samples in files, there are a few lines, and no file
 * is read. Return: whether the table was printed.
 */
static bool show_table(const struct outcome *outcome, const struct result *result)
{
	struct table_work work = { outcome, result };
	char why[HELPER_WHY];
	struct helper helper;
	int error;

	if (!has_samples_in_files(result))
		return !print_table(&work);
	error = helper_run(&helper, &(struct helper_work){
		.run = print_table, .data = &work, .ends = signals_held(), .is_bounded = true,
	});
	if (helper.killer || error == -EINTR) {
		helper_explain(&helper, why);
		failure_warnx("no table: %s; try `profil report'", why);
	}
	return !error;
}

static void print_file_name(FILE *out, const char *path)
{
	const struct terminal_style style = terminal_style(out, TERMINAL_AUTO);
	const char *name = strcmp(path, RESULTFILE_DEFAULT) ? path : "";

	terminal_print_comment(out, &style,
			       "# result in %s; `profil report%s%s' prints other views of it",
			       path, *name ? " " : "", name);
}

/* @what: for messages. Return: whether it was written. */
static bool write_result(const struct outcome *outcome, struct result *result, bool is_last,
			 const char *what)
{
	char *left;
	int unwritten = resultfile_replace(outcome->file, result, is_last, &left);

	if (left)
		failure_warnx("%s: %s (%s): %s is in %s", outcome->file->path, strerror(-unwritten),
			      strerrorname_np(-unwritten), what, left);
	else if (unwritten)
		resultfile_explain_unwritten(outcome->file->path, unwritten, what);
	free(left);
	return !unwritten;
}

/* Find the names of code that programs have made, by which samples are added up. */
static int add_made_names(struct result *result, const struct live_run *run)
{
	if (recording_read_names(run->recording))
		return -ENOMEM;
	result_release(result);
	return live_collect(run, result);
}

/*
 * Write the result, and print the table of it. What takes long, waits for other programs or may be
 * ended is done when the result is in its file, and the file is then replaced. A pipe takes only
 * one result. Return: whether the result was written.
 */
static bool use_result(const struct outcome *outcome, struct result *result,
		       const struct live_run *run)
{
	const char *path = outcome->file->path;
	const bool is_made = has_samples_in(result, false);
	const bool is_early = path && (is_made || has_samples_in_files(result)) &&
			      snapshot_is_possible(path);
	bool is_written = is_early && write_result(outcome, result, false, "the result");
	bool is_shown;
	int error = is_made ? add_made_names(result, run) : 0;

	if (error) {
		failure_warn("profile", -error);
		return is_written;
	}
	if (has_samples_in_files(result))
		error = add_names(result, run->recording);
	if (is_early && is_written && (is_made || !error))
		write_result(outcome, result, true, "the result with names of functions");
	else if (path && !is_early)
		is_written = write_result(outcome, result, true, "the result");
	is_shown = outcome->table && error != -EINTR && show_table(outcome, result);

	/* the user may not expect a file in the current directory */
	if (is_shown && is_written && isatty(stream_fd(outcome->table)))
		print_file_name(outcome->table, path);
	return is_written;
}

bool outcome_show(const struct outcome *outcome, const struct live_run *run)
{
	struct result result;
	int error = live_collect(run, &result);
	bool is_written = false;

	if (!error)
		is_written = use_result(outcome, &result, run);
	else if (error == -ENODATA)
		failure_warnx("no profile: %s may not be traced, because it changes its user or group, or its file cannot be read: run profil as root",
			      run->argv[0]);
	else
		failure_warn("profile", -error);
	result_release(&result);
	return is_written;
}
