// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of the vdso: of this process's, and of images of other kinds in its memory.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <record/vdso.h>

#include "support/test.h"

#define BYTES	65536

static struct vdso vdsos[VDSO_NR_KINDS];
static unsigned char *image;	/* in memory where 32-bit programs have theirs */

FIXTURE(set_up)
{
	image = mmap((void *)0x20000000, BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return (uintptr_t)image > UINT32_MAX ? -1 : 0;
}

FIXTURE(tear_down)
{
	vdso_release(vdsos);
	return munmap(image, BYTES);
}

static enum vdso_kind find_kind(void)
{
	return vdso_find_kind(vdsos, getpid(), (uintptr_t)image, BYTES);
}

static void assert_function(enum vdso_kind kind, uint64_t address, const char *name)
{
	const struct vdso_function *function = vdso_find_function(&vdsos[kind], address);

	if (!name) {
		assert_null(function);
		return;
	}
	assert_non_null(function);
	assert_string_equal(function->name, name);
	assert_true(function->start <= address && address < function->end);
}

TEST_F(functions_of_this_process)
{
	const uintptr_t start = getauxval(AT_SYSINFO_EHDR);
	void *vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
	uintptr_t function;

	if (!start || !vdso)
		skip();
	function = (uintptr_t)dlvsym(vdso, "__vdso_time", "LINUX_2.6");
	dlclose(vdso);
	if (!function)
		skip();
	assert_int_equal(vdso_find_kind(vdsos, getpid(), start, 2 * (size_t)getpagesize()),
			 VDSO_OWN);
	/* not time, the weak name */
	assert_function(VDSO_OWN, function - start, "__vdso_time");
	assert_function(VDSO_OWN, 0, NULL);
}

/* A process that has ended has no memory, but this one's is the same. */
TEST_F(image_of_a_process_that_has_ended)
{
	assert_int_equal(vdso_find_kind(vdsos, 4194303, 0x7fff00000000, 4096), VDSO_OWN);
	assert_true(vdsos[VDSO_OWN].is_read);
	assert_int_equal(vdso_find_kind(vdsos, 4194303, 0xf7ff0000, 4096), VDSO_32);
	assert_false(vdsos[VDSO_32].is_read);
	assert_function(VDSO_32, 0, NULL);
}

static void load(const char *path)
{
	FILE *file = fopen(path, "re");

	if (!file)
		skip();
	assert_true(fread(image, 1, BYTES, file) > 0);
	fclose(file);
}

/* A library takes the place of the image. Return: address of its function work(). */
static uint64_t find_work(void)
{
	unsigned long address = 0;
	FILE *symbols = popen("readelf -sW fixture-plt-i386 | "
			      "awk '$8 == \"work\" { print $2; exit }'", "r");

	assert_non_null(symbols);
	assert_int_equal(fscanf(symbols, "%lx", &address), 1);
	pclose(symbols);
	return address;
}

TEST_F(functions_of_32_bit_programs)
{
	uint64_t work;

	load("fixture-plt-i386");
	work = find_work();
	assert_int_equal(find_kind(), VDSO_32);
	assert_function(VDSO_32, work, "work");
	assert_function(VDSO_32, 16, NULL);
	/* it has been read: the next process of this kind need not live */
	memset(image, 0, BYTES);
	image[EI_CLASS] = ELFCLASS32;
	assert_int_equal(find_kind(), VDSO_32);
	assert_function(VDSO_32, work, "work");
	assert_function(VDSO_OWN, work, NULL);
}

TEST_F(functions_of_programs_with_32_bit_pointers)
{
	const uint16_t machine = EM_X86_64;

	load("fixture-plt-i386");
	memcpy(image + offsetof(Elf32_Ehdr, e_machine), &machine, sizeof(machine));
	assert_int_equal(find_kind(), VDSO_X32);
	assert_true(vdsos[VDSO_X32].is_read);
	assert_false(vdsos[VDSO_32].is_read);
}

/* A process may write to its copy. */
TEST_F(damaged_image)
{
	size_t at;

	load("fixture-plt-i386");
	for (at = 16; at < BYTES; at++) {
		const unsigned char before = image[at];

		/* the header, and now and then a byte */
		if (at > 64 && at % 61)
			continue;
		image[at] ^= 0xff;
		find_kind();
		vdso_find_function(&vdsos[VDSO_32], 0x1010);
		vdso_release(vdsos);
		image[at] = before;
	}
}
