/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The profil() of each dialect with one prototype, for tables of functions.
 */
#ifndef SELFTESTS_DIALECT_CALLS_H
#define SELFTESTS_DIALECT_CALLS_H

#include <unistd.h>

#include "profil.h"

typedef int dialect_call(void *buf, size_t bytes, unsigned long offset, unsigned int scale);

static inline int call_solaris(void *buf, size_t bytes, unsigned long offset, unsigned int scale)
{
	return profil_solaris(buf, bytes, offset, scale);
}

static inline int call_bsd(void *buf, size_t bytes, unsigned long offset, unsigned int scale)
{
	return profil_bsd(buf, bytes, offset, scale);
}

static inline int call_linux099(void *buf, size_t bytes, unsigned long offset, unsigned int scale)
{
	return profil_linux099(buf, (int)bytes, offset, (int)scale);
}

static inline int call_osf1(void *buf, size_t bytes, unsigned long offset, unsigned int scale)
{
	return profil_osf1(buf, bytes, offset, scale);
}

static inline int call_aix(void *buf, size_t bytes, unsigned long offset, unsigned int scale)
{
	return profil_aix(buf, (unsigned int)bytes, offset, scale);
}

static inline int call_svid(void *buf, size_t bytes, unsigned long offset, unsigned int scale)
{
	return profil_svid(buf, bytes, offset, scale);
}

static inline int call_glibc(void *buf, size_t bytes, unsigned long offset, unsigned int scale)
{
	return profil(buf, bytes, offset, scale);
}

#endif /* SELFTESTS_DIALECT_CALLS_H */
