/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_OBJECTS_H
#define PROFIL_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

#include "run.h"

#define PROFIL_NO_OBJECT	SIZE_MAX	/* as an index */

/**
 * struct profil_object - an executable segment in this process
 * @start:    first pc
 * @end:      first pc behind it
 * @bias:     what was added to the link-time addresses at load
 * @build_id: of the file as it was loaded
 * @build_id_bytes: 0: it has none
 * @path:     of the file; "[vdso]" for the kernel's
 */
struct profil_object {
	uint64_t start;
	uint64_t end;
	uint64_t bias;
	uint8_t build_id[PROFIL_RUN_BUILD_ID];
	uint32_t build_id_bytes;
	char path[PROFIL_RUN_PATH];
};

/* How many counters an object has, the last perhaps for less text than the others. */
static inline uint64_t profil_object_counters(const struct profil_object *object)
{
	return (object->end - object->start + PROFIL_RUN_TEXT_BYTES - 1) /
	       PROFIL_RUN_TEXT_BYTES;
}

/*
 * All executable segments of the program and its libraries as they are now, sorted by
 * start, in *objects, which the caller frees. *program: index of the program's own, the
 * first of them; or PROFIL_NO_OBJECT. Return: their number, or -ENOMEM.
 */
long profil_objects_list(struct profil_object **objects, size_t *program);

#endif /* PROFIL_OBJECTS_H */
