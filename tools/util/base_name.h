/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_BASE_NAME_H
#define PROFIL_BASE_NAME_H

#include <string.h>

/**
 * base_name - a path without its directory
 * @path: in question
 *
 * Return: what is behind the last slash; all of it where that is nothing, which
 * basename(3) has as an empty name.
 */
static inline const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

#endif /* PROFIL_BASE_NAME_H */
