// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of formats, the files that they are written to, and functions that several formats
 * use.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/export.h"
#include "util/base_name.h"
#include "util/escape.h"
#include "util/failure.h"
#include "util/stream.h"
#include "util/time_ns.h"

const struct export_format export_formats[] = {
	{
		.name = "gmon",
		.help = "Write a gmon.out for each object to the directory OUT, for gprof",
		.write_object = export_gmon,
		.suffix = ".gmon.out",
	},
	{
		.name = "callgrind",
		.help = "Write callgrind's format, for kcachegrind and callgrind_annotate",
		.write = export_callgrind,
		.has_calls = true,
	},
	{
		.name = "pprof",
		.help = "Write a gzipped profile.proto, for pprof and servers that accept its profiles",
		.is_binary = true,
		.write = export_pprof,
		.has_calls = true,
	},
	{
		.name = "firefox",
		.help = "Write the format of Firefox Profiler (profiler.firefox.com)",
		.write = export_firefox,
		.has_calls = true,
	},
	{
		.name = "json",
		.help = "Write the whole result as JSON, for scripts",
		.write = export_json,
	},
	{
		.name = "folded",
		.help = "Write lines of object;function and samples, for flamegraph.pl, inferno and speedscope",
		.write = export_folded,
	},
	{
		.name = "svg",
		.help = "Write a flame graph as a picture. It needs call stacks",
		.write = export_svg,
	},
	{
		.name = "html",
		.help = "Write a page for browsers, without a network. Of two results, OLD and NEW, it shows the changes",
		.write = export_html,
		.compares = true,
	},
	{
		.name = "bolt",
		.help = "Write the samples in the program, for perf2bolt of LLVM 21 and later; fdata: for llvm-bolt of any version",
		.write_code = export_bolt,
		.needs = CODE_RELOCATIONS,
	},
	{
		.name = "bolt",
		.variant = "fdata",
		.write_code = export_bolt_fdata,
		.needs = CODE_RELOCATIONS,
	},
	{
		.name = "autofdo",
		.help = "Write the samples in the program, for create_llvm_prof and create_gcov",
		.write_code = export_autofdo,
		.needs = CODE_DEBUG_INFO,
	},
	{
		.name = "order",
		.help = "Write the functions of the program, hottest first, for lld",
		.write_code = export_order,
	},
	{ 0 }
};

char *export_command_line(const struct result *result)
{
	char *line = NULL;
	size_t size, i;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		return NULL;
	for (i = 0; result->argv[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", result->argv[i]);
	if (fclose(out)) {
		free(line);
		return NULL;
	}
	return line;
}

size_t export_main_object(const struct result *result)
{
	const char *program = result->processes[0].program;
	size_t i, most = 0;

	for (i = 0; i < result->nr_objects; i++) {
		if (!strcmp(result->objects[i].path, program))
			return i;
		if (result->objects[i].samples > result->objects[most].samples)
			most = i;
	}
	return most;
}

uint64_t export_ns(const struct result *result, uint64_t samples)
{
	long double ns = roundl((long double)samples * NS_PER_S / result_rate(result));

	return ns < (long double)INT64_MAX ? (uint64_t)ns : INT64_MAX;
}

static void explain(int error, const char *path)
{
	if (error == -EOVERFLOW)
		failure_warnx("%s: a count is too large for this format (EOVERFLOW): use another format", path);
	else if (error == -ENODATA)
		failure_warnx("%s: the result has no call stacks (ENODATA): profile with `profil -g'", path);
	else
		failure_warn(path, -error);
}

/* @error: from writing. Return: 0; or -errno, and an incomplete regular file is removed. */
static int close_file(FILE *out, const char *path, int error)
{
	struct stat st;
	bool is_file = !fstat(stream_fd(out), &st) && S_ISREG(st.st_mode);

	if (!error && (ferror(out) || fflush(out)))
		error = errno ? -errno : -EIO;
	if (fclose(out) && !error)
		error = -errno;
	if (error && is_file)
		unlink(path);
	return error;
}

static int write_to(FILE *out, const struct export_format *format,
		    const struct symbolized *symbolized, struct code *code)
{
	return code ? format->write_code(out, code) : format->write(out, symbolized);
}

static int write_file(const struct export_format *format, const struct symbolized *symbolized,
		      struct code *code, const char *path)
{
	FILE *out = fopen(path, "we");
	int error;

	if (!out)
		error = -errno;
	else
		error = close_file(out, path, write_to(out, format, symbolized, code));
	if (error)
		explain(error, path);
	return error;
}

static int write_output(const struct export_format *format, const struct symbolized *symbolized,
			struct code *code)
{
	int error;

	if (format->is_binary && isatty(STDOUT_FILENO)) {
		failure_warnx("%s is a binary format: use --output to name a file", format->name);
		return -EINVAL;
	}
	error = write_to(stdout, format, symbolized, code);
	if (!error && (fflush(stdout) || ferror(stdout)))
		error = errno ? -errno : -EIO;
	if (error)
		explain(error, "standard output");
	return error;
}

/* The name of an object's file, without suffix */
struct file_name {
	char *text;
	size_t next;	/* number for the next object with the same file name */
};

static int compare_names(const void *va, const void *vb)
{
	const struct file_name *a = va, *b = vb;

	return strcmp(a->text, b->text);
}

static void free_name(void *data)
{
	struct file_name *name = data;

	free(name->text);
	free(name);
}

/*
 * Find the name @text in the tree, or add it. The tree takes ownership of @text, which may be
 * NULL. Return: the name; NULL: no memory.
 */
static struct file_name *add_name(void **tree, char *text, bool *is_new)
{
	struct file_name *name = malloc(sizeof(*name)), **found = NULL;

	if (name && text) {
		*name = (struct file_name){ text, 2 };
		found = tsearch(name, tree, compare_names);
	}
	*is_new = found && *found == name;
	if (*is_new)
		return name;
	free(text);
	free(name);
	return found ? *found : NULL;
}

/*
 * Choose a unique name for an object's file: the object's file name, with a number appended if
 * that is in use. The numbers only increase, so no numbered name is tried twice, and on average,
 * an object takes at most three tries. Return: NULL: no memory.
 */
static const char *name_object(void **tree, const struct result_object *object)
{
	char *text = strdup(base_name(object->path)), *slash = text;
	struct file_name *name, *same;
	bool is_new;

	/* a damaged result may have a path that ends in a slash */
	while (slash && (slash = strchr(slash, '/')))
		*slash = '_';
	same = name = add_name(tree, text, &is_new);
	while (name && !is_new) {
		if (asprintf(&text, "%s-%zu", same->text, same->next++) < 0)
			text = NULL;
		name = add_name(tree, text, &is_new);
	}
	return name ? name->text : NULL;
}

/*
 * Choose names for the files of all objects. Return: an array to be freed with free(), with names
 * that @tree owns; NULL: no memory.
 */
static const char **name_objects(const struct result *result, void **tree)
{
	const char **names = calloc(result->nr_objects + 1, sizeof(*names));
	size_t i;

	for (i = 0; names && i < result->nr_objects; i++) {
		names[i] = name_object(tree, &result->objects[i]);
		if (!names[i]) {
			free(names);
			return NULL;
		}
	}
	return names;
}

static int write_object(const struct export_format *format, const struct result *result,
			size_t object, const char *directory, const char *name)
{
	char *path;
	FILE *out;
	int error;

	if (asprintf(&path, "%s/%s%s", directory, name, format->suffix) < 0) {
		explain(-ENOMEM, directory);
		return -ENOMEM;
	}
	out = fopen(path, "we");
	if (!out)
		error = -errno;
	else
		error = close_file(out, path, format->write_object(out, result, object));
	if (error) {
		explain(error, path);
	} else {
		escape_octal(stdout, result->objects[object].path, "");
		putchar(' ');
		escape_octal(stdout, path, "");
		putchar('\n');
	}
	free(path);
	return error;
}

static int write_objects(const struct export_format *format, const struct result *result,
			 const char *directory)
{
	void *tree = NULL;
	const char **names = name_objects(result, &tree);
	int error = names ? 0 : -ENOMEM;
	size_t i;

	if (!error && mkdir(directory, 0777) && errno != EEXIST)
		error = -errno;
	if (error)
		explain(error, directory);
	for (i = 0; !error && i < result->nr_objects; i++) {
		/* readers look up symbols in the object's file */
		if (result->objects[i].samples && result_is_file(&result->objects[i]))
			error = write_object(format, result, i, directory, names[i]);
	}
	free(names);
	tdestroy(tree, free_name);
	return error;
}

int export_to(const struct export_format *format, const struct symbolized *symbolized,
	      struct code *code, const char *output)
{
	if (format->write_object)
		return write_objects(format, symbolized->result, output ? output : ".");
	if (output)
		return write_file(format, symbolized, code, output);
	return write_output(format, symbolized, code);
}
