/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The samples in the code of one object, for tools that make this code faster. These count how
 * often code runs, so samples in the kernel are left out: they are at the instruction after the
 * system call, whatever the kernel's work took.
 */
#ifndef PROFIL_CODE_H
#define PROFIL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

#include "symbol/symbolize.h"
#include "symbol/symbols.h"

/**
 * enum code_needs - what a format needs of the object
 * @CODE_NAMES:       names of functions. The result has them
 * @CODE_DEBUG_INFO:  the file that ran, with its symbol table and debug information
 * @CODE_RELOCATIONS: the file that ran, with its symbol table and the linker's relocations
 */
enum code_needs { CODE_NAMES, CODE_DEBUG_INFO, CODE_RELOCATIONS };

/* Samples in user mode at an address */
struct code_sample {
	uint64_t address;				/* link-time address of the instruction */
	uint64_t samples;				/* their number, at least 1 */
	const struct symbolized_function *function;	/* the function, which has a symbol */
};

/**
 * struct code - the samples in an object
 * @elf:     its file; NULL: only names are needed
 * @of:      samples in functions with a name, by function
 * @used:    sum over @of
 * @kernel:  samples that are left out: in the kernel, in any object;
 * @other:   in user mode in other objects or outside all, as code that a program has made;
 * @unnamed: in user mode in code without a symbol
 */
struct code {
	const struct result_object *object;
	Elf *elf;
	struct code_sample *of;
	size_t nr;
	uint64_t used;
	uint64_t kernel;
	uint64_t other;
	uint64_t unnamed;
};

/**
 * code_read - collect the samples in the object that the result is about
 * @code:        zeroed by the caller; must be released with code_release(), even on error
 * @symbolized:  the symbolized result; must outlive @code
 * @symbols:     its symbols; no other object may be looked up while @code->elf is used
 * @is_selected: only objects that the user has selected have samples
 *
 * The object is the program of the command, or the only one that is selected. Errors are printed on
 * standard error, with a remedy.
 *
 * Return: 0; or -errno, and the error was printed: -EINVAL: several objects are selected;
 * -ENODATA: the object has no samples, no symbol table or no debug information; -ESTALE: the file
 * is not the one that ran; -EOPNOTSUPP: the file has no relocations; -ENOMEM.
 */
int code_read(struct code *code, const struct symbolized *symbolized, struct symbols *symbols,
	      enum code_needs needs, bool is_selected);

/*
 * Check whether a file has what a format needs, not CODE_NAMES, which the result may have. Return:
 * 0; or -ENODATA or -EOPNOTSUPP as code_read(), and the error was printed.
 */
int code_check_file(const char *path, Elf *elf, enum code_needs needs);

/* Print how many samples are in the export that was written, and why not the others. */
void code_print_left_out(const struct code *code);

/* Free the samples. */
void code_release(struct code *code);

#endif /* PROFIL_CODE_H */
