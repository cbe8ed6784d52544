// SPDX-License-Identifier: GPL-2.0-only
/*
 * Printing to terminals: colours, bars, widths, names with control characters.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/escape.h"
#include "util/stream.h"
#include "util/terminal.h"

#define BAR_COLUMNS	20
#define ELLIPSIS	"..."

/* For terminals of unknown size */
#define DEFAULT_COLUMNS	80
#define DEFAULT_ROWS	24

/* Lines below the head that are not rows of the table: its titles, notes below it, the prompt */
#define OTHER_ROWS	7
#define MIN_ROWS	10

#define CONTINUATION	"#   "	/* starts the rest of a long comment line */

/* The smallest shares with a colour, in percent */
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

/* Return: the value of an environment variable; 0 if it is not a positive number. */
static int find_number(const char *variable)
{
	const char *value = getenv(variable);
	int number = value ? atoi(value) : 0;

	return number > 0 ? number : 0;
}

struct terminal_style terminal_style(FILE *out, enum terminal_when when)
{
	struct terminal_style style = {
		.columns = find_number("COLUMNS"),
		.rows = find_number("LINES"),
		.name = TERMINAL_NAME,
	};
	const bool is_terminal = isatty(stream_fd(out));
	const char *no_color = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");
	struct winsize size = { 0 };

	if (is_terminal && ioctl(stream_fd(out), TIOCGWINSZ, &size))
		size = (struct winsize){ 0 };
	if (!style.columns && is_terminal)
		style.columns = size.ws_col ? size.ws_col : DEFAULT_COLUMNS;
	if (style.columns && style.columns < TERMINAL_MIN_COLUMNS)
		style.columns = TERMINAL_MIN_COLUMNS;
	if (!style.rows)
		style.rows = size.ws_row ? size.ws_row : DEFAULT_ROWS;
	if (!is_terminal)
		style.rows = 0;
	if (when == TERMINAL_ALWAYS) {
		style.color = true;
		style.bars = BAR_COLUMNS;
	} else if (when == TERMINAL_AUTO && is_terminal) {
		style.bars = BAR_COLUMNS;
		style.color = terminal && strcmp(terminal, "dumb") &&
			      !(no_color && *no_color);
	}
	return style;
}

uint64_t terminal_rows(const struct terminal_style *style, long above)
{
	const long rows = style->rows - above - OTHER_ROWS;

	if (!style->rows)
		return 0;
	return rows > MIN_ROWS ? (uint64_t)rows : MIN_ROWS;
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

	while (*name) {
		const size_t plain = escape_plain(name);

		columns += (int)plain;
		name += plain;
		if (*name)
			columns += escape_columns(&name);
	}
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

/*
 * Find where to wrap a line: after the last word that fits, or within the first word if that
 * is too long. A figure and its unit stay in one line.
 */
static const char *find_end(const char *line, int columns)
{
	const char *at = line, *blank = NULL;
	bool has_word = false;

	while (*at && *at != '\n') {
		const char *next = at;

		columns -= escape_columns(&next);
		if (columns < 0)
			return blank ? blank : at;
		/* the # at the start is not a word */
		if (*at == ' ' && has_word && !isdigit((unsigned char)at[-1]))
			blank = at;
		has_word |= *at != ' ' && *at != '#';
		at = next;
	}
	return at;
}

long terminal_print_text(FILE *out, const struct terminal_style *style, const char *text)
{
	const int indent = (int)strlen(CONTINUATION);
	int room = style->columns;
	long lines = 0;

	for (; *text; lines++) {
		size_t whole = strcspn(text, "\n");
		const char *end = room ? find_end(text, room) : text + whole;

		fwrite(text, 1, (size_t)(end - text), out);
		putc('\n', out);
		if (*end && *end != '\n') {
			text = end + (*end == ' ');
			fputs(CONTINUATION, out);
			room = style->columns - indent;
		} else {
			text = end + !!*end;
			room = style->columns;
		}
	}
	return lines;
}

int terminal_print_comment(FILE *out, const struct terminal_style *style,
			   const char *format, ...)
{
	char *text, *line = NULL;
	va_list arguments;
	int error;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	if (text)
		line = escape_line(text);
	if (line)
		terminal_print_text(out, style, line);
	error = line ? 0 : -ENOMEM;
	free(line);
	free(text);
	return error;
}
