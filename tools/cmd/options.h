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

/*
 * Parse options as argp_parse() does; children of @argp must have no children. -h also prints the
 * help, and the message for an unknown long option suggests similar ones.
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

/* Parse the argument of --color; NULL: none, which means always. Exits if it is invalid. */
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

/* Select samples of a result, or print that its file, @path, has none and exit. */
void options_select(const char *path, struct result *result, const struct selection *selection);

/*
 * Read a result file, "-": standard input, or print the error and exit. The result must be released
 * with result_release().
 */
void options_read_result(const char *path, struct result *result);

/*
 * Print why objects of a result have no function names, after they were looked up. The messages
 * name the option --root.
 */
void options_warn_symbols(const struct result *result, const struct symbols *symbols);

/* Print why objects with debug information have no source lines, after these were looked up. */
void options_warn_lines(const struct result *result, const struct symbols *symbols);

/* Name a result file in messages. */
const char *options_file_name(const char *path);

/* Whether a result is to be written to standard output, "-"; exits if that is a terminal. */
bool options_is_stdout(const char *path, const struct argp_state *state);

/* Print a usage error, with control characters in octal, and exit as argp_error() does. */
void options_error(const struct argp_state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* PROFIL_OPTIONS_H */
