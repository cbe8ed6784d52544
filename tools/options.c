// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the subcommands that show results have in common.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "failure.h"
#include "options.h"
#include "resultfile.h"

uint64_t options_parse_count(const char *text, struct argp_state *state)
{
	unsigned long long count;
	char *end;

	errno = 0;
	count = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || !count)
		argp_error(state, "'%s' is not a number of rows: it is 1 or more", text);
	return count;
}

double options_parse_percent(const char *text, struct argp_state *state)
{
	double percent;
	char *end;

	percent = strtod(text, &end);
	/* written so that what is no number is not among them either */
	if (end == text || *end || !(percent >= 0 && percent <= 100))
		argp_error(state, "'%s' is not a percentage: it is from 0 to 100", text);
	return percent;
}

enum terminal_when options_parse_color(const char *text, struct argp_state *state)
{
	enum terminal_when when = TERMINAL_ALWAYS;

	if (text && !terminal_parse_when(text, &when))
		argp_error(state, "'%s' is not known here: there are auto, always and never",
			   text);
	return when;
}

static const char *remedy(int error)
{
	switch (error) {
	case ENOENT:
		return "`profil COMMAND' makes one";
	case EACCES:
	case EPERM:
		return "ask its owner for permission to read it";
	case ENOMEM:
		return "there is no memory for it here";
	default:
		return "see open(2) and read(2)";
	}
}

void options_read_result(const char *path, struct result *result)
{
	const char *why = NULL;
	int error = resultfile_read(path, result, &why);

	if (error == -EBADMSG)
		failure_exitx(EXIT_NO_RESULT, "%s: %s", path, why);
	if (error)
		failure_exitx(EXIT_NO_RESULT, "%s: %s (%s): %s", path, strerror(-error),
		     strerrorname_np(-error), remedy(-error));
}
