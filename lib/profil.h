/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libprofil: profil(2) with the kernel's sampling.
 */
#ifndef PROFIL_H
#define PROFIL_H

#include <stddef.h>
#include <unistd.h>	/* the C library's own declaration of profil() */

#ifdef __cplusplus
extern "C" {
#endif

#ifndef __THROW
#define __THROW
#endif

/**
 * profil() - count where the process spends its CPU time
 * @buf:    16-bit counters; NULL turns profiling off (but <unistd.h> declares that
 *          it is never NULL: use @scale)
 * @bufsiz: their size in bytes
 * @offset: lowest pc that is counted
 * @scale:  0x10000 gives one counter for each 2 bytes of text, 0x8000 for each
 *          4, and so on; 0 turns profiling off
 *
 * The prototype and the rule are the GNU C library's: at every 100th of a
 * second of CPU time, user and system, of any thread, counter number
 * ((pc - offset) / 2) * scale / 65536 goes up by one, if it lies within bufsiz.
 * It wraps at 65535. A second call replaces the first in one step.
 *
 * Unlike there, no signal and no timer of the program is used, scale 0 is off
 * (there, it sends all to counter 0), and a forked child goes on being counted,
 * in its own copy of the buffer.
 *
 * Environment:
 *   PROFIL_RATE=HZ       samples per second of CPU time, instead of 100
 *   PROFIL_FALLBACK=     what to do where /dev/profil cannot be opened: "warn"
 *                        (default) uses the C library's profil() and says so on
 *                        stderr, once; "quiet" does not say so; "fatal" makes
 *                        it an error of the call
 *
 * Return: 0, or -1 with errno, and an earlier profile goes on:
 *   EFAULT      the process cannot write all of the buffer
 *   EINVAL      @buf is odd; PROFIL_RATE is no number, or more than the kernel
 *               offers
 *   ENOMEM      the buffer would exceed RLIMIT_MEMLOCK
 *   ENOSPC      the user has as many profiles as the administrator lets him have
 *   EOPNOTSUPP  the buffer is in a shared mapping of a file on disk, or a device
 *   as open(2)  with PROFIL_FALLBACK=fatal
 */
int profil(unsigned short *buf, size_t bufsiz, size_t offset,
	   unsigned int scale) __THROW;

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_H */
