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
 * @root:   the directory that stands for /; NULL: / itself
 * @main:   the file
 * @lacks_shared: its debug information is in part in a file that several share, and that was
 *          not found below the root
 */
struct debugfile {
	const char *root;
	Elf *main;
	bool lacks_shared;
};

/**
 * debugfile_callbacks - what elfutils searches by
 *
 * For dwfl_begin(). The user data of each module is a struct debugfile.
 */
extern const Dwfl_Callbacks debugfile_callbacks;

#endif /* PROFIL_DEBUGFILE_H */
