// SPDX-License-Identifier: GPL-2.0-only
/*
 * A library for follow.c, which loads libinner.so by name. Only the RPATH of libouter.so, which
 * needs this library, resolves that name.
 */
#include <dlfcn.h>

typedef void spin_function(unsigned long rounds);

spin_function spin_loaded;

void spin_loaded(unsigned long rounds)
{
	static spin_function *spin;
	void *library;

	if (!spin) {
		library = dlopen("libinner.so", RTLD_NOW);
		if (library)
			*(void **)&spin = dlsym(library, "spin_inner");
	}
	if (spin)
		spin(rounds);
}
