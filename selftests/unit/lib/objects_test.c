// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of loaded code, from dl_iterate_phdr(): also from lists that no dynamic linker makes,
 * since the notes are read from the profiled program's memory and may be damaged.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "lib/preload/objects.h"
#include "support/test.h"

#define MAX_SEGMENTS	100

/* The loaded objects; if the first has no name, it is the program */
static struct loaded {
	const char *name;
	uint64_t bias;
	ElfW(Phdr) segments[MAX_SEGMENTS];
	ElfW(Half) nr;
} loaded[2];
static size_t nr_loaded;

/* Replaces the dynamic linker's */
int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *info, size_t size, void *data),
		    void *data)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < nr_loaded; i++) {
		struct dl_phdr_info info = {
			.dlpi_addr = loaded[i].bias,
			.dlpi_name = loaded[i].name,
			.dlpi_phdr = loaded[i].segments,
			.dlpi_phnum = loaded[i].nr,
		};

		error = callback(&info, sizeof(info), data);
	}
	return error;
}

/* Whether the dynamic linker was executed with the program as its argument */
static bool by_linker;

/* Replaces the C library's */
unsigned long getauxval(unsigned long type)
{
	static __typeof__(&getauxval) next;

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "getauxval");
	return by_linker && type == AT_BASE ? 0 : next(type);
}

static struct profil_object *objects;
static size_t program;

static size_t list(void)
{
	long nr;

	free(objects);
	objects = NULL;
	nr = profil_objects_list(&objects, &program);
	assert_true(nr >= 0);
	return (size_t)nr;
}

static int begin(void **state)
{
	(void)state;
	nr_loaded = 0;
	by_linker = false;
	memset(loaded, 0, sizeof(loaded));
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(objects);
	objects = NULL;
	return 0;
}

static struct loaded *load(const char *name, uint64_t bias)
{
	struct loaded *new = &loaded[nr_loaded++];

	new->name = name;
	new->bias = bias;
	return new;
}

static void add_segment(struct loaded *to, ElfW(Word) type, ElfW(Word) flags, uint64_t at,
			uint64_t bytes)
{
	to->segments[to->nr++] = (ElfW(Phdr)){
		.p_type = type, .p_flags = flags, .p_vaddr = at,
		.p_memsz = bytes, .p_filesz = bytes,
	};
}

static void program_and_library(void **state)
{
	struct loaded *executable = load("", 0x7000000), *library = load("/lib/one", 0x1000000);

	(void)state;
	add_segment(executable, PT_LOAD, PF_R, 0, 0x1000);
	add_segment(executable, PT_LOAD, PF_R | PF_X, 0x1000, 0x200);
	add_segment(executable, PT_LOAD, PF_R | PF_X, 0x2000, 0x200);
	add_segment(library, PT_LOAD, PF_R | PF_X, 0x3000, 0x100);
	/* a second executable segment, and an empty one */
	add_segment(library, PT_LOAD, PF_X, 0, 0x80);
	add_segment(library, PT_LOAD, PF_X, 0x5000, 0);
	assert_int_equal(list(), 4);
	assert_int_equal(objects[0].start, 0x1000000);
	assert_int_equal(objects[0].end, 0x1000080);
	assert_int_equal(objects[1].start, 0x1003000);
	assert_int_equal(objects[1].end, 0x1003100);
	assert_int_equal(objects[1].bias, 0x1000000);
	assert_string_equal(objects[1].path, "/lib/one");
	assert_int_equal(objects[2].start, 0x7001000);
	assert_int_equal(program, 2);
	/* the name of the program comes from the kernel */
	assert_non_null(strstr(objects[2].path, "/objects_test"));
	assert_string_equal(objects[3].path, objects[2].path);
}

/* For the kernel, the dynamic linker is the program: the name is that of the mapped file. */
static void program_started_by_linker(void **state)
{
	const uint64_t in_libc = (uintptr_t)dlsym(RTLD_NEXT, "qsort");
	struct loaded *executable = load("", in_libc);

	(void)state;
	add_segment(executable, PT_LOAD, PF_R | PF_X, 0, 0x10);
	assert_int_equal(list(), 1);
	assert_non_null(strstr(objects[0].path, "/objects_test"));
	by_linker = true;
	assert_int_equal(list(), 1);
	assert_int_equal(program, 0);
	assert_int_equal(objects[0].path[0], '/');
	assert_non_null(strstr(objects[0].path, "/libc"));
	assert_null(strchr(objects[0].path, '\n'));
	/* a library keeps its name */
	add_segment(load("/lib/one", 0), PT_LOAD, PF_X, in_libc, 0x10);
	assert_int_equal(list(), 2);
	assert_string_equal(objects[1].path, "/lib/one");
	/* no name: the stack is not mapped from a file; an unmapped address */
	executable->bias = (uintptr_t)&state;
	nr_loaded = 1;
	assert_int_equal(list(), 1);
	assert_string_equal(objects[0].path, "");
	executable->bias = 1;
	assert_int_equal(list(), 1);
	assert_string_equal(objects[0].path, "");
}

/* Only the first object can be the program. */
static void nameless_library(void **state)
{
	(void)state;
	add_segment(load("/lib/one", 0), PT_LOAD, PF_X, 0x1000, 0x100);
	add_segment(load("", 0), PT_LOAD, PF_X, 0x2000, 0x100);
	assert_int_equal(list(), 2);
	assert_int_equal(program, PROFIL_NO_OBJECT);
	assert_string_equal(objects[1].path, "");
}

/* The vDSO has no file; some dynamic linkers give it a name. */
static void vdso(void **state)
{
	struct loaded *kernel = load("linux-vdso.so.1", getauxval(AT_SYSINFO_EHDR));

	(void)state;
	add_segment(kernel, PT_LOAD, PF_R | PF_X, 0, 0x1000);
	assert_int_equal(list(), 1);
	assert_string_equal(objects[0].path, "[vdso]");
	assert_int_equal(program, PROFIL_NO_OBJECT);
}

static void many_segments(void **state)
{
	struct loaded *library = load("/lib/one", 0);
	size_t i;

	(void)state;
	for (i = MAX_SEGMENTS; i > 0; i--)
		add_segment(library, PT_LOAD, PF_X, 0x100 * i, 0x10);
	assert_int_equal(list(), MAX_SEGMENTS);
	for (i = 0; i < MAX_SEGMENTS; i++)
		assert_int_equal(objects[i].start, 0x100 * (i + 1));
}

/* The notes of a file, one after another, as in memory */
static struct notes {
	_Alignas(4) char bytes[512];
	size_t used;
} notes;

static ElfW(Nhdr) *add_note(ElfW(Word) type, const char *name, ElfW(Word) name_bytes,
			    const char *desc, ElfW(Word) desc_bytes)
{
	ElfW(Nhdr) *head = (void *)(notes.bytes + notes.used);

	*head = (ElfW(Nhdr)){ name_bytes, desc_bytes, type };
	notes.used += sizeof(*head);
	memcpy(notes.bytes + notes.used, name, name_bytes);
	notes.used += (name_bytes + 3) / 4 * 4;
	memcpy(notes.bytes + notes.used, desc, desc_bytes);
	notes.used += (desc_bytes + 3) / 4 * 4;
	return head;
}

/* List a library with these notes. */
static void list_notes(void)
{
	struct loaded *library;

	begin(NULL);
	library = load("/lib/one", (uintptr_t)notes.bytes);
	add_segment(library, PT_LOAD, PF_R | PF_X, 0, sizeof(notes.bytes));
	add_segment(library, PT_NOTE, PF_R, 0, notes.used);
	assert_int_equal(list(), 1);
}

static void assert_build_id(const char *id)
{
	assert_int_equal(objects[0].build_id_bytes, strlen(id));
	assert_memory_equal(objects[0].build_id, id, strlen(id));
}

static void build_id(void **state)
{
	(void)state;
	notes.used = 0;
	list_notes();
	assert_build_id("");
	/* after other notes, of another type or another vendor */
	add_note(NT_GNU_ABI_TAG, "GNU", 4, "0123456789abcdef", 16);
	add_note(NT_GNU_BUILD_ID, "Go!", 4, "0123", 4);
	add_note(NT_GNU_BUILD_ID, "GNU\0s", 6, "0123", 4);
	list_notes();
	assert_build_id("");
	add_note(NT_GNU_BUILD_ID, "GNU", 4, "build", 5);
	add_note(NT_GNU_BUILD_ID, "GNU", 4, "later", 5);
	list_notes();
	assert_build_id("build");
}

/* With several note segments: the first build ID */
static void build_id_in_second_note_segment(void **state)
{
	struct loaded *library;
	size_t first, second;

	(void)state;
	notes.used = 0;
	add_note(NT_GNU_ABI_TAG, "GNU", 4, "0123", 4);
	first = notes.used;
	add_note(NT_GNU_BUILD_ID, "GNU", 4, "build", 5);
	second = notes.used;
	add_note(NT_GNU_BUILD_ID, "GNU", 4, "later", 5);
	list_notes();
	library = &loaded[0];
	library->segments[1].p_memsz = first;
	assert_int_equal(list(), 1);
	assert_build_id("");
	add_segment(library, PT_NOTE, PF_R, first, second - first);
	add_segment(library, PT_NOTE, PF_R, second, notes.used - second);
	assert_int_equal(list(), 1);
	assert_build_id("build");
}

/* Nothing is read after the notes, whatever their sizes are. */
static void damaged_notes(void **state)
{
	ElfW(Nhdr) *head;

	(void)state;
	notes.used = 0;
	head = add_note(NT_GNU_BUILD_ID, "GNU", 4, "build", 5);
	list_notes();
	assert_build_id("build");
	head->n_namesz = 0xfffffffd;
	list_notes();
	assert_build_id("");
	head->n_namesz = (ElfW(Word))notes.used;
	list_notes();
	assert_build_id("");
	head->n_namesz = 4;
	head->n_descsz = 0xffffffff;
	list_notes();
	assert_build_id("");
	/* 4 bytes too long */
	head->n_descsz = 9;
	list_notes();
	assert_build_id("");
	head->n_descsz = 5;
	notes.used -= 4;
	list_notes();
	assert_build_id("");
	notes.used = sizeof(*head) - 1;
	list_notes();
	assert_build_id("");
	/* longer than the build ID of any linker */
	notes.used = 0;
	add_note(NT_GNU_BUILD_ID, "GNU", 4, (const char[PROFIL_RUN_BUILD_ID + 1]){ 0 },
		 PROFIL_RUN_BUILD_ID + 1);
	list_notes();
	assert_build_id("");
}

/* Notes outside loaded segments are not read: debug files have such headers. */
static void notes_outside_segments(void **state)
{
	struct loaded *library;

	(void)state;
	notes.used = 0;
	add_note(NT_GNU_BUILD_ID, "GNU", 4, "build", 5);
	list_notes();
	library = &loaded[0];
	/* segment not readable; too short in the file; notes after it; notes before it */
	library->segments[0].p_flags = PF_X;
	assert_int_equal(list(), 1);
	assert_build_id("");
	library->segments[0].p_flags = PF_R | PF_X;
	library->segments[0].p_filesz = notes.used - 1;
	assert_int_equal(list(), 1);
	assert_build_id("");
	library->segments[0].p_filesz = notes.used;
	assert_int_equal(list(), 1);
	assert_build_id("build");
	library->segments[1].p_vaddr = 4;
	assert_int_equal(list(), 1);
	assert_build_id("");
	library->segments[0].p_vaddr = 8;
	assert_int_equal(list(), 1);
	assert_build_id("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(program_and_library, begin, end),
		cmocka_unit_test_setup_teardown(program_started_by_linker, begin, end),
		cmocka_unit_test_setup_teardown(nameless_library, begin, end),
		cmocka_unit_test_setup_teardown(vdso, begin, end),
		cmocka_unit_test_setup_teardown(many_segments, begin, end),
		cmocka_unit_test_setup_teardown(build_id, begin, end),
		cmocka_unit_test_setup_teardown(build_id_in_second_note_segment, begin, end),
		cmocka_unit_test_setup_teardown(damaged_notes, begin, end),
		cmocka_unit_test_setup_teardown(notes_outside_segments, begin, end),
	};

	return cmocka_run_group_tests_name("objects", tests, NULL, NULL);
}
