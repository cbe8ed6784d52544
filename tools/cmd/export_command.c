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

#include <linux/profil.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/reading.h"
#include "export/code.h"
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
	"  profil export --html -o page.html; xdg-open page.html\n"
	"  profil export --pprof -o p.pb.gz;  go tool pprof -top p.pb.gz\n"
	"  profil export --callgrind -o c;    kcachegrind c\n"
	"  profil export --gmon -o dir;       gprof -p -b ./prog dir/prog.gmon.out\n"
	"  profil export --folded | flamegraph.pl >p.svg\n"
	"  profil export --bolt=fdata -o f;   llvm-bolt -nl -data=f ./prog -o prog.bolt\n"
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
	const char *inputs[2];	/* the second one: NULL, or it is compared with the first */
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

static bool has_variants(const struct export_format *format)
{
	return format[1].name && !strcmp(format[1].name, format->name);
}

/* Return: the variant @text of a format; NULL is the format itself. Exits if there is none. */
static const struct export_format *find_variant(const struct export_format *format,
						const char *text,
						const struct argp_state *state)
{
	const struct export_format *variant = format;

	if (!text)
		return format;
	while (has_variants(variant)) {
		variant++;
		if (!strcmp(variant->variant, text))
			return variant;
	}
	options_error(state, "--%s has no variant '%s': see profil-export(1)", format->name, text);
	return format;
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
		if (!format->variant)
			fprintf(out, "%s--%s", format == export_formats ? "" : ", ", format->name);
	fclose(out);
	options_error(state, "choose a format: %s", names);
	free(names);
}

/* Refuse two files that cannot be compared. */
static void check_two(const struct argp_state *state, const struct arguments *arguments)
{
	if (!arguments->format->compares)
		options_error(state, "only one FILE can be converted, except with --html: unexpected '%s'",
			      arguments->inputs[1]);
	if (!strcmp(arguments->inputs[0], RESULTFILE_STDIN) &&
	    !strcmp(arguments->inputs[1], RESULTFILE_STDIN))
		options_error(state, "only one of the files can be standard input");
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
		if (state->arg_num > 1)
			options_error(state, "two FILEs at most, of which --html shows the changes: unexpected '%s'",
				      text);
		arguments->inputs[state->arg_num] = text;
		return 0;
	case ARGP_KEY_END:
		if (!arguments->format)
			refuse_no_format(state);
		else if (arguments->inputs[1])
			check_two(state, arguments);
		/* as for profil run; with --gmon, OUT is a directory */
		if (arguments->format && !arguments->format->write_object &&
		    arguments->output && !strcmp(arguments->output, RESULTFILE_STDIN))
			arguments->output = NULL;
		return 0;
	}
	if (key < FORMATS || key >= FORMATS + nr_formats())
		return ARGP_ERR_UNKNOWN;
	if (arguments->format)
		options_error(state, "choose one format: --%s or --%s", arguments->format->name,
			      export_formats[key - FORMATS].name);
	arguments->format = find_variant(&export_formats[key - FORMATS], text, state);
	return 0;
}

/* Return: the options, with one for each format, to be freed with free(). */
static struct argp_option *make_options(void)
{
	const int nr = nr_formats();
	struct argp_option *options = calloc((size_t)nr + OTHER_OPTIONS, sizeof(*options));
	struct argp_option *option = options;
	int i;

	if (!options)
		failure_exit(EXIT_NO_RESULT, "options", errno);
	for (i = 0; i < nr; i++) {
		const struct export_format *format = &export_formats[i];

		if (format->variant)
			continue;
		*option++ = (struct argp_option){
			.name = format->name,
			.key = FORMATS + i,
			.arg = has_variants(format) ? format[1].variant : NULL,
			.flags = has_variants(format) ? OPTION_ARG_OPTIONAL : 0,
			.doc = format->help,
			.group = 1,
		};
	}
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

/* The kernel's tick, unlike a random point, may be in step with the program. */
static void warn_of_clock(const struct result *result)
{
	if (result->clock == PROFIL_CLOCK_TICK)
		failure_warnx("the profile is of --clock=tick: if the program is in step with the tick, the counts are of the wrong code; the default clock is not");
}

/* A result to be written, with its names */
struct side {
	struct result result;
	struct symbols *symbols;
	struct symbolized symbolized;
};

static int write_code(const struct arguments *arguments, struct side *side)
{
	const struct export_format *format = arguments->format;
	struct code code = { 0 };
	int error = code_read(&code, &side->symbolized, side->symbols, format->needs,
			      arguments->selection.object);

	if (!error)
		error = export_to(format, &side->symbolized, &code, arguments->output);
	if (!error) {
		warn_of_clock(&side->result);
		code_print_left_out(&code);
	}
	code_release(&code);
	return error;
}

static int find_names(struct side *side, const struct arguments *arguments)
{
	int error = -ENOMEM;

	side->symbols = symbols_new(&side->result, arguments->root);
	if (side->symbols)
		error = symbolize_result(&side->symbolized, &side->result, symbols_find,
					 side->symbols,
					 arguments->keep_mangled ? NULL : demangle);
	if (error) {
		failure_warn("functions", -error);
		return error;
	}
	/* of one file, code_read() says more */
	if (!arguments->format->write_code)
		options_warn_symbols(&side->result, side->symbols);
	side->symbolized.find_line = symbols_line;
	side->symbolized.find_frames = symbols_frames;
	side->symbolized.symbols = side->symbols;
	side->symbolized.files = side->symbols;
	side->symbolized.root = arguments->root;
	return 0;
}

/* Arguments of write_named() */
struct writing {
	const struct arguments *arguments;
	struct side *sides;	/* the last one is written, compared with the other one */
	size_t nr;
};

/* Return: an exit status, or ENOMEM. */
static int write_named(void *data)
{
	const struct writing *writing = data;
	const struct arguments *arguments = writing->arguments;
	struct side *sides = writing->sides;
	const size_t nr = writing->nr;
	struct side *new = &sides[nr - 1];
	int error = 0;
	size_t i;

	for (i = 0; !error && i < nr; i++)
		error = find_names(&sides[i], arguments);
	if (!error) {
		new->symbolized.old = nr > 1 ? &sides[0].symbolized : NULL;
		if (arguments->format->write_code)
			error = write_code(arguments, new);
		else
			error = export_to(arguments->format, &new->symbolized, NULL,
					  arguments->output);
		for (i = 0; i < nr; i++)
			options_warn_lines(&sides[i].result, sides[i].symbols);
	}
	if (error == -ENOMEM)
		return ENOMEM;
	return error ? EXIT_NO_RESULT : 0;
}

static void close_side(struct side *side)
{
	symbolized_release(&side->symbolized);
	symbols_free(side->symbols);
	result_release(&side->result);
}

/*
 * Whether the output would overwrite the file that the result was read from, even if under
 * another name. (Formats with a file per object choose their own file names.)
 */
static bool is_input(const struct arguments *arguments, const char *input)
{
	struct stat in, out;
	int error;

	if (arguments->format->write_object)
		return false;
	if (!strcmp(input, RESULTFILE_STDIN))
		error = fstat(STDIN_FILENO, &in);
	else
		error = stat(input, &in);
	/* only a regular file would be overwritten */
	if (error || !S_ISREG(in.st_mode))
		return false;
	if (arguments->output)
		error = stat(arguments->output, &out);
	else
		error = fstat(STDOUT_FILENO, &out);
	return !error && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

static void open_side(struct side *side, const struct arguments *arguments, const char *input)
{
	options_read_result(input, &side->result);
	options_select(input, &side->result, &arguments->selection);
	if (arguments->format->has_calls && side->result.nr_stack_parts)
		symbols_prefer_files();
	if (is_input(arguments, input))
		failure_exitx(EXIT_NO_RESULT, "%s is the result itself, which would be overwritten: name another file with --output",
			      arguments->output ? arguments->output : "standard output");
}

int export_main(int argc, char **argv)
{
	struct arguments arguments = { .inputs = { RESULTFILE_DEFAULT } };
	struct side sides[2] = { 0 };
	size_t nr, i;
	int error;

	argp_err_exit_status = EXIT_USAGE;
	parse(argc, argv, &arguments);
	nr = arguments.inputs[1] ? 2 : 1;
	for (i = 0; i < nr; i++)
		open_side(&sides[i], &arguments, arguments.inputs[i]);
	/* formats with a file per object contain no names of functions */
	if (arguments.format->write_object)
		error = export_to(arguments.format,
				  &(struct symbolized){ .result = &sides[0].result }, NULL,
				  arguments.output);
	else
		error = reading_run(write_named, &(struct writing){ &arguments, sides, nr });
	for (i = 0; i < nr; i++)
		close_side(&sides[i]);
	return error ? EXIT_NO_RESULT : 0;
}
