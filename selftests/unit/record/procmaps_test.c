// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading /proc/PID/maps: the lines of executable mappings.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <record/procmaps.h>

#include "support/fake_log.h"
#include "support/test.h"

/* Return: whether the line is of an executable mapping. */
static bool parse(const char *text, struct procmaps_entry *entry)
{
	static char line[256];
	/* what is after the end of a line that is too short would be valid */
	static const char rest[] = "1000-2000 r-xp 0 0:0 0";

	memcpy(line, rest, sizeof(rest));
	snprintf(line, sizeof(line), "%s", text);
	return procmaps_parse(line, entry);
}

TEST(fields_are_parsed)
{
	struct procmaps_entry entry;

	assert_true(parse("55d0f7a10000-55d0f7a35000 r-xp 00002000 fe:11 1311     "
			  "/usr/bin/a perl (deleted)\n", &entry));
	assert_int_equal(entry.start, 0x55d0f7a10000);
	assert_int_equal(entry.end, 0x55d0f7a35000);
	assert_int_equal(entry.offset, 0x2000);
	assert_int_equal(entry.major, 0xfe);
	assert_int_equal(entry.minor, 0x11);
	assert_int_equal(entry.inode, 1311);
	assert_string_equal(entry.path, "/usr/bin/a perl (deleted)");
}

TEST(mappings_may_have_no_file)
{
	struct procmaps_entry entry;

	assert_true(parse("7f0000000000-7f0000001000 rwxs 00000000 00:00 0 \n", &entry));
	assert_int_equal(entry.inode, 0);
	assert_string_equal(entry.path, "");
	assert_true(parse("7f0000000000-7f0000001000 r-xp 00000000 00:00 0", &entry));
	assert_string_equal(entry.path, "");
	assert_true(parse("7f0000000000-7f0000001000 r-xp 00000000 00:00 0  [vdso]\n", &entry));
	assert_string_equal(entry.path, "[vdso]");
	assert_true(parse("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0  [vsyscall]\n",
			  &entry));
	assert_int_equal(entry.end, 0xffffffffff601000);
}

TEST(other_lines_are_left_out)
{
	static const char *const lines[] = {
		"1000-2000 rw-p 00000000 00:00 0 /x\n",
		"1000-2000 r--x 00000000 00:00 0 /x\n",
		"2000-2000 r-xp 00000000 00:00 0 /x\n",
		"1000-2000 r-xp 00000000 00:00",
		"1000-2000 r-xp 00000000",
		"1000-2000 r-x",
		"1000-2000",
		"1000",
		"",
	};
	struct procmaps_entry entry;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		assert_false(parse(lines[i], &entry));
}

/* What is_mine() looks for */
struct wanted {
	const void *start;
	int found;
};

static int is_mine(void *data, const struct procmaps_entry *entry)
{
	struct wanted *wanted = data;

	wanted->found += entry->start == (uintptr_t)wanted->start;
	return wanted->found ? -ECANCELED : 0;
}

/* Return: 0, or an error. */
static int read_maps(pid_t pid, struct wanted *wanted)
{
	int error;
	char *maps = procmaps_copy(pid, &error);

	if (maps)
		error = procmaps_each(maps, is_mine, wanted);
	free(maps);
	return error;
}

TEST(executable_mappings_of_a_process_are_read)
{
	/* with a mapping between them, the kernel does not merge them */
	char *pages = mmap(NULL, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct wanted executable = { .start = pages }, readable = { .start = pages + 2 * 4096 };

	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_int_equal(mprotect(pages, 4096, PROT_READ | PROT_EXEC), 0);
	assert_int_equal(mprotect(pages + 2 * 4096, 4096, PROT_READ), 0);
	/* an error of the function is returned */
	assert_int_equal(read_maps(getpid(), &executable), -ECANCELED);
	assert_int_equal(executable.found, 1);
	assert_int_equal(read_maps(getpid(), &readable), 0);
	assert_int_equal(readable.found, 0);
	assert_int_equal(read_maps(FAKE_PID, &readable), -ESRCH);
	munmap(pages, 3 * 4096);
}
