// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads tables of expected counters.
 */
#include "profile/dialect_rules.h"

static const char *const vector_results[] = { "none", "off", "EINVAL" };

static bool vector_number(const char *text, int64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoll(text, &end, 0);
	return !errno && end != text && !*end;
}

static bool vector_result(const char *text, int64_t *result)
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

static bool vector_parse(const char *line, struct vector *row)
{
	char d[24], scale[24], bufsiz[24], result[24], rest;
	int64_t number;

	if (sscanf(line, "%15s %23s %23s %23s %23s %c", row->dialect, d, scale,
		   bufsiz, result, &rest) != 5 ||
	    !vector_number(d, &row->d) || !vector_result(result, &row->result))
		return false;
	/* all tests would ignore a row with an unknown name, so it is an error */
	if (!dialect_rule_of(row->dialect))
		return false;
	if (!vector_number(scale, &number) || number < 0 || number > UINT32_MAX)
		return false;
	row->scale = (uint32_t)number;
	if (!vector_number(bufsiz, &number) || number < 0)
		return false;
	row->bufsiz = (uint64_t)number;
	return true;
}

struct vectors vectors_read(const char *path)
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

const char *vectors_path(char *path, size_t size, const char *name)
{
	ssize_t length = readlink("/proc/self/exe", path, size - 1);

	path[length < 0 ? 0 : length] = 0;
	length = strrchr(path, '/') ? strrchr(path, '/') + 1 - path : 0;
	snprintf(path + length, size - (size_t)length, "%s", name);
	return path;
}

const char *vector_text(const struct vector *row, char *text, size_t size)
{
	char byte[24];

	snprintf(byte, sizeof(byte), "%lld", (long long)row->result);
	snprintf(text, size, "line %d: %s %lld %#x %llu %s", row->line,
		 row->dialect, (long long)row->d, row->scale,
		 (unsigned long long)row->bufsiz,
		 row->result < 0 ? vector_results[-1 - row->result] : byte);
	return text;
}
