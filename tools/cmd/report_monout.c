// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil report with a mon.out file. The file has no magic number and does not name its program,
 * so it is accepted if its sizes add up and its pcs end within the program's text.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/report_monout.h"
#include "monout/monout.h"
#include "monout/monout_program.h"
#include "monout/prof_table.h"
#include "symbol/demangle.h"
#include "util/failure.h"

static const char *program_name(const struct report_monout *report)
{
	return report->program ? report->program : MONOUT_PROGRAM_DEFAULT;
}

/* @error: -errno; @format: the reason, as for printf(3) */
static void __attribute__((format(printf, 3, 4), noreturn))
refuse(const struct report_monout *report, int error, const char *format, ...)
{
	const char *name = options_file_name(report->path);
	va_list arguments;
	char *why;

	va_start(arguments, format);
	if (vasprintf(&why, format, arguments) < 0)
		failure_exit(EXIT_NO_RESULT, name, ENOMEM);
	va_end(arguments);
	failure_exitx(EXIT_NO_RESULT, "%s: %s%s (%s): %s", name,
		      report->program ? "" : "not a profil result file (`profil COMMAND' writes one), nor a mon.out of " MONOUT_PROGRAM_DEFAULT ": ",
		      why, strerrorname_np(-error),
		      error == -ENOMEM ? failure_remedy(ENOMEM) :
		      report->program ?
		      "name a mon.out file, and with --program the program that wrote it, with its symbols" :
		      "for a mon.out, name with --program the program that wrote it, with its symbols");
}

static void read_files(const struct report_monout *report, struct monout_program *program,
		       struct monout *monout)
{
	const char *name = program_name(report), *why = NULL;
	int error = monout_program_read(name, program, &why);

	if (error)
		refuse(report, error, "the program %s: %s", name, why);
	error = monout_read(report->path, &program->layout, monout, &why);
	if (error)
		refuse(report, error, "%s", why ? why : strerror(-error));
	if (!monout_is_of(monout, program))
		refuse(report, -ERANGE, "its pcs, from 0x%" PRIx64 " to 0x%" PRIx64 ", do not end within the text of the program %s, from 0x%" PRIx64 " to 0x%" PRIx64,
		       monout->low, monout->high, name, program->start, program->end);
}

static struct symbols *open_symbols(const struct report_monout *report,
				    const struct result *result)
{
	struct symbols *symbols = symbols_new(result, NULL);
	int stripped = symbols ? symbols_are_stripped(symbols, 0) : -ENOMEM;
	const char *problem;

	if (stripped < 0)
		refuse(report, stripped, "%s", strerror(-stripped));
	problem = symbols_problem(symbols, 0);
	if (stripped)
		refuse(report, -ENOEXEC, "the program %s: %s", program_name(report),
		       problem ? problem : "no function names, as it is stripped");
	return symbols;
}

void report_monout(const struct report_monout *report)
{
	struct result_object object = { .path = (char *)program_name(report) };
	const struct result result = { .objects = &object, .nr_objects = 1 };
	const struct prof_table_options options = { .table = report->table };
	struct prof_functions functions;
	struct monout_program program;
	struct symbols *symbols;
	struct monout monout;
	struct prof prof;
	int error;

	read_files(report, &program, &monout);
	symbols = open_symbols(report, &result);
	functions = (struct prof_functions){
		.find = symbols_find,
		.symbols = symbols,
		.demangle = report->keep_mangled ? NULL : demangle,
	};
	error = prof_make(&prof, &monout, 1, &functions);
	if (!error)
		error = prof_table_print(stdout, &prof, report->rate, &options);
	if (error)
		refuse(report, error, "%s", strerror(-error));
	prof_release(&prof);
	symbols_free(symbols);
	monout_release(&monout);
}
