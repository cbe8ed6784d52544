/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * <mon.h> of a program written for AIX: profil() and its structure; monitor() and others,
 * in libprofil-aix.
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

/* A count of monitor(): an address in the function, and how often it has been called */
struct poutcnt {
	char *fnpc;
	long mcnt;
};

/* A range of pcs for monstartup(), as in struct prof */
struct frag {
	char *p_low;
	char *p_high;
};

#define _PROF_TYPE_IS_P		(-1)	/* mon.out */
#define _PROF_TYPE_IS_PG	1	/* gmon.out, which these functions do not write */
#define _PROF_TYPE_IS_NONE	0

/* What the functions below do: nothing, unless the program was linked with -p or sets it */
struct monglobal {
	int prof_type;
};

extern struct monglobal _mondata;

/*
 * monitor subroutine, AIX Technical Reference, in its three forms:
 *
 *	monitor(char *LowProgramCounter, char *HighProgramCounter, HISTCOUNTER *Buffer,
 *		int BufferSize, int NFunction)
 *	monitor(NotZeroA, DoNotCareA, struct prof *Buffer, -1, int NFunction)
 *	monitor((caddr_t)0)
 *
 * They profile the range, in a buffer of BufferSize counters, of which NFunction struct
 * poutcnt come first; profile from the first range of an array to the last, in a buffer of
 * the library's own, so that those of the array stay as they are; and end, and write mon.out.
 * Return: 0, or -1 with errno after a line on stderr.
 */
extern int monitor(char *LowProgramCounter, ...);

/*
 * monstartup subroutine: the same in a buffer that it allocates. LowProgramCounter -1: of a
 * struct frag[] that ends with p_high 0, from the first to the last; or of the program
 * itself, if HighProgramCounter is 0.
 */
extern int monstartup(char *LowProgramCounter, char *HighProgramCounter);

/*
 * moncontrol subroutine: stop (0) or resume sampling and counting. Return: 1 if they were on
 * before, else 0; -1 with errno if profil() failed.
 */
extern int moncontrol(int Mode);

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_AIX_MON_H */
