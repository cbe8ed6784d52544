/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_INTERNED_H
#define PROFIL_INTERNED_H

#include <stddef.h>

/**
 * struct interned - a set of texts
 */
struct interned {
	void *tree;
};

/**
 * interned_text - find or make the only copy of a text
 * @interned: zeroed before the first call; must be released with interned_release()
 * @text:     the text; need not be terminated by a 0
 * @length:   its length in bytes
 *
 * Return: the copy, terminated by a 0, valid until the release: equal texts have equal addresses;
 * NULL: no memory.
 */
const char *interned_text(struct interned *interned, const char *text, size_t length);

/**
 * interned_path - find or make the only copy of a path
 * @directory: the directory that @file is relative to; NULL: none
 *
 * Return: as interned_text().
 */
const char *interned_path(struct interned *interned, const char *directory, const char *file);

/* Free all texts. */
void interned_release(struct interned *interned);

#endif /* PROFIL_INTERNED_H */
