/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_OBJECTS_H
#define PROFIL_OBJECTS_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct profil_object - an executable segment in this process
 * @start: first pc
 * @end:   first pc behind it
 * @bias:  what was added to the link-time addresses at load
 * @path:  of the file; "[vdso]" for the kernel's
 */
struct profil_object {
	uint64_t start;
	uint64_t end;
	uint64_t bias;
	char path[PATH_MAX];
};

/*
 * All executable segments of the program and its libraries as they are now,
 * sorted by start, in *objects, which the caller frees. Return: their number,
 * or -ENOMEM.
 */
long profil_objects_list(struct profil_object **objects);

#endif /* PROFIL_OBJECTS_H */
