/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_TIMER_H
#define PROFIL_TIMER_H

#include <stddef.h>

/*
 * Count by a timer's signal from now on, at 100 Hz of the CPU time of all threads, with the arguments of
 * profil_glibc(); or, with a buf of NULL, stop, and give the program its signal and timer back. No
 * thread writes to the earlier buffer after the return. May be called by signal handlers. In a child
 * of vfork(), nothing is done.
 */
void profil_timer_count(unsigned short *buf, size_t bufsiz, size_t offset, unsigned int scale);

/* In a forked child: the threads that were counting are not there. */
void profil_timer_forked(void);

#endif /* PROFIL_TIMER_H */
