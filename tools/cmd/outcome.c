// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a run came to: its result, kept and shown, or why there is none.
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
#include "record/collect.h"
#include "record/shm.h"
#include "report/profile.h"
#include "report/report.h"
#include "result/resultfile.h"
#include "symbol/symbols.h"
#include "util/failure.h"
#include "util/isolated.h"

void outcome_explain_unwritten(const char *path, int error)
{
	failure_warnx("%s: %s (%s): the result is not kept; %s", path, strerror(-error),
	      strerrorname_np(-error), resultfile_remedy(-error));
}

/* The library's message names the error itself, where that says anything. */
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

/* What its file showed was said before the run. */
static void explain_empty(const struct target *target)
{
	char *why = NULL;

	if (target->problem == TARGET_UNREADABLE)
		why = target_explain(target);
	if (why)
		failure_warnx("no profile: %s", why);
	else if (target->problem == TARGET_OK)
		failure_warnx("no profile: %s did not load libprofil-run.so, and its file does not show why: a program before it may have taken LD_PRELOAD out of the environment, or a security module keeps the dynamic linker from it; see LD_PRELOAD in ld.so(8)",
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

/* A table, and what it is of */
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
 * Reading the files of programs that are being built may crash, and shall not take the
 * command's exit status with it. Return: whether there is a table.
 */
static bool show_table(const struct outcome *outcome, const struct result *result)
{
	struct table_work work = { outcome, result };
	int killer, error;

	error = isolated_run(print_table, &work, &killer);
	if (killer && killer != SIGBUS && killer != SIGSEGV)
		failure_warnx("no table: what printed it was ended by SIG%s: `profil report' tries again",
			      sigabbrev_np(killer));
	else if (killer)
		failure_warnx("no table: a file that the program ran from was damaged, or changed while it was read (SIG%s): `profil report' tries again",
		      sigabbrev_np(killer));
	return !error && !killer;
}

static void print_kept(const struct outcome *outcome)
{
	const struct terminal_style style = terminal_style(outcome->table, TERMINAL_AUTO);
	const char *name = strcmp(outcome->output, RESULTFILE_DEFAULT) ? outcome->output : "";

	terminal_print_comment(outcome->table, &style,
			       "# kept in %s: `profil report%s%s' shows more of it",
			       outcome->output, *name ? " " : "", name);
}

/* Return: whether the result is in its file. */
static bool keep(struct outcome *outcome, const struct result *result)
{
	int unkept = 0, unwritten;
	char *left;

	unwritten = resultfile_write(outcome->output, result, &left,
				     outcome->has_written ? NULL : &unkept);
	if (unkept)
		failure_warnx("%s.old: %s (%s): the result before is not kept; move it elsewhere before a run, or name another file by -o",
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

/* First of all keep it: the report can be had again. */
static void use_profile(struct outcome *outcome, const struct shm *run)
{
	bool is_kept = false, is_shown;
	struct result result;
	int error;

	error = collect_result(&result, run, outcome->end, outcome->argv);
	if (!error && outcome->unprofiled)
		error = collect_unprofiled(&result, outcome->unprofiled,
					   outcome->target->path);
	if (!error && outcome->output)
		is_kept = keep(outcome, &result);
	is_shown = !error && show_table(outcome, &result);
	/* a file that nobody asked for shall not surprise */
	if (is_shown && is_kept && isatty(fileno(outcome->table)))
		print_kept(outcome);
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
		failure_warnx("no profile: the program damaged the memory it was counted in: %s",
		      why);
	else if (error == -EPROTO)
		failure_warnx("no profile: libprofil-run.so speaks version %" PRIu32 " of the run's format, this command version %d: install both from one build",
		      run.header.version, PROFIL_RUN_VERSION);
	else if (error)
		failure_warn("no profile: the run's memory", -error);
	else if (!run.nr_processes && !run.header.error)
		explain_empty(outcome->target);
	else if (run.header.error)
		explain_failure(&run);
	if (!error && run.nr_processes)
		use_profile(outcome, &run);
	shm_release(&run);
}

/* A pipe takes one result: its reader goes when the first has been written. */
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
		failure_warnx("no result yet: %s is no regular file, and takes one result, at the end",
			      outcome->output);
		return;
	}
	error = shm_read(outcome->memory, &run, &why);
	if (!error && run.nr_processes) {
		error = collect_result(&result, &run, so_far, outcome->argv);
		if (!error)
			keep(outcome, &result);
		result_release(&result);
	} else if (!error || error == -EBADMSG) {
		failure_warnx("no result yet: %s", why);
		error = 0;
	}
	if (error)
		failure_warn("no result yet", -error);
	shm_release(&run);
}
