// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil optimize - profile a command, make a faster copy of its program, and compare the two
 *
 * The steps are those that a user would type: `profil run', `profil export', then BOLT or a linker.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/optimize_files.h"
#include "cmd/options.h"
#include "optimize/copy.h"
#include "optimize/program.h"
#include "optimize/versus.h"
#include "record/signals.h"
#include "result/resultfile.h"
#include "util/failure.h"
#include "util/time_ns.h"
#include "util/working.h"

#define DEFAULT_PAIRS	20

static const char doc[] =
	"Profile COMMAND, make a faster copy of its program beside it, run both in turn, and print how "
	"much CPU time the copy saves."
	"\v"
	"The program must be linked with -Wl,-q (relocations), and not stripped. Its copy is PROGRAM.bolt or "
	"PROGRAM.order; the program itself is not changed. The output of the tool that makes the copy is in a "
	"file whose name ends in .log. When both are compared, their output is dropped, and their input is "
	"that of profil if it is a file, else empty.\n"
	"\n"
	"Exit status: 0: the copy is faster; 3: it is not, or the difference is too small to be seen; 1: an "
	"error; 2: wrong usage.\n"
	"\n"
	"See profil-optimize(1).";

enum { KEY_WITH = 256, KEY_RELINK, KEY_PROFILE, KEY_RUNS };

static const struct argp_option options[] = {
	{ "with", KEY_WITH, "TOOL", 0,
	  "bolt: reorder blocks and functions; order: link with hot functions together (default: bolt)", 0 },
	{ "relink", KEY_RELINK, "LINK", 0,
	  "For --with=order: the shell command that links the program to $OUT, with its functions in the order of $ORDER (symbols), $ORDER_SECTIONS or $ORDER_SCRIPT", 0 },
	{ "output", 'o', "COPY", 0, "Name the copy COPY", 0 },
	{ "profile", KEY_PROFILE, "FILE", 0,
	  "Use this result instead of a profile of COMMAND", 0 },
	{ "rate", 'r', "HZ", 0,
	  "Take HZ samples per second of CPU time (default: as many as the kernel permits)", 0 },
	{ "runs", KEY_RUNS, "N", 0, "Run each program N times (default: 20)", 0 },
	{ 0 }
};

struct arguments {
	bool with_order;
	const char *relink;
	const char *output;
	const char *profile;
	const char *rate;
	unsigned int pairs;
	char **command;
};

/* What is made on the way */
struct work {
	char *program;		/* path of the command's executable */
	char *copy;
	char *log;
	char *bolt;		/* the tool; NULL: a linker */
	struct result given;	/* of --profile */
	char *directory;	/* of temporary files */
	char *profile;
	char *order[COPY_VARIABLES];	/* files of the linker; or one for BOLT */
};

static const char *const order_variables[COPY_VARIABLES] = {
	"ORDER=", "ORDER_SECTIONS=", "ORDER_SCRIPT="
};

static const char *const order_formats[COPY_VARIABLES] = {
	"--order", "--order=sections", "--order=script"
};

static unsigned int parse_runs(const char *text, struct argp_state *state)
{
	char *end;
	unsigned long runs = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || runs < VERSUS_MIN_PAIRS ||
	    runs > VERSUS_MAX_PAIRS)
		options_error(state, "invalid number of runs '%s'; expected %d to %d", text,
			      VERSUS_MIN_PAIRS, VERSUS_MAX_PAIRS);
	return (unsigned int)runs;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case KEY_WITH:
		arguments->with_order = !strcmp(text, "order");
		if (!arguments->with_order && strcmp(text, "bolt"))
			options_error(state, "invalid tool '%s'; expected bolt or order", text);
		return 0;
	case KEY_RELINK:
		arguments->relink = text;
		return 0;
	case 'o':
		if (!*text)
			options_error(state, "invalid --output ''; expected the name of a file");
		arguments->output = text;
		return 0;
	case KEY_PROFILE:
		arguments->profile = text;
		return 0;
	case 'r':
		options_parse_rate(text, state);
		arguments->rate = text;
		return 0;
	case KEY_RUNS:
		arguments->pairs = parse_runs(text, state);
		return 0;
	case ARGP_KEY_ARG:
		arguments->command = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		if (!arguments->command)
			argp_usage(state);
		if (arguments->with_order != !!arguments->relink)
			options_error(state, "--with=order and --relink=LINK need each other: only you know how the program is linked");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void *need_memory(void *memory)
{
	if (!memory)
		failure_exit(EXIT_NO_RESULT, "optimize", ENOMEM);
	return memory;
}

static char *join(const char *first, const char *second)
{
	char *text;

	if (asprintf(&text, "%s%s", first, second) < 0)
		text = NULL;
	return need_memory(text);
}

static void read_given(struct work *work, const char *name)
{
	size_t i;

	options_read_result(name, &work->given);
	for (i = 0; i < work->given.nr_objects; i++)
		if (!strcmp(work->given.objects[i].path, work->program) &&
		    work->given.objects[i].samples)
			return;
	failure_exitx(EXIT_NO_RESULT, "%s: it has no samples of %s (ENODATA): name a result of this program, with the same path",
		      options_file_name(name), work->program);
}

static void prepare(struct work *work, const struct arguments *arguments)
{
	int error = 0;

	/* a linker needs only names, which the result has */
	work->program = optimize_find_program(arguments->command[0], !arguments->with_order);
	work->copy = arguments->output ? optimize_absolute_path(arguments->output) :
		     join(work->program, arguments->with_order ? ".order" : ".bolt");
	work->log = join(work->copy, ".log");
	optimize_check_new(work->copy, work->program, arguments->profile);
	optimize_check_new(work->log, work->program, arguments->profile);
	if (arguments->profile)
		read_given(work, arguments->profile);
	if (!arguments->with_order)
		error = copy_find_bolt(&work->bolt);
	if (error == -ENOENT)
		failure_exitx(EXIT_NO_RESULT, "llvm-bolt is not installed (ENOENT): install it (Debian: bolt-19), or use --with=order");
	if (error == -EINTR)
		failure_exitx(EXIT_NO_RESULT, "interrupted: no copy is made");
	if (error)
		need_memory(NULL);
}

static void make_directory(struct work *work)
{
	const char *parent = getenv("TMPDIR");

	work->directory = join(parent && *parent ? parent : "/tmp", "/profil.XXXXXX");
	if (!mkdtemp(work->directory))
		failure_exitx(EXIT_NO_RESULT, "%s: no temporary directory: %s (%s): set TMPDIR to a directory that you may write to",
			      work->directory, strerror(errno), strerrorname_np(errno));
	work->profile = join(work->directory, "/profile");
	work->order[0] = join(work->directory, "/order");
	work->order[1] = join(work->directory, "/sections");
	work->order[2] = join(work->directory, "/script");
}

static void clean_up(struct work *work)
{
	size_t i;

	unlink(work->profile);
	for (i = 0; i < COPY_VARIABLES; i++) {
		unlink(work->order[i]);
		free(work->order[i]);
	}
	rmdir(work->directory);
	result_release(&work->given);
	free(work->directory);
	free(work->profile);
	free(work->bolt);
	free(work->log);
	free(work->copy);
	free(work->program);
}

/*
 * Run this program again, as another subcommand.
 *
 * @output: file for what it prints; NULL: it prints as this process does
 *
 * Return: its exit status; -EINTR: this process got a signal that ends it; -1: it was killed.
 */
static int run_self(char *const *argv, bool ends_by_interrupt, const char *output)
{
	struct program_run run = {
		.path = "/proc/self/exe", .argv = argv, .ends_by_interrupt = ends_by_interrupt,
		.output = output,
	};
	int error = program_run(&run);

	if (error == -EINTR)
		return error;
	if (error) {
		failure_warn("/proc/self/exe", -error);
		return EXIT_OWN_FAILURE;
	}
	return WIFEXITED(run.status) ? WEXITSTATUS(run.status) : -1;
}

/* Write the result of --profile again: it may be from a pipe, and each export reads it. */
static int keep_given(const struct work *work)
{
	char *left;
	int error = resultfile_write(work->profile, &work->given, &left, NULL);

	if (error)
		failure_warn(work->profile, -error);
	free(left);
	return error ? 1 : 0;
}

/* Return: 0: there is a profile; -EINTR, as of run_self(); 1: the reason was printed. */
static int profile(const struct work *work, const struct arguments *arguments)
{
	char *const before[] = { "profil", "run", "--no-table", "--rate", (char *)arguments->rate,
				 "--output", work->profile, "--" };
	const size_t nr_before = sizeof(before) / sizeof(before[0]);
	size_t nr = 0;
	char **argv;
	int status;

	while (arguments->command[nr])
		nr++;
	argv = need_memory(calloc(nr_before + nr + 1, sizeof(*argv)));
	memcpy(argv, before, sizeof(before));
	memcpy(argv + nr_before, arguments->command, nr * sizeof(*argv));
	/* profil run writes what it has when it is interrupted */
	status = run_self(argv, true, NULL);
	free(argv);
	/* many programs report something by an exit status below those of shells and profil run */
	if (status == -EINTR || (status >= 0 && status < EXIT_OWN_FAILURE))
		return status < 0 ? status : 0;
	if (status != EXIT_OWN_FAILURE)
		failure_warnx("%s had exit status %d while it was profiled, as what is killed or cannot be executed: no copy is made",
			      arguments->command[0], status);
	return 1;
}

/*
 * Write the profile in a format.
 *
 * @output: as of run_self()
 *
 * Return: 0; -EINTR, as of run_self(); or 1: the reason was printed.
 */
static int export_to_file(const struct work *work, const char *format, char *file,
			  const char *output)
{
	char *pattern = need_memory(selection_pattern(work->program));
	char *const argv[] = { "profil", "export", (char *)format, "--no-debuginfod", "--object",
			       pattern, "--output", file, work->profile, NULL };
	const int status = run_self(argv, false, output);

	free(pattern);
	if (status > 0 && output)
		failure_warnx("profil export %s failed (EPROTO): its output is in %s", format,
			      output);
	return status == -EINTR ? status : !!status;
}

/* Return: as of export_to_file(). */
static int export_profile(const struct work *work, const struct arguments *arguments)
{
	int error = 0;
	size_t i;

	if (!arguments->with_order)
		return export_to_file(work, "--bolt=fdata", work->order[0], NULL);
	/* each says what it leaves out, which is the same */
	for (i = 0; !error && i < COPY_VARIABLES; i++)
		error = export_to_file(work, order_formats[i], work->order[i],
				       i ? work->log : NULL);
	return error;
}

/* Return: as of copy_by_linker(). */
static int link_copy(const struct work *work, const struct arguments *arguments)
{
	char *variables[COPY_VARIABLES];
	size_t i;
	int error;

	for (i = 0; i < COPY_VARIABLES; i++)
		variables[i] = join(order_variables[i], work->order[i]);
	error = copy_by_linker(arguments->relink, variables, work->copy, work->log);
	for (i = 0; i < COPY_VARIABLES; i++)
		free(variables[i]);
	return error;
}

/* Return: 0: there is a copy; -EINTR, as of run_self(); else the reason was printed. */
static int make_copy(const struct work *work, const struct arguments *arguments)
{
	int error = export_profile(work, arguments);

	if (error)
		return error;
	working_begin("making", work->copy);
	error = arguments->with_order ? link_copy(work, arguments) :
		copy_by_bolt(work->bolt, work->program, work->order[0], work->copy, work->log);
	working_end();
	if (error == -EPROTO)
		failure_warnx("%s failed, or wrote no program (EPROTO): its output is in %s",
			      arguments->with_order ? "the command of --relink" : work->bolt,
			      work->log);
	else if (error < 0 && error != -EINTR)
		failure_warn(work->copy, -error);
	return error;
}

/* Whether each run reads standard input from its start */
static bool has_input(const struct arguments *arguments)
{
	struct stat st;

	return !fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode) &&
	       (!arguments->profile || strcmp(arguments->profile, RESULTFILE_STDIN));
}

static void explain_no_comparison(const struct work *work, int error)
{
	if (error == -EPROTO)
		failure_warnx("the runs of %s and %s differ in their exit status (EPROTO): the copy does not do the same, or the program does not always; do not use the copy before you know why",
			      work->program, work->copy);
	else if (error == -ENODATA)
		failure_warnx("%s uses no CPU time that could be compared (ENODATA): let COMMAND work longer",
			      work->program);
	else if (error != -EINTR)
		failure_warn(work->copy, -error);
}

/* Print what the runs have shown. Return: the exit status. */
static int report(const struct work *work, const struct versus *versus)
{
	const struct interval *interval = &versus->interval;
	const char *verdict;
	int status = EXIT_SLOWER;

	if (interval->low > 0) {
		verdict = "is faster";
		status = 0;
	} else if (interval->high < 0) {
		verdict = "is slower: do not use it";
	} else {
		verdict = "is not measurably faster";
	}
	printf("%s %s.\nIt saves %.1f %% of the CPU time of %s (95 %% interval: %.1f to %.1f %%): %.3f s instead of %.3f s, medians of %u runs each.\n",
	       work->copy, verdict, 100 * versus->saved, work->program, 100 * interval->low,
	       100 * interval->high, versus->cpu_ns[1] / NS_PER_S, versus->cpu_ns[0] / NS_PER_S,
	       versus->pairs);
	if (fflush(stdout) || ferror(stdout)) {
		failure_warn("standard output", errno);
		status = EXIT_NO_RESULT;
	}
	return status;
}

/* Return: 0, and the exit status is set; -EINTR, as of run_self(); else the reason was printed. */
static int compare(const struct work *work, const struct arguments *arguments, int *status)
{
	struct versus versus = {
		.paths = { work->program, work->copy }, .argv = arguments->command,
		.has_input = has_input(arguments), .pairs = arguments->pairs,
	};
	int error = versus_run(&versus);

	if (error)
		explain_no_comparison(work, error);
	else
		*status = report(work, &versus);
	return error;
}

static void optimize(const struct work *work, const struct arguments *arguments, int *status)
{
	bool has_copy = false;
	int error = arguments->profile ? keep_given(work) : profile(work, arguments);

	if (!error)
		error = make_copy(work, arguments);
	if (!error) {
		has_copy = true;
		error = compare(work, arguments, status);
	}
	if (error == -EINTR)
		failure_warnx(has_copy ? "interrupted: %s is there, but not compared" :
					 "interrupted: %s is not made", work->copy);
}

int optimize_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "COMMAND [ARG...]",
		.doc = doc,
	};
	struct arguments arguments = { .rate = "max", .pairs = DEFAULT_PAIRS };
	int status = EXIT_NO_RESULT;
	struct work work = { 0 };

	argp_err_exit_status = EXIT_USAGE;
	options_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments);
	/* what runs below has the signals that this process was started with */
	signals_restore_ignored();
	program_watch_signals();
	working_show(STDERR_FILENO);
	prepare(&work, &arguments);
	make_directory(&work);
	optimize(&work, &arguments, &status);
	clean_up(&work);
	return status;
}
