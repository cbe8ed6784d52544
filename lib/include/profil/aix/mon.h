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
 * p_scale: as profil()'s Scale; -1: as p_bufsize is to the range
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
 * with BufferSize -1
 */
extern void profil(void *Buffer, unsigned int BufferSize, unsigned long Offset,
		   unsigned int Scale) __asm__("profil_aix");

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_AIX_MON_H */
