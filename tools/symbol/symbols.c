// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps addresses to functions and source lines, for all objects of a result. names_read.c looks them up
 * in the result; this is about the files.
 *
 * Callers go through the objects one by one, several times, and there may be thousands. So the
 * most recently used files stay open, within limits of descriptors and memory; the others are
 * closed, and opened again when needed. Names must outlive the files that they are from, so one
 * copy of each name is kept.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <elfutils/libdwfl.h>

#include "symbol/checksum.h"
#include "symbol/debugfile.h"
#include "symbol/debuginfod.h"
#include "symbol/debugsections.h"
#include "symbol/functions.h"
#include "symbol/inlines.h"
#include "symbol/interned.h"
#include "symbol/names_read.h"
#include "symbol/samefile.h"
#include "symbol/symbols.h"
#include "symbol/units.h"
#include "util/bound.h"
#include "util/objectfile.h"
#include "util/working.h"

/* Limit of open files. Each may need descriptors for itself, its debug file and a DWZ file. */
#define MAX_OPEN		64
#define DESCRIPTORS_PER_FILE	3ul
/* Limit of open files with debug information: libdw keeps what it decompresses. */
#define MAX_WITH_UNITS		4
/* Where lines are read, it may take long. */
#define READING_LINES		"reading debug information of"
/* Limit of the ranges of all open files: tens of MB. A single file may have more. */
#define MAX_RANGES		((size_t)1 << 20)

/* The file of an object */
struct file {
	const struct result_object *object;
	uint64_t bound;		/* identifies the file (bound.h) */
	bool is_stored;		/* the names are those of the result */
	int open_fd;		/* the file is open there; -1: it is at the path of the object */
	const char *problem;	/* see symbols_problem() */
	bool is_missing;	/* see symbols_is_missing() */
	const char *unused;	/* why only the debug file is used; NULL: the file itself is used */
	bool is_unread;		/* as in struct symtab */
	const char *lines_problem;	/* see symbols_explain_lines() */
	struct debugfile debugfile;
	Dwfl *dwfl;		/* NULL: not open; else the file is in @open of struct symbols */
	struct functions functions;
	bool has_units;		/* @units was read; it is needed for lines only */
	struct units units;
	struct inlines inlines;	/* in these units */
};

struct symbols {
	struct file *files;	/* by index of the object */
	size_t nr_files;
	struct file *open[MAX_OPEN];	/* most recently used first */
	size_t nr_open;
	size_t max_open;
	struct interned strings;
	const char *root;
	const struct result *result;
};

static bool prefers_files;

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

/* FNV-1a */
static uint64_t hash(uint64_t before, const void *data, size_t bytes)
{
	const unsigned char *byte = data;
	size_t i;

	for (i = 0; i < bytes; i++)
		before = (before ^ byte[i]) * 0x100000001b3;
	return before;
}

/* Two containers may have different files of one path. */
static uint64_t identify(const struct result_object *object)
{
	uint64_t id = hash(0xcbf29ce484222325, object->path, strlen(object->path));

	id = hash(id, object->build_id, object->build_id_bytes);
	id = hash(id, &object->file_bytes, sizeof(object->file_bytes));
	return hash(id, &object->mtime_ns, sizeof(object->mtime_ns)) | 1;
}

static void begin(const struct file *file, const char *what)
{
	working_begin(what, file->object->path);
	bound_read(file->bound);
}

static void end(void)
{
	bound_end();
	working_end();
}

static bool is_stored(const struct result_object *object, const char *root)
{
	return object->has_names && !root && !prefers_files &&
	       !(object->is_stripped && object->build_id_bytes && debuginfod_is_used());
}

bool symbols_need_files(const struct result *result, const char *root)
{
	size_t i;

	for (i = 0; i < result->nr_objects; i++)
		if ((result->objects[i].nr_counts || result->nr_nodes) &&
		    result_is_file(&result->objects[i]) &&
		    !is_stored(&result->objects[i], root))
			return true;
	return false;
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
	symbols->result = result;
	for (i = 0; i < result->nr_objects; i++) {
		const struct result_object *object = &result->objects[i];

		symbols->files[i].object = object;
		symbols->files[i].bound = identify(object);
		symbols->files[i].open_fd = -1;
		symbols->files[i].is_stored = is_stored(object, root);
	}
	return symbols;
}

void symbols_use_open(struct symbols *symbols, size_t object, int fd)
{
	symbols->files[object].open_fd = fd;
}

void symbols_prefer_file(struct symbols *symbols, size_t object)
{
	symbols->files[object].is_stored = false;
}

void symbols_prefer_files(void)
{
	prefers_files = true;
}

static void close_file(struct file *file)
{
	functions_release(&file->functions);
	inlines_release(&file->inlines);
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

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	while (symbols->nr_open)
		close_open(symbols, symbols->nr_open - 1);
	interned_release(&symbols->strings);
	free(symbols->files);
	free(symbols);
}

/* Whether the names are those of the result: as it was decided, or as the file has a problem. */
static bool uses_result(const struct file *file)
{
	return file->is_stored || (file->problem && file->object->has_names);
}

const char *symbols_problem(const struct symbols *symbols, size_t object)
{
	const struct file *file = &symbols->files[object];

	return uses_result(file) ? NULL : file->problem;
}

bool symbols_is_missing(const struct symbols *symbols, size_t object)
{
	const struct file *file = &symbols->files[object];

	return !uses_result(file) && file->is_missing;
}

char *symbols_explain(const struct symbols *symbols, size_t object, const char *option)
{
	const struct file *file = &symbols->files[object];
	char *text = NULL;
	int length = 0;

	if (file->is_stored)
		return result_text(file->object->names_note) ?
		       strdup(file->object->names_note) : NULL;
	if (file->object->unread || bound_problem(file->bound))
		option = NULL;
	if (file->problem && file->object->has_names)
		length = asprintf(&text, "%s: %s: function names are those of the end of the run",
				  file->object->path, file->problem);
	else if (file->problem)
		length = asprintf(&text, "%s: %s: no function names%s%s%s", file->object->path,
				  file->problem, option ? " (use " : "", option ? option : "",
				  option ? " if the file that ran is elsewhere)" : "");
	else if (file->unused)
		length = asprintf(&text, "%s: %s: function names are from the debug file with the build-id of the file that ran",
				  file->object->path, file->unused);
	else if (file->is_unread)
		length = asprintf(&text, "%s: .gnu_debugdata could not be read: it is damaged, or takes more memory than PROFIL_READ_MIB: functions that only it names are shown by address",
				  file->object->path);
	return length < 0 ? NULL : text;
}

char *symbols_explain_lines(const struct symbols *symbols, size_t object)
{
	const struct file *file = &symbols->files[object];
	char *text;

	if (uses_result(file))
		return result_text(file->object->lines_note) ?
		       strdup(file->object->lines_note) : NULL;
	if (!file->lines_problem ||
	    asprintf(&text, "%s: source lines are missing: the debug information cannot be read: %s",
		     file->object->path, file->lines_problem) < 0)
		return NULL;
	return text;
}

/* Give a file to elfutils. Return: NULL: @file->problem is set, and the descriptor is closed. */
static Dwfl_Module *report(struct file *file, const char *name, int fd)
{
	Dwfl_Module *module;
	GElf_Addr bias;

	/* elfutils would decompress it: a few bytes may become gigabytes */
	if (!objectfile_is_elf(fd)) {
		file->problem = "it is not an ELF file";
		close(fd);
		return NULL;
	}
	bound_allow(fd);
	dwfl_report_begin(file->dwfl);
	module = dwfl_report_elf(file->dwfl, name, name, fd, 0, true);
	if (!module) {
		file->problem = dwfl_errmsg(-1);
		close(fd);
		return NULL;
	}
	/* the descriptor belongs to elfutils now */
	dwfl_report_end(file->dwfl, NULL, NULL);
	file->debugfile.main = dwfl_module_getelf(module, &bias);
	if (!file->debugfile.main)
		file->problem = dwfl_errmsg(-1);
	else
		file->problem = samefile_by_build_id(file->object, file->debugfile.main);
	return file->problem ? NULL : module;
}

/*
 * Look for a file below / that is not below the root: a root may have a program without its
 * libraries. The build-id tells if it is the one that ran. Return: NULL: it is not there.
 */
static Dwfl_Module *report_below_all(struct file *file)
{
	const char *problem;
	int fd;

	if (!file->object->build_id_bytes)
		return NULL;
	fd = objectfile_open_below(NULL, file->object->path, &problem);
	return fd < 0 ? NULL : report(file, file->object->path, fd);
}

/* Return: a descriptor that elfutils may close; -1: @file->problem and errno are set. */
static int open_object(const struct symbols *symbols, struct file *file)
{
	int fd;

	if (file->open_fd < 0)
		return objectfile_open_below(symbols->root, file->object->path, &file->problem);
	fd = fcntl(file->open_fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		file->problem = strerror(errno);
	return fd;
}

/* Return: NULL: @file->problem is set. */
static Dwfl_Module *report_object(const struct symbols *symbols, struct file *file)
{
	Dwfl_Module *module = NULL;
	int fd;

	if (file->object->unread) {
		file->problem = "it could not be read while it was mapped";
		return NULL;
	}
	fd = open_object(symbols, file);
	if (fd < 0) {
		file->is_missing = errno == ENOENT;
		if (symbols->root && file->is_missing) {
			module = report_below_all(file);
			file->is_missing = !module;
			file->problem = module ? NULL : "No such file or directory below the root";
		}
		return module;
	}
	if (!file->object->build_id_bytes) {
		file->problem = samefile_by_times(file->object, fd, !symbols->root);
		if (file->problem) {
			close(fd);
			return NULL;
		}
	}
	return report(file, file->object->path, fd);
}

/*
 * Programs are deleted, or replaced by new versions, while their debug files stay. A debug file
 * has the sections and segments of its object, without their contents. Return: NULL: none.
 */
static Dwfl_Module *report_debug_file(struct file *file)
{
	const struct result_object *object = file->object;
	const char *problem = file->problem;
	Dwfl_Module *module;
	char *name;
	int fd;

	if (!object->build_id_bytes)
		return NULL;
	fd = debugfile_open(&file->debugfile, object->build_id, object->build_id_bytes, &name);
	if (fd < 0)
		return NULL;
	module = report(file, name, fd);
	file->unused = module ? problem : NULL;
	file->problem = module ? NULL : problem;
	free(name);
	return module;
}

/*
 * Each file gets its own Dwfl, because the objects of a damaged result may overlap, which libdwfl
 * does not expect of the modules of one Dwfl. Return: NULL: @file->problem is set.
 */
static Dwfl_Module *open_module(const struct symbols *symbols, struct file *file)
{
	Dwfl_Module *module;
	void **data;

	file->debugfile = (struct debugfile){
		.dwfl = file->dwfl, .path = file->object->path, .root = symbols->root,
	};
	module = report_object(symbols, file);
	if (!module)
		module = report_debug_file(file);
	if (!module)
		return NULL;
	dwfl_module_info(module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
	*data = &file->debugfile;
	return module;
}

/* Return: 0: the file is open, or @file->problem is set; or -ENOMEM. */
static int open_file(const struct symbols *symbols, struct file *file)
{
	Dwfl_Module *module;
	int error = 0;

	file->dwfl = dwfl_begin(debugfile_callbacks());
	if (!file->dwfl)
		return -ENOMEM;
	module = open_module(symbols, file);
	if (module)
		error = functions_read(&file->functions, module);
	file->is_unread = file->functions.symtab.is_unread;
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

/*
 * Open a file unless it is open. Return: 1; 0: it is not a file, has a problem, or the names of the
 * result are used; -ENOMEM.
 */
static int need_file(struct symbols *symbols, struct file *file)
{
	const char *problem;
	size_t i = 0;
	int error;

	if (file->is_stored || file->problem || !result_is_file(file->object))
		return 0;
	problem = bound_problem(file->bound);
	if (problem) {
		file->problem = interned_text(&symbols->strings, problem, strlen(problem));
		return file->problem ? 0 : -ENOMEM;
	}
	if (file->dwfl) {
		while (symbols->open[i] != file)
			i++;
		move_to_front(symbols, i);
		return 1;
	}
	if (symbols->nr_open == symbols->max_open)
		close_open(symbols, symbols->nr_open - 1);
	begin(file, "reading symbols of");
	error = open_file(symbols, file);
	end();
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

	if (!is_open && uses_result(file))
		return names_read_find(file->object, address, function);
	if (is_open != 1)
		return is_open;
	if (!functions_find(&file->functions, address, function))
		return 0;
	if (function->name) {
		function->name = interned_text(&all->strings, function->name,
					       (size_t)function->length);
		if (!function->name)
			return -ENOMEM;
	}
	return 1;
}

int symbols_elf(struct symbols *symbols, size_t object, Elf **elf, const char **problem)
{
	struct file *file = &symbols->files[object];
	const int is_open = need_file(symbols, file);

	if (is_open < 0)
		return is_open;
	*problem = file->problem ? file->problem : file->unused;
	if (!is_open && !*problem)
		*problem = "it is not a file";
	*elf = *problem ? NULL : file->debugfile.main;
	return !*problem;
}

int symbols_are_stripped(struct symbols *symbols, size_t object)
{
	struct file *file = &symbols->files[object];
	const int is_open = need_file(symbols, file);

	if (!is_open && uses_result(file))
		return file->object->is_stripped;
	if (is_open < 0)
		return is_open;
	return !is_open || !file->functions.symtab.is_full;
}

/* Return: 0 or -ENOMEM. */
static int note_lines_problem(struct symbols *symbols, struct file *file, const char *problem)
{
	/* messages of elfutils may be in a buffer */
	if (problem && !file->lines_problem)
		file->lines_problem = interned_text(&symbols->strings, problem,
						    strlen(problem));
	return problem && !file->lines_problem ? -ENOMEM : 0;
}

/* Return: why a file has no readable debug information; NULL: it has none. */
static const char *find_problem(const struct debugfile *debugfile, const char *message)
{
	const char *problem = debugfile->problem;

	if (!debugfile->has_debug_info && !debugsections_exist(debugfile->main))
		return NULL;
	if (!problem)
		problem = debugsections_problem(debugfile->main);
	return problem ? problem : message;
}

/* List the units of an open file. Return: 0 or -ENOMEM. */
static int read_units(struct symbols *symbols, struct file *file)
{
	const struct debugfile *debugfile = &file->debugfile;
	int error = units_read(&file->units, &file->functions.text);

	if (error) {
		units_release(&file->units);
		return error;
	}
	file->has_units = true;
	if (debugfile->lacks_shared) {
		/* libdw would look for the missing shared file outside the root */
		units_release(&file->units);
		error = note_lines_problem(symbols, file, "a part of it is in a file that several debug files share (dwz), which is not below the root");
	} else if (!file->units.dwarf) {
		file->units.problem = find_problem(debugfile, file->units.problem);
	}
	close_others(symbols);
	return error;
}

/* Open a file and list its units. Return: 1; 0: it is not a file or has a problem; -ENOMEM. */
static int need_units(struct symbols *symbols, struct file *file)
{
	int is_open = need_file(symbols, file), error;

	if (is_open != 1 || file->has_units)
		return is_open;
	begin(file, READING_LINES);
	error = read_units(symbols, file);
	end();
	return error ? error : 1;
}

int symbols_line(void *symbols, size_t object, uint64_t address,
		 struct source_line *line)
{
	struct symbols *all = symbols;
	struct file *file = &all->files[object];
	int is_open = need_units(all, file), error;
	const char *name, *directory;

	if (!is_open && uses_result(file))
		return names_read_line(all->result, file->object, address, line);
	if (is_open != 1)
		return is_open;
	begin(file, READING_LINES);
	name = units_line(&file->units, address, &line->line, &directory);
	end();
	error = note_lines_problem(all, file, file->units.problem);
	if (!name || error)
		return error;
	line->file = interned_path(&all->strings, directory, name);
	return line->file ? 1 : -ENOMEM;
}

/* Return: 0 or -ENOMEM. */
static int make_frame(struct symbols *symbols, const struct inlines_frame *from,
		      struct source_frame *frame)
{
	*frame = (struct source_frame){ .line = from->line, .declared = from->declared };
	if (from->name) {
		frame->function = interned_text(&symbols->strings, from->name, strlen(from->name));
		if (!frame->function)
			return -ENOMEM;
	}
	if (from->file) {
		frame->file = interned_path(&symbols->strings, from->directory, from->file);
		if (!frame->file)
			return -ENOMEM;
	}
	return 0;
}

int symbols_frames(void *symbols, size_t object, uint64_t address,
		   struct source_frame *frames, size_t *nr)
{
	struct inlines_frame found[SYMBOLS_MAX_FRAMES] = { 0 };
	struct symbols *all = symbols;
	struct file *file = &all->files[object];
	int is_open = need_units(all, file), error;
	struct function function;
	size_t i;

	*nr = 0;
	if (!is_open && uses_result(file))
		return names_read_frames(all->result, file->object, address, frames, nr);
	if (is_open != 1)
		return is_open;
	begin(file, READING_LINES);
	error = inlines_find(&file->inlines, &file->units, address, found, SYMBOLS_MAX_FRAMES,
			     nr);
	end();
	if (error)
		return error;
	found[0].file = units_line(&file->units, address, &found[0].line, &found[0].directory);
	error = note_lines_problem(all, file, file->units.problem);
	if (error || (!*nr && !found[0].file))
		return error;
	*nr += !*nr;
	for (i = 0; !error && i < *nr; i++)
		error = make_frame(all, &found[i], &frames[i]);
	if (error)
		return error;
	error = symbols_find(all, object, address, &function);
	if (error == 1 && function.name)
		frames[*nr - 1].function = function.name;
	return error < 0 ? error : 1;
}

int symbols_checksum(struct symbols *symbols, size_t object, uint64_t address, const char *path,
		     unsigned char *checksum)
{
	struct file *file = &symbols->files[object];
	const bool is_stored = file->is_stored;
	const unsigned char *found = NULL;
	const char *name, *directory;
	size_t number;
	int is_open;

	file->is_stored = false;
	is_open = need_units(symbols, file);
	file->is_stored = is_stored;
	if (is_open != 1)
		return is_open;
	begin(file, READING_LINES);
	for (number = 0; (name = units_file(&file->units, address, number, &directory)); number++) {
		name = interned_path(&symbols->strings, directory, name);
		if (!name || !strcmp(name, path))
			break;
	}
	if (name)
		found = units_checksum(&file->units, address, number);
	end();
	if (found)
		memcpy(checksum, found, CHECKSUM_BYTES);
	return found != NULL;
}
