// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bounds of functions in unwind information: the search in the linker's table finds what
 * reading all of it finds.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>

#include <symbol/ehframe.h>

#include "support/test.h"

#define BIAS	0x10000

/* A file with and without its table */
struct opened {
	int fd;
	Elf *elf;
	struct ehframe frames;
};

static struct opened table, all;

static void open_file(struct opened *opened, const char *path)
{
	elf_version(EV_CURRENT);
	opened->fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(opened->fd >= 0);
	opened->elf = elf_begin(opened->fd, ELF_C_READ, NULL);
	assert_non_null(opened->elf);
	assert_int_equal(ehframe_read(&opened->frames, opened->elf, BIAS), 0);
}

static void close_file(struct opened *opened)
{
	ehframe_release(&opened->frames);
	elf_end(opened->elf);
	close(opened->fd);
}

FIXTURE(set_up)
{
	assert_int_equal(system("objcopy --remove-section .eh_frame_hdr fixture-pie without"), 0);
	open_file(&table, "fixture-pie");
	open_file(&all, "without");
	return 0;
}

FIXTURE(tear_down)
{
	close_file(&table);
	close_file(&all);
	unlink("without");
	unlink("damaged");
	return 0;
}

static void assert_same(uint64_t address)
{
	struct range found, want;
	uint64_t above, want_above;

	assert_int_equal(ehframe_covering(&table.frames, address, &found),
			 ehframe_covering(&all.frames, address, &want));
	if (ehframe_covering(&all.frames, address, &want)) {
		assert_int_equal(found.start, want.start);
		assert_int_equal(found.end, want.end);
	}
	assert_int_equal(ehframe_above(&table.frames, address, &above),
			 ehframe_above(&all.frames, address, &want_above));
	if (ehframe_above(&all.frames, address, &want_above))
		assert_int_equal(above, want_above);
}

TEST_F(table_has_what_is_in_the_file)
{
	const struct ranges *ranges = &all.frames.ranges;
	uint64_t address;

	assert_non_null(table.frames.table);
	assert_null(all.frames.table);
	/* nothing is read before it is asked for */
	assert_int_equal(table.frames.ranges.nr, 0);
	assert_true(ranges->nr > 3);
	for (address = ranges->range[0].start - 2;
	     address < ranges->range[ranges->nr - 1].end + 2; address++)
		assert_same(address);
	assert_same(0);
	assert_same(UINT64_MAX);
}

/* Write a copy whose header has other bytes at an offset. */
static void damage(size_t offset, uint32_t value)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;
	int fd;

	assert_int_equal(system("cp fixture-pie damaged"), 0);
	assert_int_equal(elf_getshdrstrndx(table.elf, &names), 0);
	while ((section = elf_nextscn(table.elf, section))) {
		assert_non_null(gelf_getshdr(section, &header));
		if (!strcmp(elf_strptr(table.elf, names, header.sh_name), ".eh_frame_hdr"))
			break;
	}
	assert_non_null(section);
	fd = open("damaged", O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, &value, sizeof(value), (off_t)(header.sh_offset + offset)),
			 sizeof(value));
	close(fd);
	close_file(&table);
	open_file(&table, "damaged");
}

/* The number of entries is at 8, their encoding in the fourth byte */
TEST_F(unknown_table_is_not_used)
{
	damage(8, UINT32_MAX);
	assert_null(table.frames.table);
	assert_same(all.frames.ranges.range[1].start);
	damage(0, 0);
	assert_null(table.frames.table);
	assert_same(all.frames.ranges.range[1].start);
}

/* The FDE of the first entry is at 16 */
TEST_F(entry_without_fde_is_no_function)
{
	const uint64_t start = all.frames.ranges.range[0].start;
	struct range found;

	assert_true(ehframe_covering(&table.frames, start, &found));
	damage(16, 0x7fffffff);
	assert_non_null(table.frames.table);
	assert_false(ehframe_covering(&table.frames, start, &found));
	assert_same(all.frames.ranges.range[1].start);
	/* in front of .eh_frame */
	damage(16, 0);
	assert_false(ehframe_covering(&table.frames, start, &found));
}
