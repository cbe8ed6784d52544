/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_GLIBC_H
#define PROFIL_GLIBC_H

#include <stddef.h>

/* profil() in the default dialect. */
int profil_glibc(unsigned short *buf, size_t bufsiz, size_t offset,
		 unsigned int scale);

#endif /* PROFIL_GLIBC_H */
