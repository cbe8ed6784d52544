/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the subcommands that show results have in common: options, and the files.
 */
#ifndef PROFIL_OPTIONS_H
#define PROFIL_OPTIONS_H

#include <argp.h>
#include <stdint.h>

#include "result/result.h"
#include "util/terminal.h"

/**
 * options_parse - argp_parse(), with more help
 * @argp:  its children have none of their own
 * @argc:  as for main()
 * @argv:  the same
 * @flags: argp's
 * @input: its parser's
 *
 * -h is --help. Of a long option that there is not, the names that are like it are printed.
 */
void options_parse(const struct argp *argp, int argc, char **argv, unsigned int flags,
		   void *input);

/**
 * options_parse_count - a number of rows
 * @text:  the option's argument
 * @state: argp's; if it is no such number, there is no return
 */
uint64_t options_parse_count(const char *text, struct argp_state *state);

/**
 * options_parse_percent - a share, from 0 to 100
 * @text:  the option's argument
 * @state: argp's; if it is no such number, there is no return
 */
double options_parse_percent(const char *text, struct argp_state *state);

/**
 * options_parse_rate - samples per second
 * @text:  the option's argument
 * @state: argp's; if it is no such number, there is no return
 */
uint32_t options_parse_rate(const char *text, struct argp_state *state);

/**
 * options_parse_color - when there shall be colours
 * @text:  the option's argument; NULL: it had none, and means always
 * @state: argp's; if it is none of the words, there is no return
 */
enum terminal_when options_parse_color(const char *text, struct argp_state *state);

/*
 * For .children of a struct argp: --no-debuginfod. Without it debug information may be
 * fetched (debuginfod_allow()).
 */
extern const struct argp_child options_fetching[];

/**
 * options_read_result - read a result file, or say why not and exit
 * @path:   the file; "-": standard input
 * @result: filled in; to be released by result_release()
 */
void options_read_result(const char *path, struct result *result);

/**
 * options_file_name - what a result file is called in messages
 * @path: as for options_read_result()
 */
const char *options_file_name(const char *path);

/**
 * options_error - report wrong usage, and exit, as argp_error() does
 * @state:  of argp
 * @format: as of printf(3); what it prints commands no terminal
 */
void options_error(const struct argp_state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* PROFIL_OPTIONS_H */
