// SPDX-License-Identifier: GPL-2.0-only
/*
 * The outcome of a run: writes its result and prints the table, or explains why there is none.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/outcome.h"
#include "profile/profile.h"
#include "record/collect.h"
#include "report/report.h"
#include "result/resultfile.h"
#include "result/resultnames.h"
#include "symbol/store.h"
#include "symbol/symbols.h"
#include "top/open_files.h"
#include "util/failure.h"
#include "util/isolated.h"
#include "util/working.h"
#include "write_all.h"

void outcome_explain_unwritten(const char *path, int error)
{
	failure_warnx("%s: %s (%s): the result is not written; %s", path, strerror(-error),
		      strerrorname_np(-error), resultfile_remedy(-error));
}

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
	struct symbols *symbols = symbols_new(work->result, NULL);
	unsigned char *message = NULL;
	size_t bytes;
	int error;

	/* the command has ended, and its user waits */
	working_show(STDERR_FILENO);
	if (symbols)
		open_files_use(symbols, work->result, work->recording);
	error = symbols ? store_names(work->result, symbols) : -ENOMEM;
	if (!error)
		error = resultnames_pack(work->result, &message, &bytes);
	if (!error)
		error = profil_write_all(work->fd, message, bytes);
	free(message);
	symbols_free(symbols);
	return -error;
}

/* Read names from a file in memory. Return: 0 or -errno. */
static int load(int fd, struct result *result)
{
	struct stat st;
	void *message;
	int error;

	if (fstat(fd, &st))
		return -errno;
	message = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (message == MAP_FAILED)
		return -errno;
	error = resultnames_take(result, message, (size_t)st.st_size);
	munmap(message, (size_t)st.st_size);
	return error;
}

/* Without memory for a child, this process has stored some. */
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
 * Store the names of the code in the result. A child process reads the files: a crash while one is
 * changed must not affect the exit status. Without names, the result is as it was.
 */
static void add_names(struct result *result, const struct recording *recording)
{
	struct store_work work = { result, recording, -1 };
	int killer = 0, error;

	if (!has_samples_in_files(result))
		return;
	work.fd = memfd_create("profil", MFD_CLOEXEC);
	if (work.fd < 0) {
		error = -errno;
	} else {
		error = -isolated_run(store, &work, &killer);
		drop_names(result);
		if (!error && !killer)
			error = load(work.fd, result);
		close(work.fd);
	}
	if (killer)
		failure_warnx("the result has no names of functions: a file of the program is damaged, or changed while it was read (SIG%s)",
			      sigabbrev_np(killer));
	else if (error)
		failure_warnx("the result has no names of functions: %s (%s): %s",
			      strerror(-error), strerrorname_np(-error), failure_remedy(-error));
}

int outcome_collect(const struct outcome *outcome, const struct child_end *end,
		    struct result *result)
{
	int error;

	error = collect_result(result, outcome->recording, &outcome->log, end, outcome->argv);
	if (!error && !result->nr_processes)
		error = -ENODATA;
	return !error && outcome->no_arguments ? result_drop_arguments(result) : error;
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
 * Print the table, in a child process if names are read: a crash while a file is changed must not
 * affect the exit status. Return: whether the table was printed.
 */
static bool show_table(const struct outcome *outcome, const struct result *result)
{
	struct table_work work = { outcome, result };
	int killer = 0, error;

	if (has_samples_in_files(result))
		error = isolated_run(print_table, &work, &killer);
	else
		error = print_table(&work);
	if (killer && killer != SIGBUS && killer != SIGSEGV)
		failure_warnx("no table: the process that prints it was killed by SIG%s; try `profil report'",
			      sigabbrev_np(killer));
	else if (killer)
		failure_warnx("no table: a file of the program is damaged, or changed while it was read (SIG%s); try `profil report'",
			      sigabbrev_np(killer));
	return !error && !killer;
}

static void print_file_name(const struct outcome *outcome)
{
	const struct terminal_style style = terminal_style(outcome->table, TERMINAL_AUTO);
	const char *name = strcmp(outcome->output, RESULTFILE_DEFAULT) ? outcome->output : "";

	terminal_print_comment(outcome->table, &style,
			       "# result in %s; `profil report%s%s' prints other views of it",
			       outcome->output, *name ? " " : "", name);
}

static void explain_unkept(const char *path, int error)
{
	failure_warnx("%s.old: %s (%s): the previous result was not kept; before the next run, move the result, or name another file with -o",
		      path, strerror(-error), strerrorname_np(-error));
}

/* Return: 0: the result is in its file; or -errno. */
static int write_result(struct outcome *outcome, const struct result *result)
{
	int unkept = 0, unwritten;
	char *left;

	unwritten = resultfile_write(outcome->output, result, &left,
				     outcome->has_written ? NULL : &unkept);
	if (unkept)
		explain_unkept(outcome->output, unkept);
	if (left)
		failure_warnx("%s: %s (%s): the result is in %s", outcome->output,
			      strerror(-unwritten), strerrorname_np(-unwritten), left);
	else if (unwritten)
		outcome_explain_unwritten(outcome->output, unwritten);
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

bool outcome_show(struct outcome *outcome, const struct child_end *end)
{
	struct result result;
	int error = outcome_collect(outcome, end, &result);
	bool is_written = false;

	if (!error) {
		add_names(&result, outcome->recording);
		is_written = use_result(outcome, &result);
	}
	else if (error == -ENODATA)
		failure_warnx("no profile: %s may not be traced, because it changes its user or group, or its file cannot be read: run profil as root",
			      outcome->argv[0]);
	else
		failure_warn("profile", -error);
	result_release(&result);
	return is_written;
}

bool outcome_takes_snapshots(const char *path)
{
	struct stat st;

	return stat(path, &st) || S_ISREG(st.st_mode);
}

/* Print why there is no snapshot. */
static void explain_no_snapshot(const char *path, int error)
{
	if (error == -ESPIPE)
		failure_warnx("no result yet: %s is not a regular file, so the result is written only at the end of the run",
			      path);
	else if (error == -ENODATA)
		failure_warnx("no result yet: no program has been profiled");
	else
		outcome_explain_unwritten(path, error);
}

/* Return: 0 or -errno; -ESPIPE: not a regular file. */
static int write_snapshot(struct outcome *outcome, const struct child_end *so_far)
{
	struct result result;
	int error, unkept = 0;
	char *left = NULL;

	if (!outcome_takes_snapshots(outcome->output))
		return -ESPIPE;
	error = outcome_collect(outcome, so_far, &result);
	if (!error)
		error = resultfile_write_fast(outcome->output, &result, &left,
					      outcome->has_written ? NULL : &unkept);
	if (unkept)
		explain_unkept(outcome->output, unkept);
	/* otherwise each snapshot would leave a file */
	if (left)
		unlink(left);
	free(left);
	result_release(&result);
	return error;
}

int outcome_snapshot(struct outcome *outcome, const struct child_end *so_far)
{
	int error = outcome->output ? write_snapshot(outcome, so_far) : 0;

	if (error && error != outcome->snapshot_error)
		explain_no_snapshot(outcome->output, error);
	return error;
}

void outcome_snapshot_ended(struct outcome *outcome, int error)
{
	outcome->snapshot_error = error;
	if (!error)
		outcome->has_written = true;
}
