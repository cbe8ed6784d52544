// SPDX-License-Identifier: GPL-2.0-only
/*
 * The whole terminal, by ncurses.
 *
 * Like capstone (disassembler.c), ncurses is loaded when it is used, and not linked: most starts of
 * the command show no screen, and a machine without ncurses can profile.
 */
#define _GNU_SOURCE
#define NCURSES_NOMACROS	/* the functions are loaded, so they must be functions */
#define NCURSES_WIDECHAR 1
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <curses.h>

#include "top/screen.h"
#include "util/library.h"

#define TEXT_OF(number)		#number
#define SONAME_OF(major)	"libncursesw.so." TEXT_OF(major)
/* NCURSES_VERSION_MAJOR is the major version of the interface */
#define SONAME			SONAME_OF(NCURSES_VERSION_MAJOR)

#define ESCAPE_MS	25	/* a sequence of a function key comes faster */
#define ESCAPE		27
#define DELETE		127	/* what the key Backspace of most terminals is */

/* What is used of ncurses */
#define FUNCTIONS(of)	\
	of(newterm) of(delscreen) of(endwin) of(raw) of(noecho) of(nonl) of(keypad) \
	of(nodelay) of(set_escdelay) of(curs_set) of(start_color) of(use_default_colors) \
	of(init_pair) of(resizeterm) of(wget_wch) of(wmove) of(wattr_set) of(waddnstr) \
	of(wclrtoeol) of(wclear) of(wrefresh)

struct library {
	FUNCTIONS(LIBRARY_MEMBER)
	WINDOW **window;
};

struct screen {
	struct library library;
	SCREEN *terminal;
	FILE *in;
	FILE *out;
	bool has_colors;
	int columns;
	int rows;
	struct screen_line *shown;	/* @rows lines */
};

/* Load ncurses, which stays until the end of the process. Return: false: @why is set. */
static bool load(struct library *library, char why[SCREEN_WHY])
{
	const struct library_symbol symbols[] = {
		FUNCTIONS(LIBRARY_SYMBOL)
		{ "stdscr", (void **)&library->window },
	};
	const char *missing;

	if (library_load(SONAME, symbols, sizeof(symbols) / sizeof(symbols[0]), &missing))
		return true;
	if (missing)
		snprintf(why, SCREEN_WHY, "%s lacks %s, which its header declares: reinstall it, or use --once",
			 SONAME, missing);
	else
		snprintf(why, SCREEN_WHY, "%s cannot be loaded: install the package of ncurses that has it (Debian: libncursesw%d), or use --once",
			 SONAME, NCURSES_VERSION_MAJOR);
	return false;
}

/* Names are in UTF-8, whatever the language of the user is. */
static void use_utf8(void)
{
	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8"))
		setlocale(LC_CTYPE, "C.UTF-8");
}

static void set_up(struct screen *screen)
{
	const struct library *library = &screen->library;
	const char *no_color = getenv("NO_COLOR");

	/* ^C and ^Z are keys here: they must not reach the command */
	library->raw();
	library->noecho();
	library->nonl();
	library->set_escdelay(ESCAPE_MS);
	library->keypad(*library->window, true);
	library->nodelay(*library->window, true);
	library->curs_set(0);
	if ((no_color && *no_color) || library->start_color() == ERR ||
	    library->use_default_colors() == ERR)
		return;
	screen->has_colors = true;
	library->init_pair(TERMINAL_HOT, COLOR_RED, -1);
	library->init_pair(TERMINAL_WARM, COLOR_YELLOW, -1);
	library->init_pair(TERMINAL_LESS, COLOR_GREEN, -1);
}

struct screen *screen_new(int fd, char why[SCREEN_WHY])
{
	struct screen *screen = calloc(1, sizeof(*screen));
	const char *name = getenv("TERM");
	int in, out;

	if (!screen) {
		snprintf(why, SCREEN_WHY, "no memory");
		return NULL;
	}
	if (!load(&screen->library, why))
		goto failed;
	in = dup(fd);
	out = dup(fd);
	screen->in = in >= 0 ? fdopen(in, "r") : NULL;
	screen->out = out >= 0 ? fdopen(out, "w") : NULL;
	if (!screen->in || !screen->out) {
		snprintf(why, SCREEN_WHY, "the terminal cannot be opened again: raise ulimit -n");
		goto failed;
	}
	use_utf8();
	screen->terminal = screen->library.newterm(name, screen->out, screen->in);
	if (!screen->terminal) {
		snprintf(why, SCREEN_WHY, "the terminal type TERM=%s is unknown here: set TERM to another one, as xterm, or use --once",
			 name ? name : "");
		goto failed;
	}
	set_up(screen);
	return screen;
failed:
	screen_free(screen);
	return NULL;
}

static void forget(struct screen *screen)
{
	int i;

	for (i = 0; i < screen->rows; i++)
		free(screen->shown[i].text);
	free(screen->shown);
	screen->shown = NULL;
	screen->rows = 0;
}

bool screen_size(struct screen *screen, int *columns, int *rows)
{
	struct winsize size;

	if (ioctl(fileno(screen->out), TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row)
		size = (struct winsize){ .ws_col = 80, .ws_row = 24 };
	*columns = size.ws_col;
	*rows = size.ws_row;
	if (*columns == screen->columns && *rows == screen->rows)
		return false;
	forget(screen);
	screen->shown = calloc((size_t)*rows, sizeof(*screen->shown));
	if (!screen->shown)
		return false;
	screen->columns = *columns;
	screen->rows = *rows;
	screen->library.resizeterm(*rows, *columns);
	screen->library.wclear(*screen->library.window);
	return true;
}

static void set_attributes(const struct screen *screen, const struct screen_line *line)
{
	attr_t attributes = line->reverse ? A_REVERSE : 0;
	short pair = 0;

	if (line->color == TERMINAL_FAINT)
		attributes |= A_DIM;
	else if (screen->has_colors)
		pair = (short)line->color;
	screen->library.wattr_set(*screen->library.window, attributes, pair, NULL);
}

static void show_line(const struct screen *screen, int row, const struct screen_line *line)
{
	const struct library *library = &screen->library;
	WINDOW *window = *library->window;
	int columns = terminal_columns(line->text);

	set_attributes(screen, line);
	library->wmove(window, row, 0);
	library->waddnstr(window, line->text, -1);
	/* the rest of a line in reverse video is blanks */
	for (; line->reverse && columns < screen->columns; columns++)
		library->waddnstr(window, " ", 1);
	library->wattr_set(window, 0, 0, NULL);
	/* after the last column, the cursor may be in the next line */
	if (columns < screen->columns)
		library->wclrtoeol(window);
}

/* What differs between two lines: @bytes from @first on. */
struct difference {
	size_t first;
	size_t bytes;
};

/*
 * Most lines that change have other figures before the same names. (Without this, ncurses compares all
 * lines by cell, which takes a quarter more instructions.) Return: whether nothing else differs, so
 * that a column is a byte.
 */
static bool has_other_figures(const struct screen_line *shown, const struct screen_line *line,
			      struct difference *difference)
{
	size_t length, end, i;

	if (!shown->text || shown->color != line->color || shown->reverse != line->reverse)
		return false;
	length = strlen(line->text);
	if (strlen(shown->text) != length)
		return false;
	for (i = 0; i < length && shown->text[i] == line->text[i]; i++)
		if (line->text[i] & 0x80)
			return false;
	for (end = length; end > i && shown->text[end - 1] == line->text[end - 1]; end--)
		;
	difference->first = i;
	difference->bytes = end - i;
	for (; i < end; i++)
		if ((line->text[i] | shown->text[i]) & 0x80)
			return false;
	return true;
}

/* Return: whether the screen has changed. */
static bool renew_line(const struct screen *screen, int row, const struct screen_line *line)
{
	const struct library *library = &screen->library;
	struct difference difference;

	if (!has_other_figures(&screen->shown[row], line, &difference)) {
		show_line(screen, row, line);
		return true;
	}
	if (!difference.bytes)
		return false;
	set_attributes(screen, line);
	library->wmove(*library->window, row, (int)difference.first);
	library->waddnstr(*library->window, line->text + difference.first, (int)difference.bytes);
	library->wattr_set(*library->window, 0, 0, NULL);
	return true;
}

void screen_show(struct screen *screen, struct screen_line *lines)
{
	bool has_changed = false;
	int i;

	for (i = 0; i < screen->rows; i++) {
		if (!lines[i].text)
			lines[i].text = strdup("");
		if (!lines[i].text)
			continue;
		has_changed |= renew_line(screen, i, &lines[i]);
		free(screen->shown[i].text);
		screen->shown[i] = lines[i];
	}
	if (has_changed)
		screen->library.wrefresh(*screen->library.window);
}

int screen_key(struct screen *screen)
{
	static const struct {
		wint_t code;
		int key;
	} keys[] = {
		{ KEY_UP, SCREEN_UP },
		{ KEY_DOWN, SCREEN_DOWN },
		{ KEY_PPAGE, SCREEN_PAGE_UP },
		{ KEY_NPAGE, SCREEN_PAGE_DOWN },
		{ KEY_HOME, SCREEN_HOME },
		{ KEY_END, SCREEN_END },
		{ KEY_LEFT, SCREEN_LEFT },
		{ KEY_RIGHT, SCREEN_RIGHT },
		{ KEY_ENTER, SCREEN_ENTER },
		{ KEY_BACKSPACE, SCREEN_BACKSPACE },
	};
	int status;
	wint_t code;
	size_t i;

	for (;;) {
		status = screen->library.wget_wch(*screen->library.window, &code);
		if (status == ERR)
			return SCREEN_NONE;
		if (status == OK)
			break;
		for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (keys[i].code == code)
				return keys[i].key;
	}
	if (code == '\r' || code == '\n')
		return SCREEN_ENTER;
	if (code == '\b' || code == DELETE)
		return SCREEN_BACKSPACE;
	return code == ESCAPE ? SCREEN_ESCAPE : (int)code;
}

void screen_suspend(struct screen *screen)
{
	screen->library.endwin();
	raise(SIGSTOP);
	/* what is on the terminal now is unknown */
	screen->columns = 0;
}

void screen_free(struct screen *screen)
{
	if (!screen)
		return;
	if (screen->terminal) {
		screen->library.endwin();
		screen->library.delscreen(screen->terminal);
	}
	forget(screen);
	if (screen->in)
		fclose(screen->in);
	if (screen->out)
		fclose(screen->out);
	free(screen);
}
