// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mappings of an address space: the last one that was made at an address counts.
 */
#include <stdlib.h>

#include <record/spaces.h>

#include "support/test.h"

#define FILE_OF(number)	((struct file *)(uintptr_t)(number))	/* is not read */

static void map(struct space *space, uint64_t start, uint64_t end, uint64_t offset, int file)
{
	const struct mapping mapping = { start, end, offset, FILE_OF(file) };

	assert_int_equal(space_map(space, &mapping), 0);
}

/* Check the file at a pc, and the pc's offset in it. */
static void assert_at(struct space *space, uint64_t pc, int file, uint64_t offset)
{
	const struct mapping *found = space_find(space, pc);

	assert_non_null(found);
	assert_ptr_equal(found->file, FILE_OF(file));
	assert_int_equal(found->offset + (pc - found->start), offset);
}

TEST(pcs_are_found_between_start_and_end)
{
	struct space *space = space_new();

	assert_null(space_find(space, 0x1000));
	map(space, 0x3000, 0x4000, 0x100, 3);
	map(space, 0x1000, 0x2000, 0, 1);
	map(space, 0x5000, 0x6000, 0, 5);
	assert_null(space_find(space, 0xfff));
	assert_at(space, 0x1000, 1, 0);
	assert_at(space, 0x1fff, 1, 0xfff);
	assert_null(space_find(space, 0x2000));
	assert_at(space, 0x3010, 3, 0x110);
	assert_null(space_find(space, 0x4000));
	assert_at(space, 0x5fff, 5, 0xfff);
	assert_null(space_find(space, 0x6000));
	space_put(space);
}

TEST(overlapped_mappings_are_cut)
{
	struct space *space = space_new();

	map(space, 0x1000, 0x9000, 0x10000, 1);
	/* in the middle: both ends stay */
	map(space, 0x4000, 0x6000, 0, 2);
	assert_at(space, 0x3fff, 1, 0x12fff);
	assert_at(space, 0x4000, 2, 0);
	assert_at(space, 0x6000, 1, 0x15000);
	assert_at(space, 0x8fff, 1, 0x17fff);
	/* over the end of one, all of another, and the start of a third */
	map(space, 0x3000, 0x7000, 0, 3);
	assert_at(space, 0x2fff, 1, 0x11fff);
	assert_at(space, 0x3000, 3, 0);
	assert_at(space, 0x6fff, 3, 0x3fff);
	assert_at(space, 0x7000, 1, 0x16000);
	/* over everything */
	map(space, 0, 0x10000, 0, 4);
	assert_at(space, 0x1000, 4, 0x1000);
	assert_at(space, 0x8000, 4, 0x8000);
	space_put(space);
}

/* A compiler may make its memory executable page by page, in any direction. */
TEST(continued_mappings_are_joined)
{
	struct space *space = space_new();

	map(space, 0x5000, 0x6000, 0x5000, 1);
	map(space, 0x3000, 0x4000, 0x3000, 1);
	map(space, 0x4000, 0x5000, 0x4000, 1);
	assert_int_equal(space_find(space, 0x4000)->start, 0x3000);
	assert_int_equal(space_find(space, 0x4000)->end, 0x6000);
	assert_at(space, 0x5000, 1, 0x5000);
	/* another file, and another part of the file */
	map(space, 0x6000, 0x7000, 0x6000, 2);
	map(space, 0x2000, 0x3000, 0, 1);
	assert_int_equal(space_find(space, 0x4000)->start, 0x3000);
	assert_int_equal(space_find(space, 0x4000)->end, 0x6000);
	assert_at(space, 0x2000, 1, 0);
	assert_at(space, 0x6000, 2, 0x6000);
	space_put(space);
}

TEST(forked_mappings_are_copied_when_one_changes)
{
	struct space *parent = space_new(), *child;

	map(parent, 0x1000, 0x2000, 0, 1);
	child = space_fork(parent);
	assert_ptr_not_equal(child, parent);
	assert_at(child, 0x1000, 1, 0);
	map(child, 0x1000, 0x2000, 0, 2);
	map(child, 0x3000, 0x4000, 0, 3);
	assert_at(child, 0x1000, 2, 0);
	assert_at(parent, 0x1000, 1, 0);
	assert_null(space_find(parent, 0x3000));
	space_put(child);
	assert_at(parent, 0x1000, 1, 0);
	/* without the parent, too */
	child = space_fork(parent);
	space_put(parent);
	map(child, 0x5000, 0x6000, 0, 5);
	assert_at(child, 0x1000, 1, 0);
	space_put(child);
	space_put(NULL);
}

/* clone(2) with CLONE_VM */
TEST(shared_mappings_change_for_both)
{
	struct space *one = space_new(), *other, *child;

	map(one, 0x1000, 0x2000, 0, 1);
	child = space_fork(one);
	other = space_share(one);
	map(other, 0x1000, 0x2000, 0, 2);
	assert_at(one, 0x1000, 2, 0);
	assert_at(child, 0x1000, 1, 0);
	space_clear(one);
	assert_null(space_find(other, 0x1000));
	assert_at(child, 0x1000, 1, 0);
	space_put(one);
	map(other, 0x1000, 0x2000, 0, 3);
	assert_at(other, 0x1000, 3, 0);
	space_put(other);
	space_put(child);
}

TEST(mapping_below_an_address_is_found)
{
	struct space *space = space_new();

	assert_null(space_below(space, UINT64_MAX - 1));
	map(space, 0x1000, 0x2000, 0, 1);
	map(space, 0x5000, 0x6000, 0, 2);
	assert_null(space_below(space, 0xfff));
	assert_int_equal(space_below(space, 0x1000)->start, 0x1000);
	assert_int_equal(space_below(space, 0x4fff)->start, 0x1000);
	assert_int_equal(space_below(space, 0x9000)->start, 0x5000);
	space_put(space);
}

#define PAGES		64
#define MAPPINGS	2000

/* Compare with an array that has the file of each page. */
TEST(random_mappings_are_as_in_a_model)
{
	uint64_t offsets[PAGES] = { 0 };
	int files[PAGES] = { 0 }, i;
	struct space *space = space_new();
	uint64_t page, pages;

	srandom(1);
	for (i = 1; i <= MAPPINGS; i++) {
		uint64_t first = (uint64_t)random() % PAGES;
		uint64_t last = first + (uint64_t)random() % (PAGES - first);
		uint64_t offset = first + (uint64_t)random() % 2 * 100;

		const int file = i % 3 + 1;

		/* some continue others */
		map(space, first << 12, (last + 1) << 12, offset << 12, file);
		for (pages = 0; first + pages <= last; pages++) {
			files[first + pages] = file;
			offsets[first + pages] = (offset + pages) << 12;
		}
		for (page = 0; page < PAGES; page++) {
			if (files[page])
				assert_at(space, page << 12, files[page], offsets[page]);
			else
				assert_null(space_find(space, page << 12));
		}
	}
	space_put(space);
}

/* Unmapping is not in the log. Memory of a space must not grow without limit. */
TEST(full_space_is_emptied)
{
	struct space *space = space_new();
	uint64_t i;

	for (i = SPACE_MAX; i > 1; i--)
		map(space, i << 13, (i << 13) + 1, 0, 1);
	assert_at(space, SPACE_MAX << 13, 1, 0);
	map(space, 0x1000, 0x2000, 0, 2);
	map(space, 0x3000, 0x4000, 0, 3);
	assert_null(space_find(space, SPACE_MAX << 13));
	assert_at(space, 0x3000, 3, 0);
	space_put(space);
}
