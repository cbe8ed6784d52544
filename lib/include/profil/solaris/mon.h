/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* <mon.h> of a program written for OpenSolaris: monitor(), which libprofil-solaris defines. */
#ifndef PROFIL_SOLARIS_MON_H
#define PROFIL_SOLARIS_MON_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Header of mon.out and of monitor()'s buffer: the range, and the number of call counts that
 * follow. Addresses in the file are those of the linker, without the load offset.
 */
struct hdr {
	char *lpc;
	char *hpc;
	size_t nfns;
};

/* Call count: an address in the function, and the number of calls */
struct cnt {
	char *fnpc;
	long mcnt;
};

typedef unsigned short WORD;	/* a counter of the histogram */

/* Used only by programs: file name, and buffer sizes of the system's own start-up code */
#define MON_OUT	"mon.out"
#define MPROGS0	(150 * sizeof(WORD))
#define MSCALE0	4

/*
 * monitor(3C), illumos: profile the text from lowpc to below highpc. buffer has bufsize WORDs:
 * struct hdr, nfunc struct cnt, then counters, which are not cleared. If lowpc is NULL, stop, and
 * write mon.out. Errors are printed on stderr and set errno.
 */
extern void monitor(int (*lowpc)(void), int (*highpc)(void), WORD *buffer, size_t bufsize,
		    size_t nfunc);

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_SOLARIS_MON_H */
