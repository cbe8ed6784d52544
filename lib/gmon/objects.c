// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The program and the shared objects whose samples and calls are recorded. A shared object is added
 * at the first call of one of its functions that was compiled with -pg, so that others cost
 * nothing. It keeps its place when it is unloaded. If the same file is loaded again, its counters
 * continue, wherever it is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>

#include "gmon/memory.h"
#include "gmon/objects.h"
#include "text.h"

#define TEXT_BYTES	((uintptr_t)PROFIL_GMON_TEXT_BYTES)

static size_t counters_of(size_t bytes)
{
	return (bytes + TEXT_BYTES - 1) / TEXT_BYTES;
}

size_t profil_gmon_objects_memory(size_t bytes)
{
	/* a cache line for the alignment of each part */
	return counters_of(bytes) * sizeof(uint32_t) + 128 +
	       profil_gmon_arcs_slots(bytes) * sizeof(struct profil_gmon_arc);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Get counters and arcs for @bytes of text. Return: 0 or -ENOMEM. */
static int take_memory(struct profil_gmon_object *object, size_t bytes)
{
	object->nr = counters_of(bytes);
	object->arcs.nr = profil_gmon_arcs_slots(bytes);
	object->counts = profil_gmon_memory_take(object->nr * sizeof(*object->counts));
	object->arcs.slots =
		profil_gmon_memory_take(object->arcs.nr * sizeof(*object->arcs.slots));
	if (object->counts && object->arcs.slots)
		return 0;
	object->counts = NULL;
	object->arcs.nr = 0;
	return -ENOMEM;
}

/* Make it visible to mcount(), its size last. */
static void set_place(struct profil_gmon_object *object, uintptr_t start, size_t bytes,
		      uintptr_t bias)
{
	object->bias = bias;
	atomic_store(&object->start, start);
	atomic_store(&object->bytes, bytes);
}

/* Get the load offset of the first object, which is the program itself. */
static int get_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uintptr_t *)bias = info->dlpi_addr;
	return 1;
}

int profil_gmon_objects_add_program(struct profil_gmon_profile *profile, uintptr_t low,
				    uintptr_t high)
{
	/* as in the C library, so that each counter is for the same text */
	uintptr_t start = low / TEXT_BYTES * TEXT_BYTES, bias = 0;
	struct profil_gmon_object *object = &profile->objects[0];

	if (take_memory(object, high - start))
		return -ENOMEM; /* GCOV_EXCL_LINE: mapped for it */
	dl_iterate_phdr(get_bias, &bias);
	object->identity.low = start - bias;
	set_place(object, start, object->nr * TEXT_BYTES, bias);
	atomic_store(&profile->nr, 1);
	return 0;
}

static const ElfW(Dyn) *dynamic_of(const struct dl_phdr_info *info)
{
	size_t i;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			return (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	return NULL;
}

static int find_in(struct dl_phdr_info *info, size_t size, void *data)
{
	struct profil_gmon_loaded *loaded = data;
	const ElfW(Dyn) *dynamic;
	size_t i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) ||
		    loaded->pc - (info->dlpi_addr + segment->p_vaddr) >= segment->p_memsz)
			continue;
		loaded->start = info->dlpi_addr + segment->p_vaddr;
		loaded->bytes = segment->p_memsz;
		loaded->bias = info->dlpi_addr;
		loaded->path = info->dlpi_name;
		loaded->init = 0;
		for (dynamic = dynamic_of(info); dynamic && dynamic->d_tag != DT_NULL; dynamic++)
			if (dynamic->d_tag == DT_INIT)
				loaded->init = dynamic->d_un.d_ptr;
		return 1;
	}
	return 0;
}

bool profil_gmon_objects_find(struct profil_gmon_loaded *loaded)
{
	return dl_iterate_phdr(find_in, loaded);
}

static struct profil_gmon_identity identify(const struct profil_gmon_loaded *loaded)
{
	struct profil_gmon_identity identity = { .low = loaded->start - loaded->bias };
	struct stat stat_;

	if (!stat(loaded->path, &stat_)) {
		identity.device = stat_.st_dev;
		identity.inode = stat_.st_ino;
		identity.changed = stat_.st_mtime;
	}
	return identity;
}

static bool same_file(const struct profil_gmon_identity *a, const struct profil_gmon_identity *b)
{
	return a->device == b->device && a->inode == b->inode && a->changed == b->changed &&
	       a->low == b->low;
}

/* Name the last object; if another one has this name, with a number. */
static void set_name(struct profil_gmon_profile *profile, size_t nr, const char *name)
{
	struct profil_gmon_object *object = &profile->objects[nr];
	char digits[PROFIL_DIGITS];
	size_t i;

	profil_text_append(object->name, sizeof(object->name), name);
	for (i = 1; i < nr && strcmp(profile->objects[i].name, object->name); i++)
		;
	if (i == nr)
		return;
	profil_text_append(object->name, sizeof(object->name), ".");
	profil_text_append(object->name, sizeof(object->name),
			   profil_text_number(digits, nr, 10));
}

struct profil_gmon_object *
profil_gmon_objects_add(struct profil_gmon_profile *profile,
			const struct profil_gmon_loaded *loaded)
{
	const struct profil_gmon_identity identity = identify(loaded);
	const size_t nr = atomic_load(&profile->nr);
	const char *name = last_part(loaded->path);
	struct profil_gmon_object *object;
	size_t i;

	for (i = 1; i < nr; i++) {
		object = &profile->objects[i];
		if (object->bytes || !same_file(&object->identity, &identity) ||
		    (object->counts && object->nr != counters_of(loaded->bytes)))
			continue;
		set_place(object, loaded->start, loaded->bytes, loaded->bias);
		return object;
	}
	if (nr == PROFIL_GMON_OBJECTS) {
		profil_text_print("libprofil: gmon.out: ", name,
				  " and later shared objects are not recorded: there are too many");
		atomic_store(&profile->full, true);
		return NULL;
	}
	object = &profile->objects[nr];
	object->identity = identity;
	object->outside = loaded->init ? loaded->init : identity.low | 1;
	if (*name) {
		set_name(profile, nr, name);
		if (take_memory(object, loaded->bytes))
			profil_text_print("libprofil: gmon.out: ", name,
					  " is not recorded: the text of all shared objects is too long");
	}
	set_place(object, loaded->start, loaded->bytes, loaded->bias);
	atomic_store(&profile->nr, nr + 1);
	return object;
}

struct noting {
	const struct profil_gmon_profile *profile;
	struct profil_gmon_present *present;
};

static int note_present(struct dl_phdr_info *info, size_t size, void *data)
{
	const struct noting *noting = data;
	size_t i;

	(void)size;
	for (i = 1; i < noting->present->nr; i++)
		if (noting->profile->objects[i].bias == info->dlpi_addr)
			noting->present->seen[i] = true;
	return 0;
}

void profil_gmon_objects_note_present(const struct profil_gmon_profile *profile,
				      struct profil_gmon_present *present)
{
	struct noting noting = { profile, present };

	*present = (struct profil_gmon_present){ .nr = atomic_load(&profile->nr) };
	dl_iterate_phdr(note_present, &noting);
}

bool profil_gmon_objects_drop_absent(struct profil_gmon_profile *profile,
				     const struct profil_gmon_present *present)
{
	bool dropped = false;
	size_t i;

	for (i = 1; i < present->nr; i++) {
		if (present->seen[i] || !profile->objects[i].bytes)
			continue;
		atomic_store(&profile->objects[i].bytes, 0);
		dropped |= profile->objects[i].counts != NULL;
	}
	return dropped;
}

void profil_gmon_objects_add_fallback(struct profil_gmon_profile *profile)
{
	struct profil_gmon_object *program = &profile->objects[0];
	size_t i;

	for (i = 0; profile->fallback && i < program->nr; i++)
		program->counts[i] += profile->fallback[i];
	profile->fallback = NULL;
}
