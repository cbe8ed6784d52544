/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stores the names of sampled code in a result, so that it can be read without the files: after an
 * upgrade, or on another machine.
 */
#ifndef PROFIL_NAMES_WRITE_H
#define PROFIL_NAMES_WRITE_H

#include "result/result.h"
#include "symbol/symbols.h"

/*
 * Store functions, inlined functions and source lines. An object whose file cannot be used gets no
 * names. Return: 0; or -ENOMEM, and the result has no or some of the names.
 */
int names_write(struct result *result, struct symbols *symbols);

#endif /* PROFIL_NAMES_WRITE_H */
