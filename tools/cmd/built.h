/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out why the module of the installed packages is not there for the kernel that runs.
 */
#ifndef PROFIL_BUILT_H
#define PROFIL_BUILT_H

#include <stddef.h>

/** enum built - what the programs of a machine say about its kernel and the module */
enum built {
	BUILT_UNKNOWN,	/* dkms does not have the source, and there is no module */
	BUILT_NOT,	/* dkms has the source, and has not built it for this kernel */
	BUILT_UNTRUSTED,	/* installed; Secure Boot does not know the key of its signature */
	BUILT_INSTALLED,	/* installed for this kernel */
};

/**
 * built_find - find out whether the module is installed for the kernel, and if not, why
 * @release: of the kernel, as from uname(2)
 * @text:    the finding with its remedy, a clause for a message, always terminated. Cut if it is
 *           too long; empty for BUILT_UNKNOWN
 * @size:    of @text in bytes, not 0
 *
 * Needs no privileges. A program that is not installed gives no reason.
 */
enum built built_find(const char *release, char *text, size_t size);

/*
 * Write why the device cannot be opened, if that is because the module of the installed packages is
 * not there. @error: -errno of opening it, or 0; @why: stays as it is for other reasons
 */
void built_explain(int error, char *why, size_t size);

#endif /* PROFIL_BUILT_H */
