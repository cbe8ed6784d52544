/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_OPTIONS_H
#define PROFIL_OPTIONS_H

#include <argp.h>
#include <stdint.h>

#include "result/result.h"
#include "result/select.h"
#include "symbol/symbols.h"
#include "util/terminal.h"

/* As the only argument of a subcommand, prints its options for programs. */
#define OPTIONS_LIST	"--list-options"

/**
 * options_parse - parse options with argp_parse()
 * @argp:  its children must have no children
 *
 * In addition to argp_parse(), -h prints the help, and the message for an unknown long option
 * suggests similar ones.
 */
void options_parse(const struct argp *argp, int argc, char **argv, unsigned int flags,
		   void *input);

/* Parse a number of rows. Exits if the argument is invalid. */
uint64_t options_parse_count(const char *text, struct argp_state *state);

/* Parse a percentage. Exits if the argument is invalid. */
double options_parse_percent(const char *text, struct argp_state *state);

/* Parse how often commands run that are compared. Exits if the argument is invalid. */
unsigned int options_parse_runs(const char *text, struct argp_state *state);

/* Parse a sampling rate in Hz. Exits if the argument is invalid. */
uint32_t options_parse_rate(const char *text, struct argp_state *state);

/**
 * options_parse_color - parse the argument of --color
 * @text:  the option's argument; NULL: none, which means always
 *
 * Exits if the argument is invalid.
 */
enum terminal_when options_parse_color(const char *text, struct argp_state *state);

/* --program, --process, --thread and --object, whose input is a struct selection */
extern const struct argp options_selecting;

/*
 * --refresh, which calls symbols_prefer_files(), and --no-debuginfod: unless it is given, parsing
 * calls debuginfod_allow()
 */
extern const struct argp options_fetching;

/* Both of these, for .children of a struct argp */
extern const struct argp_child options_of_results[];

/**
 * options_select - select samples of a result, or print that there are none and exit
 * @path:      path of the result's file
 */
void options_select(const char *path, struct result *result, const struct selection *selection);

/**
 * options_read_result - read a result file, or print the error and exit
 * @path:   path of the file; "-": standard input
 * @result: filled in; must be released with result_release()
 */
void options_read_result(const char *path, struct result *result);

/**
 * options_warn_symbols - print why objects of a result have no function names
 * @symbols: its symbols, after they were looked up
 *
 * The messages name the option --root.
 */
void options_warn_symbols(const struct result *result, const struct symbols *symbols);

/**
 * options_warn_lines - print why objects with debug information have no source lines
 * @symbols: its symbols, after lines were looked up
 */
void options_warn_lines(const struct result *result, const struct symbols *symbols);

/* Name a result file in messages. */
const char *options_file_name(const char *path);

/**
 * options_result_output - the path to write a result to: standard output for "-"
 * @state: of argp; the terminal is refused
 */
const char *options_result_output(const char *path, struct argp_state *state);

/**
 * options_error - print a usage error and exit, as argp_error() does
 * @format: as for printf(3). Control characters are printed in octal
 */
void options_error(const struct argp_state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* PROFIL_OPTIONS_H */
