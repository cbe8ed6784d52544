/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_GMON_OUTPUT_H
#define PROFIL_GMON_OUTPUT_H

#include <stdbool.h>

#include "gmon/file.h"

/*
 * Have the C library write its gmon.out by mcleanup(), and put the histogram into it.
 * forked: this process was forked from the one whose file it is otherwise. If that
 * cannot be done, a line on stderr says why.
 */
void profil_gmon_output_write(void (*mcleanup)(void), bool forked,
			  const struct profil_gmon_histogram *histogram);

#endif /* PROFIL_GMON_OUTPUT_H */
