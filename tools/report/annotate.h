/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_ANNOTATE_H
#define PROFIL_ANNOTATE_H

#include <stdbool.h>
#include <stdio.h>

#include "result/result.h"
#include "symbol/symbols.h"
#include "util/terminal.h"

/**
 * struct annotate_options - what to annotate, and how
 * @function:     name of the function, as in struct wanted
 * @inlined:      also its copies that are inlined into other functions; if not, these are used only
 *                if no function with the name has samples
 * @instructions: print instructions, with the source lines that they are from
 * @all:          also instructions that are far from those with samples
 * @keep_mangled: do not demangle names
 * @root:         root directory for the paths of sources; NULL: /
 * @style:        colours and length of lines
 */
struct annotate_options {
	const char *function;
	bool inlined;
	bool instructions;
	bool all;
	bool keep_mangled;
	const char *root;
	struct terminal_style style;
};

/*
 * Print the wanted functions that have samples. If a source file cannot be read, or is shorter than
 * when it was compiled, a note is printed, and the lines have numbers but no text. Return: the
 * number of functions that have the code, or -ENOMEM.
 */
long annotate_print(FILE *out, const struct result *result, struct symbols *symbols,
		    const struct annotate_options *options);

/* Print how many of all samples are in the wanted functions, whose name may be long. */
void annotate_print_share(FILE *out, const struct annotate_options *options, uint64_t samples,
			  uint64_t all);

#endif /* PROFIL_ANNOTATE_H */
