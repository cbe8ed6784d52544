/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps files open that processes have mapped, until the names of their code are stored in the
 * result. So a program that is removed or built again during the run has names.
 */
#ifndef PROFIL_HELD_FILES_H
#define PROFIL_HELD_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most files that are kept open; fewer if this process may have few descriptors */
#define KEPT_MAX	128

struct file;

/**
 * struct held_file - a file that is kept open
 */
struct held_file {
	const struct file *file;
	int fd;
};

/**
 * struct held_files - files that are kept open: the newest ones
 * @files:     the files, in a ring
 * @nr:        number of files
 * @next:      index of the next one in @files, where the oldest one may be
 * @max:       the most files
 * @mounts:    IDs of the mounts that this process keeps busy anyway
 * @nr_mounts: number of mounts
 */
struct held_files {
	struct held_file files[KEPT_MAX];
	size_t nr;
	size_t next;
	size_t max;
	uint64_t mounts[2];
	size_t nr_mounts;
};

/* Begin without files. */
void held_files_init(struct held_files *kept);

/**
 * held_files_release - close all files
 * @kept: from held_files_init(); set to zero, so that no further file is kept
 */
void held_files_release(struct held_files *kept);

/**
 * held_files_add - keep a file open, or close it
 * @file: the file; must outlive @kept
 * @fd:   its descriptor, which belongs to @kept from here on
 * @is_internal: it is on a mount of the kernel, which nobody can unmount: a memfd
 *
 * A file whose open descriptor could be noticed is closed: one on another mount than this
 * process's root and current directory, which could not be unmounted, or on a network file
 * system, where a removed file would stay in its directory. If there are too many files, the
 * oldest one is closed.
 */
void held_files_add(struct held_files *kept, const struct file *file, int fd, bool is_internal);

#endif /* PROFIL_HELD_FILES_H */
