/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CPU time of a run, as lines above its table: what the samples stand for beside what
 * the kernel accounts, by whom the rest was used, and whether the two agree.
 */
#ifndef PROFIL_ACCOUNT_H
#define PROFIL_ACCOUNT_H

#include <stdio.h>

#include "result.h"
#include "terminal.h"

/**
 * account_print - print what is known of the CPU time of a run
 * @out:    where to; lines begin with "# " and are as long as they are
 * @result: in question
 */
void account_print(FILE *out, const struct result *result);

/**
 * account_print_no_samples - print why there are no samples, if the CPU time says it
 * @out:    where to
 * @style:  of its lines
 * @result: without samples
 *
 * Return: 0 or -ENOMEM.
 */
int account_print_no_samples(FILE *out, const struct terminal_style *style,
			     const struct result *result);

#endif /* PROFIL_ACCOUNT_H */
