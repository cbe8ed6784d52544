/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_GMON_OUTPUT_H
#define PROFIL_GMON_OUTPUT_H

#include <stdbool.h>

#include "gmon/file.h"

/*
 * Let the C library write gmon.out by mcleanup(), and put the histogram into it. forked: the
 * process is a forked child, so that a file without a PID in its name belongs to the parent.
 * Errors are printed on stderr.
 */
void profil_gmon_output_write(void (*mcleanup)(void), bool forked,
			      const struct profil_gmon_histogram *histogram);

#endif /* PROFIL_GMON_OUTPUT_H */
