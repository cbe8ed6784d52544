/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looks up addresses in the names that a result has (store.h).
 */
#ifndef PROFIL_STORED_H
#define PROFIL_STORED_H

#include "result/result.h"
#include "symbol/symbols.h"

/**
 * stored_find - find the function of an address
 * @object:   an object with names
 * @address:  link-time address in it
 * @function: filled in if there is one
 *
 * Return: 1; 0: no function.
 */
int stored_find(const struct result_object *object, uint64_t address, struct function *function);

/**
 * stored_line - find the source line of an address
 * @result:  the result
 * @object:  an object of it with names
 * @address: of samples, or where a function starts
 * @line:    filled in if there is one
 *
 * Return: 1; 0: no line.
 */
int stored_line(const struct result *result, const struct result_object *object, uint64_t address,
		struct source_line *line);

/**
 * stored_frames - find the functions at an address, from the innermost
 * @result:  the result
 * @object:  an object of it with names
 * @address: link-time address in it
 * @frames:  filled in
 * @nr:      set to the number of frames
 *
 * Return: 1; 0: there is no debug information for it.
 */
int stored_frames(const struct result *result, const struct result_object *object,
		  uint64_t address, struct source_frame frames[SYMBOLS_MAX_FRAMES], size_t *nr);

#endif /* PROFIL_STORED_H */
