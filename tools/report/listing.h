/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_LISTING_H
#define PROFIL_LISTING_H

#include <stdio.h>

#include "report/annotate.h"
#include "report/wanted.h"
#include "result/result.h"
#include "symbol/symbols.h"

/*
 * Print the instructions of the wanted functions that have samples. Each sample is printed at its
 * exact address, also if the file has no instruction there, or cannot be read. Return: as
 * annotate_print().
 */
long listing_print(FILE *out, const struct result *result, struct symbols *symbols,
		   struct wanted *wanted, const struct annotate_options *options);

#endif /* PROFIL_LISTING_H */
