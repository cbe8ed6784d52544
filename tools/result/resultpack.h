/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A result as a protobuf message, as profil.proto has it.
 */
#ifndef PROFIL_RESULTPACK_H
#define PROFIL_RESULTPACK_H

#include <stddef.h>

#include "result/result.h"

/**
 * resultpack_pack - make the message
 * @result:  nothing is wrong with it
 * @message: filled with it, to free()
 * @bytes:   its length
 *
 * Return: 0 or -ENOMEM.
 */
int resultpack_pack(const struct result *result, unsigned char **message, size_t *bytes);

/**
 * resultpack_unpack - read a message
 * @message: in question
 * @bytes:   its length
 * @result:  filled in; to be released by result_release(), whatever is returned
 * @why:     on -EBADMSG, what is wrong, in words
 *
 * The memory that it takes is bounded, whatever the message says. On success nothing is
 * wrong with the result (result_problem()).
 *
 * Return: 0; -EBADMSG: it is no message, or has no sense; -ENOMEM.
 */
int resultpack_unpack(const unsigned char *message, size_t bytes, struct result *result,
		      const char **why);

#endif /* PROFIL_RESULTPACK_H */
