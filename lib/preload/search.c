// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The dynamic linker takes for the caller of dlopen() who calls it, which is us now. That
 * changes where it looks for a library if the true caller has a list of its own for that
 * (RUNPATH, RPATH), or who loaded that has (RPATH), or it speaks of its own place ($ORIGIN):
 * then we look there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libc.h"
#include "search.h"

/* The directories in which the object finds libraries, in their order; NULL: no memory. */
static Dl_serinfo *directories(struct link_map *object)
{
	Dl_serinfo sizes, *list;

	if (dlinfo(object, RTLD_DI_SERINFOSIZE, &sizes))
		return NULL;
	list = malloc(sizes.dls_size);
	if (list && !dlinfo(object, RTLD_DI_SERINFOSIZE, list) &&
	    !dlinfo(object, RTLD_DI_SERINFO, list))
		return list;
	free(list);
	return NULL;
}

/*
 * How many of them are the object's own: those at the end are everybody's. There the
 * dynamic linker looks into its cache first, which is not in the list, so that is left to it.
 */
static unsigned int nr_own(const Dl_serinfo *list, const Dl_serinfo *ours)
{
	unsigned int nr = list->dls_cnt, other = ours->dls_cnt;

	while (nr && other && !strcmp(list->dls_serpath[nr - 1].dls_name,
				      ours->dls_serpath[other - 1].dls_name)) {
		nr--;
		other--;
	}
	return nr;
}

static bool search(struct link_map *object, struct link_map *us, const char *name,
		   char *path, size_t size)
{
	Dl_serinfo *list = directories(object), *ours = directories(us);
	unsigned int nr = list && ours ? nr_own(list, ours) : 0, i;
	bool found = false;

	for (i = 0; i < nr && !found; i++)
		found = snprintf(path, size, "%s/%s", list->dls_serpath[i].dls_name,
				 name) < (int)size &&
			!access(path, R_OK);
	free(ours);
	free(list);
	return found;
}

/* With the directory of the object in place of its first $ORIGIN or ${ORIGIN}. */
static bool expand(struct link_map *object, const char *name, char *path, size_t size)
{
	static const char *const words[] = { "$ORIGIN", "${ORIGIN}" };
	char origin[PATH_MAX];
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *word = strstr(name, words[i]);

		if (word && !dlinfo(object, RTLD_DI_ORIGIN, origin))
			return snprintf(path, size, "%.*s%s%s", (int)(word - name), name,
					origin, word + strlen(words[i])) < (int)size;
	}
	return false;
}

/* Return: whether path is where the caller would find it. */
static bool find(const void *caller, const char *name, char *path, size_t size)
{
	struct link_map *object, *us;
	Dl_info info;

	/* (in this C library the link map is what dlopen() gives for a handle) */
	if (!profil_is_for_libc() ||
	    !dladdr1(caller, &info, (void **)&object, RTLD_DL_LINKMAP) ||
	    !dladdr1(nr_own, &info, (void **)&us, RTLD_DL_LINKMAP))
		return false;
	if (strchr(name, '/'))
		return expand(object, name, path, size);
	return search(object, us, name, path, size);
}

void *profil_search_open(void *(*next)(const char *name, int mode), const void *caller,
			 const char *name, int mode)
{
	char path[PATH_MAX];
	void *handle = NULL;

	if (!name || !name[0])
		return next(name, mode);
	/* one that is there already is found by its name alone */
	if (!strchr(name, '/'))
		handle = next(name, mode | RTLD_NOLOAD);
	if (!handle && find(caller, name, path, sizeof(path)))
		handle = next(path, mode);
	/* if that was none, the dynamic linker goes on to look for one that is */
	return handle ? handle : next(name, mode);
}
