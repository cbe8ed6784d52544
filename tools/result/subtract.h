/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_SUBTRACT_H
#define PROFIL_SUBTRACT_H

#include "result/result.h"

/**
 * result_subtract - drop the samples that an earlier result of the same run has
 * @result: passes result_problem(); all sums are computed again. Its time is what is left
 *
 * In code that programs have made, samples get their names later, and addresses may move. There,
 * samples are those of a function; if more were without a name before than are now, the rest is
 * dropped from no function.
 *
 * Return: 0 or -ENOMEM.
 */
int result_subtract(struct result *result, struct result *before);

#endif /* PROFIL_SUBTRACT_H */
