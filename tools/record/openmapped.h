/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_OPENMAPPED_H
#define PROFIL_OPENMAPPED_H

#include <stdbool.h>

#include "record/files.h"

/**
 * openmapped_open - open a file that a process has mapped
 * @by_path:   also try its path, which otherwise names no file
 * @is_device: set if something else than a regular file is there
 *
 * Another file that is at the path now is not opened, as far as @key can tell.
 *
 * Return: a descriptor; -1: it cannot be read.
 */
int openmapped_open(const struct file_key *key, const struct file_use *use, bool by_path,
		    bool *is_device);

/*
 * Find the path of an open file. Return: its path in this process's view, without " (deleted)", to
 * be freed with free(); NULL: unknown.
 */
char *openmapped_path(int fd);

/* Remove the " (deleted)" that the kernel appends to the path of a removed file. */
void openmapped_strip(char *path);

#endif /* PROFIL_OPENMAPPED_H */
