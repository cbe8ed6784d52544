// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil compare - run two commands in turn, and compare their CPU times
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "compare/turns.h"
#include "record/signals.h"
#include "util/failure.h"
#include "util/working.h"

static const char doc[] =
	"Run two commands in turn, and print how much CPU time the second takes, compared with the first."
	"\v"
	"No module is needed. Their output is dropped. Their input is that of profil if it is a file, which "
	"each run reads from its start, else empty.\n"
	"\n"
	"  profil compare ./old data -- ./new data\n"
	"  profil compare --fail-above=2 ./old data -- ./new data || exit 1\n"
	"\n"
	"Exit status: 0; 3: the second takes more, above --fail-above; 4: it may, with --fail-undecided; "
	"1: an error, or the commands do not do the same; 2: wrong usage.\n"
	"\n"
	"See profil-compare(1).";

enum { KEY_RUNS = 256, KEY_FAIL_ABOVE, KEY_FAIL_UNDECIDED };

static const struct argp_option options[] = {
	{ "fail-above", KEY_FAIL_ABOVE, "P", 0,
	  "Exit with status 3 if the second command takes more CPU time by more than P percent, beyond chance", 0 },
	{ "fail-undecided", KEY_FAIL_UNDECIDED, NULL, 0,
	  "Exit with status 4 if chance may hide that it does", 0 },
	{ "runs", KEY_RUNS, "N", 0, "Run each command N times (default: 20)", 0 },
	{ 0 }
};

struct arguments {
	unsigned int pairs;
	double fail_above;	/* percent; negative: never */
	bool fail_undecided;
	char **first;
	char **second;
};

static void take_commands(struct arguments *arguments, struct argp_state *state)
{
	char **at = &state->argv[state->next - 1];

	arguments->first = at;
	while (*at && strcmp(*at, "--"))
		at++;
	if (*at)
		arguments->second = at + 1;
	state->next = state->argc;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case KEY_FAIL_UNDECIDED:
		arguments->fail_undecided = true;
		return 0;
	case KEY_FAIL_ABOVE:
		arguments->fail_above = options_parse_percent(text, state);
		return 0;
	case KEY_RUNS:
		arguments->pairs = options_parse_runs(text, state);
		return 0;
	case ARGP_KEY_ARG:
		take_commands(arguments, state);
		return 0;
	case ARGP_KEY_END:
		if (!arguments->second || !arguments->second[0] ||
		    arguments->second == arguments->first + 1)
			options_error(state, "two commands are needed, with -- between them: profil compare OLD -- NEW");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Return: a command as it was typed, to free(). */
static char *join(char *const *argv)
{
	char *line = NULL;
	size_t size, i;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		failure_exit(EXIT_NO_RESULT, "compare", ENOMEM);
	for (i = 0; argv[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", argv[i]);
	if (fclose(out))
		failure_exit(EXIT_NO_RESULT, "compare", ENOMEM);
	return line;
}

/* Return: the exit status. */
static int judge(const struct turns *turns, const struct arguments *arguments)
{
	const double fail_above = arguments->fail_above;

	if (fail_above < 0 || 100 * turns->interval.high <= fail_above)
		return 0;
	if (100 * turns->interval.low > fail_above)
		return EXIT_SLOWER;
	failure_warnx("%s may take up to %.1f %% more, which --fail-above=%g does not permit: more --runs tell",
		      turns->names[1], 100 * turns->interval.high, fail_above);
	return arguments->fail_undecided ? EXIT_UNDECIDED : 0;
}

int compare_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "COMMAND [ARG...] -- COMMAND [ARG...]",
		.doc = doc,
	};
	struct arguments arguments = { .pairs = TURNS_DEFAULT_PAIRS, .fail_above = -1 };
	int status = EXIT_NO_RESULT;
	struct turns turns;
	char *names[2];

	argp_err_exit_status = EXIT_USAGE;
	options_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments);
	/* in place of -- */
	arguments.second[-1] = NULL;
	names[0] = join(arguments.first);
	names[1] = join(arguments.second);
	turns = (struct turns){
		.names = { names[0], names[1] },
		.argv = { arguments.first, arguments.second },
		.has_input = turns_have_input(),
		.pairs = arguments.pairs,
	};
	/* what runs below has the signals that this process was started with */
	signals_restore_ignored();
	working_show(STDERR_FILENO);
	if (!turns_run(&turns) && !turns_print(stdout, &turns))
		status = judge(&turns, &arguments);
	free(names[0]);
	free(names[1]);
	return status;
}
