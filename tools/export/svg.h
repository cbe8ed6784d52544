/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the picture have in common: export_svg.c has the page and the
 * functions, svg_object.c the objects' text.
 */
#ifndef PROFIL_SVG_H
#define PROFIL_SVG_H

#include <stdint.h>
#include <stdio.h>

#include "symbol/symbolize.h"

/* In pixels; no text is wider than its place, by the widths of common fonts */
#define SVG_WIDTH		1200
#define SVG_MARGIN		28
#define SVG_INNER		(SVG_WIDTH - 2 * SVG_MARGIN)
#define SVG_CHARACTER		6.65	/* of a monospaced font of 11 px */

#define SVG_NR_HEATS		8

/**
 * svg_heat - how hot something is
 * @samples: of it
 * @most:    of the hottest, at least 1
 *
 * Return: 0 to SVG_NR_HEATS - 1, by the logarithm, so that one can tell warm from cold
 * beside what is hot; classes h0, h1, ... of the style sheet.
 */
unsigned int svg_heat(uint64_t samples, uint64_t most);

/**
 * svg_percent - share of all samples
 * @symbolized: that the samples are of
 * @samples:     in question
 *
 * Return: in percent.
 */
double svg_percent(const struct symbolized *symbolized, uint64_t samples);

/**
 * svg_object - draw where in an object's text samples fell
 * @out:         where to
 * @symbolized: in question
 * @object:      index of an object with samples
 * @y:           where the drawing begins
 *
 * All of the text, and below the functions with most samples.
 *
 * Return: where it ends; negative: -errno.
 */
double svg_object(FILE *out, const struct symbolized *symbolized, size_t object, double y);

#endif /* PROFIL_SVG_H */
