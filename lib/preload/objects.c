// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What code this process has: the dynamic linker's list.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdbool.h>
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
	uint64_t program;	/* its first pc; 0: it has not been listed yet */
};

/* Notes are made of three words, a name and what it is about, each padded to words. */
static size_t padded(size_t bytes)
{
	return (bytes + 3) & ~(size_t)3;
}

static void find_build_id(struct profil_object *object, const char *note, size_t bytes)
{
	while (bytes >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *head = (const void *)note;
		size_t name = padded(head->n_namesz), whole;

		if (name > bytes || head->n_descsz > bytes)
			return;
		whole = sizeof(*head) + name + padded(head->n_descsz);
		if (whole > bytes)
			return;
		if (head->n_type == NT_GNU_BUILD_ID && head->n_namesz == 4 &&
		    !memcmp(note + sizeof(*head), "GNU", 4) &&
		    head->n_descsz <= sizeof(object->build_id)) {
			memcpy(object->build_id, note + sizeof(*head) + name,
			       head->n_descsz);
			object->build_id_bytes = head->n_descsz;
			return;
		}
		note += whole;
		bytes -= whole;
	}
}

/* Whether a part of the file is in memory: not every note is. */
static bool is_loaded(const struct dl_phdr_info *info, const ElfW(Phdr) *part)
{
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) &&
		    part->p_vaddr >= segment->p_vaddr &&
		    part->p_memsz <= segment->p_filesz &&
		    part->p_vaddr - segment->p_vaddr <=
		    segment->p_filesz - part->p_memsz)
			return true;
	}
	return false;
}

static void read_build_id(struct profil_object *object, const struct dl_phdr_info *info)
{
	int i;

	for (i = 0; i < info->dlpi_phnum && !object->build_id_bytes; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_NOTE && is_loaded(info, part))
			find_build_id(object, (const char *)(info->dlpi_addr + part->p_vaddr),
				      part->p_memsz);
	}
}

/* (the C library's functions for that have other names in newer ones: run/libc.h) */
static uint64_t read_hex(const char **text)
{
	uint64_t number = 0;

	for (;; ++*text)
		if (**text >= '0' && **text <= '9')
			number = number << 4 | (uint64_t)(**text - '0');
		else if (**text >= 'a' && **text <= 'f')
			number = number << 4 | (uint64_t)(**text - 'a' + 10);
		else
			return number;
}

/* Whether a line of /proc/self/maps is about the mapping with this address in it. */
static bool is_mapping_of(const char *line, uint64_t address)
{
	uint64_t start = read_hex(&line);

	return *line++ == '-' && start <= address && address < read_hex(&line);
}

/* The file that is mapped at this address, by the kernel's list; "" if it tells none. */
static void name_by_address(char *path, size_t size, uint64_t address)
{
	char line[PROFIL_RUN_PATH + 128];
	FILE *maps = fopen("/proc/self/maps", "re");
	const char *name;

	path[0] = 0;
	while (maps && fgets(line, sizeof(line), maps)) {
		if (!is_mapping_of(line, address))
			continue;
		name = strchr(line, '/');
		if (name)
			snprintf(path, size, "%.*s", (int)strcspn(name, "\n"), name);
		break;
	}
	if (maps)
		fclose(maps);
}

static void name_object(struct profil_object *object, const struct dl_phdr_info *info,
			bool is_program)
{
	ssize_t length;

	if (is_program && !getauxval(AT_BASE)) {
		/* the kernel was told to execute the dynamic linker, which loaded it */
		name_by_address(object->path, sizeof(object->path), object->start);
	} else if (is_program) {
		/* it has no name there */
		length = readlink("/proc/self/exe", object->path,
				  sizeof(object->path) - 1);
		object->path[length < 0 ? 0 : length] = 0;
	} else if (info->dlpi_addr == getauxval(AT_SYSINFO_EHDR)) {
		strcpy(object->path, "[vdso]");
	} else {
		snprintf(object->path, sizeof(object->path), "%s",
			 info->dlpi_name);
	}
}

static struct profil_object *add_object(struct list *list)
{
	if (list->nr == list->room) {
		size_t room = list->room ? 2 * list->room : 16;
		void *more = reallocarray(list->objects, room,
					  sizeof(*list->objects));

		if (!more)
			return NULL;
		list->objects = more;
		list->room = room;
	}
	memset(&list->objects[list->nr], 0, sizeof(*list->objects));
	return &list->objects[list->nr++];
}

static int add_segments(struct dl_phdr_info *info, size_t size, void *data)
{
	struct list *list = data;
	/* the program comes first */
	bool is_program = !list->nr && !info->dlpi_name[0];
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		struct profil_object *object;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) ||
		    !segment->p_memsz)
			continue;
		object = add_object(list);
		if (!object)
			return -ENOMEM;
		object->bias = info->dlpi_addr;
		object->start = info->dlpi_addr + segment->p_vaddr;
		object->end = object->start + segment->p_memsz;
		name_object(object, info, is_program);
		read_build_id(object, info);
		if (is_program && !list->program)
			list->program = object->start;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct profil_object *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

long profil_objects_list(struct profil_object **objects, size_t *program)
{
	struct list list = { 0 };
	int error = dl_iterate_phdr(add_segments, &list);
	size_t i;

	if (error) {
		free(list.objects);
		return error;
	}
	qsort(list.objects, list.nr, sizeof(*list.objects), compare);
	*program = PROFIL_NO_OBJECT;
	for (i = 0; i < list.nr; i++)
		if (list.objects[i].start == list.program)
			*program = i;
	*objects = list.objects;
	return (long)list.nr;
}
