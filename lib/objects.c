// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What code this process has: the dynamic linker's list.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "objects.h"

struct list {
	struct profil_object *objects;
	size_t nr;
	size_t room;
};

static void name_object(struct profil_object *object,
			const struct dl_phdr_info *info)
{
	ssize_t length;

	if (info->dlpi_addr == getauxval(AT_SYSINFO_EHDR)) {
		strcpy(object->path, "[vdso]");
	} else if (info->dlpi_name[0]) {
		snprintf(object->path, sizeof(object->path), "%s",
			 info->dlpi_name);
	} else {
		/* the program itself has no name there */
		length = readlink("/proc/self/exe", object->path,
				  sizeof(object->path) - 1);
		object->path[length < 0 ? 0 : length] = 0;
	}
}

static int add_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct list *list = data;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		struct profil_object *object;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) ||
		    !segment->p_memsz)
			continue;
		if (list->nr == list->room) {
			size_t room = list->room ? 2 * list->room : 16;
			void *more = reallocarray(list->objects, room,
						  sizeof(*object));

			if (!more)
				return -ENOMEM;
			list->objects = more;
			list->room = room;
		}
		object = &list->objects[list->nr++];
		object->bias = info->dlpi_addr;
		object->start = info->dlpi_addr + segment->p_vaddr;
		object->end = object->start + segment->p_memsz;
		name_object(object, info);
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct profil_object *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

long profil_objects_list(struct profil_object **objects)
{
	struct list list = { 0 };
	int error = dl_iterate_phdr(add_object, &list);

	if (error) {
		free(list.objects);
		return error;
	}
	qsort(list.objects, list.nr, sizeof(*list.objects), compare);
	*objects = list.objects;
	return (long)list.nr;
}
