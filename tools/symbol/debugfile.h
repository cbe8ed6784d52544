/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the debug file of an object, if its debug information is in a separate file.
 */
#ifndef PROFIL_DEBUGFILE_H
#define PROFIL_DEBUGFILE_H

#include <stdbool.h>

#include <elfutils/libdwfl.h>

/**
 * struct debugfile - a search for a debug file
 * @dwfl:   the Dwfl of the object
 * @path:   path of the object
 * @root:   root directory; NULL: /
 * @has_debug_info: a debug file was found, and it has debug information, readable or not
 * @problem: why elfutils cannot read that debug information; NULL: unknown
 * @lacks_shared: part of the debug information is in a file that several debug files share
 *          (DWZ), and that file was not found below @root
 */
struct debugfile {
	Dwfl *dwfl;
	const char *path;
	const char *root;
	Elf *main;
	bool has_debug_info;
	const char *problem;
	bool lacks_shared;
};

/**
 * debugfile_open - open the debug file with a build-id
 * @search: @dwfl, @path and @root are used
 * @name:   set to the path of the debug file, to be freed with free()
 *
 * It is searched below @root, and on debuginfod servers if that is allowed. So the debug file of
 * an object is found that no longer exists.
 *
 * Return: a descriptor, or -1.
 */
int debugfile_open(const struct debugfile *search, const unsigned char *id, size_t bytes,
		   char **name);

/*
 * Callbacks with which elfutils searches. The user data of each module must be a struct debugfile.
 * Return: an argument for dwfl_begin().
 */
const Dwfl_Callbacks *debugfile_callbacks(void);

#endif /* PROFIL_DEBUGFILE_H */
