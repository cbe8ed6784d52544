// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lines of a live view. On a narrow terminal, the names matter more than the figures: those
 * that can be computed from the others are left out.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/share.h"
#include "top/paint.h"
#include "util/base_name.h"
#include "util/escape.h"
#include "util/shorten.h"
#include "util/terminal.h"
#include "util/time_ns.h"

/* With at least this many columns, there are also seconds, the system's share, and the object */
#define WIDE	64
#define MAX_PLACE	28	/* columns of an object */

/* Columns of the figures before a name, with a blank after them */
#define NARROW_FIGURES	15
#define WIDE_FIGURES	33

static const char *const order_names[] = {
	[ROWS_BY_NOW] = "cpu",
	[ROWS_BY_SAMPLES] = "total",
	[ROWS_BY_SYSTEM] = "system",
	[ROWS_BY_NAME] = "name",
	[ROWS_BY_PLACE] = "object",
};

static const char *const by_names[] = {
	[PAINT_FUNCTIONS] = "function",
	[PAINT_THREADS] = "thread",
	[PAINT_PROGRAMS] = "program",
};

static const char *const name_titles[] = {
	[PAINT_FUNCTIONS] = "FUNCTION",
	[PAINT_THREADS] = "THREAD",
	[PAINT_PROGRAMS] = "PROGRAM",
};

static const char *const place_titles[] = {
	[PAINT_FUNCTIONS] = "OBJECT",
	[PAINT_THREADS] = "PROGRAM",
	[PAINT_PROGRAMS] = "PATH",
};

const char *paint_order_name(size_t order)
{
	return order < NR_ROWS_ORDERS ? order_names[order] : NULL;
}

const char *paint_by_name(size_t by)
{
	return by < NR_PAINT_BYS ? by_names[by] : NULL;
}

/* Return: a copy of a text, cut to a width unless that is 0; NULL: no memory. */
static char *cut(const char *text, int columns)
{
	char *line = NULL;
	size_t bytes;
	FILE *out = open_memstream(&line, &bytes);

	if (!out)
		return NULL;
	terminal_print_cut(out, text, columns);
	if (!fclose(out))
		return line;
	free(line);
	return NULL;
}

/* Return: as cut(). */
static char *format(int columns, const char *text, ...) __attribute__((format(printf, 2, 3)));

static char *format(int columns, const char *text, ...)
{
	char *whole, *line;
	va_list arguments;

	va_start(arguments, text);
	if (vasprintf(&whole, text, arguments) < 0)
		whole = NULL;
	va_end(arguments);
	line = whole ? cut(whole, columns) : NULL;
	free(whole);
	return line;
}

/* Columns of the names, and of the objects or 0 */
struct layout {
	bool is_wide;
	int name;
	int place;
};

static struct layout find_layout(int columns)
{
	struct layout layout = { .is_wide = !columns || columns >= WIDE };
	int room = columns - (layout.is_wide ? WIDE_FIGURES : NARROW_FIGURES);

	if (!columns)
		return layout;
	if (layout.is_wide)
		layout.place = room / 3 < MAX_PLACE ? room / 3 : MAX_PLACE;
	layout.name = room - (layout.place ? layout.place + 1 : 0);
	return layout;
}

static void print_name(FILE *out, const struct row *row, enum paint_by by, int columns)
{
	char *shortened = NULL, *name = NULL;
	int printed;

	if (by == PAINT_THREADS && asprintf(&name, "%s [%d]", row->name, row->tid) < 0)
		name = NULL;
	if (by == PAINT_FUNCTIONS && columns)
		shortened = shorten_function(row->name, columns);
	printed = terminal_print_cut(out, shortened ? shortened : name ? name : row->name, columns);
	for (; printed < columns; printed++)
		putc(' ', out);
	free(shortened);
	free(name);
}

/* The end matters: x86_64-linux-gnu-as, -ld and -gcc are in one build. */
static void print_place(FILE *out, const char *path, enum paint_by by, int columns)
{
	const char *place = by == PAINT_PROGRAMS ? path : base_name(path);
	char *shortened = columns ? shorten_path(place, columns) : NULL;

	terminal_print_name(out, shortened ? shortened : place);
	free(shortened);
}

/* Return: what is after the figures of a row; NULL: no memory. It is made once for each width. */
static const char *shown_names(struct row *row, const struct paint *paint,
			       const struct layout *layout)
{
	size_t bytes;
	FILE *out;

	if (row->shown && row->columns == paint->columns)
		return row->shown;
	free(row->shown);
	row->shown = NULL;
	row->columns = paint->columns;
	out = open_memstream(&row->shown, &bytes);
	if (!out)
		return NULL;
	print_name(out, row, paint->by, layout->name);
	if (layout->is_wide) {
		fputs(layout->name ? " " : "  ", out);
		print_place(out, row->place, paint->by, layout->place);
	}
	fclose(out);
	return row->shown;
}

/* Return: a number in units of 1/@unit, rounded. */
static uint64_t figure(double number, unsigned int unit)
{
	return (uint64_t)(number * unit + 0.5);
}

/* Return: the text of a row, NULL: no memory. Numbers are printed as integers, which is faster. */
static char *row_text(struct row *row, const struct paint *paint, const struct layout *layout,
		      double *percent)
{
	const double rate = paint->rate ? paint->rate : 1;
	const uint64_t now = figure(100 * rows_now(paint->table, row->recent) / rate, 10);
	const char *names = shown_names(row, paint, layout);
	uint64_t total, seconds, system;
	char *line;
	int bytes;

	*percent = share_percent(row->samples, paint->table->samples);
	total = figure(*percent, 100);
	seconds = figure((double)row->samples / rate, 100);
	system = figure(share_percent(row->system, row->samples), 10);
	if (!names)
		return NULL;
	if (layout->is_wide)
		bytes = asprintf(&line, "%4" PRIu64 ".%" PRIu64 " %4" PRIu64 ".%02" PRIu64 " %6" PRIu64
				 ".%02" PRIu64 " %4" PRIu64 ".%" PRIu64 "  %s", now / 10, now % 10,
				 total / 100, total % 100, seconds / 100, seconds % 100,
				 system / 10, system % 10, names);
	else
		bytes = asprintf(&line, "%4" PRIu64 ".%" PRIu64 " %4" PRIu64 ".%02" PRIu64 " %s",
				 now / 10, now % 10, total / 100, total % 100, names);
	return bytes < 0 ? NULL : line;
}

static char *titles(const struct paint *paint, const struct layout *layout)
{
	const char *before = paint->plain ? "#" : " ";

	if (!layout->is_wide)
		return format(paint->columns, "%s CPU%%  TOTAL%% %s", before, name_titles[paint->by]);
	return format(paint->columns, "%s CPU%%  TOTAL%%   SECONDS   SYS%%  %-*s%s%s", before,
		      layout->name, name_titles[paint->by], layout->name ? " " : "  ",
		      place_titles[paint->by]);
}

static void paint_head(struct screen_line *lines, const struct paint *paint)
{
	const struct rows *rows = paint->table;
	const char *before = paint->plain ? "# " : "";
	char lost[64] = "", waiting[64] = "";
	const double now = paint->rate ? 100 * rows_now(rows, rows->recent) / paint->rate : 0;

	if (paint->lost)
		snprintf(lost, sizeof(lost), ", %" PRIu64 " lost", paint->lost);
	if (paint->waiting)
		snprintf(waiting, sizeof(waiting), ", %zu addresses wait for names", paint->waiting);
	lines[0].text = format(paint->columns, "%s%s%s%s (PID %d)", before,
			       paint->state ? paint->state : "", paint->state ? ": " : "",
			       paint->of, paint->pid);
	if (paint->columns && paint->columns < WIDE) {
		lines[1].text = format(paint->columns, "%.1f s, CPU %.1f%%, by %s%s", paint->seconds,
				       now, paint_order_name(rows->order), lost);
		return;
	}
	lines[1].text = format(paint->columns, "%s%.1f s, CPU %.1f%%, %" PRIu64 " samples at %u Hz%s%s, by %s",
			       before, paint->seconds, now, rows->samples, paint->rate, lost,
			       waiting, paint_order_name(rows->order));
}

static const char *keys_text(const struct paint *paint)
{
	if (paint->note && *paint->note)
		return paint->note;
	if (paint->columns < WIDE)
		return "q leave Enter lines Tab by s sort ?help";
	return paint->by == PAINT_FUNCTIONS ?
	       "q leave  Enter source  i instructions  Tab threads  s sort  Space pause  ? help" :
	       "q leave  Enter functions  Tab by  s sort  Space pause  ? help";
}

void paint_table(struct screen_line *lines, size_t rows, const struct paint *paint)
{
	const struct layout layout = find_layout(paint->columns);
	const size_t last = paint->plain ? rows : rows - 1;
	size_t i, at;

	memset(lines, 0, rows * sizeof(*lines));
	paint_head(lines, paint);
	lines[2].text = titles(paint, &layout);
	lines[2].reverse = true;
	for (i = PAINT_HEAD; i < last; i++) {
		double percent = 0;

		at = paint->first + i - PAINT_HEAD;
		if (at >= paint->table->nr || !rows_is_shown(paint->table->list[at]))
			break;
		lines[i].text = row_text(paint->table->list[at], paint, &layout, &percent);
		lines[i].color = terminal_share_color(percent);
		lines[i].reverse = at == paint->selected;
	}
	if (paint->plain)
		return;
	lines[last].text = cut(keys_text(paint), paint->columns);
	lines[last].color = TERMINAL_FAINT;
}

void paint_page(struct screen_line *lines, size_t rows, int columns, const char *title,
		const struct drill_down *page, size_t first)
{
	size_t i;

	memset(lines, 0, rows * sizeof(*lines));
	lines[0].text = cut(title, columns);
	lines[0].reverse = true;
	for (i = 1; i < rows - 1 && first + i - 1 < page->nr; i++)
		lines[i].text = cut(page->lines[first + i - 1], columns);
	if (page->helper.pid) {
		/* below the page that is there, or over its end */
		i -= i == rows - 1;
		free(lines[i].text);
		lines[i].text = format(columns, "files are read ... %" PRIu64 " s; Escape goes back",
				       (time_ns(CLOCK_MONOTONIC) - page->start_ns) / NS_PER_S);
	}
	lines[rows - 1].text = cut(columns < WIDE ? "q back  r renew  i instructions" :
				   "q back  Up Down PgUp PgDn  r renew  i instructions or source", columns);
	lines[rows - 1].color = TERMINAL_FAINT;
}

void paint_help(struct screen_line *lines, size_t rows, int columns)
{
	static const char *const help[] = {
		"q, ^C      leave; the programs go on",
		"Up, Down   select a row (also k, j)",
		"Enter      source lines of a function,",
		"           functions of others",
		"i          instructions of a function",
		"c          callers of it (run -g)",
		"Tab        functions, threads, programs",
		"f t p      one of these",
		"s S        sort by the next, the last:",
		"           cpu total system name object",
		"/          only names with a text;",
		"           Escape shows all",
		"Space      pause, and go on",
		"w          write a result of all so far",
		"?          this help; any key ends it",
		"",
		"CPU%       of one CPU, in the last 3 s",
		"TOTAL%     of all samples so far",
		"SYS%       of the row, in the kernel",
		"...        names are being read",
	};
	size_t i;

	memset(lines, 0, rows * sizeof(*lines));
	lines[0].text = cut("profil top: keys", columns);
	lines[0].reverse = true;
	for (i = 0; i < sizeof(help) / sizeof(help[0]) && i + 1 < rows; i++)
		lines[i + 1].text = cut(help[i], columns);
}

void paint_small(struct screen_line *lines, size_t rows, int columns)
{
	memset(lines, 0, rows * sizeof(*lines));
	lines[0].text = format(columns > 4 ? columns : 4, "%d columns, %d rows: make the terminal larger",
			       PAINT_COLUMNS, PAINT_ROWS);
}
