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

static const char *const vector_results[] = { "none", "off", "EINVAL" };

static inline bool vector_number(const char *text, int64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoll(text, &end, 0);
	return !errno && end != text && !*end;
}

static inline bool vector_result(const char *text, int64_t *result)
{
	int i;

	for (i = 0; i < 3; i++) {
		if (!strcmp(text, vector_results[i])) {
			*result = -1 - i;
			return true;
		}
	}
	return vector_number(text, result) && *result >= 0;
}

/* A misspelt name would be a row that no test looks at. */
static inline bool vector_dialect(const char *name)
{
	return !strcmp(name, "solaris") || !strcmp(name, "bsd") ||
	       !strcmp(name, "linux099") || !strcmp(name, "osf1") ||
	       !strcmp(name, "aix") || !strcmp(name, "glibc");
}

static inline bool vector_parse(const char *line, struct vector *row)
{
	char d[24], scale[24], bufsiz[24], result[24], rest;
	int64_t number;

	if (sscanf(line, "%15s %23s %23s %23s %23s %c", row->dialect, d, scale,
		   bufsiz, result, &rest) != 5 ||
	    !vector_dialect(row->dialect) || !vector_number(d, &row->d) ||
	    !vector_result(result, &row->result))
		return false;
	if (!vector_number(scale, &number) || number < 0 ||
	    number > UINT32_MAX)
		return false;
	row->scale = (uint32_t)number;
	if (!vector_number(bufsiz, &number) || number < 0)
		return false;
	row->bufsiz = (uint64_t)number;
	return true;
}

/* All rows; of a table that cannot be read none, with errno. */
static inline struct vectors vectors_read(const char *path)
{
	struct vectors vectors = { .rows = NULL };
	FILE *file = fopen(path, "re");
	char line[128];
	int number = 0;

	while (file && fgets(line, sizeof(line), file) && !vectors.bad_line) {
		struct vector *row;

		number++;
		if (line[0] == '#' || line[0] == '\n')
			continue;
		row = reallocarray(vectors.rows, vectors.nr + 1, sizeof(*row));
		if (!row)
			break;
		vectors.rows = row;
		row += vectors.nr++;
		row->line = number;
		if (!vector_parse(line, row))
			vectors.bad_line = number;
	}
	if (file)
		fclose(file);
	return vectors;
}

/* A file in the directory of this program, or in one near it. */
static inline const char *vectors_path(char *path, size_t size,
				       const char *name)
{
	ssize_t length = readlink("/proc/self/exe", path, size - 1);

	path[length < 0 ? 0 : length] = 0;
	length = strrchr(path, '/') ? strrchr(path, '/') + 1 - path : 0;
	snprintf(path + length, size - (size_t)length, "%s", name);
	return path;
}

/* A row as the table has it, for messages. */
static inline const char *vector_text(const struct vector *row, char *text,
				      size_t size)
{
	char byte[24];

	snprintf(byte, sizeof(byte), "%lld", (long long)row->result);
	snprintf(text, size, "line %d: %s %lld %#x %llu %s", row->line,
		 row->dialect, (long long)row->d, row->scale,
		 (unsigned long long)row->bufsiz,
		 row->result < 0 ? vector_results[-1 - row->result] : byte);
	return text;
}

#endif /* SELFTESTS_VECTORS_H */
