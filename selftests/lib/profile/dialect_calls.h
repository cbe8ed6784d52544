/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The profil() of each dialect with one prototype, for tables of functions.
 */
#ifndef SELFTESTS_DIALECT_CALLS_H
#define SELFTESTS_DIALECT_CALLS_H

#include <unistd.h>

#include "profil.h"

typedef int dialect_call(void *buf, size_t bytes, unsigned long offset, unsigned int scale);

#define DIALECT_CALL(name, ...)								\
	static inline int name(void *buf, size_t bytes, unsigned long offset,		\
			       unsigned int scale)					\
	{										\
		return __VA_ARGS__;							\
	}

DIALECT_CALL(call_solaris, profil_solaris(buf, bytes, offset, scale))
DIALECT_CALL(call_bsd, profil_bsd(buf, bytes, offset, scale))
DIALECT_CALL(call_linux099, profil_linux099(buf, (int)bytes, offset, (int)scale))
DIALECT_CALL(call_osf1, profil_osf1(buf, bytes, offset, scale))
DIALECT_CALL(call_aix, profil_aix(buf, (unsigned int)bytes, offset, scale))
DIALECT_CALL(call_svid, profil_svid(buf, bytes, offset, scale))
DIALECT_CALL(call_glibc, profil(buf, bytes, offset, scale))

#endif /* SELFTESTS_DIALECT_CALLS_H */
