/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* <mon.h> of a program written for OSF/1: monitor(3), which libprofil-osf1 defines. */
#ifndef PROFIL_OSF1_MON_H
#define PROFIL_OSF1_MON_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * monitor(3), OSF/1: profile the text from lowpc to below highpc in a buffer of bufsiz bytes; if
 * lowpc is 0, stop, and write mon.out. The form with lowpc -1 and struct monitor_args is not
 * supported: it fails with EINVAL, as does an empty range. The page does not specify the
 * following: the buffer has nfunc call counts of two longs each, then 16-bit counters; it is not
 * cleared; the return value is 0, or -1 with errno and a line on stderr.
 */
extern int monitor(char *lowpc, char *highpc, char *buffer, size_t bufsiz, size_t nfunc);

/* The same with a buffer of the library, which is cleared. */
extern int monstartup(char *lowpc, char *highpc);

/*
 * Pause (0) or resume sampling and call counting. Return: 1 if they were on before, else 0; -1
 * with errno if profil() failed.
 */
extern int moncontrol(int mode);

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_OSF1_MON_H */
