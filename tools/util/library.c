// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads a library, and finds what is used of it.
 */
#include <dlfcn.h>

#include "util/library.h"

bool library_load(const char *soname, const struct library_symbol *symbols, size_t nr,
		  const char **missing)
{
	void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
	size_t i;

	*missing = NULL;
	if (!library)
		return false;
	for (i = 0; i < nr; i++) {
		*symbols[i].address = dlsym(library, symbols[i].name);
		if (!*symbols[i].address) {
			*missing = symbols[i].name;
			return false;
		}
	}
	return true;
}
