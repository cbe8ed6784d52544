/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * <mon.h> of a program written for AIX: profil() and struct prof; monitor(), monstartup() and
 * moncontrol(), which libprofil-aix defines.
 */
#ifndef PROFIL_AIX_MON_H
#define PROFIL_AIX_MON_H

#include <sys/types.h>
#include <unistd.h>	/* of this directory, before the C library's declares its profil() */

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned short HISTCOUNTER;

/*
 * p_low, p_high: range of pcs from p_low to below p_high; in an array, p_high ascends, and is 0
 *	in the element after the last
 * p_buff, p_bufsize: counters, and their size in bytes
 * p_scale: as Scale of profil(); -1: the largest scale at which each pc of the range has a
 *	counter
 */
struct prof {
	char *p_low;		/* caddr_t on AIX, which strict C does not declare */
	char *p_high;
	HISTCOUNTER *p_buff;
	int p_bufsize;
	unsigned int p_scale;
};

/*
 * profil subroutine, AIX Technical Reference: Buffer is an array of HISTCOUNTER, or, with
 * BufferSize -1, of struct prof. Compile source that also declares it with PROFIL_PAGE_TYPES.
 */
#ifndef PROFIL_PAGE_TYPES
extern void profil(void *Buffer, unsigned int BufferSize, unsigned long Offset,
		   unsigned int Scale) __asm__("profil_aix");
#elif defined(__cplusplus)
/* In libprofil-aix: the manual page's two forms */
extern void profil(HISTCOUNTER *ShortBuffer, unsigned int BufferSize,
		   unsigned long Offset, unsigned int Scale);
}
extern void profil(struct prof *ProfBuffer, unsigned int BufferSize,
		   unsigned long Offset, unsigned int Scale);
extern "C" {
#else
/* In libprofil-aix; without parameter types, since they differ in the page's two forms */
extern void profil();
#endif

/* Call count of monitor(): an address in the function, and the number of calls */
struct poutcnt {
	char *fnpc;
	long mcnt;
};

/* A range of pcs for monstartup(), see struct prof */
struct frag {
	char *p_low;
	char *p_high;
};

#define _PROF_TYPE_IS_P		(-1)	/* mon.out */
#define _PROF_TYPE_IS_PG	1	/* gmon.out; not supported */
#define _PROF_TYPE_IS_NONE	0

/*
 * monitor() and monstartup() fail with EINVAL unless this is _PROF_TYPE_IS_P. In programs linked
 * with -p, it is set before main().
 */
struct monglobal {
	int prof_type;
};

extern struct monglobal _mondata;

/*
 * monitor subroutine, AIX Technical Reference. Its three forms:
 *
 *	monitor(char *LowProgramCounter, char *HighProgramCounter, HISTCOUNTER *Buffer,
 *		int BufferSize, int NFunction)
 *	monitor(NotZeroA, DoNotCareA, struct prof *Buffer, -1, int NFunction)
 *	monitor((caddr_t)0)
 *
 * First form: profile the range. Buffer has room for BufferSize HISTCOUNTERs: it begins with
 * NFunction struct poutcnt, and counters follow. Second form: profile from the start of the
 * array's first range to the end of its last, in a buffer of the library; the array's buffers are
 * not used. Third form: stop, and write mon.out. Return: 0, or -1 with errno and a line on
 * stderr.
 */
extern int monitor(char *LowProgramCounter, ...);

/*
 * monstartup subroutine: the same with a buffer of the library. If LowProgramCounter is -1,
 * HighProgramCounter points to an array of struct frag, which ends with p_high 0: profile from the
 * start of the first range to the end of the last. If it is NULL, profile the whole text of the
 * program.
 */
extern int monstartup(char *LowProgramCounter, char *HighProgramCounter);

/*
 * moncontrol subroutine: pause (Mode 0) or resume sampling and call counting. Return: 1 if they
 * were on before, else 0; -1 with errno if profil() failed.
 */
extern int moncontrol(int Mode);

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_AIX_MON_H */
