// SPDX-License-Identifier: GPL-2.0-only
/*
 * A picture of a profile: a head, a bar for each function, and a heat map of each object
 * (svg_object.c). Browsers show the <title> of the element under the pointer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "export/export.h"
#include "export/svg.h"
#include "profile/confidence.h"
#include "profile/share.h"
#include "util/base_name.h"
#include "util/escape.h"
#include "util/time_ns.h"

#define MAX_FUNCTIONS	25
#define MAX_OBJECTS	12

/* Columns of the functions, in pixels; limits of names, in characters */
#define PERCENT_RIGHT	(SVG_MARGIN + 54)
#define SAMPLES_RIGHT	(SVG_MARGIN + 134)
#define NAME_LEFT	(SVG_MARGIN + 150)
#define NAME_MAX	54
#define OBJECT_LEFT	(NAME_LEFT + 370)
#define OBJECT_MAX	26
#define BAR_LEFT	(OBJECT_LEFT + 182)
#define BAR_WIDTH	(SVG_WIDTH - SVG_MARGIN - BAR_LEFT)

#define ROW		20	/* height */
#define COMMAND_MAX	100

static const char style[] =
	"<style>\n"
	"text{font:11px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#24292f}\n"
	".title{font-size:17px;font-weight:bold}\n"
	".section{font-size:14px;font-weight:bold}\n"
	".right{text-anchor:end}\n"
	".page{fill:#ffffff}\n"
	".dim{fill:#656d76}\n"
	".track{fill:#f1f3f5}\n"
	".chance{fill:#57606a;fill-opacity:.75}\n"
	".zoom{fill:#e3e7eb;fill-opacity:.6}\n"
	".h0{fill:#fbd9a5}.h1{fill:#f9c27c}.h2{fill:#f5a658}.h3{fill:#ee8641}\n"
	".h4{fill:#e06434}.h5{fill:#c9432d}.h6{fill:#a6262b}.h7{fill:#7d1128}\n"
	".row:hover .track{fill:#e3e7eb}\n"
	"@media (prefers-color-scheme:dark){\n"
	"text{fill:#e6edf3}\n"
	".page{fill:#0d1117}\n"
	".dim{fill:#8d96a0}\n"
	".track{fill:#191f27}\n"
	".chance{fill:#c9d1d9;fill-opacity:.75}\n"
	".zoom{fill:#2a323c;fill-opacity:.6}\n"
	".h0{fill:#5a2f4e}.h1{fill:#803352}.h2{fill:#a63a50}.h3{fill:#c94a49}\n"
	".h4{fill:#e26641}.h5{fill:#f2873f}.h6{fill:#fbae4d}.h7{fill:#fedb7a}\n"
	".row:hover .track{fill:#262e38}\n"
	"}\n"
	"</style>\n";

static const char about_bars[] =
	"Percent of all samples, and number of samples. The line on each bar is the 95 % confidence interval "
	"of the share.";
static const char about_strips[] =
	"The code of each object by address; below it the functions with most samples, each from its start to its "
	"last sample. Point at an item for details.";

unsigned int svg_heat(uint64_t samples, uint64_t most)
{
	double part = log2((double)samples + 1) / log2((double)most + 1);
	unsigned int heat = (unsigned int)(part * SVG_NR_HEATS);

	return heat < SVG_NR_HEATS ? heat : SVG_NR_HEATS - 1;
}

double svg_percent(const struct symbolized *symbolized, uint64_t samples)
{
	return share_percent(samples, result_samples(symbolized->result));
}

static void print_when(FILE *out, uint64_t ns)
{
	time_t seconds = (time_t)(ns / NS_PER_S);
	char text[64];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &tm);
	fputs(text, out);
}

/* Return: y coordinate of the end. */
static double draw_head(FILE *out, const struct result *result, const char *command)
{
	uint64_t samples = result_samples(result);

	fprintf(out, "<text class=\"title\" x=\"%d\" y=\"42\"><title>", SVG_MARGIN);
	escape_xml(out, command, 0);
	fputs("</title>", out);
	escape_xml(out, command, COMMAND_MAX);
	fprintf(out, "</text>\n<text class=\"dim\" x=\"%d\" y=\"64\">%" PRIu64
		" samples at %.6g Hz = %.2f s of CPU time; ", SVG_MARGIN, samples,
		result_rate(result), (double)export_ns(result, samples) / NS_PER_S);
	escape_xml(out, result->host, 40);
	fputs(", ", out);
	print_when(out, result->start_time_ns);
	fputs("</text>\n", out);
	return 64;
}

/* Draw a bar as long as the share of samples, with a line for the confidence interval. */
static void draw_share(FILE *out, uint64_t samples, uint64_t most, uint64_t all, double y)
{
	const struct interval share = confidence_share(samples, all);
	const double scale = BAR_WIDTH / confidence_share(most, all).high;
	const double width = scale * (double)samples / (double)all;

	fprintf(out, "<rect class=\"track\" x=\"%d\" y=\"%g\" width=\"%d\" height=\"%d\" rx=\"2\"/>\n",
		BAR_LEFT, y + 3, BAR_WIDTH, ROW - 6);
	fprintf(out, "<rect class=\"h%u\" x=\"%d\" y=\"%g\" width=\"%.2f\" height=\"%d\" rx=\"2\"/>\n",
		svg_heat(samples, most), BAR_LEFT, y + 3, fmax(1, width), ROW - 6);
	fprintf(out, "<rect class=\"chance\" x=\"%.2f\" y=\"%g\" width=\"%.2f\" height=\"2\"/>\n",
		BAR_LEFT + scale * share.low, y + ROW / 2.0 - 1,
		scale * (share.high - share.low));
}

static void draw_bar(FILE *out, const struct symbolized *symbolized, const char *name,
		     const char *path, uint64_t samples, uint64_t most, double y)
{
	const uint64_t all = result_samples(symbolized->result);
	const struct interval share = confidence_share(samples, all);
	double percent = svg_percent(symbolized, samples);
	double base = y + ROW - 6;

	fputs("<g class=\"row\"><title>", out);
	escape_xml(out, name, 0);
	fputs("&#10;", out);
	escape_xml(out, path, 0);
	fprintf(out, "&#10;%" PRIu64 " samples, %.2f %%, %.3f s of CPU time"
		"&#10;95 %% confidence interval: %.2f to %.2f %%</title>\n", samples,
		percent, (double)export_ns(symbolized->result, samples) / NS_PER_S,
		100 * share.low, 100 * share.high);
	fprintf(out, "<text class=\"right\" x=\"%d\" y=\"%g\">%.2f %%</text>\n",
		PERCENT_RIGHT, base, percent);
	fprintf(out, "<text class=\"right dim\" x=\"%d\" y=\"%g\">%" PRIu64 "</text>\n",
		SAMPLES_RIGHT, base, samples);
	fprintf(out, "<text x=\"%d\" y=\"%g\">", NAME_LEFT, base);
	escape_xml(out, name, NAME_MAX);
	fprintf(out, "</text>\n<text class=\"dim\" x=\"%d\" y=\"%g\">", OBJECT_LEFT, base);
	escape_xml(out, base_name(path), OBJECT_MAX);
	fputs("</text>\n", out);
	draw_share(out, samples, most, all, y);
	fputs("</g>\n", out);
}

/* Return: y coordinate of the end. */
static double draw_functions(FILE *out, const struct symbolized *symbolized,
			     const size_t *order, double y)
{
	const struct result *result = symbolized->result;
	uint64_t most = result->outside;
	size_t i;

	y += 36;
	fprintf(out, "<text class=\"section\" x=\"%d\" y=\"%g\">Functions</text>\n"
		"<text class=\"dim\" x=\"%d\" y=\"%g\">%s</text>\n",
		SVG_MARGIN, y, SVG_MARGIN, y + 18, about_bars);
	y += 26;
	if (symbolized->nr_functions && symbolized->functions[order[0]].samples > most)
		most = symbolized->functions[order[0]].samples;
	for (i = 0; i < symbolized->nr_functions && i < MAX_FUNCTIONS; i++) {
		const struct symbolized_function *function =
			&symbolized->functions[order[i]];

		draw_bar(out, symbolized, function->name,
			 result->objects[function->object].path, function->samples, most, y);
		y += ROW;
	}
	if (i < symbolized->nr_functions) {
		uint64_t samples = 0;
		size_t left = symbolized->nr_functions - i;

		for (; i < symbolized->nr_functions; i++)
			samples += symbolized->functions[order[i]].samples;
		fprintf(out, "<text class=\"right dim\" x=\"%d\" y=\"%g\">%.2f %%</text>\n"
			"<text class=\"right dim\" x=\"%d\" y=\"%g\">%" PRIu64 "</text>\n"
			"<text class=\"dim\" x=\"%d\" y=\"%g\">%zu more functions</text>\n",
			PERCENT_RIGHT, y + ROW - 6, svg_percent(symbolized, samples),
			SAMPLES_RIGHT, y + ROW - 6, samples, NAME_LEFT, y + ROW - 6, left);
		y += ROW;
	}
	if (result->outside) {
		draw_bar(out, symbolized, RESULT_OUTSIDE, "-", result->outside, most, y);
		y += ROW;
	}
	return y;
}

static int compare_objects(const void *va, const void *vb, void *of)
{
	const struct result *result = of;
	const size_t a = *(const size_t *)va, b = *(const size_t *)vb;

	if (result->objects[a].samples != result->objects[b].samples)
		return result->objects[a].samples > result->objects[b].samples ? -1 : 1;
	return a < b ? -1 : 1;
}

/* Return: y coordinate of the end, or -errno. */
static double draw_objects(FILE *out, const struct symbolized *symbolized, double y)
{
	const struct result *result = symbolized->result;
	size_t *order = calloc(result->nr_objects + 1, sizeof(*order));
	size_t i;

	if (!order)
		return -ENOMEM;
	for (i = 0; i < result->nr_objects; i++)
		order[i] = i;
	qsort_r(order, result->nr_objects, sizeof(*order), compare_objects, (void *)result);
	y += 36;
	fprintf(out, "<text class=\"section\" x=\"%d\" y=\"%g\">Objects</text>\n"
		"<text class=\"dim\" x=\"%d\" y=\"%g\">%s</text>\n",
		SVG_MARGIN, y, SVG_MARGIN, y + 18, about_strips);
	y += 18;
	for (i = 0; i < result->nr_objects && result->objects[order[i]].samples; i++) {
		if (i == MAX_OBJECTS) {
			fprintf(out, "<text class=\"dim\" x=\"%d\" y=\"%g\">more objects with fewer samples</text>\n",
				SVG_MARGIN, y + 20);
			y += 20;
			break;
		}
		y = svg_object(out, symbolized, order[i], y);
		if (y < 0)
			break;
	}
	free(order);
	return y;
}

/* Return: y coordinate of the end, or -errno. */
static double draw_profile(FILE *out, const struct symbolized *symbolized)
{
	const struct result *result = symbolized->result;
	char *command = export_command_line(result);
	size_t *order = symbolized_by_samples(symbolized);
	double y = -ENOMEM;

	if (!command || !order)
		goto done;
	y = draw_head(out, result, command);
	if (!result_samples(result)) {
		y += 36;
		fprintf(out, "<text x=\"%d\" y=\"%g\">No samples</text>\n",
			SVG_MARGIN, y);
		goto done;
	}
	y = draw_functions(out, symbolized, order, y);
	if (symbolized->nr_functions)
		y = draw_objects(out, symbolized, y);
done:
	free(command);
	free(order);
	return y;
}

/* The height of the picture is written first, but known only after everything has been drawn. */
int export_svg(FILE *out, const struct symbolized *symbolized)
{
	char *drawing = NULL;
	size_t size;
	FILE *body = open_memstream(&drawing, &size);
	double height;

	if (!body)
		return -ENOMEM;
	height = draw_profile(body, symbolized);
	if (fclose(body) && height >= 0)
		height = -ENOMEM;
	if (height < 0)
		goto done;
	height += SVG_MARGIN;
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%g\" viewBox=\"0 0 %d %g\">\n",
		SVG_WIDTH, height, SVG_WIDTH, height);
	fputs("<title>Profile by profil</title>\n", out);
	fputs(style, out);
	fprintf(out, "<rect class=\"page\" width=\"%d\" height=\"%g\"/>\n", SVG_WIDTH, height);
	fwrite(drawing, 1, size, out);
	fputs("</svg>\n", out);
done:
	free(drawing);
	return height < 0 ? (int)height : 0;
}
