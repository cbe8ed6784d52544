// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text of an object as a strip of columns of equal numbers of bytes. Columns with more
 * samples are higher and hotter. As hot code is usually a small part of an object, the functions
 * with most samples are drawn below, each in a strip of its own.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "export/export.h"
#include "export/svg.h"
#include "util/escape.h"

#define MIN_COLUMN	2	/* widths */
#define MAX_COLUMN	12
#define MAX_COLUMNS	(SVG_INNER / MIN_COLUMN)

#define TITLE		34	/* heights */
#define WHOLE		36
#define ZOOM		20
#define FUNCTION	56
#define NAME		15

#define GAP		8	/* width between functions */
#define MAX_FUNCTIONS	8
#define MIN_SHARE	0.005	/* of the object's samples, for all functions except the first */

/* A range of an object's text as a strip */
struct strip {
	const struct symbolized *symbolized;
	size_t object;
	size_t first, last;	/* functions in the strip, @last excluded */
	uint64_t low, high;	/* addresses, @high excluded */
	double x, y, width, height;
	size_t nr_columns;
	uint64_t column_bytes;
};

struct column {
	uint64_t samples;
	uint64_t most;		/* samples of the function with most samples */
	size_t function;	/* that function */
};

static const struct result_object *object_of(const struct strip *strip)
{
	return &strip->symbolized->result->objects[strip->object];
}

/*
 * Divide a strip into columns that are wide enough to be seen and represent whole bytes. The
 * strip becomes narrower if it has few columns.
 */
static void divide(struct strip *strip)
{
	const uint64_t last = strip->high - strip->low - 1;
	const uint64_t room = (uint64_t)(strip->width / MIN_COLUMN);

	strip->column_bytes = last / room + 1;
	strip->nr_columns = (size_t)(last / strip->column_bytes + 1);
	strip->width = fmin(strip->width, MAX_COLUMN * (double)strip->nr_columns);
}

/* The x coordinate of an address */
static double x_of(const struct strip *strip, uint64_t address)
{
	const double bytes = (double)strip->column_bytes * (double)strip->nr_columns;

	return strip->x + strip->width * (double)(address - strip->low) / bytes;
}

/* Add up the samples of each column. Return: the largest number of samples in a column. */
static uint64_t fill_columns(const struct strip *strip, struct column *columns)
{
	uint64_t most = 0;
	size_t i, j;

	for (i = strip->first; i < strip->last; i++) {
		const struct symbolized_function *function =
			&strip->symbolized->functions[i];
		size_t before = MAX_COLUMNS;
		uint64_t here = 0;

		for (j = 0; j < function->nr_counts; j++) {
			const struct result_count *count =
				&object_of(strip)->counts[function->counts[j]];
			size_t to = (count->address - strip->low) / strip->column_bytes;

			if (count->address < strip->low || to >= strip->nr_columns)
				continue;
			here = to == before ? here + count->samples : count->samples;
			before = to;
			columns[to].samples += count->samples;
			if (here > columns[to].most) {
				columns[to].most = here;
				columns[to].function = i;
			}
			if (columns[to].samples > most)
				most = columns[to].samples;
		}
	}
	return most;
}

static void draw_column(FILE *out, const struct strip *strip, size_t number,
			const struct column *column, uint64_t most)
{
	const uint64_t low = strip->low + number * strip->column_bytes;
	/* the last column may extend beyond the end of the text */
	const uint64_t last = strip->high - low < strip->column_bytes ?
			      strip->high - 1 : low + strip->column_bytes - 1;
	const double width = strip->width / (double)strip->nr_columns;
	double height = fmax(2, strip->height * (double)column->samples / (double)most);

	fprintf(out, "<rect class=\"h%u\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>",
		svg_heat(column->samples, most), x_of(strip, low),
		strip->y + strip->height - height, width, height);
	escape_xml(out, strip->symbolized->functions[column->function].name, 0);
	fprintf(out, "&#10;0x%" PRIx64 " to 0x%" PRIx64 "&#10;%" PRIu64
		" samples, %.2f %%</title></rect>\n", low, last,
		column->samples, svg_percent(strip->symbolized, column->samples));
}

static void print_bytes(FILE *out, uint64_t bytes)
{
	if (bytes < 1 << 10)
		fprintf(out, "%" PRIu64 " byte%s", bytes, bytes == 1 ? "" : "s");
	else if (bytes < 1 << 20)
		fprintf(out, "%.1f KiB", (double)bytes / (1 << 10));
	else
		fprintf(out, "%.1f MiB", (double)bytes / (1 << 20));
}

/* Return: 0 or -errno. */
static int draw_strip(FILE *out, const struct strip *strip)
{
	struct column *columns = calloc(strip->nr_columns, sizeof(*columns));
	uint64_t most;
	size_t i;

	if (!columns)
		return -ENOMEM;
	most = fill_columns(strip, columns);
	fprintf(out, "<rect class=\"track\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>0x%" PRIx64
		" to 0x%" PRIx64 ", ", strip->x, strip->y, strip->width, strip->height,
		strip->low, strip->high - 1);
	print_bytes(out, strip->high - strip->low);
	fputs("; each column is ", out);
	print_bytes(out, strip->column_bytes);
	fprintf(out, ", at most %" PRIu64 " samples</title></rect>\n", most);
	for (i = 0; i < strip->nr_columns; i++)
		if (columns[i].samples)
			draw_column(out, strip, i, &columns[i], most);
	free(columns);
	return 0;
}

static void draw_title(FILE *out, const struct strip *whole, double y)
{
	const struct result_object *object = object_of(whole);

	fprintf(out, "<text x=\"%d\" y=\"%.2f\">", SVG_MARGIN, y);
	escape_xml(out, object->path, 90);
	fprintf(out, "<tspan class=\"dim\" dx=\"14\">0x%" PRIx64 " to 0x%" PRIx64 ", ",
		whole->low, whole->high - 1);
	print_bytes(out, whole->high - whole->low);
	fprintf(out, "</tspan></text>\n<text class=\"right dim\" x=\"%d\" y=\"%.2f\">%" PRIu64
		" samples, %.2f %%</text>\n", SVG_MARGIN + SVG_INNER, y, object->samples,
		svg_percent(whole->symbolized, object->samples));
}

/* Connect a lower strip with the part of the upper strip that it shows. */
static void draw_zoom(FILE *out, const struct strip *whole, const struct strip *part)
{
	const double left = x_of(whole, part->low);
	const double right = fmax(x_of(whole, part->high), left + 1);
	const double top = whole->y + whole->height, bottom = part->y;

	fprintf(out, "<polygon class=\"zoom\" points=\"%.2f,%.2f %.2f,%.2f %.2f,%.2f %.2f,%.2f\"/>\n",
		left, top, right, top, part->x + part->width, bottom, part->x, bottom);
}

/* Return: 0 or -errno. */
static int draw_function(FILE *out, const struct strip *whole, const struct strip *part,
			 double room)
{
	const struct symbolized_function *function =
		&whole->symbolized->functions[part->first];
	const double y = part->y + part->height + NAME - 3;
	const unsigned int most = (unsigned int)(room / SVG_CHARACTER);

	draw_zoom(out, whole, part);
	fprintf(out, "<text x=\"%.2f\" y=\"%.2f\"><title>", part->x, y);
	escape_xml(out, function->name, 0);
	fputs("</title>", out);
	escape_xml(out, function->name, most);
	fprintf(out, "</text>\n<text class=\"dim\" x=\"%.2f\" y=\"%.2f\">%.2f %%</text>\n",
		part->x, y + NAME - 1, svg_percent(whole->symbolized, function->samples));
	return draw_strip(out, part);
}

static int compare_indexes(const void *va, const void *vb)
{
	const size_t a = *(const size_t *)va, b = *(const size_t *)vb;

	return a == b ? 0 : a < b ? -1 : 1;
}

/*
 * Choose the functions to draw, sorted by address. This takes linear time, because an object may
 * have millions of functions. Return: the number of functions, at least 1.
 */
static size_t choose_functions(const struct strip *whole, size_t chosen[MAX_FUNCTIONS])
{
	const struct symbolized_function *functions = whole->symbolized->functions;
	const double least = MIN_SHARE * (double)object_of(whole)->samples;
	size_t i, at, nr = 0;

	for (i = whole->first; i < whole->last; i++) {
		/* most samples first, and functions with equal samples by address */
		for (at = nr; at && functions[chosen[at - 1]].samples < functions[i].samples; at--)
			if (at < MAX_FUNCTIONS)
				chosen[at] = chosen[at - 1];
		if (at < MAX_FUNCTIONS)
			chosen[at] = i;
		if (nr < MAX_FUNCTIONS)
			nr++;
	}
	while (nr > 1 && (double)functions[chosen[nr - 1]].samples < least)
		nr--;
	qsort(chosen, nr, sizeof(*chosen), compare_indexes);
	return nr;
}

/* A function's strip ends with its last count, because the end of the function is unknown. */
static struct strip function_strip(const struct strip *whole, size_t number)
{
	const struct symbolized_function *function =
		&whole->symbolized->functions[number];
	const struct result_count *first = &object_of(whole)->counts[function->counts[0]];
	const struct result_count *last =
		&object_of(whole)->counts[function->counts[function->nr_counts - 1]];
	struct strip part = *whole;

	part.first = number;
	part.last = number + 1;
	part.low = function->start;
	/* a part of it may be at lower addresses */
	if (first->address < part.low)
		part.low = first->address;
	if (part.low < whole->low)
		part.low = whole->low;
	part.high = last->address + 1;
	return part;
}

/* Return: y coordinate of the end, or -errno. */
static double draw_functions(FILE *out, const struct strip *whole)
{
	const double y = whole->y + whole->height + ZOOM;
	size_t chosen[MAX_FUNCTIONS];
	size_t nr = choose_functions(whole, chosen), i;
	double room;
	int error;

	room = (SVG_INNER - GAP * (double)(nr - 1)) / (double)nr;
	for (i = 0; i < nr; i++) {
		struct strip part = function_strip(whole, chosen[i]);

		part.width = room;
		part.x = SVG_MARGIN + (room + GAP) * (double)i;
		part.y = y;
		part.height = FUNCTION;
		divide(&part);
		error = draw_function(out, whole, &part, room);
		if (error)
			return error;
	}
	return y + FUNCTION + 2 * NAME;
}

double svg_object(FILE *out, const struct symbolized *symbolized, size_t object, double y)
{
	const struct result_object *from = &symbolized->result->objects[object];
	struct strip whole = {
		.symbolized = symbolized,
		.object = object,
		.low = from->start,
		.high = from->end,
		.x = SVG_MARGIN,
		.y = y + TITLE,
		.width = SVG_INNER,
		.height = WHOLE,
	};
	int error;

	while (symbolized->functions[whole.first].object != object)
		whole.first++;
	whole.last = whole.first;
	while (whole.last < symbolized->nr_functions &&
	       symbolized->functions[whole.last].object == object)
		whole.last++;
	divide(&whole);
	draw_title(out, &whole, y + TITLE - 8);
	error = draw_strip(out, &whole);
	if (error)
		return error;
	/* one function: an object that is not a file, and has no names */
	if (!result_is_file(from) && !from->nr_functions)
		return whole.y + whole.height;
	return draw_functions(out, &whole);
}
