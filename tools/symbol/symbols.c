// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps addresses to functions and source lines, for all objects of a result.
 *
 * Callers go through the objects one by one, several times, and there may be thousands. So the
 * most recently used files stay open, within limits of descriptors and memory; the others are
 * closed, and opened again when needed. Names must outlive the files that they are from, so one
 * copy of each name is kept.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwfl.h>

#include "symbol/debugfile.h"
#include "symbol/debuginfod.h"
#include "symbol/functions.h"
#include "symbol/symbols.h"
#include "symbol/units.h"
#include "util/objectfile.h"
#include "util/time_ns.h"

/* Limit of open files. Each may need descriptors for itself, its debug file and a DWZ file. */
#define MAX_OPEN		64
#define DESCRIPTORS_PER_FILE	3ul
/* Limit of open files with debug information: libdw keeps what it decompresses. */
#define MAX_WITH_UNITS		4
/* Limit of the ranges of all open files: tens of MB. A single file may have more. */
#define MAX_RANGES		((size_t)1 << 20)

/* The file of an object */
struct file {
	const struct result_object *object;
	const char *problem;	/* see symbols_problem() */
	struct debugfile debugfile;
	Dwfl *dwfl;		/* NULL: not open; else the file is in @open of struct symbols */
	struct functions functions;
	bool has_units;		/* @units was read; it is needed for lines only */
	struct units units;
};

struct string {
	size_t length;
	char *text;
};

struct symbols {
	struct file *files;	/* by index of the object */
	size_t nr_files;
	struct file *open[MAX_OPEN];	/* most recently used first */
	size_t nr_open;
	size_t max_open;
	void *strings;		/* a tree of struct string */
	const char *root;
};

/* Use at most half of this process's descriptors, but open at least one file. */
static size_t find_max_open(void)
{
	struct rlimit limit;
	size_t max;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 1;
	max = (size_t)limit.rlim_cur / (2 * DESCRIPTORS_PER_FILE);
	if (max > MAX_OPEN)
		return MAX_OPEN;
	return max ? max : 1;
}

struct symbols *symbols_new(const struct result *result, const char *root)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));
	size_t i;

	if (!symbols)
		return NULL;
	debuginfod_prepare();
	symbols->max_open = find_max_open();
	symbols->root = root;
	symbols->files = calloc(result->nr_objects + 1, sizeof(*symbols->files));
	if (!symbols->files) {
		free(symbols);
		return NULL;
	}
	symbols->nr_files = result->nr_objects;
	for (i = 0; i < result->nr_objects; i++)
		symbols->files[i].object = &result->objects[i];
	return symbols;
}

static void close_file(struct file *file)
{
	functions_release(&file->functions);
	units_release(&file->units);
	file->has_units = false;
	if (file->dwfl)
		dwfl_end(file->dwfl);
	file->dwfl = NULL;
}

static void close_open(struct symbols *symbols, size_t i)
{
	close_file(symbols->open[i]);
	symbols->nr_open--;
	memmove(&symbols->open[i], &symbols->open[i + 1],
		(symbols->nr_open - i) * sizeof(symbols->open[0]));
}

static void free_string(void *string)
{
	free(string);
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	while (symbols->nr_open)
		close_open(symbols, symbols->nr_open - 1);
	tdestroy(symbols->strings, free_string);
	free(symbols->files);
	free(symbols);
}

const char *symbols_problem(const struct symbols *symbols, size_t object)
{
	return symbols->files[object].problem;
}

char *symbols_explain(const struct symbols *symbols, size_t object, const char *option)
{
	const struct file *file = &symbols->files[object];
	char *text;

	if (file->object->unread)
		option = NULL;
	if (!file->problem ||
	    asprintf(&text, "%s: %s: no function names%s%s%s", file->object->path, file->problem,
		     option ? " (use " : "", option ? option : "",
		     option ? " if the file that ran is elsewhere)" : "") < 0)
		return NULL;
	return text;
}

static int compare_strings(const void *va, const void *vb)
{
	const struct string *a = va, *b = vb;

	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	return memcmp(a->text, b->text, a->length);
}

/* Return: the only copy of a text, which is made if necessary; NULL: no memory. */
static const char *intern(struct symbols *symbols, const char *text, size_t length)
{
	const struct string key = { .length = length, .text = (char *)text };
	struct string **found = tfind(&key, &symbols->strings, compare_strings), *new;

	if (found)
		return (*found)->text;
	new = malloc(sizeof(*new) + length + 1);
	if (!new)
		return NULL;
	new->length = length;
	new->text = (char *)(new + 1);
	memcpy(new->text, text, length);
	new->text[length] = 0;
	if (!tsearch(new, &symbols->strings, compare_strings)) {
		free(new);
		return NULL;
	}
	return new->text;
}

/*
 * Check a file without a build-id by its size, and by when it was modified. A copy below another
 * root may have another time. Return: NULL, or why it is not the file that ran.
 */
static const char *check_times(const struct symbols *symbols, const struct result_object *object,
			       const struct stat *state)
{
	if (!object->file_bytes)
		return NULL;
	if ((uint64_t)state->st_size != object->file_bytes ||
	    (!symbols->root && time_stat_ns(&state->st_mtim) != object->mtime_ns))
		return "not the file that ran: it has been modified since";
	return NULL;
}

/* Check that a file is the one that ran. Return: NULL, or why it is not. */
static const char *check_file(const struct symbols *symbols, const struct result_object *object,
			      Elf *elf, const struct stat *state)
{
	unsigned char id[RESULT_MAX_BUILD_ID];
	size_t bytes;

	if (!object->build_id_bytes)
		return check_times(symbols, object, state);
	bytes = objectfile_build_id(elf, id, sizeof(id));
	if (!bytes)
		return "not the file that ran: it has no build-id";
	if (bytes != object->build_id_bytes || memcmp(id, object->build_id, bytes))
		return "not the file that ran: its build-id differs";
	return NULL;
}

/*
 * Each file gets its own Dwfl, because the objects of a damaged result may overlap, which libdwfl
 * does not expect of the modules of one Dwfl. Return: NULL: @file->problem is set.
 */
static Dwfl_Module *open_module(const struct symbols *symbols, struct file *file)
{
	const char *path = file->object->path;
	Dwfl_Module *module;
	struct stat state;
	GElf_Addr bias;
	void **data;
	Elf *elf;
	int fd;

	if (file->object->unread) {
		file->problem = "it could not be read while it was mapped";
		return NULL;
	}
	fd = objectfile_open_below(symbols->root, path, &file->problem);
	if (fd < 0) {
		if (symbols->root && errno == ENOENT)
			file->problem = "No such file or directory below the root";
		return NULL;
	}
	if (fstat(fd, &state)) {
		file->problem = strerror(errno);
		close(fd);
		return NULL;
	}
	dwfl_report_begin(file->dwfl);
	module = dwfl_report_elf(file->dwfl, path, path, fd, 0, true);
	if (!module) {
		file->problem = dwfl_errmsg(-1);
		close(fd);
		return NULL;
	}
	/* the descriptor belongs to elfutils now */
	dwfl_report_end(file->dwfl, NULL, NULL);
	elf = dwfl_module_getelf(module, &bias);
	file->problem = elf ? check_file(symbols, file->object, elf, &state) : dwfl_errmsg(-1);
	if (file->problem)
		return NULL;
	file->debugfile = (struct debugfile){
		.dwfl = file->dwfl, .path = path, .root = symbols->root, .main = elf,
	};
	dwfl_module_info(module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
	*data = &file->debugfile;
	return module;
}

/* Return: 0: the file is open, or @file->problem is set; or -ENOMEM. */
static int open_file(const struct symbols *symbols, struct file *file)
{
	Dwfl_Module *module;
	int error = 0;

	file->dwfl = dwfl_begin(debugfile_callbacks(symbols->root));
	if (!file->dwfl)
		return -ENOMEM;
	module = open_module(symbols, file);
	if (module)
		error = functions_read(&file->functions, module);
	if (error || !module)
		close_file(file);
	return error;
}

/* Close the least recently used files until the limits of memory are kept. The first stays open. */
static void close_others(struct symbols *symbols)
{
	size_t ranges = 0, with_units = 0, i;

	for (i = 0; i < symbols->nr_open; i++) {
		const struct file *file = symbols->open[i];

		ranges += functions_size(&file->functions) + file->units.ranges.nr;
		with_units += file->has_units;
		if (i && (ranges > MAX_RANGES ||
			  (file->has_units && with_units > MAX_WITH_UNITS)))
			break;
	}
	while (symbols->nr_open > i)
		close_open(symbols, symbols->nr_open - 1);
}

/* Make the open file with index @i the first. */
static void move_to_front(struct symbols *symbols, size_t i)
{
	struct file *file = symbols->open[i];

	memmove(&symbols->open[1], &symbols->open[0], i * sizeof(symbols->open[0]));
	symbols->open[0] = file;
}

/* Open a file unless it is open. Return: 1; 0: it is not a file or has a problem; -ENOMEM. */
static int need_file(struct symbols *symbols, struct file *file)
{
	size_t i = 0;
	int error;

	if (file->problem || !result_is_file(file->object))
		return 0;
	if (file->dwfl) {
		while (symbols->open[i] != file)
			i++;
		move_to_front(symbols, i);
		return 1;
	}
	if (symbols->nr_open == symbols->max_open)
		close_open(symbols, symbols->nr_open - 1);
	error = open_file(symbols, file);
	if (error || !file->dwfl)
		return error;
	symbols->open[symbols->nr_open++] = file;
	move_to_front(symbols, symbols->nr_open - 1);
	close_others(symbols);
	return 1;
}

int symbols_find(void *symbols, size_t object, uint64_t address,
		 struct function *function)
{
	struct symbols *all = symbols;
	struct file *file = &all->files[object];
	int is_open = need_file(all, file);

	if (is_open != 1)
		return is_open;
	if (!functions_find(&file->functions, address, function))
		return 0;
	if (function->name) {
		function->name = intern(all, function->name, (size_t)function->length);
		if (!function->name)
			return -ENOMEM;
	}
	return 1;
}

int symbols_are_stripped(struct symbols *symbols, size_t object)
{
	struct file *file = &symbols->files[object];
	const int is_open = need_file(symbols, file);

	if (is_open < 0)
		return is_open;
	return !is_open || !file->functions.symtab.is_full;
}

static const char *intern_path(struct symbols *symbols, const char *directory,
			     const char *file)
{
	const char *interned;
	char *path;

	if (!directory)
		return intern(symbols, file, strlen(file));
	if (asprintf(&path, "%s/%s", directory, file) < 0)
		return NULL;
	interned = intern(symbols, path, strlen(path));
	free(path);
	return interned;
}

int symbols_line(void *symbols, size_t object, uint64_t address,
		 struct source_line *line)
{
	struct symbols *all = symbols;
	struct file *file = &all->files[object];
	int is_open = need_file(all, file);
	const char *name, *directory;

	if (is_open != 1)
		return is_open;
	if (!file->has_units) {
		int error = units_read(&file->units, file->functions.module);

		/* libdw would look for the missing shared file outside the root */
		if (error || file->debugfile.lacks_shared)
			units_release(&file->units);
		if (error)
			return error;
		file->has_units = true;
		close_others(all);
	}
	name = units_line(&file->units, address, &line->line, &directory);
	if (!name)
		return 0;
	line->file = intern_path(all, directory, name);
	return line->file ? 1 : -ENOMEM;
}
