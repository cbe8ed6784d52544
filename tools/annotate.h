/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The source of a function, beside the samples of each line.
 */
#ifndef PROFIL_ANNOTATE_H
#define PROFIL_ANNOTATE_H

#include <stdbool.h>
#include <stdio.h>

#include "result.h"
#include "symbols.h"
#include "terminal.h"

/**
 * struct annotate_options - which function, and how
 * @function:     its name, as the report shows it
 * @keep_mangled: names are as compilers made them
 * @root:         directory that sources are looked for below; NULL: where they were
 * @style:        colours
 */
struct annotate_options {
	const char *function;
	bool keep_mangled;
	const char *root;
	struct terminal_style style;
};

/**
 * annotate_print - print the source of all functions of a name that have samples
 * @out:     where to
 * @result:  in question
 * @symbols: of it
 * @options: which, and how
 *
 * Where a source is not found, or is not as long as it was, lines have numbers only, and
 * it says so.
 *
 * Return: how many functions there are, or -ENOMEM.
 */
long annotate_print(FILE *out, const struct result *result, struct symbols *symbols,
		    const struct annotate_options *options);

#endif /* PROFIL_ANNOTATE_H */
