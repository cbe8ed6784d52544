/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The program that wrote a mon.out file. The user must name it, because the file does not.
 */
#ifndef PROFIL_MONOUT_PROGRAM_H
#define PROFIL_MONOUT_PROGRAM_H

#include "monout/monout.h"

#define MONOUT_PROGRAM_DEFAULT	"a.out"

/* The properties of a program that are needed to read its mon.out */
struct monout_program {
	struct monout_layout layout;	/* layout of its numbers */
	uint64_t start;	/* link-time address of its first executable segment */
	uint64_t end;	/* end of its last executable segment (exclusive); more than @start */
};

/*
 * Read the properties of a program. Return: 0; -ENOEXEC: the file is not a program; or another
 * -errno from opening it. On error, @why is set to the reason.
 */
int monout_program_read(const char *path, struct monout_program *program, const char **why);

/*
 * Check whether a program can have written a file. The first pc is not checked: old programs start
 * at 2, below their text. Return: whether the pcs end within the text of the program.
 */
static inline bool monout_is_of(const struct monout *monout, const struct monout_program *program)
{
	return monout->high > program->start && monout->high <= program->end;
}

#endif /* PROFIL_MONOUT_PROGRAM_H */
