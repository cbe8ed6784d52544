// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines of source files, in any order.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/source_text.h"
#include "symbol/checksum.h"
#include "util/array.h"
#include "util/escape.h"
#include "util/objectfile.h"
#include "util/time_ns.h"

#define TAB		8	/* terminal columns from one tab stop to the next */
#define MAX_LINES	(1 << 20)	/* a path from debug information may lead anywhere */

/* Of libiberty, whose packages lack the header: the MD5 of a stream until its end; 0 or 1 */
int md5_stream(FILE *stream, void *checksum);

struct source_lines {
	const char *path;
	const char *problem;	/* why it cannot be read, or NULL */
	int64_t mtime_ns;
	unsigned char checksum[CHECKSUM_BYTES];
	bool has_checksum;	/* not if it has too many lines */
	size_t compared;	/* with the source of this object, plus 1; 0: none yet */
	const char *doubt;	/* see source_text_doubt() */
	bool is_told;		/* by source_text_doubt_once() */
	char **lines;
	size_t nr;
};

struct source_text {
	const char *root;
	const struct result *result;
	struct symbols *symbols;
	struct source_lines *files;
	size_t nr;
};

struct source_text *source_text_new(const char *root, const struct result *result,
				    struct symbols *symbols)
{
	struct source_text *sources = calloc(1, sizeof(*sources));

	if (sources)
		*sources = (struct source_text){
			.root = root, .result = result, .symbols = symbols,
		};
	return sources;
}

/* Read all lines. Those that find no memory are missing. */
static void read_lines(struct source_lines *source, FILE *file)
{
	size_t bytes = 0;

	while (source->nr < MAX_LINES) {
		char *line = NULL, **lines;

		lines = array_with_room(source->lines, source->nr, sizeof(*lines));
		if (!lines)
			return;
		source->lines = lines;
		bytes = 0;
		if (getline(&line, &bytes, file) < 0) {
			free(line);
			return;
		}
		source->lines[source->nr++] = line;
	}
}

/* Return: NULL: no memory. A file that cannot be read has no lines. */
static struct source_lines *add_source(struct source_text *sources, const char *path)
{
	struct source_lines *source = array_append(sources->files, sources->nr);
	struct stat state;
	FILE *file;
	int fd;

	if (!source)
		return NULL;
	*source = (struct source_lines){ .path = path };
	fd = objectfile_open_below(sources->root, path, &source->problem);
	if (fd < 0)
		return source;
	file = fdopen(fd, "r");
	if (!file || fstat(fd, &state)) {
		source->problem = strerror(errno);
		close(fd);
		return source;
	}
	source->mtime_ns = time_stat_ns(&state.st_mtim);
	read_lines(source, file);
	if (feof(file)) {
		rewind(file);
		source->has_checksum = !md5_stream(file, source->checksum);
	}
	fclose(file);
	return source;
}

/* Return: NULL: no memory. */
static struct source_lines *need_source(struct source_text *sources, const char *path)
{
	size_t i;

	for (i = 0; i < sources->nr; i++)
		if (sources->files[i].path == path)
			return &sources->files[i];
	return add_source(sources, path);
}

const char *source_text_line(struct source_text *sources, const char *path, int line)
{
	const struct source_lines *source = need_source(sources, path);

	if (!source || line < 1 || (size_t)line > source->nr)
		return NULL;
	return source->lines[line - 1];
}

const char *source_text_problem(struct source_text *sources, const char *path)
{
	const struct source_lines *source = need_source(sources, path);

	return source ? source->problem : strerror(ENOMEM);
}

static const char *find_doubt(const struct source_text *sources, const struct source_lines *source,
			      size_t object, uint64_t address)
{
	const struct result_object *of = &sources->result->objects[object];
	unsigned char compiled[CHECKSUM_BYTES];

	if (source->has_checksum &&
	    symbols_checksum(sources->symbols, object, address, source->path, compiled) == 1)
		return !memcmp(compiled, source->checksum, sizeof(compiled)) ? NULL :
		       "not the text that was compiled: its MD5 differs";
	if (sources->root)
		return NULL;
	if (*source->path != '/')
		return "relative to the current directory, so it may be another file (use --root)";
	if (of->file_bytes && source->mtime_ns > of->mtime_ns)
		return "newer than the program, so its lines may be others";
	return NULL;
}

/* Return: the file with its doubt; NULL: it cannot be read. */
static struct source_lines *compare(struct source_text *sources, const char *path, size_t object,
				    uint64_t address)
{
	struct source_lines *source = need_source(sources, path);

	if (!source || source->problem)
		return NULL;
	if (source->compared != object + 1)
		source->doubt = find_doubt(sources, source, object, address);
	source->compared = object + 1;
	return source;
}

const char *source_text_doubt(struct source_text *sources, const char *path, size_t object,
			      uint64_t address)
{
	const struct source_lines *source = compare(sources, path, object, address);

	return source ? source->doubt : NULL;
}

const char *source_text_doubt_once(struct source_text *sources, const char *path, size_t object,
				   uint64_t address)
{
	struct source_lines *source = compare(sources, path, object, address);

	if (!source || source->is_told || !source->doubt)
		return NULL;
	source->is_told = true;
	return source->doubt;
}

void source_text_print(FILE *out, const struct terminal_style *style, const char *text,
		       int before)
{
	char *line = NULL;
	int columns = 0;
	size_t length;
	FILE *copy = open_memstream(&line, &length);

	if (!copy)
		return;
	while (*text && *text != '\n') {
		const char *from = text;

		if (*text == '\t') {
			columns += fprintf(copy, "%*s", TAB - columns % TAB, "");
			text++;
			continue;
		}
		columns += escape_columns(&text);
		fwrite(from, 1, (size_t)(text - from), copy);
	}
	/* long lines are cut on a terminal, but not in a pipe */
	if (!fclose(copy))
		terminal_print_cut(out, line,
				   style->rows && style->columns ? style->columns - before : 0);
	free(line);
}

void source_text_free(struct source_text *sources)
{
	size_t i, line;

	if (!sources)
		return;
	for (i = 0; i < sources->nr; i++) {
		for (line = 0; line < sources->files[i].nr; line++)
			free(sources->files[i].lines[line]);
		free(sources->files[i].lines);
	}
	free(sources->files);
	free(sources);
}
