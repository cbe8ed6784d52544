/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_GMON_OBJECTS_H
#define PROFIL_GMON_OBJECTS_H

#include "gmon/object.h"

/* Memory for the counters and arcs of an object with @bytes of text. */
size_t profil_gmon_objects_memory(size_t bytes);

/* Add the program, whose text is from @low to @high. Return: 0 or -ENOMEM. */
int profil_gmon_objects_add_program(struct profil_gmon_profile *profile, uintptr_t low,
				    uintptr_t high);

/* A loaded object */
struct profil_gmon_loaded {
	uintptr_t pc;		/* in it */
	uintptr_t start;	/* of its text */
	size_t bytes;
	uintptr_t bias;
	uintptr_t init;		/* link-time address of _init(), or 0 */
	const char *path;	/* empty: the program */
};

/* Find the loaded object that contains loaded->pc. Return: whether there is one. */
bool profil_gmon_objects_find(struct profil_gmon_loaded *loaded);

/*
 * Add a shared object, or note that it is loaded again. The program and what there is no memory for
 * are passed over from now on. Return: the object; NULL: there is no room for another.
 */
struct profil_gmon_object *
profil_gmon_objects_add(struct profil_gmon_profile *profile,
			const struct profil_gmon_loaded *loaded);

/* Which objects are loaded */
struct profil_gmon_present {
	size_t nr;	/* of objects then */
	bool seen[PROFIL_GMON_OBJECTS];
};

void profil_gmon_objects_note_present(const struct profil_gmon_profile *profile,
				      struct profil_gmon_present *present);

/* Note that the others are no longer loaded. Return: whether there is one with counters. */
bool profil_gmon_objects_drop_absent(struct profil_gmon_profile *profile,
				     const struct profil_gmon_present *present);

/* Add the counts of the timer. */
void profil_gmon_objects_add_fallback(struct profil_gmon_profile *profile);

#endif /* PROFIL_GMON_OBJECTS_H */
