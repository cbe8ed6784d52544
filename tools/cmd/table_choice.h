/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_TABLE_CHOICE_H
#define PROFIL_TABLE_CHOICE_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "profile/profile.h"
#include "report/table.h"
#include "result/result.h"
#include "symbol/symbols.h"
#include "util/terminal.h"

/**
 * struct table_choice - the table that the user wants
 * @table:        what to print; see table_choice_set_style() for its style
 * @full_names:   names are not shortened
 * @inlined:      samples count for inlined functions; set by the command
 * @keep_mangled: names are not demangled; set by the command
 */
struct table_choice {
	struct table_options table;
	bool full_names;
	bool inlined;
	bool keep_mangled;
};

/*
 * The options --by, --lines, --sort, --top, --all, --min-percent and --full-names, for .children of
 * a struct argp. Its input is a struct table_choice.
 */
extern const struct argp table_choice_argp;

/*
 * Determine colours, bars and the length of lines, by the user's choice and where the table will be
 * printed.
 */
void table_choice_set_style(struct table_choice *choice, FILE *out, enum terminal_when color);

/*
 * Make the profile that the table shows, unless table_is_of_owners(). It is zero before, and must
 * be released with profile_release(), even on error. Return: 0; -ENOENT: no stack has the function
 * @table.of; or -ENOMEM.
 */
int table_choice_make(const struct table_choice *choice, struct profile *profile,
		      const struct result *result, struct symbols *symbols);

#endif /* PROFIL_TABLE_CHOICE_H */
