/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names in a result as a message, for another process that has the same result without them.
 */
#ifndef PROFIL_RESULTNAMES_H
#define PROFIL_RESULTNAMES_H

#include <stddef.h>

#include "result/result.h"

/*
 * Convert the names of a result to a message, to be freed with free(). It is as long as the names:
 * a run may have hundreds of thousands of processes. Return: 0 or -ENOMEM.
 */
int resultnames_pack(const struct result *result, unsigned char **message, size_t *bytes);

/*
 * Add names to the result that was packed, before its files had names. On error it has none.
 * Return: 0; -EBADMSG: the message is of another result; -ENOMEM.
 */
int resultnames_take(struct result *result, const unsigned char *message, size_t bytes);

#endif /* PROFIL_RESULTNAMES_H */
