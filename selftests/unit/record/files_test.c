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
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <record/files.h>
#include <util/time_ns.h>

#include "support/fake_log.h"
#include "support/made_program.h"
#include "support/test.h"

#define PIE	"fixture-pie"		/* made by the Makefile */
#define FIXED	"fixture-fixed"

static const struct made_function no_functions[] = { { 0 } };

static struct files files;
static char directory[64];
static char path[128];	/* a file in it */

FIXTURE(set_up)
{
	files_init(&files);
	strcpy(directory, "/tmp/profil-files.XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/program", directory);
	return 0;
}

FIXTURE(tear_down)
{
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

/* The same, as a record has it */
static struct file_key whole_key_of(const char *name)
{
	struct file_key key = key_of(name);
	struct stat state;

	assert_int_equal(stat(name, &state), 0);
	key.has_times = true;
	key.file_bytes = (uint64_t)state.st_size;
	key.mtime_ns = time_stat_ns(&state.st_mtim);
	key.ctime_ns = time_stat_ns(&state.st_ctim);
	return key;
}

static struct file *find_key(const struct file_key *key)
{
	const struct file_use use = { .pid = FAKE_PID };
	struct file *file = files_find(&files, key, &use);

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

TEST_F(offsets_become_addresses)
{
	const char *const names[] = { PIE, FIXED };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const GElf_Phdr text = text_of(names[i]);
		const struct file *file = find(fixture(names[i]));

		assert_offsets_become_addresses(file, &text);
		assert_true(file->build_id_bytes > 0);
	}
	/* not a property of all files, but the test needs one in which they differ */
	assert_int_not_equal(text_of(FIXED).p_vaddr, text_of(FIXED).p_offset);
}

TEST_F(offsets_of_32_bit_programs_become_addresses)
{
	GElf_Phdr text;

	assert_true(made_program_write(path, ELFCLASS32, 0x8048000, 64, no_functions, true));
	text = text_of(path);
	assert_int_equal(text.p_vaddr, 0x8048000);
	assert_offsets_become_addresses(find(path), &text);
	assert_int_equal(find(path)->build_id_bytes, 0);
}

/* lld makes segments whose addresses and offsets have different distances. */
TEST_F(nearest_segment_is_used)
{
	struct file_segment segments[] = {
		{ 0x1100, 0x3100, 1 }, { 0x5010, 0x9010, 1 }, { 0x8000, 0x20000, 1 },
	};
	const struct file file = { .nr_segments = 3, .segments = segments };

	assert_int_equal(file_address(&file, 0x5010), 0x9010);
	assert_int_equal(file_address(&file, 0x7fff), 0xbfff);
	assert_int_equal(file_address(&file, 0x1100), 0x3100);
	assert_int_equal(file_address(&file, 0x500f), 0x700f);
	assert_int_equal(file_address(&file, 0x8001), 0x20001);
	/* the rest of the page of the first one */
	assert_int_equal(file_address(&file, 0x10ff), 0x30ff);
}

#define SEGMENTS	24

/* Linker scripts make any number of segments. Their addresses need no order of offsets. */
TEST_F(all_segments_are_read)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segments[SEGMENTS];
	} program = { .header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64,
			     __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr), .e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = SEGMENTS,
	} };
	struct file *file;
	FILE *out;
	int i;

	for (i = 0; i < SEGMENTS; i++)
		program.segments[i] = (Elf64_Phdr){
			.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_memsz = 0x100,
			.p_offset = 0x1000u * (SEGMENTS - i), .p_vaddr = 0x10000u * (i + 1),
		};
	out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(&program, sizeof(program), 1, out), 1);
	fclose(out);
	file = find(path);
	assert_int_equal(file->nr_segments, SEGMENTS);
	for (i = 0; i < SEGMENTS; i++)
		assert_int_equal(file_address(file, 0x1000u * (SEGMENTS - i) + 0x42),
				 0x10000u * (i + 1) + 0x42);
	assert_int_equal(file->start, 0x10000);
	assert_int_equal(file->end, 0x10000 * SEGMENTS + 0x100);
}

TEST_F(files_without_segments_keep_offsets)
{
	FILE *text;

	assert_int_equal(file_address(find("/nonexistent"), 0x1234), 0x1234);
	text = fopen(path, "w");
	assert_non_null(text);
	fputs("#!/bin/sh\n", text);
	fclose(text);
	assert_int_equal(find(path)->nr_segments, 0);
	assert_int_equal(file_address(find(path), 0x1234), 0x1234);
}

TEST_F(file_is_read_once)
{
	struct file *file = find(fixture(PIE)), *other;
	struct file_key key = whole_key_of(fixture(PIE));

	assert_ptr_equal(find(fixture(PIE)), file);
	/* from a record, and from /proc/PID/maps */
	assert_ptr_equal(find_key(&key), file);
	key.path = "";
	assert_ptr_equal(files_find_inode(&files, &key), file);
	key.path = "/elsewhere";
	other = find_key(&key);
	assert_ptr_not_equal(other, file);
	assert_false(other->is_read);
	key.inode++;
	assert_null(files_find_inode(&files, &key));
}

/* A program that is written over another one has its device and inode. */
TEST_F(overwritten_file_is_another_one)
{
	struct file_key first, second, late;
	struct file *file;

	assert_true(made_program_write(path, ELFCLASS64, 0x400000, 64, no_functions, true));
	first = whole_key_of(path);
	assert_int_equal(find_key(&first)->start, 0x400000);
	assert_true(made_program_write(path, ELFCLASS64, 0x500000, 64, no_functions, true));
	second = whole_key_of(path);
	assert_int_equal(second.inode, first.inode);
	assert_int_equal(second.file_bytes, first.file_bytes);
	assert_int_equal(find_key(&second)->start, 0x500000);
	assert_int_equal(find_key(&first)->start, 0x400000);
	/* one that is read too late, even if the later one has its size and its time */
	late = whole_key_of(path);
	late.ctime_ns++;
	file = find_key(&late);
	assert_false(file->is_read);
	assert_int_equal(file->nr_segments, 0);
	assert_string_equal(file->path, path);
	late = second;
	late.file_bytes++;
	assert_false(find_key(&late)->is_read);
}

TEST_F(other_file_at_the_path_is_not_read)
{
	struct file_key key = key_of(fixture(PIE));

	key.inode++;
	assert_false(find_key(&key)->is_read);
	/* on overlayfs, devices and inodes of mappings are those of another file system */
	key.major++;
	assert_int_equal(find_key(&key)->nr_segments, 1);
}

TEST_F(relative_paths_are_not_opened)
{
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

TEST_F(file_of_a_container_is_read_in_the_container)
{
	struct file_use use = { 0 };
	struct file_key key;
	struct file *file;
	pid_t child;

	assert_true(made_program_write(path, ELFCLASS64, 0x700000, 64, no_functions, true));
	child = start_below(directory);
	if (child < 0)
		skip();
	key = key_of(path);
	key.path = "/program";
	use.pid = child;
	file = files_find(&files, &key, &use);
	assert_non_null(file);
	assert_int_equal(file->start, 0x700000);
	/* the path that leads to it here */
	assert_string_equal(file->path, path);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* Copy a program of this machine to @path. */
static void copy_program(const char *program)
{
	char bytes[65536];
	FILE *from = fopen(program, "re"), *to = fopen(path, "we");
	size_t nr;

	assert_true(from && to);
	while ((nr = fread(bytes, 1, sizeof(bytes), from)) > 0)
		assert_int_equal(fwrite(bytes, 1, nr, to), nr);
	fclose(from);
	fclose(to);
	assert_int_equal(chmod(path, 0755), 0);
}

/* Whether a process runs a program */
static bool reads_link(pid_t pid, const char *program)
{
	char link[32], target[256];
	ssize_t nr;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	nr = readlink(link, target, sizeof(target) - 1);
	target[nr < 0 ? 0 : nr] = 0;
	return !strcmp(target, program);
}

/* As a daemon whose package is upgraded */
TEST_F(removed_program_is_read_while_it_runs)
{
	char removed[sizeof(path) + 16];
	struct file_use use = { 0 };
	struct file_key key;
	struct file *file;
	int closed_by_exec[2];
	pid_t child;
	char byte;

	copy_program("/bin/sleep");
	key = whole_key_of(path);
	assert_int_equal(pipe2(closed_by_exec, O_CLOEXEC), 0);
	child = fork();
	if (!child) {
		execl(path, path, "60", NULL);
		_exit(127);
	}
	close(closed_by_exec[1]);
	assert_int_equal(read(closed_by_exec[0], &byte, 1), 0);
	close(closed_by_exec[0]);
	assert_true(reads_link(child, path));
	unlink(path);
	/* another one is there now */
	assert_true(made_program_write(path, ELFCLASS64, 0x700000, 64, no_functions, true));
	snprintf(removed, sizeof(removed), "%s (deleted)", path);
	key.path = removed;
	use.pid = child;
	file = files_find(&files, &key, &use);
	assert_non_null(file);
	assert_true(file->is_read);
	assert_true(file->build_id_bytes > 0);
	assert_string_equal(file->path, path);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* Map the first page of a file. */
static struct file_use map_file(int fd)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	assert_ptr_not_equal(page, MAP_FAILED);
	return (struct file_use){
		.pid = getpid(), .start = (uintptr_t)page, .end = (uintptr_t)page + 4096,
	};
}

static bool reads_map_files(const struct file_use *use)
{
	char link[80];

	snprintf(link, sizeof(link), "/proc/self/map_files/%lx-%lx", (long)use->start,
		 (long)use->end);
	return !access(link, R_OK);
}

TEST_F(removed_library_is_read_while_it_is_mapped)
{
	char removed[sizeof(path) + 16];
	struct file_use use;
	struct file_key key;
	struct file *file;
	int fd;

	copy_program("/bin/sleep");
	key = whole_key_of(path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	use = map_file(fd);
	close(fd);
	unlink(path);
	snprintf(removed, sizeof(removed), "%s (deleted)", path);
	key.path = removed;
	if (!reads_map_files(&use))
		skip();
	file = files_find(&files, &key, &use);
	assert_true(file->is_read);
	assert_string_equal(file->path, path);
}

/* Its pages are those of the new contents. */
TEST_F(overwritten_library_is_not_read)
{
	struct file_use use;
	struct file_key key;
	int fd;

	copy_program("/bin/sleep");
	key = whole_key_of(path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	use = map_file(fd);
	assert_int_equal(pwrite(fd, "x", 1, 4096), 1);
	close(fd);
	/* of the same size, and not where the path leads to */
	unlink(path);
	if (!reads_map_files(&use))
		skip();
	assert_false(files_find(&files, &key, &use)->is_read);
}

/* The key of an open file, as /proc/PID/maps has it */
static struct file_key key_of_fd(int fd, const char *name)
{
	struct file_key key = { .path = name };
	struct stat info;

	assert_int_equal(fstat(fd, &info), 0);
	key.inode = info.st_ino;
	key.major = major(info.st_dev);
	key.minor = minor(info.st_dev);
	return key;
}

TEST_F(memory_with_a_name_is_jit)
{
	int memory = memfd_create("maps", MFD_CLOEXEC), zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	const struct file_key keys[] = {
		key_of_fd(memory, "/memfd:maps (deleted)"), key_of_fd(zero, "/dev/zero"),
	};
	size_t i;

	assert_int_equal(ftruncate(memory, 4096), 0);
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		assert_ptr_equal(find_key(&keys[i]), &files.special[FILE_JIT]);
	close(memory);
	close(zero);
}

/* As runc executes a copy of itself. It stays open: there is no path to it for its names. */
static void program_in_memory_is_a_file(void **state)
{
	int memory = memfd_create("runc", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	const struct file_key key = key_of_fd(memory, "/memfd:runc (deleted)");
	char bytes[65536];
	struct file_use use;
	FILE *from = fopen(fixture(PIE), "re");
	struct file *file;
	size_t nr;

	while ((nr = fread(bytes, 1, sizeof(bytes), from)) > 0)
		assert_int_equal(write(memory, bytes, nr), nr);
	fclose(from);
	if (*state)
		assert_int_equal(fcntl(memory, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK |
				       F_SEAL_GROW | F_SEAL_WRITE), 0);
	use = map_file(memory);
	close(memory);
	if (!reads_map_files(&use))
		skip();
	file = files_find(&files, &key, &use);
	assert_true(file->is_read);
	assert_string_equal(file->path, "/memfd:runc");
	assert_int_equal(files.kept.nr, 1);
	assert_ptr_equal(files.kept.files[0].file, file);
}
TEST_OF(program_in_memory_is_a_file, writable, set_up, tear_down, NULL)
TEST_OF(program_in_memory_is_a_file, sealed, set_up, tear_down, path)

/* /proc/PID/maps has \012 for a newline, and for these characters. */
TEST_F(newline_in_a_path_is_escaped)
{
	char name[sizeof(path)], escaped[sizeof(path) + 8];
	struct file_key key;

	snprintf(name, sizeof(name), "%s/new\nline", directory);
	snprintf(escaped, sizeof(escaped), "%s/new\\012line", directory);
	assert_true(made_program_write(name, ELFCLASS64, 0x700000, 64, no_functions, true));
	key = key_of(name);
	key.path = escaped;
	assert_string_equal(find_key(&key)->path, name);
	unlink(name);
	/* these characters */
	assert_true(made_program_write(escaped, ELFCLASS64, 0x700000, 64, no_functions, true));
	key = key_of(escaped);
	assert_string_equal(find_key(&key)->path, escaped);
	unlink(escaped);
}

TEST_F(name_may_end_like_that_of_a_removed_file)
{
	char name[sizeof(path)];

	snprintf(name, sizeof(name), "%s/prog (deleted)", directory);
	assert_true(made_program_write(name, ELFCLASS64, 0x700000, 64, no_functions, true));
	assert_string_equal(find(name)->path, name);
	unlink(name);
}

TEST_F(first_mapping_determines_the_bias)
{
	const GElf_Phdr text = text_of(FIXED);
	const uint64_t offset = text.p_offset & ~4095ull;
	struct file *file = find(fixture(FIXED)), *unreadable = find("/nonexistent");

	file_mapped(file, 0x7f0000000000 + offset, 4096, offset);
	file_mapped(file, 0x7e0000000000, 4096, offset);
	assert_int_equal(file->bias, 0x7f0000000000 + text.p_offset - text.p_vaddr);
	file_mapped(unreadable, 0x10000, 0x3000, 0x2000);
	file_mapped(unreadable, 0x90000, 0x1000, 0x1000);
	assert_int_equal(unreadable->bias, 0xe000);
	assert_int_equal(unreadable->start, 0x1000);
	assert_int_equal(unreadable->end, 0x5000);
}

static void count(struct file *file, uint64_t offset, uint64_t samples)
{
	const struct result_part part = { .samples = samples };

	assert_int_equal(file_count(file, offset, &part), 0);
}

TEST_F(each_address_has_its_samples)
{
	struct file *file = find("/nonexistent");
	const struct result_part *counts;
	size_t first;

	count(file, 0x1001, 2);
	count(file, 0x1002, 3);
	count(file, 0x1001, 4);
	assert_int_equal(file->counts.nr, 2);
	counts = file->counts.parts;
	first = counts[0].address == 0x1001 ? 0 : 1;
	assert_int_equal(counts[first].address, 0x1001);
	assert_int_equal(counts[first].samples, 6);
	assert_int_equal(counts[!first].address, 0x1002);
	assert_int_equal(counts[!first].samples, 3);
}

/* The end of an object is above all its addresses. */
TEST_F(last_address_has_an_end)
{
	struct file *file = find("/nonexistent");

	count(file, UINT64_MAX, 1);
	assert_int_equal(file->counts.parts[0].address, UINT64_MAX - 1);
}
