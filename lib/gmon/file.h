/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_GMON_FILE_H
#define PROFIL_GMON_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Text per counter in bytes, as in the GNU C library */
#define PROFIL_GMON_TEXT_BYTES	4

/**
 * struct profil_gmon_histogram - samples of a program's text
 * @low:    link-time address of the first counter's text
 * @counts: counters
 * @nr:     number of counters
 * @rate:   samples per second of CPU time
 */
struct profil_gmon_histogram {
	uintptr_t low;
	const uint32_t *counts;
	size_t nr;
	uint32_t rate;
};

/*
 * Replace the histogram in a gmon.out file; the other records stay. fd: open for reading and
 * writing. Return: 0; -EBADMSG: not a gmon.out file, and unchanged; or another -errno: the file
 * may be incomplete.
 */
int profil_gmon_file_replace(int fd, const struct profil_gmon_histogram *histogram);

#endif /* PROFIL_GMON_FILE_H */
