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

static inline int page_call_solaris(void *buf, size_t bytes, unsigned long offset,
				    unsigned int scale)
{
	page_solaris(buf, with_garbage(bytes), with_garbage(offset), with_garbage(scale));
	return 0;
}

static inline int page_call_bsd(void *buf, size_t bytes, unsigned long offset, unsigned int scale)
{
	return page_bsd(buf, with_garbage(bytes), with_garbage(offset), with_garbage(scale));
}

static inline int page_call_linux099(void *buf, size_t bytes, unsigned long offset,
				     unsigned int scale)
{
	return page_linux099(buf, with_garbage(bytes), with_garbage(offset), with_garbage(scale));
}

static inline int page_call_osf1(void *buf, size_t bytes, unsigned long offset, unsigned int scale)
{
	page_osf1(buf, with_garbage(bytes), with_garbage(offset), with_garbage(scale));
	return 0;
}

/* The page of AIX declares the offset as unsigned long. */
static inline int page_call_aix(void *buf, size_t bytes, unsigned long offset, unsigned int scale)
{
	page_aix(buf, with_garbage(bytes), offset, with_garbage(scale));
	return 0;
}

static inline int page_call_svid(void *buf, size_t bytes, unsigned long offset, unsigned int scale)
{
	page_svid(buf, with_garbage(bytes), with_garbage(offset), with_garbage(scale));
	return 0;
}

#endif /* SELFTESTS_PAGE_CALLS_H */
