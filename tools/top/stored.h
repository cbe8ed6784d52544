/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of a stored result.
 */
#ifndef PROFIL_TOP_STORED_H
#define PROFIL_TOP_STORED_H

#include "result/result.h"
#include "top/paint.h"
#include "top/rows.h"
#include "util/helper.h"

/*
 * Add the rows of a result, which outlives them. A helper reads the files of programs. @tables: for
 * each of enum paint_by, without rows. Return: 0; or -errno, and @why has the reason.
 */
int stored_fill(struct rows *const *tables, const struct result *result, char why[HELPER_WHY]);

#endif /* PROFIL_TOP_STORED_H */
