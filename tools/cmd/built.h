/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out why the module of the installed packages is not there for a kernel.
 */
#ifndef PROFIL_BUILT_H
#define PROFIL_BUILT_H

#include <stddef.h>

/** enum built - what the files of a machine say about a kernel and the module */
enum built {
	BUILT_UNKNOWN,	/* no source for dkms, and no module */
	BUILT_NOT,	/* dkms has the source, and has not built it for this kernel */
	BUILT_UNTRUSTED,	/* installed; Secure Boot does not know the key of its signature */
	BUILT_INSTALLED,	/* installed for this kernel */
};

/**
 * built_find - find out whether the module is installed for a kernel, and if not, why
 * @root:    put in front of every path that is read; "" for the machine
 * @release: of the kernel, as from uname(2)
 * @text:    the finding with its remedy, a clause for a message, always terminated. Cut if it is
 *           too long; empty for BUILT_UNKNOWN
 * @size:    of @text in bytes, not 0
 *
 * Reads files only, each up to a fixed size. A file that cannot be read gives no reason, as if it
 * did not exist. Needs no privileges.
 */
enum built built_find(const char *root, const char *release, char *text, size_t size);

#endif /* PROFIL_BUILT_H */
