// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil - call the subcommand that the first argument names
 *
 * Without a subcommand, all arguments are those of `profil run'. Under the name prof, the program
 * is prof(1).
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/suggest.h"
#include "record/signals.h"
#include "util/escape.h"
#include "util/stream.h"

const char *argp_program_version = "profil " PROFIL_VERSION;

static const char overview[] =
	"Usage: profil [run|record] [OPTION...] COMMAND [ARG...]\n"
	"  or:  profil [run|record] [OPTION...] -p PID[,PID...]\n"
	"  or:  profil top [OPTION...] COMMAND [ARG...]|-p PID[,PID...]\n"
	"  or:  profil report [OPTION...] [FILE]\n"
	"  or:  profil diff [OPTION...] OLD NEW\n"
	"  or:  profil compare [OPTION...] COMMAND [ARG...] -- COMMAND [ARG...]\n"
	"  or:  profil merge FILE FILE... -o OUT\n"
	"  or:  profil export --FORMAT [OPTION...] [FILE]\n"
	"  or:  profil optimize [OPTION...] COMMAND [ARG...]\n"
	"  or:  profil info [--json]\n"
	"  or:  profil help [run|top|report|diff|compare|merge|export|optimize|info]\n"
	"\n"
	"  run      Run COMMAND, or attach to processes, print the functions in which they\n"
	"           spend their CPU time, and write the result to a file (profil.out)\n"
	"  top      Show live in which functions, threads and programs the CPU time is spent\n"
	"  report   Print a result by function, source line, object or process\n"
	"  diff     Compare two results, and mark the functions that changed\n"
	"  compare  Run two commands in turn, and compare their CPU times\n"
	"  merge    Add up results of several runs or machines\n"
	"  export   Convert a result for gprof, kcachegrind, pprof, a browser, ...\n"
	"  optimize Let BOLT make a faster copy of the program of COMMAND, and compare both\n"
	"  info     Check whether a profile can be started, and print what is missing\n"
	"  help     Print this text, or the options of a subcommand\n"
	"\n"
	"If COMMAND has the name of a subcommand, use `profil run COMMAND'.\n"
	"See profil(1).\n";

static const struct {
	const char *name;	/* argv[0] of the subcommand, with which its messages begin */
	int (*main)(int argc, char **argv);
} commands[] = {
	{ "profil run", run_main },
	{ "profil top", top_main },
	{ "profil report", report_main },
	{ "profil diff", diff_main },
	{ "profil compare", compare_main },
	{ "profil merge", merge_main },
	{ "profil export", export_main },
	{ "profil optimize", optimize_main },
	{ "profil info", info_main },
};

#define NR_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

char *commands_suggest(const char *word)
{
	struct suggest suggest;
	size_t i;

	/* perf's and pprof's name */
	if (!strcmp(word, "annotate") || !strcmp(word, "list"))
		return strdup("; did you mean profil report --annotate=FUNCTION?");
	suggest_begin(&suggest, word);
	for (i = 0; i < NR_COMMANDS; i++)
		suggest_offer(&suggest, commands[i].name + strlen("profil "));
	return suggest_words(&suggest, "profil ");
}

/* Return: the index of a subcommand; NR_COMMANDS: not found. */
static size_t find(const char *word)
{
	size_t i;

	/* perf's name */
	if (!strcmp(word, "record"))
		word = "run";
	for (i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(word, strchr(commands[i].name, ' ') + 1))
			break;
	return i;
}

static int start(size_t command, int argc, char **argv)
{
	argv[0] = (char *)commands[command].name;
	return commands[command].main(argc, argv);
}

static int help(const char *about)
{
	static char option[] = "--help";
	char *argv[] = { NULL, option, NULL };
	size_t command = about ? find(about) : NR_COMMANDS;

	if (command < NR_COMMANDS)
		return start(command, 2, argv);
	if (about && strcmp(about, "help")) {
		char *suggestion = commands_suggest(about);
		char *name = escape_line(about);

		fprintf(stderr, "profil: unknown subcommand %s%s\n%s", name ? name : "",
			suggestion ? suggestion : "", overview);
		free(name);
		free(suggestion);
		return EXIT_USAGE;
	}
	fputs(overview, stdout);
	return 0;
}

static bool is_help(const char *word)
{
	return !strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-?") ||
	       !strcmp(word, "-h");
}

/*
 * If a standard descriptor is closed, the next file to be opened would get its number, and
 * messages could go to the log or to the result of a run. So the gap is filled with a descriptor
 * that can be neither read nor written, and that the command does not inherit.
 */
static void fill_standard_descriptors(void)
{
	int fd;

	do {
		fd = open("/", O_PATH | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	size_t command;

	fill_standard_descriptors();
	stream_begin();
	/* writing more than ulimit -f then fails with EFBIG, which is reported */
	signals_ignore(SIGXFSZ);
	if (!strcmp(program_invocation_short_name, "prof"))
		return prof_main(argc, argv);
	if (argc > 1 && is_help(argv[1]))
		return help(argv[2]);
	command = argc > 1 ? find(argv[1]) : NR_COMMANDS;
	if (command < NR_COMMANDS)
		return start(command, argc - 1, argv + 1);
	if (argc == 1) {
		fputs(overview, stderr);
		return EXIT_OWN_FAILURE;
	}
	/* also for unknown options: the messages refer to `profil run --help' */
	return start(find("run"), argc, argv);
}
