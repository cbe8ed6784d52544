/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the parts of the SVG export: export_svg.c draws the page and the functions,
 * svg_object.c the objects.
 */
#ifndef PROFIL_SVG_H
#define PROFIL_SVG_H

#include <stdint.h>
#include <stdio.h>

#include "symbol/symbolize.h"

/* In pixels; chosen so that texts fit in common fonts */
#define SVG_WIDTH		1200
#define SVG_MARGIN		28
#define SVG_INNER		(SVG_WIDTH - 2 * SVG_MARGIN)
#define SVG_CHARACTER		6.65	/* width of a character of a monospaced font of 11 px */

#define SVG_NR_HEATS		8

/**
 * svg_heat - the heat of an item
 * @samples: samples of the item
 * @most:    samples of the hottest item, at least 1
 *
 * The scale is logarithmic, to show differences among items with few samples.
 *
 * Return: 0 to SVG_NR_HEATS - 1, for the classes h0, h1, ... of the style sheet.
 */
unsigned int svg_heat(uint64_t samples, uint64_t most);

/**
 * svg_percent - the share of all samples
 * @symbolized: the symbolized result
 * @samples:    number of samples
 *
 * Return: the share in percent.
 */
double svg_percent(const struct symbolized *symbolized, uint64_t samples);

/**
 * svg_object - draw where in the text of an object the samples are
 * @out:        where to write
 * @symbolized: the symbolized result
 * @object:     index of an object with samples
 * @y:          y coordinate of the start
 *
 * The whole text is drawn, and below it the functions with most samples.
 *
 * Return: y coordinate of the end, or -errno.
 */
double svg_object(FILE *out, const struct symbolized *symbolized, size_t object, double y);

#endif /* PROFIL_SVG_H */
