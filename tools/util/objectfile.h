/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that code was loaded from: opening one that may be anything by now, and
 * the build-id that tells whether it is the same.
 */
#ifndef PROFIL_OBJECTFILE_H
#define PROFIL_OBJECTFILE_H

#include <stddef.h>

#include <libelf.h>

/**
 * objectfile_open - open a file to read it
 * @path:    its path
 * @problem: if it cannot be opened, why, in words
 *
 * Only regular files are: a damaged path may name a pipe, and wait.
 *
 * Return: a descriptor, or -1 with errno.
 */
int objectfile_open(const char *path, const char **problem);

/**
 * objectfile_open_below - open a file below a root
 * @root:    the directory that stands for /; NULL: / itself
 * @path:    as the program's machine had it; below a root, a relative one is one from there
 * @problem: if it cannot be opened, why, in words
 *
 * Symbolic links and .. in @path do not leave @root: they mean what they mean to a process
 * that has it as its root directory.
 *
 * Return: as objectfile_open().
 */
int objectfile_open_below(const char *root, const char *path, const char **problem);

/**
 * objectfile_build_id - the build-id of an open ELF file
 * @elf:  may be anything
 * @id:   gets it
 * @room: of @id in bytes; a longer one is none
 *
 * Return: its length in bytes; 0: it has none.
 */
size_t objectfile_build_id(Elf *elf, unsigned char *id, size_t room);

#endif /* PROFIL_OBJECTFILE_H */
