/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens files that code was loaded from. Since then, another file of any type may have replaced
 * them. The build-id shows whether a file is still the same.
 */
#ifndef PROFIL_OBJECTFILE_H
#define PROFIL_OBJECTFILE_H

#include <stdbool.h>
#include <stddef.h>

#include <libelf.h>

/*
 * Open a regular file for reading; others are refused, as opening or reading a pipe could block.
 * Return: a descriptor, or -1 with errno and @problem.
 */
int objectfile_open(const char *path, const char **problem);

/**
 * objectfile_open_below - open a regular file below a root directory
 * @root:    the root directory; NULL: /
 * @path:    path on the machine that the program ran on; relative paths start at @root
 * @problem: on error, set to the reason
 *
 * Symbolic links and .. in @path are resolved within @root, as after chroot(2).
 *
 * Return: a descriptor, or -1 with errno.
 */
int objectfile_open_below(const char *root, const char *path, const char **problem);

/* Whether a file is an ELF file, and not a compressed one. */
bool objectfile_is_elf(int fd);

/*
 * Read the build-id of an ELF file; one that has no room is ignored. Return: its length in bytes;
 * 0: none.
 */
size_t objectfile_build_id(Elf *elf, unsigned char *id, size_t room);

#endif /* PROFIL_OBJECTFILE_H */
