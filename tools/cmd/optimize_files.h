/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of profil optimize. Each function exits if a file cannot be used.
 */
#ifndef PROFIL_OPTIMIZE_FILES_H
#define PROFIL_OPTIMIZE_FILES_H

#include <stdbool.h>

/**
 * optimize_find_program - find the program of a command, of which a copy can be made
 * @name:              the command, which is found as execvp(3) does
 * @needs_relocations: whether BOLT makes the copy
 *
 * Return: its absolute path without symbolic links, to be freed with free().
 */
char *optimize_find_program(const char *name, bool needs_relocations);

/**
 * optimize_absolute_path - find the absolute path of a new file, in a directory that exists
 * @path: its path
 *
 * Return: the absolute path, to be freed with free().
 */
char *optimize_absolute_path(const char *path);

/**
 * optimize_check_new - check that a file can be written, and is none of those that are read
 * @path:    its path
 * @program: path of the program
 * @profile: path of the result; NULL: none
 */
void optimize_check_new(const char *path, const char *program, const char *profile);

#endif /* PROFIL_OPTIMIZE_FILES_H */
