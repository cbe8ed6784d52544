/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_GMON_H
#define PROFIL_GMON_H

#include "gmon/object.h"

/*
 * The functions that programs compiled with -pg call, in place of those of the C library, which
 * does not always declare them. gcrt1.o calls the first; programs, by the name monstartup(), too.
 * They can be called from any thread; a second start has no effect.
 */
void __monstartup(unsigned long low, unsigned long high);
void monstartup(unsigned long low, unsigned long high);
void moncontrol(int mode);
void _mcleanup(void);

/* The process is about to end by _exit(): if there is a companion, let it write the files. */
void profil_gmon_exit(void);

/* An object was unloaded: do not count for what is loaded there later. */
void profil_gmon_unloaded(void);

/* Where mcount() counts; NULL: it does not. */
extern _Atomic(struct profil_gmon_profile *) profil_gmon_recording;

/*
 * A function of an unknown object, which contains @pc, was called: record that object, if it is a
 * shared object. Return: the object; NULL: pass over this call. Preserves errno.
 */
struct profil_gmon_object *profil_gmon_meet(struct profil_gmon_profile *profile, uintptr_t pc);

#endif /* PROFIL_GMON_H */
