// SPDX-License-Identifier: GPL-2.0-only
/*
 * A library for follow.c to load, which loads another by a name that it knows no way to:
 * who loaded this one does.
 */
#include <dlfcn.h>

typedef void spin_function(unsigned long rounds);

spin_function spin_loaded;

void spin_loaded(unsigned long rounds)
{
	static spin_function *spin;
	void *library;

	if (!spin) {
		library = dlopen("libasked.so", RTLD_NOW);
		if (library)
			*(void **)&spin = dlsym(library, "spin_asked");
	}
	if (spin)
		spin(rounds);
}
