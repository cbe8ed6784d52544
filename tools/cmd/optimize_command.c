// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil optimize - profile a command, let BOLT make a faster copy of its program, and compare the two
 *
 * The steps are those that a user would type: `profil run', `profil export --bolt=fdata', llvm-bolt
 * and `profil compare'. What each makes stays beside the copy.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "compare/program.h"
#include "compare/turns.h"
#include "export/code.h"
#include "export/export.h"
#include "record/signals.h"
#include "result/resultfile.h"
#include "symbol/samefile.h"
#include "symbol/symbolize.h"
#include "symbol/symbols.h"
#include "util/failure.h"
#include "util/objectfile.h"
#include "util/working.h"

/* Versions of LLVM whose Debian packages have llvm-bolt-VERSION */
#define NEWEST_BOLT	40
#define OLDEST_BOLT	14

static const char doc[] =
	"Profile COMMAND, let BOLT make a faster copy of its program beside it, run both in turn, and print "
	"how much less CPU time the copy takes."
	"\v"
	"The program must be linked with -Wl,-q (relocations), and not stripped. It is not changed. Its copy "
	"is PROGRAM.bolt; beside it are the profile (.bolt.out), what BOLT reads of it (.bolt.fdata), and "
	"BOLT's output (.bolt.log). Then both run as `profil compare' does it.\n"
	"\n"
	"Exit status: 0: the copy is faster; 3: it is not, or the difference is too small to be seen; 1: an "
	"error; 2: wrong usage.\n"
	"\n"
	"See profil-optimize(1).";

enum { KEY_PROFILE = 256, KEY_RUNS };

static const struct argp_option options[] = {
	{ "output", 'o', "COPY", 0, "Name the copy COPY", 0 },
	{ "profile", KEY_PROFILE, "FILE", 0,
	  "Use this result instead of a profile of COMMAND", 0 },
	{ "rate", 'r', "HZ", 0,
	  "Take HZ samples per second of CPU time (default: as many as the kernel permits)", 0 },
	{ "runs", KEY_RUNS, "N", 0, "Run each program N times (default: 20)", 0 },
	{ 0 }
};

struct arguments {
	const char *output;
	const char *profile;
	const char *rate;
	unsigned int pairs;
	char **command;
};

/* The program, and the files that are made */
struct work {
	char *bolt;
	char *program;
	int fd;		/* of the program */
	Elf *elf;
	char *copy;
	char *unfinished;	/* the copy while it is made */
	char *profile;
	char *fdata;
	char *log;
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
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
		arguments->pairs = options_parse_runs(text, state);
		return 0;
	case ARGP_KEY_ARG:
		arguments->command = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		if (!arguments->command)
			argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* --- before the program runs for a profile, which may take long --------------------- */

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

static char *find_bolt(void)
{
	char *bolt = program_find("llvm-bolt"), name[32];
	int version;

	for (version = NEWEST_BOLT; !bolt && version >= OLDEST_BOLT; version--) {
		snprintf(name, sizeof(name), "llvm-bolt-%d", version);
		bolt = program_find(name);
	}
	if (!bolt)
		failure_exitx(EXIT_NO_RESULT, "llvm-bolt is not installed (ENOENT): install it (Debian: bolt-19)");
	return bolt;
}

static void open_program(struct work *work, const char *name)
{
	const char *problem;

	work->program = program_find(name);
	if (!work->program)
		failure_exitx(EXIT_NO_RESULT, "%s: command not found (ENOENT): give its path, or correct PATH",
			      name);
	work->fd = objectfile_open(work->program, &problem);
	if (work->fd < 0)
		failure_exitx(EXIT_NO_RESULT, "%s: %s (%s): name a program that you may read and execute",
			      work->program, problem, strerrorname_np(errno));
	if (access(work->program, X_OK))
		failure_exitx(EXIT_NO_RESULT, "%s: %s (%s): make it executable: chmod +x",
			      work->program, strerror(errno), strerrorname_np(errno));
	elf_version(EV_CURRENT);
	work->elf = elf_begin(work->fd, ELF_C_READ_MMAP, NULL);
	if (!work->elf || elf_kind(work->elf) != ELF_K_ELF)
		failure_exitx(EXIT_NO_RESULT, "%s: it is no executable program, but perhaps a script (ENOEXEC): name the program that it runs",
			      work->program);
	if (code_check_file(work->program, work->elf, CODE_RELOCATIONS))
		exit(EXIT_NO_RESULT);
}

static bool is_same_file(const char *path, const char *other)
{
	struct stat a, b;

	return !stat(path, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Exit if a file cannot be written, or would replace what is read. */
static void check_new(const char *path, const char *program, const char *profile)
{
	struct stat st;
	int error;

	if (is_same_file(program, path) || (profile && is_same_file(profile, path)))
		failure_exitx(EXIT_NO_RESULT, "%s is the program itself, or the result of --profile (EINVAL): name another file with --output",
			      path);
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		failure_exitx(EXIT_NO_RESULT, "%s is not a regular file (EINVAL): name another file with --output",
			      path);
	error = resultfile_try(path);
	if (error)
		failure_exit(EXIT_NO_RESULT, path, -error);
}

static void prepare(struct work *work, const struct arguments *arguments)
{
	open_program(work, arguments->command[0]);
	if (!arguments->output)
		work->copy = join(work->program, ".bolt");
	else
		/* a name without a slash would be searched in PATH */
		work->copy = join(strchr(arguments->output, '/') ? "" : "./", arguments->output);
	work->unfinished = join(work->copy, ".new");
	work->profile = join(work->copy, ".out");
	work->fdata = join(work->copy, ".fdata");
	work->log = join(work->copy, ".log");
	check_new(work->copy, work->program, arguments->profile);
	check_new(work->unfinished, work->program, arguments->profile);
	check_new(work->profile, work->program, arguments->profile);
	check_new(work->fdata, work->program, arguments->profile);
	check_new(work->log, work->program, arguments->profile);
	work->bolt = find_bolt();
}

/* --- the steps ----------------------------------------------------------------------- */

static void profile(const struct work *work, const struct arguments *arguments)
{
	char *const before[] = { "profil", "run", "--no-table", "--rate", (char *)arguments->rate,
				 "--output", work->profile, "--" };
	const size_t nr_before = sizeof(before) / sizeof(before[0]);
	struct program_run run = { .path = "/proc/self/exe", .ends_by_interrupt = true };
	size_t nr = 0;
	char **argv;
	int error;

	while (arguments->command[nr])
		nr++;
	argv = need_memory(calloc(nr_before + nr + 1, sizeof(*argv)));
	memcpy(argv, before, sizeof(before));
	memcpy(argv + nr_before, arguments->command, nr * sizeof(*argv));
	run.argv = argv;
	/* profil run writes what it has when it is interrupted */
	error = program_run(&run);
	free(argv);
	if (error)
		failure_exit(EXIT_NO_RESULT, run.path, -error);
	/* many programs report something by an exit status below those of shells and profil run */
	if (WIFEXITED(run.status) && WEXITSTATUS(run.status) < EXIT_OWN_FAILURE)
		return;
	if (WIFEXITED(run.status) && WEXITSTATUS(run.status) == EXIT_OWN_FAILURE)
		exit(EXIT_NO_RESULT);
	failure_exitx(EXIT_NO_RESULT, "%s was killed, or cannot be executed, while it was profiled: no copy is made",
		      arguments->command[0]);
}

/* Return: the object of the program; by its build-id, if it has one, wherever it ran. */
static size_t find_program(const struct result *result, const struct work *work, const char *name)
{
	const char *differs = NULL;
	size_t i;

	for (i = 0; i < result->nr_objects; i++) {
		const struct result_object *object = &result->objects[i];
		const bool has_path = !strcmp(object->path, work->program);

		if (!object->samples || (!object->build_id_bytes && !has_path))
			continue;
		differs = samefile_by_build_id(object, work->elf);
		if (!differs)
			return i;
	}
	failure_exitx(EXIT_NO_RESULT, "%s: it has no samples of %s (%s)%s", name, work->program,
		      differs ? "ESTALE" : "ENODATA", differs ?
		      ": those that it has are of files with another build-id" :
		      ": name a result of this program");
}

/* What `profil export --bolt=fdata' does */
static int export_profile(const struct work *work, struct result *result, size_t program)
{
	static const struct export_format fdata = { .name = "bolt", .write_code = export_bolt_fdata };
	struct symbols *symbols = need_memory(symbols_new(result, NULL));
	struct symbolized symbolized = { 0 };
	struct code code = { 0 };
	int error;

	symbols_use_open(symbols, program, work->fd);
	error = symbolize_result(&symbolized, result, symbols_find, symbols, NULL);
	if (error)
		failure_warn("functions", -error);
	else
		error = code_read(&code, &symbolized, symbols, CODE_RELOCATIONS, true);
	if (!error)
		error = export_to(&fdata, &symbolized, &code, work->fdata);
	if (!error)
		code_print_left_out(&code);
	code_release(&code);
	symbolized_release(&symbolized);
	symbols_free(symbols);
	return error;
}

static int export(const struct work *work, const char *name)
{
	struct selection selection = { 0 };
	struct result result;
	size_t program;
	char *pattern;
	int error;

	options_read_result(name, &result);
	program = find_program(&result, work, options_file_name(name));
	pattern = need_memory(selection_pattern(result.objects[program].path));
	selection.object = pattern;
	options_select(name, &result, &selection);
	error = export_profile(work, &result, program);
	free(pattern);
	result_release(&result);
	return error;
}

/* Return: 0; or -errno, and the reason was printed. */
static int make_copy(const struct work *work)
{
	/*
	 * Cold blocks stay with their functions: few samples do not tell which blocks never run,
	 * and a jump to another page costs more than the blocks.
	 */
	char *const argv[] = {
		work->bolt, work->program, "-data", work->fdata, "-o", work->unfinished,
		"-reorder-blocks=ext-tsp", "-reorder-functions=hfsort", NULL
	};
	struct program_run run = { .argv = argv, .output = work->log };
	struct stat st;
	int error;

	unlink(work->unfinished);
	working_begin("making", work->copy);
	error = program_run(&run);
	working_end();
	if (!error && (run.status || access(work->unfinished, X_OK))) {
		failure_warnx("%s failed, or wrote no program (EPROTO): its output is in %s", work->bolt,
			      work->log);
		return -EPROTO;
	}
	/* its set-user-ID is for its own code */
	if (!error && (fstat(work->fd, &st) || chmod(work->unfinished, st.st_mode & 0777) ||
		       rename(work->unfinished, work->copy)))
		error = failure_errno();
	if (error)
		failure_warn(work->copy, -error);
	return error;
}

static int compare(const struct work *work, const struct arguments *arguments)
{
	struct turns turns = {
		.names = { work->program, work->copy }, .paths = { work->program, work->copy },
		.argv = { arguments->command, arguments->command }, .pairs = arguments->pairs,
		.has_input = turns_have_input() && (!arguments->profile ||
			     strcmp(arguments->profile, RESULTFILE_STDIN)),
	};

	if (turns_run(&turns) || turns_print(stdout, &turns))
		return EXIT_NO_RESULT;
	return turns.interval.high < 0 ? 0 : EXIT_SLOWER;
}

int optimize_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "COMMAND [ARG...]",
		.doc = doc,
	};
	struct arguments arguments = { .rate = "max", .pairs = TURNS_DEFAULT_PAIRS };
	int status = EXIT_NO_RESULT;
	struct work work = { 0 };

	argp_err_exit_status = EXIT_USAGE;
	options_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments);
	/* what runs below has the signals that this process was started with */
	signals_restore_ignored();
	working_show(STDERR_FILENO);
	prepare(&work, &arguments);
	if (!arguments.profile)
		profile(&work, &arguments);
	if (!export(&work, arguments.profile ? arguments.profile : work.profile) && !make_copy(&work))
		status = compare(&work, &arguments);
	elf_end(work.elf);
	close(work.fd);
	free(work.program);
	free(work.copy);
	free(work.unfinished);
	free(work.profile);
	free(work.fdata);
	free(work.log);
	free(work.bolt);
	return status;
}
