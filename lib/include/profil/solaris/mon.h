/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* <mon.h> of a program written for OpenSolaris: monitor(), in libprofil-solaris. */
#ifndef PROFIL_SOLARIS_MON_H
#define PROFIL_SOLARIS_MON_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What a mon.out file begins with, and the buffer of monitor(): the range, and the number of
 * call counts that follow. Addresses in the file are the linker's.
 */
struct hdr {
	char *lpc;
	char *hpc;
	size_t nfns;
};

/* How often a function has been called. fnpc is an address in the function. */
struct cnt {
	char *fnpc;
	long mcnt;
};

typedef unsigned short WORD;	/* a counter of the histogram */

#define MON_OUT	"mon.out"
#define MPROGS0	(150 * sizeof(WORD))
#define MSCALE0	4

/*
 * monitor(3C), illumos: profile the text from lowpc to below highpc in a buffer of bufsize
 * WORDs: struct hdr, nfunc struct cnt, counters. lowpc NULL: end, and write the file. Errors
 * are told on stderr, with errno.
 */
extern void monitor(int (*lowpc)(void), int (*highpc)(void), WORD *buffer, size_t bufsize,
		    size_t nfunc);

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_SOLARIS_MON_H */
