// SPDX-License-Identifier: GPL-2.0-only
/*
 * Printing to terminals: when colours and bars are printed, wrapping, widths, and that names
 * cannot control the terminal.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <util/terminal.h>

#include "support/test.h"

static char *text;
static FILE *out;

FIXTURE(set_up)
{
	static size_t size;

	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	out = open_memstream(&text, &size);
	return !out;
}

FIXTURE(tear_down)
{
	fclose(out);
	free(text);
	return 0;
}

static void assert_style(FILE *to, enum terminal_when when, bool color, bool bars)
{
	struct terminal_style style = terminal_style(to, when);

	assert_int_equal(style.color, color);
	assert_int_equal(style.bars, bars ? 20 : 0);
}

TEST_F(only_terminals_have_colors)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	FILE *terminal, *file = tmpfile();

	assert_true(master >= 0);
	assert_int_equal(grantpt(master) | unlockpt(master), 0);
	terminal = fopen(ptsname(master), "w");
	assert_non_null(terminal);

	assert_style(terminal, TERMINAL_AUTO, true, true);
	assert_style(terminal, TERMINAL_NEVER, false, false);
	assert_style(file, TERMINAL_AUTO, false, false);
	assert_style(file, TERMINAL_ALWAYS, true, true);
	setenv("NO_COLOR", "", 1);
	assert_style(terminal, TERMINAL_AUTO, true, true);
	setenv("NO_COLOR", "1", 1);
	assert_style(terminal, TERMINAL_AUTO, false, true);
	/* --color=always overrides NO_COLOR */
	assert_style(terminal, TERMINAL_ALWAYS, true, true);
	unsetenv("NO_COLOR");
	setenv("TERM", "dumb", 1);
	assert_style(terminal, TERMINAL_AUTO, false, true);
	fclose(terminal);
	fclose(file);
	close(master);
}

TEST_F(size_is_that_of_the_terminal)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	struct winsize size = { .ws_col = 70, .ws_row = 33 };
	FILE *terminal, *file = tmpfile();

	assert_true(master >= 0);
	assert_int_equal(grantpt(master) | unlockpt(master), 0);
	terminal = fopen(ptsname(master), "w");
	assert_non_null(terminal);
	unsetenv("COLUMNS");
	unsetenv("LINES");
	/* lines in a file are not cut */
	assert_int_equal(terminal_style(file, TERMINAL_ALWAYS).columns, 0);
	assert_int_equal(terminal_style(file, TERMINAL_ALWAYS).rows, 0);
	/* a terminal of unknown size */
	assert_int_equal(terminal_style(terminal, TERMINAL_AUTO).columns, 80);
	assert_int_equal(terminal_style(terminal, TERMINAL_AUTO).rows, 24);
	assert_int_equal(ioctl(master, TIOCSWINSZ, &size), 0);
	assert_int_equal(terminal_style(terminal, TERMINAL_AUTO).columns, 70);
	assert_int_equal(terminal_style(terminal, TERMINAL_AUTO).rows, 33);
	assert_int_equal(terminal_style(terminal, TERMINAL_NEVER).columns, 70);
	setenv("COLUMNS", "50", 1);
	setenv("LINES", "12", 1);
	assert_int_equal(terminal_style(terminal, TERMINAL_AUTO).columns, 50);
	assert_int_equal(terminal_style(terminal, TERMINAL_AUTO).rows, 12);
	assert_int_equal(terminal_style(file, TERMINAL_ALWAYS).columns, 50);
	assert_int_equal(terminal_style(file, TERMINAL_ALWAYS).rows, 0);
	setenv("COLUMNS", "x", 1);
	assert_int_equal(terminal_style(terminal, TERMINAL_AUTO).columns, 70);
	setenv("COLUMNS", "7", 1);
	assert_int_equal(terminal_style(terminal, TERMINAL_AUTO).columns, 40);
	unsetenv("COLUMNS");
	unsetenv("LINES");
	fclose(terminal);
	fclose(file);
	close(master);
}

TEST_F(long_comments_are_wrapped)
{
	const struct terminal_style narrow = { .columns = 20 }, endless = { 0 };

	assert_int_equal(terminal_print_text(out, &narrow,
					     "# of twenty columns,\n"
					     "# of twenty-one of them\n"
					     "#\n"
					     "# a/path/longer/than/a/line, and more\n"
					     "# figures, as 0.125 s\n"), 9);
	assert_int_equal(terminal_print_text(out, &endless, "# of twenty-one of them\n# b\n"), 2);
	assert_int_equal(terminal_print_comment(out, &narrow, "# %s is named\033", "\u6f22\u5b57\n"), 0);
	fflush(out);
	assert_string_equal(text,
			    "# of twenty columns,\n"
			    "# of twenty-one of\n"
			    "#   them\n"
			    "#\n"
			    "# a/path/longer/than\n"
			    "#   /a/line, and\n"
			    "#   more\n"
			    "# figures, as\n"
			    "#   0.125 s\n"
			    "# of twenty-one of them\n# b\n"
			    "# \u6f22\u5b57\\012 is\n"
			    "#   named\\033\n");
}

TEST_F(plain_style_prints_no_colors_or_bars)
{
	const struct terminal_style plain = { 0 };

	terminal_begin(out, &plain, TERMINAL_HOT);
	terminal_bar(out, &plain, 1);
	terminal_end(out, &plain);
	fflush(out);
	assert_string_equal(text, "");
}

TEST_F(bars_are_proportional_to_shares)
{
	const struct terminal_style style = { .bars = 20 };
	static const double shares[] = { 0, 0.01, 0.5, 1, 1e12 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shares); i++) {
		terminal_bar(out, &style, shares[i]);
		putc('|', out);
	}
	fflush(out);
	assert_string_equal(text, "||##########|####################|####################|");
}

TEST_F(control_characters_are_printed_in_octal)
{
	assert_int_equal(terminal_print_name(out, "a\033[2J\177\xc3\xa4"), 13);
	fflush(out);
	assert_string_equal(text, "a\\033[2J\\177\xc3\xa4");
}

/* Terminals interpret U+009B as ESC and [, and some also the single byte 0x9b. */
TEST_F(c1_control_characters_are_printed_in_octal)
{
	assert_int_equal(terminal_print_name(out, "\xc2\x80\xc2\x9b" "2J\xc2\x9f\xc2\xa0\xc3\x9b"), 28);
	putc('|', out);
	assert_int_equal(terminal_print_name(out, "\x9b" "2J\x80\xc2"), 14);
	fflush(out);
	assert_string_equal(text, "\\302\\200\\302\\2332J\\302\\237\xc2\xa0\xc3\x9b|"
			    "\\2332J\\200\\302");
}

/* With them, "\u202eexe.doc" would be displayed as "cod.exe". */
TEST_F(direction_characters_are_printed_in_octal)
{
	terminal_print_name(out, "\u202eexe.doc\u202c\u2066\u2069\u200f.");
	fflush(out);
	assert_string_equal(text, "\\342\\200\\256exe.doc\\342\\200\\254\\342\\201\\246"
			    "\\342\\201\\251\\342\\200\\217.");
}

TEST_F(widths_are_those_of_characters)
{
	assert_int_equal(terminal_columns("abc"), 3);
	assert_int_equal(terminal_columns("\u00e4\u20ac"), 2);
	assert_int_equal(terminal_columns("\u6f22\u5b57"), 4);
	/* a combining character, and a genuine U+FFFD */
	assert_int_equal(terminal_columns("a\u0308"), 1);
	assert_int_equal(terminal_columns("\ufffd"), 1);
	assert_int_equal(terminal_columns("\x9b\033"), 8);
}

TEST_F(long_names_end_in_an_ellipsis)
{
	assert_int_equal(terminal_print_cut(out, "abcdefgh", 8), 8);
	assert_int_equal(terminal_print_cut(out, "|abcdefgh", 8), 8);
	assert_int_equal(terminal_print_cut(out, "|abcdefgh", 0), 9);
	/* characters are not split: neither those in octal, nor of several bytes or columns */
	assert_int_equal(terminal_print_cut(out, "|a\033bcdefgh", 8), 5);
	assert_int_equal(terminal_print_cut(out, "|abc\xc3\xa4" "defgh", 8), 8);
	assert_int_equal(terminal_print_cut(out, "|\u6f22\u5b57\u6f22", 6), 6);
	assert_int_equal(terminal_print_cut(out, "|\u6f22\u5b57\u6f22", 5), 4);
	fflush(out);
	assert_string_equal(text, "abcdefgh|abcd...|abcdefgh|a...|abc\xc3\xa4...|\u6f22...|...");
}

TEST_F(arguments_of_color_are_parsed)
{
	enum terminal_when when = TERMINAL_AUTO;

	assert_true(terminal_parse_when("never", &when));
	assert_int_equal(when, TERMINAL_NEVER);
	assert_true(terminal_parse_when("always", &when));
	assert_int_equal(when, TERMINAL_ALWAYS);
	assert_true(terminal_parse_when("auto", &when));
	assert_int_equal(when, TERMINAL_AUTO);
	assert_false(terminal_parse_when("sometimes", &when));
}
