/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_RESULTPACK_H
#define PROFIL_RESULTPACK_H

#include <stddef.h>

#include "result/result.h"

/* Convert a result to a message, to be freed with free(). Return: 0 or -ENOMEM. */
int resultpack_pack(const struct result *result, unsigned char **message, size_t *bytes);

/**
 * resultpack_unpack - convert a message to a result
 * @result:  filled in; must be released with result_release(), even on error
 * @why:     on -EBADMSG, set to what is wrong
 *
 * Memory use is bounded for any message. On success the result passes result_problem().
 *
 * Return: 0; -EBADMSG: not a message, or invalid; -ENOMEM.
 */
int resultpack_unpack(const unsigned char *message, size_t bytes, struct result *result,
		      const char **why);

#endif /* PROFIL_RESULTPACK_H */
