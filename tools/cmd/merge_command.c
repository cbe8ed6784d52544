// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil merge - add up results
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "result/merge.h"
#include "result/resultfile.h"
#include "util/failure.h"

static const char doc[] =
	"Add up the results FILE of several runs or machines, and write the sum to OUT."
	"\v"
	"Files are the same if their build-ids are. Results with different sampling rates cannot be added.\n"
	"\n"
	"Exit status: 0; 1 if the results cannot be read, added or written; 2 for wrong usage.\n"
	"\n"
	"See profil-merge(1).";

enum { NO_ARGUMENTS = 256 };

static const struct argp_option options[] = {
	{ "no-arguments", NO_ARGUMENTS, NULL, 0,
	  "Drop all command lines; also of one result, before it is passed on", 0 },
	{ "output", 'o', "OUT", 0, "Write the sum to OUT", 0 },
	{ 0 }
};

struct arguments {
	char **inputs;
	int nr;
	const char *output;
	bool to_stdout;
	bool no_arguments;
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'o':
		arguments->output = text;
		return 0;
	case NO_ARGUMENTS:
		arguments->no_arguments = true;
		return 0;
	case ARGP_KEY_ARGS:
		arguments->inputs = state->argv + state->next;
		arguments->nr = state->argc - state->next;
		return 0;
	case ARGP_KEY_END:
		if (arguments->nr < 2 && !(arguments->nr && arguments->no_arguments))
			options_error(state, "two or more results are needed");
		if (!arguments->output)
			options_error(state, "--output=OUT is needed");
		arguments->to_stdout = options_is_stdout(arguments->output, state);
		if (arguments->to_stdout)
			arguments->output = "standard output";
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The sum would be added to again by the same command, and standard input can be read once. */
static void check_files(const struct arguments *arguments)
{
	struct stat in, out;
	int i, nr_stdin = 0;

	for (i = 0; i < arguments->nr; i++)
		nr_stdin += !strcmp(arguments->inputs[i], RESULTFILE_STDIN);
	if (nr_stdin > 1)
		failure_exitx(EXIT_USAGE, "only one of the files can be standard input");
	if (arguments->to_stdout ? fstat(STDOUT_FILENO, &out) : stat(arguments->output, &out))
		return;
	if (!S_ISREG(out.st_mode))
		return;
	for (i = 0; i < arguments->nr; i++)
		if (!stat(arguments->inputs[i], &in) && in.st_dev == out.st_dev &&
		    in.st_ino == out.st_ino)
			failure_exitx(EXIT_NO_RESULT, "%s is one of the results, which would be overwritten: name another file with --output",
				      arguments->output);
}

static void add(struct result *sum, const char *path)
{
	char why[MERGE_WHY];
	struct result more;
	int error;

	options_read_result(path, &more);
	error = merge_add(sum, &more, why);
	if (error == -EINVAL)
		failure_exitx(EXIT_NO_RESULT, "%s cannot be added: %s", options_file_name(path),
			      why);
	if (error)
		failure_exit(EXIT_NO_RESULT, options_file_name(path), -error);
	result_release(&more);
}

static void write_sum(const struct arguments *arguments, struct result *sum)
{
	const char *path = arguments->output;
	char *left = NULL;
	int error = arguments->to_stdout ? resultfile_write_to(STDOUT_FILENO, sum) :
					   resultfile_write(path, sum, &left, NULL);

	if (left)
		failure_exitx(EXIT_NO_RESULT, "%s: %s (%s): the sum is in %s", path,
			      strerror(-error), strerrorname_np(-error), left);
	if (error)
		failure_exitx(EXIT_NO_RESULT, "%s: %s (%s): the sum is not written; %s", path,
			      strerror(-error), strerrorname_np(-error), resultfile_remedy(-error));
}

int merge_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "FILE FILE...",
		.doc = doc,
	};
	struct arguments arguments = { 0 };
	struct result sum;
	int i;

	argp_err_exit_status = EXIT_USAGE;
	options_parse(&argp, argc, argv, 0, &arguments);
	check_files(&arguments);
	options_read_result(arguments.inputs[0], &sum);
	for (i = 1; i < arguments.nr; i++)
		add(&sum, arguments.inputs[i]);
	if (arguments.no_arguments && result_drop_arguments(&sum))
		failure_exit(EXIT_NO_RESULT, "merge", ENOMEM);
	write_sum(&arguments, &sum);
	result_release(&sum);
	return 0;
}
