/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_NAMES_READ_H
#define PROFIL_NAMES_READ_H

#include "result/result.h"
#include "symbol/symbols.h"

/* Find the function of an address. Return: 1; 0: no function. */
int names_read_find(const struct result_object *object, uint64_t address, struct function *function);

/**
 * names_read_line - find the source line of an address
 * @object:  an object of it with names
 * @address: of samples, or where a function starts
 *
 * Return: 1; 0: no line.
 */
int names_read_line(const struct result *result, const struct result_object *object, uint64_t address,
		struct source_line *line);

/**
 * names_read_frames - find the functions at an address, from the innermost
 * @object:  an object of it with names
 * @nr:      set to the number of frames
 *
 * Return: 1; 0: there is no debug information for it.
 */
int names_read_frames(const struct result *result, const struct result_object *object,
		  uint64_t address, struct source_frame frames[SYMBOLS_MAX_FRAMES], size_t *nr);

#endif /* PROFIL_NAMES_READ_H */
