/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sprofil(): sprofil(3). For C libraries without this header, such as musl; it agrees with that of
 * the GNU C library.
 */
#ifndef PROFIL_SYS_PROFIL_H
#define PROFIL_SYS_PROFIL_H

#include <stddef.h>
#include <sys/time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A region: its buffer, the buffer's size in bytes, the lowest pc, and 65536 for 1 to 1 */
struct prof {
	void *pr_base;
	size_t pr_size;
	size_t pr_off;
	unsigned long pr_scale;
};

/* Flags: the size of a counter; PROF_FAST has no effect */
enum {
	PROF_USHORT = 0,
	PROF_UINT = 1,
	PROF_FAST = 2,
};

int sprofil(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags);

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_SYS_PROFIL_H */
