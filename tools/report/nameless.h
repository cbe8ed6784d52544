/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_NAMELESS_H
#define PROFIL_NAMELESS_H

#include <stdio.h>

#include "report/report.h"

/*
 * Print how many samples are in functions without a name, in lines that are not wrapped. One names
 * the objects with most of these samples, and only those remedies that can help one of them. Code
 * that a program has made ("[jit]") has a line for each program. Nothing is printed of less than 1 %
 * of the samples. The report is by function or line; @symbols may be opened again. Return: 0 or
 * -ENOMEM.
 */
int nameless_print(FILE *out, const struct report *report);

/* What gives names to the code that a program makes, as a clause. @program: its file name */
const char *nameless_remedy(const char *program);

#endif /* PROFIL_NAMELESS_H */
