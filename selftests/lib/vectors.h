/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of what is to be counted where, as dialects.vectors describes them.
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

/* Results of a row that are no byte of the buffer */
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
	int bad_line;		/* the first that is no row; 0: none */
};

/* All rows; of a table that cannot be read none, with errno. */
struct vectors vectors_read(const char *path);

/* A file in the directory of this program, or in one near it. */
const char *vectors_path(char *path, size_t size, const char *name);

/* A row as the table has it, for messages. */
const char *vector_text(const struct vector *row, char *text, size_t size);

#endif /* SELFTESTS_VECTORS_H */
