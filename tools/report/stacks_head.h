/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_STACKS_HEAD_H
#define PROFIL_STACKS_HEAD_H

#include <stdio.h>

#include "result/result.h"

/* Print how many stacks are complete, and why the others are not; nothing if there are none. */
void stacks_head_print(FILE *out, const struct result *result);

#endif /* PROFIL_STACKS_HEAD_H */
