// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of split debug information. libdw searches them by itself, when it is first asked for the
 * entry of a unit: in the directory of the file with the debug information, then in the one in
 * which the unit was compiled. From 0.192 on, it searches FILE.dwp before.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <dwarf.h>

#include "symbol/debugfile.h"
#include "symbol/splitfile.h"

/* Whether a path, which is freed, is that of a regular file, or of nothing. NULL: no memory. */
static bool is_safe(char *path)
{
	struct stat state;
	bool safe = path && (stat(path, &state) || S_ISREG(state.st_mode));

	free(path);
	return safe;
}

/* @directory: @length bytes of a path. Return: the path of @name in it, to be freed with free(). */
static char *join(const char *directory, int length, const char *name)
{
	char *path;

	if (name[0] == '/')
		return strdup(name);
	return asprintf(&path, "%.*s/%s", length, directory, name) < 0 ? NULL : path;
}

/* @file: a file that may have the debug information, or NULL */
static bool is_safe_beside(const char *file, const char *name)
{
	const char *slash = file ? strrchr(file, '/') : NULL;
	char *package;

	if (!file)
		return true;
	if (asprintf(&package, "%s.dwp", file) < 0)
		package = NULL;
	return is_safe(package) &&
	       is_safe(slash ? join(file, (int)(slash - file), name) : strdup(name));
}

static const char *string_of(Dwarf_Die *unit, unsigned int name)
{
	Dwarf_Attribute at;

	return dwarf_formstring(dwarf_attr(unit, name, &at));
}

bool splitfile_is_safe(Dwfl_Module *module, Dwarf_Die *unit)
{
	const char *name = string_of(unit, DW_AT_dwo_name), *file, *debug, *directory;
	const struct debugfile *search;
	void **data;

	if (!name)
		name = string_of(unit, DW_AT_GNU_dwo_name);
	directory = string_of(unit, DW_AT_comp_dir);
	dwfl_module_info(module, &data, NULL, NULL, NULL, NULL, &file, &debug);
	search = *data;
	return name && !search->root && is_safe_beside(file, name) &&
	       is_safe_beside(debug, name) &&
	       (!directory || is_safe(join(directory, (int)strlen(directory), name)));
}
