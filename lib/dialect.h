/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_DIALECT_H
#define PROFIL_DIALECT_H

#include <stddef.h>

/* What plain profil() is where no other dialect has been chosen. */
int profil_glibc(unsigned short *buf, size_t bufsiz, size_t offset,
		 unsigned int scale);

#endif /* PROFIL_DIALECT_H */
