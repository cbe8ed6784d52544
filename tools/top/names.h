/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of functions for a live view. A child process reads them: files are large, and one that is
 * changed while it is mapped may crash its reader. Meanwhile this process reads the log.
 */
#ifndef PROFIL_TOP_NAMES_H
#define PROFIL_TOP_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/recording.h"

#define NAMES_BATCH	256	/* the most addresses in a request */
#define NAMES_MOST	1023	/* bytes of a name; the rest is cut */

struct names;

/**
 * struct names_address - an address to be named
 * @address: link-time address
 * @file:    number of its file (files.h)
 */
struct names_address {
	uint64_t address;
	uint64_t file;
};

/**
 * struct names_function - the function at an address
 * @start: its first address; 0 if @name is SYMBOLIZE_REST
 * @name:  its name; valid until the next call
 */
struct names_function {
	uint64_t start;
	char name[NAMES_MOST + 1];
};

/**
 * names_new - prepare to read names
 * @recording: has the files
 *
 * Return: to be given to names_free(); NULL: no memory.
 */
struct names *names_new(const struct recording *recording);

/**
 * names_ask - ask for functions
 * @names:     from names_new()
 * @addresses: the addresses
 * @nr:        number of addresses, at most NAMES_BATCH
 *
 * Does not wait.
 *
 * Return: true; false: the child is busy, or none can be started now.
 */
bool names_ask(struct names *names, const struct names_address *addresses, size_t nr);

/**
 * names_answer - take an answer
 * @names:    from names_new()
 * @function: filled in. Answers come in the order of the addresses
 *
 * Return: 1; 0: none yet; -1: the child has ended: what was not answered must be asked again, the
 * first of it perhaps has crashed the child.
 */
int names_answer(struct names *names, struct names_function *function);

/**
 * names_wait - wait a moment for an answer
 * @names: from names_new(); something was asked
 *
 * The child answers in less than this time, unless it has to open a file. So a row that is shown
 * has its name.
 */
void names_wait(struct names *names);

/**
 * names_free - end the child, and free the memory
 * @names: from names_new(), or NULL
 */
void names_free(struct names *names);

#endif /* PROFIL_TOP_NAMES_H */
