// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Plain profil(): calls the function of the dialect that the program or its user selected.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/*
 * Without <unistd.h>, which declares buf as never NULL: the compiler would remove checks for NULL.
 */
#define PROFIL_DIALECT_HEADERS
#include "dialect/glibc.h"
#include "ioctl.h"
#include "profil.h"
#include "text.h"

int profil(unsigned short *buf, size_t bufsiz, size_t offset,
	   unsigned int scale);

/*
 * A program compiled with a manual page's declaration passes an offset of 32 bits, and leaves the
 * upper half of the register undefined; one compiled with the C library's passes 64 bits.
 * profil() cannot distinguish them. But if the program is not a PIE, 32 bits hold any address of
 * it; if it is a PIE, they hold none.
 */
static unsigned long offset_as_declared(size_t offset)
{
	return getauxval(AT_ENTRY) <= UINT32_MAX ? (uint32_t)offset : offset;
}

/*
 * Adapters from profil()'s arguments to those that a program compiled for the dialect passes. All
 * except the offset are truncated to 32 bits.
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

/* The page of AIX declares the offset as unsigned long. */
static int call_aix(unsigned short *buf, size_t bufsiz, size_t offset,
		    unsigned int scale)
{
	return profil_aix(buf, (unsigned int)bufsiz, offset, scale);
}

static int call_svid(unsigned short *buf, size_t bufsiz, size_t offset,
		     unsigned int scale)
{
	return profil_svid(buf, (unsigned int)bufsiz, offset_as_declared(offset), scale);
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
	{ "svid", call_svid },
	{ "glibc", profil_glibc },
};

static const struct dialect *_Atomic selected;

/* Return: NULL if the name is unknown, after a line on stderr that lists the valid ones. */
static const struct dialect *find(const char *name)
{
	char names[80] = "";
	size_t i;

	for (i = 0; i < sizeof(dialects) / sizeof(*dialects); i++)
		if (!strcmp(name, dialects[i].name))
			return &dialects[i];
	for (i = 0; i < sizeof(dialects) / sizeof(*dialects); i++) {
		profil_text_append(names, sizeof(names), " ");
		profil_text_append(names, sizeof(names), dialects[i].name);
	}
	profil_text_print("libprofil: ", name,
			  " is not a dialect of profil() (EINVAL); choose one of:", names,
			  " (PROFIL_DIALECT)");
	return NULL;
}

/* Return: the dialect in use; NULL if PROFIL_DIALECT is invalid. */
static const struct dialect *current_dialect(void)
{
	const struct dialect *dialect = atomic_load(&selected), *none = NULL;
	const char *name;

	if (dialect)
		return dialect;
	name = secure_getenv("PROFIL_DIALECT");
	dialect = find(name ? name : "glibc");
	/* another thread may have selected one since: the exchange stores that one in @none */
	if (dialect && !atomic_compare_exchange_strong(&selected, &none, dialect))
		return none; /* GCOV_EXCL_LINE: a race of two threads */
	return dialect;
}

/* See profil-dialects(7). */
const char *profil_dialect(const char *name)
{
	const struct dialect *dialect = name ? find(name) : current_dialect();

	if (!dialect) {
		errno = EINVAL;
		return NULL;
	}
	if (name)
		atomic_store(&selected, dialect);
	return dialect->name;
}

/* See profil-dialects(7). */
int profil(unsigned short *buf, size_t bufsiz, size_t offset,
	   unsigned int scale)
{
	const struct dialect *dialect = current_dialect();

	if (!dialect)
		return profil_ioctl_return(-EINVAL);
	return dialect->call(buf, bufsiz, offset, scale);
}
