/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_JIT_NAMES_H
#define PROFIL_JIT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct jit_name - the function of an address
 * @start:  where the function starts, at or below @pc
 * @name:   its name, not empty; NULL: not known
 */
struct jit_name {
	uint64_t pc;
	uint64_t start;
	const char *name;
};

/**
 * struct jit_names - the functions of all sampled addresses of a process
 * @of:    by address, ascending
 * @left:  number of addresses without a name
 * @next:  by address: where to look for the next one without a name
 * @text:  memory of the names
 * @used:  bytes of @text
 * @room:  size of @text
 * @bytes: size of all memory
 */
struct jit_names {
	struct jit_name *of;
	size_t nr;
	size_t left;
	size_t *next;
	char *text;
	size_t used;
	size_t room;
	size_t bytes;
};

/**
 * jit_names_new - make room for names
 * @names: filled in; the caller sets @pc of each of @of afterwards
 * @nr:    number of addresses, at least 1
 *
 * The memory is shared with child processes, so that a child can find the names (isolated.h).
 *
 * Return: 0 or -ENOMEM.
 */
int jit_names_new(struct jit_names *names, size_t nr);

/*
 * Check whether a function has addresses without a name. Return: whether jit_names_add() would name
 * any.
 */
bool jit_names_wants(struct jit_names *names, uint64_t start, uint64_t bytes);

/**
 * jit_names_add - name the addresses of a function
 * @bytes:  its size; any, as it is read from a file
 * @name:   its name, not terminated; ends at a null byte. It is cut at RESULT_MAX_NAME - 1 bytes
 * @length: of @name
 *
 * Addresses that have a name keep it: the function that was made last is added first. All calls
 * together take linear time, whatever the ranges are.
 */
void jit_names_add(struct jit_names *names, uint64_t start, uint64_t bytes, const char *name,
		   size_t length);

/* Free the memory. */
void jit_names_release(struct jit_names *names);

#endif /* PROFIL_JIT_NAMES_H */
