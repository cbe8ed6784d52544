// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The dynamic linker takes for the caller of dlopen() who calls it, which is us now. That
 * changes where it looks for a library if the true caller has a list of its own for that
 * (RUNPATH, RPATH), or speaks of its own place ($ORIGIN): then we look there.
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

static bool has_own_path(const struct link_map *object)
{
	const ElfW(Dyn) *entry;

	for (entry = object->l_ld; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_RPATH || entry->d_tag == DT_RUNPATH)
			return true;
	return false;
}

/* In the directories, of all in their order, where the object would find it. */
static bool search(struct link_map *object, const char *name, char *path, size_t size)
{
	Dl_serinfo sizes, *list;
	bool found = false;
	unsigned int i;

	if (dlinfo(object, RTLD_DI_SERINFOSIZE, &sizes))
		return false;
	list = malloc(sizes.dls_size);
	if (!list)
		return false;
	if (!dlinfo(object, RTLD_DI_SERINFOSIZE, list) &&
	    !dlinfo(object, RTLD_DI_SERINFO, list))
		for (i = 0; i < list->dls_cnt && !found; i++)
			found = snprintf(path, size, "%s/%s",
					 list->dls_serpath[i].dls_name,
					 name) < (int)size &&
				!access(path, R_OK);
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
	struct link_map *object;
	Dl_info info;

	/* (in this C library the link map is what dlopen() gives for a handle) */
	if (!profil_is_for_libc() ||
	    !dladdr1(caller, &info, (void **)&object, RTLD_DL_LINKMAP))
		return false;
	if (strchr(name, '/'))
		return expand(object, name, path, size);
	return has_own_path(object) && search(object, name, path, size);
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
