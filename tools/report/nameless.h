/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_NAMELESS_H
#define PROFIL_NAMELESS_H

#include <stdio.h>

#include "report/report.h"

/*
 * Print how many samples are in functions without a name, in a line that is not wrapped. It names
 * the objects with most of these samples, and only those remedies that can help one of them.
 * Nothing is printed if less than 1 % of the samples have no name. Code that is in no file
 * ("[jit]") is not counted. The report is by function or line; @symbols may be opened again.
 * Return: 0 or -ENOMEM.
 */
int nameless_print(FILE *out, const struct report *report);

#endif /* PROFIL_NAMELESS_H */
