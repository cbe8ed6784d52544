/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_SYMTAB_H
#define PROFIL_SYMTAB_H

#include <stdbool.h>

#include <elfutils/libdwfl.h>

#include "symbol/ranges.h"
#include "symbol/text.h"

/* How surely a symbol is the start of a function: the @rank of its range */
enum symtab_rank {
	SYMTAB_FUNCTION,	/* its type says so */
	SYMTAB_IFUNC,		/* what chooses it starts there */
	SYMTAB_OTHER,		/* another type: some compilers write that of data */
	SYMTAB_LABEL,		/* no type: a function in assembler, or a label inside one */
};

/**
 * struct symtab - the symbols of a file that name code
 * @sized:   functions and labels with a size
 * @others:  symbols of other types with a size
 * @ifuncs:  functions that are chosen when the file is loaded, by the start of what chooses them.
 *           They are in @sized, too
 * @labels:  a range from each symbol without a size to the end of its section or segment
 * @is_full: the file or its debug file has a symbol table, not only a dynamic one
 * @is_unread: the file has one in .gnu_debugdata, which could not be read
 */
struct symtab {
	struct ranges sized;
	struct ranges others;
	struct ranges ifuncs;
	struct ranges labels;
	bool is_full;
	bool is_unread;
};

/**
 * symtab_read - list the symbols of a file and its debug file that name code
 * @symtab: zeroed by the caller; must be released with symtab_release(), even on error
 * @module: the file; the names are valid as long as it
 *
 * ranges_finish() is not called. Local symbols of one source file have the same @number.
 *
 * Return: 0 or -ENOMEM.
 */
int symtab_read(struct symtab *symtab, Dwfl_Module *module, const struct text *text);

/* Free the lists. */
void symtab_release(struct symtab *symtab);

#endif /* PROFIL_SYMTAB_H */
