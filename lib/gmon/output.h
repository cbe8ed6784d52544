/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_GMON_OUTPUT_H
#define PROFIL_GMON_OUTPUT_H

#include "gmon/object.h"

/*
 * Write the files of a profile. Errors are printed on stderr. Uses neither the heap nor stdio.
 * Return: 0 or the first -errno.
 */
int profil_gmon_output_write(struct profil_gmon_profile *profile);

/* Print on stderr that samples were not written; error: errno. */
void profil_gmon_output_print(const char *name, int error);

#endif /* PROFIL_GMON_OUTPUT_H */
