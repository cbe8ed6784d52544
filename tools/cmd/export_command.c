// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil export - convert a result for another tool
 *
 * Each format is an option, as in pprof.
 */
#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "export/export.h"
#include "result/result.h"
#include "result/resultfile.h"
#include "symbol/demangle.h"
#include "symbol/symbolize.h"
#include "symbol/symbols.h"
#include "util/failure.h"

static const char doc[] =
	"Convert a result of `profil run' (default: " RESULTFILE_DEFAULT "; -: standard input) for another tool. "
	"One of the formats is required."
	"\v"
	"The names of functions are those that were stored at the end of the run. With --gmon, the "
	"reader looks up names itself.\n"
	"\n"
	"  profil export --pprof -o p.pb.gz;  go tool pprof -top p.pb.gz\n"
	"  profil export --callgrind -o c;    kcachegrind c\n"
	"  profil export --gmon -o dir;       gprof -p -b ./prog dir/prog.gmon.out\n"
	"  profil export --folded | flamegraph.pl >p.svg\n"
	"\n"
	"Exit status: 0; 1 if FILE cannot be read or OUT cannot be written; 2 for wrong usage.\n"
	"\n"
	"See profil-export(1).";

/* Keys of options; those of the formats follow */
enum { OUTPUT = 'o', ROOT = 256, NO_DEMANGLE, FORMATS };

#define OTHER_OPTIONS	5	/* --output, --root, --symfs, --no-demangle, and the end */

struct arguments {
	const struct export_format *format;
	const char *output;	/* NULL: standard output */
	const char *root;	/* NULL: / */
	const char *input;
	struct selection selection;
	bool keep_mangled;
};

static int nr_formats(void)
{
	int nr = 0;

	while (export_formats[nr].name)
		nr++;
	return nr;
}

/* Print the list of formats, "--gmon, --callgrind, ...", and exit. */
static void refuse_no_format(const struct argp_state *state)
{
	const struct export_format *format;
	char *names = NULL;
	size_t size;
	FILE *out = open_memstream(&names, &size);

	if (!out)
		failure_exit(EXIT_NO_RESULT, "formats", errno);
	for (format = export_formats; format->name; format++)
		fprintf(out, "%s--%s", format == export_formats ? "" : ", ", format->name);
	fclose(out);
	options_error(state, "choose a format: %s", names);
	free(names);
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->selection;
		return 0;
	case OUTPUT:
		arguments->output = text;
		return 0;
	case ROOT:
		arguments->root = text;
		return 0;
	case NO_DEMANGLE:
		arguments->keep_mangled = true;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num)
			options_error(state, "only one FILE can be converted: unexpected '%s'", text);
		arguments->input = text;
		return 0;
	case ARGP_KEY_END:
		if (!arguments->format)
			refuse_no_format(state);
		return 0;
	}
	if (key < FORMATS || key >= FORMATS + nr_formats())
		return ARGP_ERR_UNKNOWN;
	if (arguments->format)
		options_error(state, "choose one format: --%s or --%s", arguments->format->name,
			      export_formats[key - FORMATS].name);
	arguments->format = &export_formats[key - FORMATS];
	return 0;
}

/* Return: the options, with one for each format, to be freed with free(). */
static struct argp_option *make_options(void)
{
	const int nr = nr_formats();
	struct argp_option *options = calloc((size_t)nr + OTHER_OPTIONS, sizeof(*options));
	struct argp_option *option;
	int i;

	if (!options)
		failure_exit(EXIT_NO_RESULT, "options", errno);
	for (i = 0; i < nr; i++)
		options[i] = (struct argp_option){
			.name = export_formats[i].name,
			.key = FORMATS + i,
			.doc = export_formats[i].help,
			.group = 1,
		};
	option = &options[nr];
	*option++ = (struct argp_option){
		.name = "output", .key = OUTPUT, .arg = "OUT", .group = 2,
		.doc = "Write to OUT (default: standard output; with --gmon, the current directory)",
	};
	*option++ = (struct argp_option){
		.name = "root", .key = ROOT, .arg = "DIR", .group = 2,
		.doc = "Search for the objects below DIR, for example in a copy of another machine's files",
	};
	*option++ = (struct argp_option){ .name = "symfs", .flags = OPTION_ALIAS };
	*option = (struct argp_option){
		.name = "no-demangle", .key = NO_DEMANGLE, .group = 2,
		.doc = "Write the mangled names of C++, Rust and D functions",
	};
	return options;
}

static void parse(int argc, char **argv, struct arguments *arguments)
{
	/* after the formats in the help */
	const struct argp_child children[] = {
		{ .argp = &options_selecting, .group = 2 },
		{ .argp = &options_fetching, .group = 2 },
		{ 0 }
	};
	struct argp_option *options = make_options();
	const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "[FILE]",
		.doc = doc,
		.children = children,
	};

	options_parse(&argp, argc, argv, 0, arguments);
	free(options);
}

static int write_named(const struct arguments *arguments, const struct result *result)
{
	struct symbols *symbols = symbols_new(result, arguments->root);
	struct symbolized symbolized = { 0 };
	int error = -ENOMEM;

	if (symbols)
		error = symbolize_result(&symbolized, result, symbols_find, symbols,
					 arguments->keep_mangled ? NULL : demangle);
	if (error) {
		failure_warn("functions", -error);
	} else {
		options_warn_symbols(result, symbols);
		symbolized.find_line = symbols_line;
		symbolized.find_frames = symbols_frames;
		symbolized.symbols = symbols;
		error = export_to(arguments->format, &symbolized, arguments->output);
		options_warn_lines(result, symbols);
	}
	symbolized_release(&symbolized);
	symbols_free(symbols);
	return error;
}

/*
 * Whether the output would overwrite the file that the result was read from, even if under
 * another name. (Formats with a file per object choose their own file names.)
 */
static bool is_input(const struct arguments *arguments)
{
	struct stat in, out;
	int error;

	if (arguments->format->write_object)
		return false;
	if (!strcmp(arguments->input, RESULTFILE_STDIN))
		error = fstat(STDIN_FILENO, &in);
	else
		error = stat(arguments->input, &in);
	/* only a regular file would be overwritten */
	if (error || !S_ISREG(in.st_mode))
		return false;
	if (arguments->output)
		error = stat(arguments->output, &out);
	else
		error = fstat(STDOUT_FILENO, &out);
	return !error && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

int export_main(int argc, char **argv)
{
	struct arguments arguments = { .input = RESULTFILE_DEFAULT };
	struct result result;
	int error;

	argp_err_exit_status = EXIT_USAGE;
	parse(argc, argv, &arguments);
	options_read_result(arguments.input, &result);
	options_select(arguments.input, &result, &arguments.selection);
	if (is_input(&arguments))
		failure_exitx(EXIT_NO_RESULT, "%s is the result itself, which would be overwritten: name another file with --output",
			      arguments.output ? arguments.output : "standard output");
	/* formats with a file per object contain no names of functions */
	if (arguments.format->write_object)
		error = export_to(arguments.format,
				  &(struct symbolized){ .result = &result },
				  arguments.output);
	else
		error = write_named(&arguments, &result);
	result_release(&result);
	return error ? EXIT_NO_RESULT : 0;
}
