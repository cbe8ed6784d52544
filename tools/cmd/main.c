// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil - which subcommand it is
 *
 * What is none of them is what `run' runs, so that `profil COMMAND' is enough.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/suggest.h"
#include "record/child.h"
#include "util/escape.h"

const char *argp_program_version = "profil " PROFIL_VERSION;

static const char overview[] =
	"Usage: profil [run|record] [OPTION...] COMMAND [ARG...]\n"
	"  or:  profil report [OPTION...] [FILE]\n"
	"  or:  profil diff [OPTION...] OLD NEW\n"
	"  or:  profil export --FORMAT [OPTION...] [FILE]\n"
	"  or:  profil info\n"
	"  or:  profil help [run|report|diff|export|info]\n"
	"\n"
	"  run      Run COMMAND, print the functions in which it spent its CPU time, and\n"
	"           write the result to a file (profil.out)\n"
	"  report   Print a result by function, source line, object or process; or a\n"
	"           mon.out file of monitor(3)\n"
	"  diff     Compare two results, and mark the functions that changed\n"
	"  export   Convert a result for gprof, kcachegrind, pprof, speedscope, a browser, ...\n"
	"  info     Check whether a profile can be started, and print what is missing\n"
	"  help     Print this text, or the options of a subcommand\n"
	"\n"
	"`profil run COMMAND' runs a COMMAND that has the name of a subcommand.\n"
	"See profil(1).\n";

static const struct {
	const char *name;	/* as its messages begin */
	int (*main)(int argc, char **argv);
} commands[] = {
	{ "profil run", run_main },
	{ "profil report", report_main },
	{ "profil diff", diff_main },
	{ "profil export", export_main },
	{ "profil info", info_main },
};

#define NR_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

char *commands_suggest(const char *word)
{
	struct suggest suggest;
	size_t i;

	suggest_begin(&suggest, word);
	for (i = 0; i < NR_COMMANDS; i++)
		suggest_offer(&suggest, commands[i].name + strlen("profil "));
	return suggest_words(&suggest, "profil ");
}

/* Return: the index of a subcommand, or NR_COMMANDS: there is none of that name. */
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
		char *meant = commands_suggest(about);

		char *shown = escape_line(about);

		fprintf(stderr, "profil: there is no subcommand %s%s\n%s", shown ? shown : "",
			meant ? meant : "", overview);
		free(shown);
		free(meant);
		return EXIT_USAGE;
	}
	fputs(overview, stdout);
	return 0;
}

static bool asks_for_help(const char *word)
{
	return !strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-?") ||
	       !strcmp(word, "-h");
}

/*
 * What is opened next would take the place of a standard descriptor that is closed, and the
 * memory of a run would be written over by messages. What is here instead can no more be read
 * or written than nothing can, and the command does not have it.
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
	/* what is larger than ulimit -f allows is told, with what to do about it */
	child_ignore(SIGXFSZ);
	if (argc > 1 && asks_for_help(argv[1]))
		return help(argv[2]);
	command = argc > 1 ? find(argv[1]) : NR_COMMANDS;
	if (command < NR_COMMANDS)
		return start(command, argc - 1, argv + 1);
	if (argc == 1) {
		fputs(overview, stderr);
		return EXIT_OWN_FAILURE;
	}
	/* by this name its messages lead to its own --help */
	return start(find("run"), argc, argv);
}
