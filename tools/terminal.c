// SPDX-License-Identifier: GPL-2.0-only
/*
 * Colours and bars, for who reads a report on a terminal.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "terminal.h"

#define BAR_COLUMNS	20
#define OCTAL_COLUMNS	4	/* \033 */
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

/*
 * Bytes of the control character that a name begins with; 0: it is none. U+0080 to U+009F, of
 * two bytes in UTF-8, do to a terminal what ESC and a letter do.
 */
static size_t control_bytes(const char *name)
{
	const unsigned char *bytes = (const unsigned char *)name;

	if (bytes[0] < ' ' || bytes[0] == 0x7f)
		return 1;
	return bytes[0] == 0xc2 && bytes[1] >= 0x80 && bytes[1] < 0xa0 ? 2 : 0;
}

/* One byte, or a control character. Return: how many bytes, and in @columns what they take. */
static size_t step(const char *name, int *columns)
{
	size_t bytes = control_bytes(name);

	*columns += bytes ? (int)bytes * OCTAL_COLUMNS : 1;
	return bytes ? bytes : 1;
}

static int count_columns(const char *name, size_t length)
{
	int columns = 0;
	size_t i = 0;

	while (i < length)
		i += step(name + i, &columns);
	return columns;
}

void terminal_print_bytes(FILE *out, const char *name, size_t length)
{
	size_t i = 0;

	while (i < length) {
		size_t left = control_bytes(name + i);

		if (!left)
			putc(name[i++], out);
		for (; left; left--)
			fprintf(out, "\\%03o", (unsigned char)name[i++]);
	}
}

int terminal_print_name(FILE *out, const char *name)
{
	return terminal_print_cut(out, name, 0);
}

int terminal_print_cut(FILE *out, const char *name, int most)
{
	size_t length = strlen(name);
	bool is_cut = most && count_columns(name, length) > most;
	int columns = 0;

	if (is_cut) {
		size_t next = 0;

		while (columns <= most - (int)strlen(ELLIPSIS)) {
			length = next;
			next += step(name + next, &columns);
		}
		/* not within a character of UTF-8 */
		while (length && ((unsigned char)name[length] & 0xc0) == 0x80)
			length--;
	}
	terminal_print_bytes(out, name, length);
	if (is_cut)
		fputs(ELLIPSIS, out);
	return count_columns(name, length) + (is_cut ? (int)strlen(ELLIPSIS) : 0);
}
