// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files that processes have mapped: which file is read, and from offsets to link-time
 * addresses.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <record/files.h>

#include "support/fake_log.h"
#include "support/made_program.h"
#include "support/test.h"

#define PIE	"fixture-pie"		/* made by the Makefile */
#define FIXED	"fixture-fixed"

static const struct made_function no_functions[] = { { 0 } };

static struct files files;
static char directory[64];
static char path[128];	/* a file in it */

static int set_up(void **state)
{
	(void)state;
	files_init(&files);
	strcpy(directory, "/tmp/profil-files.XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/program", directory);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	files_release(&files);
	unlink(path);
	return rmdir(directory);
}

static struct file_key key_of(const char *name)
{
	struct file_key key = { .inode = 1, .path = name };
	struct stat state;

	if (!stat(name, &state)) {
		key.inode = state.st_ino;
		key.major = major(state.st_dev);
		key.minor = minor(state.st_dev);
	}
	return key;
}

static struct file *find_key(const struct file_key *key)
{
	struct file *file = files_find(&files, key, FAKE_PID, false);

	assert_non_null(file);
	return file;
}

static struct file *find(const char *name)
{
	const struct file_key key = key_of(name);

	return find_key(&key);
}

/* The absolute path of a fixture */
static const char *fixture(const char *name)
{
	static char absolute[4096];

	assert_non_null(realpath(name, absolute));
	return absolute;
}

/* The executable segment of a file */
static GElf_Phdr text_of(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC), i;
	GElf_Phdr header;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	for (i = 0; gelf_getphdr(elf, i, &header); i++)
		if (header.p_type == PT_LOAD && header.p_flags & PF_X)
			break;
	assert_true(header.p_flags & PF_X);
	elf_end(elf);
	close(fd);
	return header;
}

static void assert_offsets_become_addresses(const struct file *file, const GElf_Phdr *text)
{
	assert_int_equal(file->start, text->p_vaddr);
	assert_int_equal(file->end, text->p_vaddr + text->p_memsz);
	assert_int_equal(file_address(file, text->p_offset), text->p_vaddr);
	assert_int_equal(file_address(file, text->p_offset + 0x13), text->p_vaddr + 0x13);
}

static void offsets_become_addresses(void **state)
{
	const char *const names[] = { PIE, FIXED };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const GElf_Phdr text = text_of(names[i]);
		const struct file *file = find(fixture(names[i]));

		assert_offsets_become_addresses(file, &text);
		assert_true(file->build_id_bytes > 0);
	}
	/* not a property of all files, but the test needs one in which they differ */
	assert_int_not_equal(text_of(FIXED).p_vaddr, text_of(FIXED).p_offset);
}

static void offsets_of_32_bit_programs_become_addresses(void **state)
{
	GElf_Phdr text;

	(void)state;
	assert_true(made_program_write(path, ELFCLASS32, 0x8048000, 64, no_functions, true));
	text = text_of(path);
	assert_int_equal(text.p_vaddr, 0x8048000);
	assert_offsets_become_addresses(find(path), &text);
	assert_int_equal(find(path)->build_id_bytes, 0);
}

/* lld makes segments whose addresses and offsets have different distances. */
static void nearest_segment_is_used(void **state)
{
	const struct file file = {
		.nr_segments = 3,
		.segments = { { 0x5010, 0x9010 }, { 0x1100, 0x3100 }, { 0x8000, 0x20000 } },
	};

	(void)state;
	assert_int_equal(file_address(&file, 0x5010), 0x9010);
	assert_int_equal(file_address(&file, 0x7fff), 0xbfff);
	assert_int_equal(file_address(&file, 0x1100), 0x3100);
	assert_int_equal(file_address(&file, 0x500f), 0x700f);
	assert_int_equal(file_address(&file, 0x8001), 0x20001);
	/* the rest of the page of the first one */
	assert_int_equal(file_address(&file, 0x10ff), 0x9010 - 0x3f11);
}

static void files_without_segments_keep_offsets(void **state)
{
	FILE *text;

	(void)state;
	assert_int_equal(file_address(find("/nonexistent"), 0x1234), 0x1234);
	text = fopen(path, "w");
	assert_non_null(text);
	fputs("#!/bin/sh\n", text);
	fclose(text);
	assert_int_equal(find(path)->nr_segments, 0);
	assert_int_equal(file_address(find(path), 0x1234), 0x1234);
}

static void file_is_read_once(void **state)
{
	struct file *file = find(fixture(PIE)), *other;
	struct file_key key = key_of(fixture(PIE));

	(void)state;
	assert_ptr_equal(find(fixture(PIE)), file);
	files_begin_round(&files);
	assert_ptr_equal(find(fixture(PIE)), file);
	assert_ptr_equal(files_find(&files, &key, FAKE_PID, true), file);
	assert_ptr_equal(files_find_inode(&files, &key), file);
	key.path = "/elsewhere";
	other = find_key(&key);
	assert_ptr_not_equal(other, file);
	assert_int_equal(other->nr_segments, 0);
	key.inode++;
	assert_null(files_find_inode(&files, &key));
}

/* As after another program was compiled: it may get the inode of the deleted one. */
static void replaced_file_is_read_again(void **state)
{
	/* any inode is possible on another device */
	const struct file_key key = { .inode = 1, .major = 0xfff, .path = path };
	struct file *missing = find_key(&key), *first, *second, *third;

	(void)state;
	assert_int_equal(missing->nr_segments, 0);
	assert_true(made_program_write(path, ELFCLASS64, 0x400000, 64, no_functions, true));
	first = files_find(&files, &key, FAKE_PID, true);
	assert_ptr_not_equal(first, missing);
	assert_int_equal(first->start, 0x400000);
	assert_true(made_program_write(path, ELFCLASS64, 0x500000, 640, no_functions, true));
	assert_ptr_equal(find_key(&key), first);
	second = files_find(&files, &key, FAKE_PID, true);
	assert_ptr_not_equal(second, first);
	assert_int_equal(second->start, 0x500000);
	assert_int_equal(first->start, 0x400000);
	assert_true(made_program_write(path, ELFCLASS64, 0x600000, 6400, no_functions, true));
	assert_ptr_equal(find_key(&key), second);
	files_begin_round(&files);
	third = find_key(&key);
	assert_int_equal(third->start, 0x600000);
	/* it is still the last one that was there */
	unlink(path);
	assert_ptr_equal(files_find(&files, &key, FAKE_PID, true), third);
}

static void other_file_at_the_path_is_not_read(void **state)
{
	struct file_key key = key_of(fixture(PIE));

	(void)state;
	key.inode++;
	assert_int_equal(find_key(&key)->nr_segments, 0);
	/* on overlayfs, devices and inodes of mappings are those of another file system */
	key.major++;
	assert_int_equal(find_key(&key)->nr_segments, 1);
}

static void relative_paths_are_not_opened(void **state)
{
	(void)state;
	assert_int_equal(find(PIE)->nr_segments, 0);
}

/* Run in a directory as the root, and stop there. Return: 0, or -1: that is not allowed. */
static pid_t start_below(const char *root)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		if (chroot(root) && (unshare(CLONE_NEWUSER) || chroot(root)))
			_exit(1);
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	return WIFSTOPPED(status) ? child : -1;
}

static void file_of_a_container_is_read_in_the_container(void **state)
{
	struct file_key key;
	struct file *file;
	pid_t child;

	(void)state;
	assert_true(made_program_write(path, ELFCLASS64, 0x700000, 64, no_functions, true));
	child = start_below(directory);
	if (child < 0)
		skip();
	key = key_of(path);
	key.path = "/program";
	file = files_find(&files, &key, child, true);
	assert_non_null(file);
	assert_int_equal(file->start, 0x700000);
	assert_string_equal(file->key.path, "/program");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void first_mapping_determines_the_bias(void **state)
{
	const GElf_Phdr text = text_of(FIXED);
	const uint64_t offset = text.p_offset & ~4095ull;
	struct file *file = find(fixture(FIXED)), *unreadable = find("/nonexistent");

	(void)state;
	file_mapped(file, 0x7f0000000000 + offset, 4096, offset);
	file_mapped(file, 0x7e0000000000, 4096, offset);
	assert_int_equal(file->bias, 0x7f0000000000 + text.p_offset - text.p_vaddr);
	file_mapped(unreadable, 0x10000, 0x3000, 0x2000);
	file_mapped(unreadable, 0x90000, 0x1000, 0x1000);
	assert_int_equal(unreadable->bias, 0xe000);
	assert_int_equal(unreadable->start, 0x1000);
	assert_int_equal(unreadable->end, 0x5000);
}

static void each_address_has_its_samples(void **state)
{
	struct file *file = find("/nonexistent");
	struct result_count counts[2];
	size_t first;

	(void)state;
	assert_int_equal(file_count(file, 0x1001, 2), 0);
	assert_int_equal(file_count(file, 0x1002, 3), 0);
	assert_int_equal(file_count(file, 0x1001, 4), 0);
	assert_int_equal(file->counts.nr, 2);
	counts_copy(&file->counts, counts);
	first = counts[0].address == 0x1001 ? 0 : 1;
	assert_int_equal(counts[first].address, 0x1001);
	assert_int_equal(counts[first].samples, 6);
	assert_int_equal(counts[!first].address, 0x1002);
	assert_int_equal(counts[!first].samples, 3);
}

/* The end of an object is above all its addresses. */
static void last_address_has_an_end(void **state)
{
	struct file *file = find("/nonexistent");
	struct result_count count;

	(void)state;
	assert_int_equal(file_count(file, UINT64_MAX, 1), 0);
	counts_copy(&file->counts, &count);
	assert_int_equal(count.address, UINT64_MAX - 1);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(offsets_become_addresses),
		TEST(offsets_of_32_bit_programs_become_addresses),
		TEST(nearest_segment_is_used),
		TEST(files_without_segments_keep_offsets),
		TEST(file_is_read_once),
		TEST(replaced_file_is_read_again),
		TEST(other_file_at_the_path_is_not_read),
		TEST(relative_paths_are_not_opened),
		TEST(file_of_a_container_is_read_in_the_container),
		TEST(first_mapping_determines_the_bias),
		TEST(each_address_has_its_samples),
		TEST(last_address_has_an_end),
	};

	return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
