// SPDX-License-Identifier: GPL-2.0-only
/*
 * The outcome of a run: writes its result and prints the table, or explains why there is none.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/outcome.h"
#include "profile/profile.h"
#include "record/collect.h"
#include "record/shm.h"
#include "report/report.h"
#include "result/resultfile.h"
#include "symbol/symbols.h"
#include "util/failure.h"
#include "util/isolated.h"

void outcome_explain_unwritten(const char *path, int error)
{
	failure_warnx("%s: %s (%s): the result is not written; %s", path, strerror(-error),
		      strerrorname_np(-error), resultfile_remedy(-error));
}

/* Print the library's message, and the name of the error unless the message contains it. */
static void explain_failure(const struct shm *run)
{
	const char *of = run->nr_processes ? " of some programs" : "";
	const struct profil_run *header = &run->header;
	const char *name = strerrorname_np(header->error);

	if (!name || strstr(header->message, name))
		failure_warnx("no profile%s: %s", of, header->message);
	else
		failure_warnx("no profile%s: %s (%s)", of, header->message, name);
}

/* Print why no process was profiled. All other reasons were printed before the run. */
static void explain_empty(const struct target *target)
{
	char *why = NULL;

	if (target->problem == TARGET_UNREADABLE)
		why = target_explain(target);
	if (why)
		failure_warnx("no profile: %s", why);
	else if (target->problem == TARGET_OK)
		failure_warnx("no profile: %s did not load libprofil-run.so; possible causes: another program removed LD_PRELOAD from its environment; a security module prevents preloading (see LD_PRELOAD in ld.so(8))",
			      target->command);
	free(why);
}

static int print_report(FILE *out, const struct result *result)
{
	struct symbols *symbols = symbols_new(result, NULL);
	struct profile profile;
	int error;

	if (!symbols)
		return -ENOMEM;
	error = profile_make(&profile, result, symbols_find, symbols);
	if (!error) {
		profile_demangle(&profile);
		error = report_print(out, &(struct report){
			.result = result,
			.profile = &profile,
			.symbols = symbols,
			.table.style = terminal_style(out, TERMINAL_AUTO),
		});
	}
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
	int error = print_report(out, work->result);

	if (error)
		failure_warn("profile", -error);
	else if (fflush(out) || ferror(out))
		failure_warn(work->outcome->table_name, errno);
	else
		return 0;
	return EIO;
}

/*
 * Print the table in a child process: a crash while reading files that are changed at the same
 * time must not affect the exit status. Return: whether the table was printed.
 */
static bool show_table(const struct outcome *outcome, const struct result *result)
{
	struct table_work work = { outcome, result };
	int killer, error;

	error = isolated_run(print_table, &work, &killer);
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

/* Return: whether the result is in its file. */
static bool write_result(struct outcome *outcome, const struct result *result)
{
	int unkept = 0, unwritten;
	char *left;

	unwritten = resultfile_write(outcome->output, result, &left,
				     outcome->has_written ? NULL : &unkept);
	if (unkept)
		failure_warnx("%s.old: %s (%s): the previous result was not kept; before the next run, move the result, or name another file with -o",
			      outcome->output, strerror(-unkept), strerrorname_np(-unkept));
	if (left)
		failure_warnx("%s: %s (%s): the result is in %s", outcome->output,
			      strerror(-unwritten), strerrorname_np(-unwritten), left);
	else if (unwritten)
		outcome_explain_unwritten(outcome->output, unwritten);
	free(left);
	if (!unwritten)
		outcome->has_written = true;
	return !unwritten;
}

/* The result is written first, as the table can be printed again from it. */
static void use_profile(struct outcome *outcome, const struct shm *run)
{
	bool is_written = false, is_shown;
	struct result result;
	int error;

	error = collect_result(&result, run, outcome->end, outcome->argv);
	if (!error && outcome->unprofiled)
		error = collect_unprofiled(&result, outcome->unprofiled,
					   outcome->target->path);
	if (!error && outcome->output)
		is_written = write_result(outcome, &result);
	is_shown = !error && show_table(outcome, &result);
	/* the user may not expect a file in the current directory */
	if (is_shown && is_written && isatty(fileno(outcome->table)))
		print_file_name(outcome);
	if (error)
		failure_warn("profile", -error);
	result_release(&result);
}

void outcome_show(struct outcome *outcome)
{
	const char *why = NULL;
	struct shm run;
	int error;

	error = shm_read(outcome->memory, &run, &why);
	if (error == -EBADMSG)
		failure_warnx("no profile: a program overwrote the shared memory of the counters: %s",
			      why);
	else if (error == -EPROTO)
		failure_warnx("no profile: libprofil-run.so uses version %" PRIu32 " of the shared memory's format, but profil uses version %d: install both from the same build",
			      run.header.version, PROFIL_RUN_VERSION);
	else if (error)
		failure_warn("no profile: shared memory", -error);
	else if (!run.nr_processes && !run.header.error)
		explain_empty(outcome->target);
	else if (run.header.error)
		explain_failure(&run);
	if (!error && run.nr_processes)
		use_profile(outcome, &run);
	shm_release(&run);
}

/* A pipe can take only one result, because its reader ends when it is closed. */
static bool takes_snapshots(const char *path)
{
	struct stat st;

	return stat(path, &st) || S_ISREG(st.st_mode);
}

void outcome_snapshot(void *data, const struct child_end *so_far)
{
	struct outcome *outcome = data;
	const char *why = "no program has started a profile";
	struct shm run;
	struct result result;
	int error;

	if (!outcome->output)
		return;
	if (!takes_snapshots(outcome->output)) {
		failure_warnx("no result yet: %s is not a regular file, so the result is written only at the end of the run",
			      outcome->output);
		return;
	}
	error = shm_read(outcome->memory, &run, &why);
	if (!error && run.nr_processes) {
		error = collect_result(&result, &run, so_far, outcome->argv);
		if (!error)
			write_result(outcome, &result);
		result_release(&result);
	} else if (!error || error == -EBADMSG) {
		failure_warnx("no result yet: %s", why);
		error = 0;
	}
	if (error)
		failure_warn("no result yet", -error);
	shm_release(&run);
}
