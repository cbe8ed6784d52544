/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of functions for a live view. A helper reads them: files are large, and one that is
 * changed while it is mapped may crash its reader. Meanwhile this process reads the log.
 */
#ifndef PROFIL_NAME_READER_H
#define PROFIL_NAME_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/recording.h"

#define NAME_READER_BATCH	256	/* the most addresses in a request */
#define NAME_READER_MOST	1023	/* bytes of a name; the rest is cut */

struct name_reader;

/* An address to be named */
struct named_address {
	uint64_t address;	/* link-time address */
	uint64_t file;		/* number of its file (files.h) */
};

/* The function at an address */
struct named_function {
	uint64_t start;	/* its first address; 0 if @name is SYMBOLIZE_REST */
	char name[NAME_READER_MOST + 1];	/* its name; valid until the next call */
};

/* Prepare to read names. Return: to be given to name_reader_free(); NULL: no memory. */
struct name_reader *name_reader_new(const struct recording *recording);

/*
 * Ask for functions of at most NAME_READER_BATCH addresses; does not wait. Return: true; false: the
 * helper is busy, or none can be started now.
 */
bool name_reader_ask(struct name_reader *reader, const struct named_address *addresses, size_t nr);

/*
 * Take an answer; they come in the order of the addresses. Return: 1; 0: none yet; -1: the helper
 * has ended: what was not answered must be asked again, the first of it perhaps has crashed it.
 */
int name_reader_answer(struct name_reader *reader, struct named_function *function);

/*
 * Wait a moment for an answer to what was asked. It comes in less than this time, unless the helper
 * has to open a file. So a row that is shown has its name.
 */
void name_reader_wait(struct name_reader *reader);

/* End the helper, and free the memory. */
void name_reader_free(struct name_reader *reader);

#endif /* PROFIL_NAME_READER_H */
