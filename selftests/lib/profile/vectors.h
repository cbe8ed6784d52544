/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of expected counters. dialects.vectors describes the format.
 */
#ifndef SELFTESTS_VECTORS_H
#define SELFTESTS_VECTORS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Results of a row other than a byte of the buffer */
#define VECTOR_NONE	(-1)
#define VECTOR_OFF	(-2)
#define VECTOR_EINVAL	(-3)

struct vector {
	char dialect[16];
	int64_t d;
	uint32_t scale;
	uint64_t bufsiz;
	int64_t result;		/* byte of the counter, or VECTOR_* */
	int line;
};

struct vectors {
	struct vector *rows;
	size_t nr;
	int bad_line;		/* the first invalid line; 0: none */
};

/* Returns all rows; none, with errno, if the table cannot be read. */
struct vectors vectors_read(const char *path);

/* Returns the path of file @name, relative to the directory of this program. */
const char *vectors_path(char *path, size_t size, const char *name);

/* Formats a row as in the table, for messages. */
const char *vector_text(const struct vector *row, char *text, size_t size);

#endif /* SELFTESTS_VECTORS_H */
