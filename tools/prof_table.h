/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of prof(1).
 */
#ifndef PROFIL_PROF_TABLE_H
#define PROFIL_PROF_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "prof.h"
#include "table.h"

/**
 * prof_table_print - print it, and what is left out
 * @out:     where to; check ferror()
 * @prof:    sorted otherwise afterwards
 * @rate:    samples per second; not 0
 * @options: how; @options->by and bars mean nothing here
 *
 * Seconds have two digits after the point, more at rates above 100 Hz (table_decimals()), and
 * milliseconds per call one for each of the number of calls but the first, up to four.
 *
 * Return: 0 or -ENOMEM.
 */
int prof_table_print(FILE *out, struct prof *prof, uint32_t rate,
		     const struct table_options *options);

#endif /* PROFIL_PROF_TABLE_H */
