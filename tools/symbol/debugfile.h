/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a file's debug information is, if it is in a file of its own.
 */
#ifndef PROFIL_DEBUGFILE_H
#define PROFIL_DEBUGFILE_H

#include <stdbool.h>

#include <elfutils/libdwfl.h>

/**
 * struct debugfile - how to search for a file's debug information
 * @dwfl:   the session
 * @path:   the file's path
 * @root:   the directory that stands for /; NULL: / itself
 * @main:   the file
 * @lacks_shared: its debug information is in part in a file that several share, and that was
 *          not found with a root
 */
struct debugfile {
	Dwfl *dwfl;
	const char *path;
	const char *root;
	Elf *main;
	bool lacks_shared;
};

/**
 * debugfile_callbacks - what elfutils searches by
 * @root: the directory that stands for /; NULL: / itself
 *
 * The user data of each module is a struct debugfile.
 *
 * Return: for dwfl_begin().
 */
const Dwfl_Callbacks *debugfile_callbacks(const char *root);

#endif /* PROFIL_DEBUGFILE_H */
