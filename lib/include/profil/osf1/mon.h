/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* <mon.h> of a program written for OSF/1: monitor() and others, in libprofil-osf1. */
#ifndef PROFIL_OSF1_MON_H
#define PROFIL_OSF1_MON_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * monitor(3), OSF/1: profile the text from lowpc to below highpc in a buffer of bufsiz bytes.
 * lowpc 0: end, and write mon.out. The form with lowpc -1 and struct monitor_args is missing:
 * an empty range, EINVAL. Not taken from the page: the buffer has nfunc call counts of two
 * longs each, then 16-bit counters; it is not cleared; and a function that fails returns -1
 * with errno, after a line on stderr.
 */
extern int monitor(char *lowpc, char *highpc, char *buffer, size_t bufsiz, size_t nfunc);

/* The same, in a buffer that it allocates. */
extern int monstartup(char *lowpc, char *highpc);

/* Stop (0) or resume sampling and counting. Return: 1 if they were on before, else 0; -1. */
extern int moncontrol(int mode);

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_OSF1_MON_H */
