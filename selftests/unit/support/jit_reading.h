/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sampled addresses in code that a process has made, and a file in memory with their names, which
 * a test writes. Include it in one file per program.
 */
#ifndef JIT_READING_H
#define JIT_READING_H

#include <sys/mman.h>
#include <unistd.h>

#include <record/jit_names.h>

#include "support/test.h"

static struct jit_names names;
static int file;

static int begin_reading(const uint64_t *addresses, size_t nr)
{
	size_t i;

	file = memfd_create("names", MFD_CLOEXEC);
	assert_int_equal(jit_names_new(&names, nr), 0);
	for (i = 0; i < nr; i++)
		names.of[i].pc = addresses[i];
	return file >= 0 ? 0 : -1;
}

FIXTURE(tear_down)
{
	jit_names_release(&names);
	return close(file);
}

static void append(const void *bytes, size_t nr)
{
	assert_int_equal(write(file, bytes, nr), nr);
}

/* @wanted: NULL: the address has no name */
static void assert_name(size_t i, const char *wanted)
{
	if (!wanted) {
		assert_null(names.of[i].name);
		return;
	}
	assert_non_null(names.of[i].name);
	assert_string_equal(names.of[i].name, wanted);
}

#endif /* JIT_READING_H */
