/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * <mon.h> of a program written for AIX: profil() and its structure.
 */
#ifndef PROFIL_AIX_MON_H
#define PROFIL_AIX_MON_H

#include <sys/types.h>
#include <unistd.h>	/* ours, lest the C library's profil() is declared later */

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned short HISTCOUNTER;

/*
 * p_low, p_high: range of pcs, the second excluded; in an array, p_high ascends, and
 *	is 0 in the element behind the last
 * p_buff, p_bufsize: its counters, and their size in bytes
 * p_scale: as profil()'s Scale; -1: the largest at which each pc of the range has a counter
 */
struct prof {
	char *p_low;		/* caddr_t, as AIX has it, which strict C has not */
	char *p_high;
	HISTCOUNTER *p_buff;
	int p_bufsize;
	unsigned int p_scale;
};

/*
 * profil subroutine, AIX Technical Reference: of HISTCOUNTER[], or of struct prof[]
 * with BufferSize -1. Source that declares it too is compiled with PROFIL_PAGE_TYPES.
 */
#ifndef PROFIL_PAGE_TYPES
extern void profil(void *Buffer, unsigned int BufferSize, unsigned long Offset,
		   unsigned int Scale) __asm__("profil_aix");
#elif defined(__cplusplus)
/* In libprofil-aix: what the page calls ShortBuffer, and what it calls ProfBuffer */
extern void profil(HISTCOUNTER *ShortBuffer, unsigned int BufferSize,
		   unsigned long Offset, unsigned int Scale);
}
extern void profil(struct prof *ProfBuffer, unsigned int BufferSize,
		   unsigned long Offset, unsigned int Scale);
extern "C" {
#else
/* In libprofil-aix. Without types, as the page's two forms differ in them */
extern void profil();
#endif

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_AIX_MON_H */
