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
#include "cmd/options.h"
#include "export/code.h"
#include "optimize/copy.h"
#include "optimize/program.h"
#include "optimize/versus.h"
#include "util/failure.h"
#include "util/objectfile.h"
#include "util/time_ns.h"

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
	char directory[32];	/* of temporary files; empty: none yet */
	char *profile;
	char *order[3];		/* files of the linker; or one for BOLT */
};

static const char *const order_variables[3] = { "ORDER", "ORDER_SECTIONS", "ORDER_SCRIPT" };
static const char *const order_formats[3] = { "--order", "--order=sections", "--order=script" };

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

/* Return: the path of a command, as the shell would find it; NULL: it is not there. */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH");
	char *found = NULL, *file;

	if (strchr(name, '/') || !path)
		return realpath(name, NULL);
	while (!found && *path) {
		const size_t length = strcspn(path, ":");

		if (asprintf(&file, "%.*s/%s", (int)length, path, name) < 0)
			need_memory(NULL);
		if (!access(file, X_OK))
			found = realpath(file, NULL);
		free(file);
		path += length + (path[length] == ':');
	}
	return found;
}

/* Exit if no copy can be made of the program: before it runs for a profile, which may take long. */
static void check_program(const struct work *work, bool with_order)
{
	const char *problem;
	int fd = objectfile_open(work->program, &problem);
	int error = 0;
	Elf *elf;

	if (fd < 0)
		failure_exit(EXIT_NO_RESULT, work->program, errno);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		failure_exitx(EXIT_NO_RESULT, "%s: it is no executable program, but perhaps a script (ENOEXEC): name the program that it runs",
			      work->program);
	/* a linker needs names, which the result has */
	if (!with_order)
		error = code_check_file(work->program, elf, CODE_RELOCATIONS);
	elf_end(elf);
	close(fd);
	if (error)
		exit(EXIT_NO_RESULT);
}

static bool is_same_file(const char *path, const char *other)
{
	struct stat a, b;

	return !stat(path, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static void prepare(struct work *work, const struct arguments *arguments)
{
	work->program = find_program(arguments->command[0]);
	if (!work->program)
		failure_exitx(EXIT_NO_RESULT, "%s: command not found (ENOENT): give its path, or correct PATH",
			      arguments->command[0]);
	check_program(work, arguments->with_order);
	work->copy = arguments->output ? join(arguments->output, "") :
		     join(work->program, arguments->with_order ? ".order" : ".bolt");
	if (is_same_file(work->program, work->copy))
		failure_exitx(EXIT_NO_RESULT, "%s is the program itself (EINVAL): name another file with --output",
			      work->copy);
	work->log = join(work->copy, ".log");
	if (!arguments->with_order && copy_find_bolt(&work->bolt) == -ENOENT)
		failure_exitx(EXIT_NO_RESULT, "llvm-bolt is not installed (ENOENT): install it (Debian: bolt-19), or use --with=order");
	if (!arguments->with_order)
		need_memory(work->bolt);
}

static void make_directory(struct work *work)
{
	strcpy(work->directory, "/tmp/profil.XXXXXX");
	if (!mkdtemp(work->directory)) {
		work->directory[0] = 0;
		failure_exit(EXIT_NO_RESULT, "/tmp", errno);
	}
	work->profile = join(work->directory, "/profile");
	work->order[0] = join(work->directory, "/order");
	work->order[1] = join(work->directory, "/sections");
	work->order[2] = join(work->directory, "/script");
}

static void clean_up(struct work *work)
{
	size_t i;

	if (*work->directory) {
		unlink(work->profile);
		for (i = 0; i < 3; i++)
			unlink(work->order[i]);
		rmdir(work->directory);
	}
	for (i = 0; i < 3; i++)
		free(work->order[i]);
	free(work->profile);
	free(work->bolt);
	free(work->log);
	free(work->copy);
	free(work->program);
}

/* Run this program again, as another subcommand. Return: its exit status; -1: it was killed. */
static int run_self(char *const *argv)
{
	struct program_run run = { .path = "/proc/self/exe", .argv = argv };
	int error = program_run(&run);

	if (error) {
		failure_warn("/proc/self/exe", -error);
		return EXIT_OWN_FAILURE;
	}
	return WIFEXITED(run.status) ? WEXITSTATUS(run.status) : -1;
}

/* Return: whether there is a profile. If not, the reason was printed. */
static bool profile(const struct work *work, const struct arguments *arguments)
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
	status = run_self(argv);
	free(argv);
	/* many programs report something by an exit status below those of shells and profil run */
	if (status >= 0 && status < EXIT_OWN_FAILURE)
		return true;
	if (status != EXIT_OWN_FAILURE)
		failure_warnx("%s did not end by itself while it was profiled: no copy is made",
			      arguments->command[0]);
	return false;
}

/* Return: whether the profile was written in a format. If not, the reason was printed. */
static bool export_to_file(const struct work *work, const char *format, char *file,
			   const char *from)
{
	char *pattern = need_memory(selection_pattern(work->program));
	char *const argv[] = { "profil", "export", (char *)format, "--no-debuginfod", "--object",
			       pattern, "--output", file, (char *)from, NULL };
	const bool is_written = !run_self(argv);

	free(pattern);
	return is_written;
}

/* Return: 0 or -errno of copy_by_linker(); 1: the reason was printed. */
static int link_copy(const struct work *work, const struct arguments *arguments, const char *from)
{
	size_t i;

	for (i = 0; i < 3; i++) {
		if (!export_to_file(work, order_formats[i], work->order[i], from))
			return 1;
		if (setenv(order_variables[i], work->order[i], 1))
			return -ENOMEM;
	}
	return copy_by_linker(arguments->relink, work->copy, work->log);
}

/* Return: whether there is a copy. If not, the reason was printed. */
static bool make_copy(const struct work *work, const struct arguments *arguments)
{
	const char *from = arguments->profile ? arguments->profile : work->profile;
	int error;

	if (arguments->with_order)
		error = link_copy(work, arguments, from);
	else if (!export_to_file(work, "--bolt=fdata", work->order[0], from))
		error = 1;
	else
		error = copy_by_bolt(work->bolt, work->program, work->order[0], work->copy,
				     work->log);
	if (error == -EPROTO)
		failure_warnx("%s failed, or wrote no program (EPROTO): its output is in %s",
			      arguments->with_order ? "the command of --relink" : work->bolt,
			      work->log);
	else if (error < 0)
		failure_warn(work->copy, -error);
	return !error;
}

/* Return: the path of standard input, which each run opens anew, to read it from the start. */
static char *input_of_runs(void)
{
	struct stat st;
	char *path;

	if (fstat(STDIN_FILENO, &st) || !S_ISREG(st.st_mode))
		return join("/dev/null", "");
	/* of this process: that of the child is closed before the new one is opened */
	if (asprintf(&path, "/proc/%d/fd/%d", (int)getpid(), STDIN_FILENO) < 0)
		path = NULL;
	return need_memory(path);
}

static void explain_no_comparison(const struct work *work, int error)
{
	if (error == -EPROTO)
		failure_warnx("the runs of %s and %s differ in their exit status (EPROTO): the copy does not do the same, or the program does not always; do not use the copy before you know why",
			      work->program, work->copy);
	else if (error == -ENODATA)
		failure_warnx("%s uses no CPU time that could be compared (ENODATA): let COMMAND work longer",
			      work->program);
	else if (error == -EINTR)
		failure_warnx("interrupted: %s is there, but not compared", work->copy);
	else
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
	return status;
}

static int compare(const struct work *work, const struct arguments *arguments)
{
	char *input = input_of_runs();
	struct versus versus = {
		.paths = { work->program, work->copy }, .argv = arguments->command,
		.input = input, .pairs = arguments->pairs,
	};
	int error = versus_run(&versus);

	free(input);
	if (!error)
		return report(work, &versus);
	explain_no_comparison(work, error);
	return EXIT_NO_RESULT;
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
	prepare(&work, &arguments);
	make_directory(&work);
	if ((arguments.profile || profile(&work, &arguments)) && make_copy(&work, &arguments))
		status = compare(&work, &arguments);
	clean_up(&work);
	return status;
}
