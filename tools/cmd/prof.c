// SPDX-License-Identifier: GPL-2.0-only
/*
 * prof - print mon.out files, as prof(1) of System V and of the BSD systems does
 *
 * The letters of the options are those of Solaris and AIX. OSF/1 and the BSD systems gave some of
 * them another meaning: PROFIL_DIALECT selects it, as it selects the rules of profil(2).
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "monout/monout.h"
#include "monout/monout_program.h"
#include "monout/monout_sum.h"
#include "monout/prof_symbols.h"
#include "monout/prof_table.h"
#include "rate.h"
#include "symbol/demangle.h"
#include "util/failure.h"

static const char usage[] =
	"usage: prof [-CghlSsVz] [-a|-c|-n|-t] [-o|-x] [-m mon.out]... [program [mon.out]...]\n";

struct arguments {
	const char *program;
	const char **files;
	size_t nr_files;
	char order;		/* the last of -a, -c, -n and -t; 0: none of them */
	bool locals;		/* -g */
	bool zeros;		/* -z */
	bool summary;		/* -s of Solaris, -S of AIX */
	bool sum;		/* -s of AIX, OSF/1 and the BSD systems */
	bool demangle;		/* -C */
	struct prof_table_options table;
};

static bool is_dialect(const char *name)
{
	const char *dialect = secure_getenv("PROFIL_DIALECT");

	return dialect && !strcmp(dialect, name);
}

/* Return: the letter of Solaris for an option of OSF/1 and of the BSD systems. */
static int letter_of_osf1(int letter)
{
	switch (letter) {
	case 'a':
		return 'g';
	case 'l':
		return 'a';
	case 'n':
		return 'c';
	default:
		return letter;
	}
}

static void set_order(struct arguments *arguments, int letter)
{
	if (arguments->order && arguments->order != letter)
		failure_warnx("-%c overrides -%c", letter, arguments->order);
	arguments->order = (char)letter;
	arguments->table.by_calls = letter == 'c';
	arguments->table.table.order = letter == 'a' ? PROFILE_BY_ADDRESS :
				       letter == 'n' ? PROFILE_BY_NAME : PROFILE_BY_SAMPLES;
}

static void parse(struct arguments *arguments, int argc, char **argv)
{
	const bool is_osf1 = is_dialect("osf1") || is_dialect("bsd");
	int letter;

	while ((letter = getopt(argc, argv, "CSVacghlm:nostxz")) != -1) {
		switch (is_osf1 ? letter_of_osf1(letter) : letter) {
		case 'C':
			arguments->demangle = true;
			break;
		case 'S':
			arguments->summary = true;
			break;
		case 'V':
			fprintf(stderr, "prof: %s\n", argp_program_version);
			if (argc == 2 && !strcmp(argv[1], "-V"))
				exit(0);
			break;
		case 'a':
			set_order(arguments, 'a');
			break;
		case 'c':
			set_order(arguments, 'c');
			break;
		case 'g':
			arguments->locals = true;
			break;
		case 'h':
			arguments->table.bare = true;
			break;
		case 'l':
			arguments->locals = false;
			break;
		case 'm':
			arguments->files[arguments->nr_files++] = optarg;
			break;
		case 'n':
			set_order(arguments, 'n');
			break;
		case 'o':
		case 'x':
			arguments->table.address = (char)letter;
			break;
		case 's':
			if (is_osf1 || is_dialect("aix"))
				arguments->sum = true;
			else
				arguments->summary = true;
			break;
		case 't':
			set_order(arguments, 't');
			break;
		case 'z':
			arguments->zeros = true;
			break;
		default:
			fputs(usage, stderr);
			exit(EXIT_USAGE);
		}
	}
	if (optind < argc)
		arguments->program = argv[optind++];
	while (optind < argc)
		arguments->files[arguments->nr_files++] = argv[optind++];
	if (!arguments->nr_files)
		arguments->files[arguments->nr_files++] = MONOUT_DEFAULT;
}

/* @error: -errno; @why: the reason, or NULL */
static void __attribute__((noreturn)) refuse(const char *name, int error, const char *why)
{
	failure_exitx(EXIT_NO_RESULT, "%s: %s (%s): %s", name, why ? why : strerror(-error),
		      strerrorname_np(-error),
		      error == -ENOMEM ? failure_remedy(ENOMEM) :
		      "name the program with its symbols, and then the mon.out files that it wrote");
}

static struct monout *read_files(const struct arguments *arguments)
{
	struct monout *files = calloc(arguments->nr_files, sizeof(*files));
	struct monout_program program;
	const char *why = NULL;
	int error = files ? monout_program_read(arguments->program, &program, &why) : -ENOMEM;
	size_t i;

	if (error)
		refuse(arguments->program, error, why);
	for (i = 0; i < arguments->nr_files; i++) {
		const char *name = options_file_name(arguments->files[i]);

		error = monout_read(arguments->files[i], &program.layout, &files[i], &why);
		if (error)
			refuse(name, error, error == -EBADMSG || error == -EFBIG ? why : NULL);
		if (!monout_is_of(&files[i], &program))
			refuse(name, -ERANGE, "its pcs do not end within the text of the program");
	}
	return files;
}

static const char *remedy_of_sum(int error)
{
	switch (error) {
	case EINVAL:
	case EACCES:
	case EPERM:
	case EROFS:
		return "run prof in a directory where it may write a file of this name";
	case ENOSPC:
	case EDQUOT:
		return "free space there, or run prof in a directory on another disk";
	default:
		return failure_remedy(error);
	}
}

/* Write the sum of the files, which later runs read like one of them. */
static void write_sum(const struct arguments *arguments, const struct monout *files)
{
	const char *const name = MONOUT_SUM_DEFAULT;
	unsigned char *sum;
	size_t bytes = 0, bad = 0;
	int error = monout_sum(files, arguments->nr_files, &sum, &bytes, &bad);

	if (error == -ERANGE)
		failure_exitx(EXIT_NO_RESULT, "%s: not the pcs of %s (ERANGE): %s is not written; without -s, prof adds up files with other pcs",
			      options_file_name(arguments->files[bad]),
			      options_file_name(arguments->files[0]), name);
	if (error == -EOVERFLOW)
		failure_exitx(EXIT_NO_RESULT, "%s: with this file, a count does not fit into a mon.out (EOVERFLOW): %s is not written; without -s, prof adds up any counts",
			      options_file_name(arguments->files[bad]), name);
	if (!error)
		error = monout_sum_write(name, sum, bytes);
	if (error)
		failure_exitx(EXIT_NO_RESULT, "%s: %s (%s): %s", name,
			      error == -EINVAL ? "not a regular file" : strerror(-error),
			      strerrorname_np(-error), remedy_of_sum(-error));
	free(sum);
}

/* Set which functions have a row with -z: those that begin in the text of one of the files. */
static void choose_always(struct prof_functions *functions, const struct prof_symbols *symbols,
			  const struct monout *files, size_t nr_files)
{
	uint64_t low = UINT64_MAX, high = 0;
	size_t i, end;

	for (i = 0; i < nr_files; i++) {
		low = files[i].low < low ? files[i].low : low;
		high = files[i].high > high ? files[i].high : high;
	}
	for (i = 0; i < symbols->nr && symbols->functions[i].start < low; i++)
		;
	for (end = i; end < symbols->nr && symbols->functions[end].start < high; end++)
		;
	functions->always = symbols->functions + i;
	functions->nr_always = end - i;
}

static void print_summary(const struct prof *prof, const struct monout *files, size_t nr_files,
			  size_t nr_functions)
{
	size_t i, nr_used = 0;

	for (i = 0; i < nr_files; i++)
		fprintf(stderr, "%5zu/%zu call counts used\n", files[i].nr_calls,
			files[i].nr_cells);
	for (i = 0; i < prof->nr_rows; i++)
		nr_used += prof->rows[i].is_function &&
			   (prof->rows[i].samples > 0 || prof->rows[i].calls);
	fprintf(stderr, "%5zu/%zu functions with time or calls\n", nr_used, nr_functions);
	for (i = 0; i < nr_files; i++)
		fprintf(stderr, "%#" PRIx32 " scale factor\n", files[i].scale);
}

static void print(const struct arguments *arguments, struct prof_symbols *symbols,
		  struct monout *files, unsigned int rate)
{
	struct prof_functions functions = {
		.find = prof_symbols_find,
		.find_called = prof_symbols_find_called,
		.symbols = symbols,
		.divide = true,
	};
	struct prof prof;
	int error;

	if (arguments->zeros)
		choose_always(&functions, symbols, files, arguments->nr_files);
	error = prof_make(&prof, files, arguments->nr_files, &functions);
	if (!error)
		error = prof_table_print(stdout, &prof, rate, &arguments->table);
	if (error)
		refuse(arguments->program, error, NULL);
	if (fflush(stdout) || ferror(stdout))
		failure_exit(EXIT_NO_RESULT, "standard output", errno);
	if (arguments->summary)
		print_summary(&prof, files, arguments->nr_files, symbols->nr);
	prof_release(&prof);
}

int prof_main(int argc, char **argv)
{
	struct arguments arguments = { .program = MONOUT_PROGRAM_DEFAULT };
	struct prof_symbols symbols;
	unsigned int rate = MONOUT_RATE;
	const char *why = NULL;
	struct monout *files;
	size_t i;
	int error;

	if (profil_rate_wanted(&rate))
		return EXIT_USAGE;
	arguments.files = calloc((size_t)argc + 1, sizeof(*arguments.files));
	if (!arguments.files)
		failure_exit(EXIT_NO_RESULT, "arguments", ENOMEM);
	parse(&arguments, argc, argv);
	files = read_files(&arguments);
	error = prof_symbols_read(&symbols, arguments.program, arguments.locals,
				  arguments.demangle ? demangle : NULL, &why);
	if (error)
		refuse(arguments.program, error, why);
	print(&arguments, &symbols, files, rate);
	if (arguments.sum)
		write_sum(&arguments, files);
	prof_symbols_release(&symbols);
	for (i = 0; i < arguments.nr_files; i++)
		monout_release(&files[i]);
	free(files);
	free(arguments.files);
	return 0;
}
