/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that tests make to execute them: scripts, and copies of the test program.
 */
#ifndef SELFTESTS_EXECUTABLE_H
#define SELFTESTS_EXECUTABLE_H

#include <sys/stat.h>
#include <sys/statvfs.h>

#include "common.h"

/*
 * Makes a directory that all users can search, where programs can be executed and set-user-ID
 * works. Returns 0 or -1.
 */
int make_directory(char *dir, size_t bytes);

/* Returns 0 or -1. */
int make_file(const char *path, const char *text, size_t bytes, mode_t mode);

/* Copies this program. Returns 0 or another number. */
int copy_program(const char *path);

#endif /* SELFTESTS_EXECUTABLE_H */
