// SPDX-License-Identifier: GPL-2.0-only
/*
 * Colours and bars, for who reads a report on a terminal.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "escape.h"
#include "terminal.h"

#define BAR_COLUMNS	20
#define ELLIPSIS	"..."

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

/* Return: 0 where it is not known. */
static int find_columns(int fd)
{
	const char *wish = getenv("COLUMNS");
	int columns = wish ? atoi(wish) : 0;
	struct winsize size;

	if (columns > 0)
		return columns;
	return ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

struct terminal_style terminal_style(FILE *out, enum terminal_when when)
{
	const char *no_color = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");
	struct terminal_style style = { 0 };

	if (isatty(fileno(out)))
		style.columns = find_columns(fileno(out));
	if (when == TERMINAL_ALWAYS) {
		style.color = true;
		style.bars = BAR_COLUMNS;
	} else if (when == TERMINAL_AUTO && isatty(fileno(out))) {
		style.bars = BAR_COLUMNS;
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

	for (i = 0; i < style->bars && i + 0.5 <= share * style->bars; i++)
		putc('#', out);
}

int terminal_columns(const char *name)
{
	int columns = 0;

	while (*name)
		columns += escape_columns(&name);
	return columns;
}

int terminal_print_name(FILE *out, const char *name)
{
	escape_octal(out, name, "");
	return terminal_columns(name);
}

int terminal_print_cut(FILE *out, const char *name, int most)
{
	int left = most - (int)strlen(ELLIPSIS), columns = 0;
	const char *next = name;
	char *head;

	if (!most || terminal_columns(name) <= most)
		return terminal_print_name(out, name);
	for (;;) {
		const char *end = next;
		int more = escape_columns(&next);

		if (columns + more > left) {
			next = end;
			break;
		}
		columns += more;
	}
	head = strndup(name, (size_t)(next - name));
	if (head)
		terminal_print_name(out, head);
	free(head);
	fputs(ELLIPSIS, out);
	return columns + (int)strlen(ELLIPSIS);
}
