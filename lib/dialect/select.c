// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What plain profil() means: one of the dialects, by the program's or its user's
 * choice.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/*
 * profil() is defined without <unistd.h>, which declares that buf is never NULL: the
 * compiler would drop the test for it.
 */
#define PROFIL_DIALECT_HEADERS
#include "ioctl.h"
#include "dialect/glibc.h"
#include "profil.h"

int profil(unsigned short *buf, size_t bufsiz, size_t offset,
	   unsigned int scale);

/*
 * A program that was compiled with a page's declaration passes an offset of 32 bits, and
 * leaves the upper half of its register undefined. One that was compiled with the C
 * library's passes 64 bits. Which of the two it is, profil() cannot see. But 32 bits reach
 * all of a program that is not a PIE, and nothing of one that is.
 */
static unsigned long offset_as_declared(size_t offset)
{
	return getauxval(AT_ENTRY) <= UINT32_MAX ? (uint32_t)offset : offset;
}

/*
 * Each with the arguments of profil(), as a program compiled for it passes them. All of
 * them but the offset have 32 bits: no buffer needs more.
 */
static int call_solaris(unsigned short *buf, size_t bufsiz, size_t offset,
			unsigned int scale)
{
	return profil_solaris(buf, (unsigned int)bufsiz, offset_as_declared(offset), scale);
}

static int call_linux099(unsigned short *buf, size_t bufsiz, size_t offset,
			 unsigned int scale)
{
	return profil_linux099((char *)buf, (int)bufsiz, offset_as_declared(offset),
			       (int)scale);
}

static int call_bsd(unsigned short *buf, size_t bufsiz, size_t offset,
		    unsigned int scale)
{
	return profil_bsd((char *)buf, (unsigned int)bufsiz, offset_as_declared(offset),
			  scale);
}

static int call_osf1(unsigned short *buf, size_t bufsiz, size_t offset,
		     unsigned int scale)
{
	return profil_osf1((short *)buf, (unsigned int)bufsiz, offset_as_declared(offset),
			   scale);
}

/* Its page has an unsigned long for the offset. */
static int call_aix(unsigned short *buf, size_t bufsiz, size_t offset,
		    unsigned int scale)
{
	return profil_aix(buf, (unsigned int)bufsiz, offset, scale);
}

static const struct dialect {
	const char *name;
	int (*call)(unsigned short *buf, size_t bufsiz, size_t offset,
		    unsigned int scale);
} dialects[] = {
	{ "solaris", call_solaris },
	{ "bsd", call_bsd },
	{ "linux099", call_linux099 },
	{ "osf1", call_osf1 },
	{ "aix", call_aix },
	{ "glibc", profil_glibc },
};

static const struct dialect *_Atomic chosen;

/* NULL: there is none of this name, and a line on stderr says which there are. */
static const struct dialect *find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(dialects) / sizeof(*dialects); i++)
		if (!strcmp(name, dialects[i].name))
			return &dialects[i];
	fprintf(stderr, "libprofil: %s is no dialect of profil(); these are:",
		name);
	for (i = 0; i < sizeof(dialects) / sizeof(*dialects); i++)
		fprintf(stderr, " %s", dialects[i].name);
	fprintf(stderr, " (PROFIL_DIALECT)\n");
	return NULL;
}

/* The one in force; NULL: PROFIL_DIALECT is none. */
static const struct dialect *current_dialect(void)
{
	const struct dialect *dialect = atomic_load(&chosen), *none = NULL;
	const char *name;

	if (dialect)
		return dialect;
	name = secure_getenv("PROFIL_DIALECT");
	dialect = find(name ? name : "glibc");
	/* another thread may have chosen meanwhile: @none is that one then */
	if (dialect && !atomic_compare_exchange_strong(&chosen, &none, dialect))
		return none;
	return dialect;
}

/* As documented in profil.h. */
const char *profil_dialect(const char *name)
{
	const struct dialect *dialect = name ? find(name) : current_dialect();

	if (!dialect) {
		errno = EINVAL;
		return NULL;
	}
	if (name)
		atomic_store(&chosen, dialect);
	return dialect->name;
}

/* As documented in profil.h. */
int profil(unsigned short *buf, size_t bufsiz, size_t offset,
	   unsigned int scale)
{
	const struct dialect *dialect = current_dialect();

	if (!dialect)
		return profil_ioctl_return(-EINVAL);
	return dialect->call(buf, bufsiz, offset, scale);
}
