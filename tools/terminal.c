// SPDX-License-Identifier: GPL-2.0-only
/*
 * Colours and bars, for who reads a report on a terminal.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terminal.h"

#define BAR_COLUMNS	20

/* Shares that are worth a colour, in percent */
#define HOT_PERCENT	10.0
#define WARM_PERCENT	2.0

bool terminal_parse_when(const char *text, enum terminal_when *when)
{
	static const char *const names[] = {
		[TERMINAL_AUTO] = "auto",
		[TERMINAL_ALWAYS] = "always",
		[TERMINAL_NEVER] = "never",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(text, names[i])) {
			*when = (enum terminal_when)i;
			return true;
		}
	}
	return false;
}

struct terminal_style terminal_style(FILE *out, enum terminal_when when)
{
	const char *no_color = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");
	struct terminal_style style = { 0 };

	if (when == TERMINAL_ALWAYS) {
		style.color = style.bars = true;
	} else if (when == TERMINAL_AUTO && isatty(fileno(out))) {
		style.bars = true;
		style.color = terminal && strcmp(terminal, "dumb") &&
			      !(no_color && *no_color);
	}
	return style;
}

enum terminal_color terminal_share_color(double percent)
{
	if (percent >= HOT_PERCENT)
		return TERMINAL_HOT;
	return percent >= WARM_PERCENT ? TERMINAL_WARM : TERMINAL_PLAIN;
}

void terminal_begin(FILE *out, const struct terminal_style *style,
		    enum terminal_color color)
{
	static const char *const codes[] = {
		[TERMINAL_PLAIN] = "",
		[TERMINAL_HOT] = "\033[31m",
		[TERMINAL_WARM] = "\033[33m",
		[TERMINAL_LESS] = "\033[32m",
		[TERMINAL_FAINT] = "\033[2m",
	};

	if (style->color)
		fputs(codes[color], out);
}

void terminal_end(FILE *out, const struct terminal_style *style)
{
	if (style->color)
		fputs("\033[m", out);
}

void terminal_bar(FILE *out, const struct terminal_style *style, double share)
{
	int i;

	if (!style->bars)
		return;
	for (i = 0; i < BAR_COLUMNS && i + 0.5 <= share * BAR_COLUMNS; i++)
		putc('#', out);
}

int terminal_print_name(FILE *out, const char *name)
{
	int columns = 0;

	for (; *name; name++) {
		if ((unsigned char)*name < ' ' || *name == 0x7f) {
			columns += fprintf(out, "\\%03o", (unsigned char)*name);
		} else {
			putc(*name, out);
			columns++;
		}
	}
	return columns;
}
