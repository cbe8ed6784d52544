/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_BASE_NAME_H
#define PROFIL_BASE_NAME_H

#include <string.h>

/*
 * The last component of a path. Return: the text after the last slash; @path if it ends with a
 * slash, for which GNU's basename(3) returns an empty string.
 */
static inline const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

#endif /* PROFIL_BASE_NAME_H */
