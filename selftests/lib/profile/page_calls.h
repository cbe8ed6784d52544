/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plain profil() of each library libprofil-DIALECT with one prototype, like the functions of
 * <profil.h> in dialect_calls.h. libprofil/Makefile renames them, since a program can have
 * only one profil(). If the page's types have 32 bits, the upper halves of registers are undefined:
 * a caller that was compiled with the page's declaration may leave anything there. These calls put
 * garbage there.
 */
#ifndef SELFTESTS_PAGE_CALLS_H
#define SELFTESTS_PAGE_CALLS_H

#include <errno.h>

#include "profile/dialect_calls.h"

void page_solaris(void *buff, unsigned long bufsiz, unsigned long offset, unsigned long scale);
int page_bsd(void *samples, unsigned long size, unsigned long offset, unsigned long scale);
int page_linux099(void *buf, unsigned long bufsiz, unsigned long offset, unsigned long scale);
void page_osf1(void *short_buffer, unsigned long buffer_size, unsigned long offset,
	       unsigned long scale);
void page_svid(void *buff, unsigned long bufsiz, unsigned long offset, unsigned long scale);
void page_aix(void *buffer, unsigned long size, unsigned long offset, unsigned long scale);

/* Shifted twice, since an unsigned long has only 32 bits in a 32-bit program */
static inline unsigned long with_garbage(unsigned long value)
{
	return value | 0xdeadbeefUL << 16 << 16;
}

#define WITH_GARBAGE	with_garbage(bytes), with_garbage(offset), with_garbage(scale)

DIALECT_CALL(page_call_solaris, (page_solaris(buf, WITH_GARBAGE), 0))
DIALECT_CALL(page_call_bsd, page_bsd(buf, WITH_GARBAGE))
DIALECT_CALL(page_call_linux099, page_linux099(buf, WITH_GARBAGE))
DIALECT_CALL(page_call_osf1, (page_osf1(buf, WITH_GARBAGE), 0))
DIALECT_CALL(page_call_svid, (page_svid(buf, WITH_GARBAGE), 0))

/* The page of AIX declares the offset as unsigned long. */
DIALECT_CALL(page_call_aix, (page_aix(buf, with_garbage(bytes), offset, with_garbage(scale)), 0))

#endif /* SELFTESTS_PAGE_CALLS_H */
