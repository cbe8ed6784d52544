/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_GMONOUT_H
#define PROFIL_GMONOUT_H

#include <stdbool.h>

#include "gmonfile.h"

/*
 * Have the C library write its gmon.out by mcleanup(), and put the histogram into it.
 * forked: this process was forked from the one whose file it is otherwise. If that
 * cannot be done, a line on stderr says why.
 */
void profil_gmonout_write(void (*mcleanup)(void), bool forked,
			  const struct profil_gmon_histogram *histogram);

#endif /* PROFIL_GMONOUT_H */
