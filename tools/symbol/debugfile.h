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
 * @main:   the object
 * @lacks_shared: part of the debug information is in a file that several debug files share
 *          (DWZ), and that file was not found below @root
 */
struct debugfile {
	Dwfl *dwfl;
	const char *path;
	const char *root;
	Elf *main;
	bool lacks_shared;
};

/**
 * debugfile_callbacks - callbacks with which elfutils searches
 * @root: root directory; NULL: /
 *
 * The user data of each module must be a struct debugfile.
 *
 * Return: an argument for dwfl_begin().
 */
const Dwfl_Callbacks *debugfile_callbacks(const char *root);

#endif /* PROFIL_DEBUGFILE_H */
