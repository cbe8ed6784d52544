// SPDX-License-Identifier: GPL-2.0-only
/*
 * Result files: results are read back as they were written, other contents are refused with a
 * reason, and files are replaced atomically.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <result/resultfile.h>
#include <result/resultpack.h>
#include <result/select.h>

#include "support/fake_result.h"
#include "support/filled_result.h"
#include "support/test.h"

/* gzip's header, whose comment ends with the version of the format and a 0 */
#define MAGIC	"\x1f\x8b\x08\x10\0\0\0\0\0\x03profil result 3"

/* other users may not reach the tree */
static char directory[] = "/tmp/resultfile.XXXXXX";
static struct result result;
static struct result read_back;

FIXTURE(set_up)
{
	fake_result(&result);
	/* values of 64 bits, and a rate that the kernel has lowered */
	result.objects[VDSO].bias = (uint64_t)-4096;
	result.objects[ODD].parts[0].samples += 978;
	assert_int_equal(result_sum(&result), 0);
	result_find_mean_rate(&result);
	strcpy(strrchr(directory, '.') + 1, "XXXXXX");
	return mkdtemp(directory) && !chdir(directory) ? 0 : -1;
}

FIXTURE(tear_down)
{
	struct dirent *entry;
	DIR *here = opendir(".");

	while ((entry = readdir(here)))
		unlink(entry->d_name);
	closedir(here);
	result_release(&read_back);
	return chdir("/tmp") || rmdir(directory);
}

/* Count the files in the directory, except hidden ones. */
static int count_files(void)
{
	struct dirent *entry;
	DIR *here = opendir(".");
	int nr = 0;

	while ((entry = readdir(here)))
		nr += entry->d_name[0] != '.';
	closedir(here);
	return nr;
}

static size_t read_bytes(const char *path, unsigned char *bytes, size_t room)
{
	FILE *file = fopen(path, "r");
	size_t nr;

	assert_non_null(file);
	nr = fread(bytes, 1, room, file);
	assert_true(nr < room);
	fclose(file);
	return nr;
}

static void write_bytes(const char *path, const void *bytes, size_t nr)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, nr, file), nr);
	assert_int_equal(fclose(file), 0);
}

static void assert_refused(const char *path, const char *reason)
{
	const char *why = NULL;

	assert_int_equal(resultfile_read(path, &read_back, &why), -EBADMSG);
	assert_non_null(why);
	if (!strstr(why, reason))
		fail_msg("refused, but not because '%s': %s", reason, why);
	result_release(&read_back);
}

/* Write the result, and delete an old one. Return: as resultfile_write(). */
static int write_result(const char *path)
{
	char *left = (char *)path;
	int error = resultfile_write(path, &result, &left, NULL);

	assert_null(left);
	return error;
}

TEST_F(result_is_read_as_written)
{
	const char *why = NULL;

	assert_string_equal(result_problem(&result) ? : "none", "none");
	assert_int_equal(write_result("out"), 0);
	assert_int_equal(resultfile_read("out", &read_back, &why), 0);
	assert_same_result(&read_back, &result);
	assert_int_equal(count_files(), 1);
}

TEST_F(made_code_is_read_as_written)
{
	const char *why = NULL;

	fake_result_made_code(&result);
	assert_int_equal(write_result("out"), 0);
	assert_int_equal(resultfile_read("out", &read_back, &why), 0);
	assert_int_equal(read_back.objects[VDSO].nr_functions, 2);
	assert_same_result(&read_back, &result);
	assert_string_equal(result_find_function(&read_back.objects[VDSO], 0x903)->name, MADE_NAME);
	assert_null(result_find_function(&read_back.objects[VDSO], 0x7ff));
	assert_null(result_find_function(&read_back.objects[VDSO], 0x904));
}

TEST_F(file_is_replaced_by_a_new_one)
{
	const char *why = NULL;
	struct stat old, new;
	mode_t mask = umask(027);

	write_bytes("out", "old", 3);
	assert_int_equal(symlink("out", "link"), 0);
	assert_int_equal(chmod("out", 0600), 0);
	stat("out", &old);
	assert_int_equal(write_result("link"), 0);
	assert_int_equal(write_result("new"), 0);
	umask(mask);
	assert_int_equal(stat("new", &new), 0);
	assert_int_equal(new.st_mode, S_IFREG | 0640);
	/* a new file with the same name and permissions; the link is unchanged */
	assert_int_equal(lstat("out", &new), 0);
	assert_true(old.st_ino != new.st_ino);
	assert_int_equal(new.st_mode, S_IFREG | 0600);
	assert_int_equal(lstat("link", &new), 0);
	assert_true(S_ISLNK(new.st_mode));
	assert_int_equal(count_files(), 3);
	assert_int_equal(resultfile_read("out", &read_back, &why), 0);
}

/* Write the result, and keep the old one. Return: 0, or the -errno of keeping it. */
static int replace_result(const char *path)
{
	char *left = (char *)path;
	int unkept = 1;

	assert_int_equal(resultfile_write(path, &result, &left, &unkept), 0);
	assert_null(left);
	return unkept;
}

static void assert_contains(const char *path, const char *contents)
{
	unsigned char bytes[16];

	assert_int_equal(read_bytes(path, bytes, sizeof(bytes)), strlen(contents));
	assert_memory_equal(bytes, contents, strlen(contents));
}

static void assert_contains_result(const char *path)
{
	const char *why = NULL;

	assert_int_equal(resultfile_read(path, &read_back, &why), 0);
	assert_same_result(&read_back, &result);
	result_release(&read_back);
}

TEST_F(old_result_is_kept)
{
	struct stat before, st;

	/* no old result */
	assert_int_equal(replace_result("new"), 0);
	assert_int_equal(count_files(), 1);
	write_bytes("out", "first", 5);
	assert_int_equal(chmod("out", 0640), 0);
	stat("out", &before);
	assert_int_equal(symlink("out", "link"), 0);
	assert_int_equal(replace_result("link"), 0);
	/* the same file, in the directory of the link's target */
	assert_int_equal(lstat("out.old", &st), 0);
	assert_int_equal(st.st_ino, before.st_ino);
	assert_int_equal(st.st_nlink, 1);
	assert_int_equal(st.st_mode, S_IFREG | 0640);
	assert_contains("out.old", "first");
	assert_contains_result("out");
	assert_int_equal(count_files(), 4);
	/* the previous .old file is replaced */
	write_bytes("out", "second", 6);
	assert_int_equal(replace_result("out"), 0);
	assert_contains("out.old", "second");
	assert_int_equal(count_files(), 4);
	/* an empty file does not replace the .old file */
	write_bytes("out", "", 0);
	assert_int_equal(replace_result("out"), 0);
	assert_contains("out.old", "second");
	/* both names lead to the same file, as after a crash between the renames */
	write_bytes("out", "third", 5);
	assert_int_equal(unlink("out.old") || link("out", "out.old"), 0);
	assert_int_equal(replace_result("out"), 0);
	assert_contains("out.old", "third");
	assert_contains_result("out");
	assert_int_equal(count_files(), 4);
	/* the old result is not kept unless requested */
	assert_int_equal(write_result("out"), 0);
	assert_contains("out.old", "third");
}

/* A symbolic link at the name of the old file is replaced, and its target is unchanged. */
TEST_F(link_at_the_old_name_is_not_followed)
{
	struct stat st;

	write_bytes("out", "old", 3);
	write_bytes("precious", "precious", 8);
	assert_int_equal(symlink("precious", "out.old"), 0);
	assert_int_equal(replace_result("out"), 0);
	assert_int_equal(lstat("out.old", &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_contains("out.old", "old");
	assert_contains("precious", "precious");
	assert_int_equal(count_files(), 3);
}

/* The new result is written even if the old one cannot be kept. */
TEST_F(new_result_is_written_without_keeping_the_old_one)
{
	write_bytes("out", "old", 3);
	assert_int_equal(mkdir("out.old", 0700), 0);
	assert_int_equal(replace_result("out"), -EISDIR);
	assert_contains_result("out");
	assert_int_equal(count_files(), 2);
	assert_int_equal(rmdir("out.old"), 0);
}

/* If writing fails, the old file is unchanged, and no other file is left. */
TEST_F(failed_write_changes_nothing)
{
	struct rlimit old, small = { 10, 10 };
	unsigned char bytes[16];

	write_bytes("out", "old", 3);
	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(write_result("out"), -EFBIG);
	/* the limit applies to any file, so another name would not help */
	assert_null(strstr(resultfile_remedy(EFBIG), "another file"));
	assert_non_null(strstr(resultfile_remedy(ENOSPC), "another file"));
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(read_bytes("out", bytes, sizeof(bytes)), 3);
	assert_memory_equal(bytes, "old", 3);
	assert_int_equal(count_files(), 1);
}

/* A dangling link itself is replaced; its target is not created. */
TEST_F(dangling_link_is_replaced)
{
	struct stat st;

	assert_int_equal(symlink("nowhere", "out"), 0);
	assert_int_equal(write_result("out"), 0);
	assert_int_equal(lstat("out", &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(count_files(), 1);
}

/* The temporary name is not longer, and the name of the old result fits, too. */
TEST_F(longest_names_are_written)
{
	char name[NAME_MAX + 1], *left;
	int unkept;

	memset(name, 'n', sizeof(name));
	name[NAME_MAX - strlen(".old")] = 0;
	assert_int_equal(write_result(name), 0);
	assert_int_equal(resultfile_write(name, &result, &left, &unkept), 0);
	assert_int_equal(unkept, 0);
	assert_int_equal(count_files(), 2);
	name[NAME_MAX - strlen(".old")] = 'n';
	name[NAME_MAX] = 0;
	assert_int_equal(write_result(name), 0);
	/* it cannot have .old at the end */
	assert_int_equal(resultfile_write(name, &result, &left, &unkept), 0);
	assert_int_equal(unkept, -ENAMETOOLONG);
	assert_int_equal(count_files(), 3);
}

/* A mount point cannot be replaced: the new result stays under its temporary name. */
TEST_F(result_is_left_beside_a_mount_point)
{
	const char *why = NULL;
	unsigned char bytes[16];
	char *left = NULL;
	int unkept = 1;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		skip();
	write_bytes("out", "old", 3);
	write_bytes("mounted", "old", 3);
	assert_int_equal(mount("mounted", "out", NULL, MS_BIND, NULL), 0);
	assert_int_equal(resultfile_try("out"), -EBUSY);
	assert_int_equal(resultfile_write("out", &result, &left, &unkept), -EBUSY);
	assert_int_equal(unkept, 0);
	assert_int_equal(umount("out"), 0);
	assert_non_null(left);
	assert_int_equal(resultfile_read(left, &read_back, &why), 0);
	assert_same_result(&read_back, &result);
	assert_int_equal(count_files(), 3);
	assert_int_equal(read_bytes("out", bytes, sizeof(bytes)), 3);
	free(left);
}

/* Call resultfile_try() as another user, in a child process. Return: its return value. */
static int try_as_nobody(const char *path)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		if (setgroups(0, NULL) || setresgid(65534, 65534, 65534) ||
		    setresuid(65534, 65534, 65534))
			_exit(99);
		_exit(-resultfile_try(path));
	}
	waitpid(pid, &status, 0);
	return -WEXITSTATUS(status);
}

/* In a directory such as /tmp, only the owner can replace a file. */
TEST_F(file_of_another_user_in_a_sticky_directory)
{
	if (geteuid())
		skip();
	assert_int_equal(chmod(".", 01777), 0);
	write_bytes("out", "old", 3);
	assert_int_equal(try_as_nobody("out"), -EPERM);
	assert_int_equal(try_as_nobody("own"), 0);
	assert_int_equal(chown("out", 65534, 65534), 0);
	assert_int_equal(try_as_nobody("out"), 0);
	assert_int_equal(count_files(), 1);
}

/*
 * Write the result as another user. Return: -errno of resultfile_write(); if that is 0, -errno
 * of keeping the old result.
 */
static int replace_as_nobody(const char *path)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		char *left;
		int unkept, error;

		if (setgroups(0, NULL) || setresgid(65534, 65534, 65534) ||
		    setresuid(65534, 65534, 65534))
			_exit(99);
		error = resultfile_write(path, &result, &left, &unkept);
		if (!error == !!left || (error && unkept) || (left && unlink(left)))
			_exit(98);
		_exit(-(error ? : unkept));
	}
	waitpid(pid, &status, 0);
	return -WEXITSTATUS(status);
}

/* A file of another user at the name of the old file is not deleted. */
TEST_F(old_file_of_another_user_in_a_sticky_directory)
{
	if (geteuid())
		skip();
	assert_int_equal(chmod(".", 01777), 0);
	write_bytes("out", "old", 3);
	assert_int_equal(chown("out", 65534, 65534), 0);
	write_bytes("out.old", "mine", 4);
	assert_int_equal(replace_as_nobody("out"), -EPERM);
	assert_contains("out.old", "mine");
	assert_contains_result("out");
	assert_int_equal(count_files(), 2);
}

/* If the file cannot be replaced, it and the .old file keep their names, and get no others. */
TEST_F(refusal_changes_no_old_file)
{
	struct stat st;

	if (geteuid())
		skip();
	assert_int_equal(chmod(".", 01777), 0);
	write_bytes("out", "second", 6);
	/* which may be linked by others (protected_hardlinks in proc(5)) */
	assert_int_equal(chmod("out", 0666), 0);
	write_bytes("out.old", "first", 5);
	assert_int_equal(chown("out.old", 65534, 65534), 0);
	assert_int_equal(replace_as_nobody("out"), -EPERM);
	assert_contains("out", "second");
	assert_contains("out.old", "first");
	assert_int_equal(stat("out", &st), 0);
	assert_int_equal(st.st_nlink, 1);
	assert_int_equal(count_files(), 2);
}

/* In a sticky directory, a symbolic link of another user is not followed. */
TEST_F(link_of_another_user_in_a_sticky_directory)
{
	unsigned char bytes[16];

	if (geteuid() || read_bytes("/proc/sys/fs/protected_symlinks", bytes, 16) < 1 ||
	    bytes[0] != '1')
		skip();
	assert_int_equal(chmod(".", 01777), 0);
	write_bytes("mine", "old", 3);
	assert_int_equal(symlink("mine", "out"), 0);
	assert_int_equal(lchown("out", 65534, 65534), 0);
	assert_int_equal(resultfile_try("out"), -EACCES);
	assert_int_equal(write_result("out"), -EACCES);
	assert_int_equal(read_bytes("mine", bytes, sizeof(bytes)), 3);
	assert_int_equal(count_files(), 2);
}

TEST_F(trying_creates_no_file)
{
	assert_int_equal(resultfile_try("out"), 0);
	assert_int_equal(count_files(), 0);
	write_bytes("out", "old", 3);
	assert_int_equal(resultfile_try("out"), 0);
	assert_int_equal(count_files(), 1);
	assert_int_equal(resultfile_try("none/out"), -ENOENT);
	assert_int_equal(resultfile_try("out/out"), -ENOTDIR);
	assert_int_equal(resultfile_try("/proc/out"), -ENOENT);
	assert_int_equal(resultfile_try("."), -EISDIR);
	assert_int_equal(resultfile_try("none/"), -EISDIR);
	assert_int_equal(resultfile_try(""), -EISDIR);
}

/*
 * Special files such as /dev/null are not replaced. The test makes its own: if it failed as
 * root, it would replace the system's.
 */
TEST_F(special_files_are_written_to)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "socket" };
	unsigned char bytes[4096];
	struct stat st;
	int fifo, listener;

	assert_int_equal(mkfifo("fifo", 0600), 0);
	fifo = open("fifo", O_RDWR | O_NONBLOCK);
	assert_true(fifo >= 0);
	assert_int_equal(resultfile_try("fifo"), 0);
	assert_int_equal(write_result("fifo"), 0);
	assert_true(read(fifo, bytes, sizeof(bytes)) > (ssize_t)sizeof(MAGIC));
	assert_memory_equal(bytes, MAGIC, sizeof(MAGIC));
	close(fifo);
	assert_int_equal(stat("fifo", &st), 0);
	assert_true(S_ISFIFO(st.st_mode));

	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&name, sizeof(name)), 0);
	assert_int_equal(resultfile_try("socket"), -ENXIO);
	assert_int_equal(write_result("socket"), -ENXIO);
	close(listener);
	assert_int_equal(stat("socket", &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(count_files(), 2);
}

/* Opening and closing a pipe to try it would send end-of-file to its reader. */
TEST_F(trying_a_pipe_does_not_open_it)
{
	struct pollfd reader = { .events = POLLIN };

	assert_int_equal(mkfifo("fifo", 0600), 0);
	reader.fd = open("fifo", O_RDONLY | O_NONBLOCK);
	assert_true(reader.fd >= 0);
	assert_int_equal(resultfile_try("fifo"), 0);
	assert_int_equal(poll(&reader, 1, 0), 0);
	close(reader.fd);
	assert_int_equal(resultfile_try("fifo"), 0);
	if (!geteuid())
		return;
	assert_int_equal(chmod("fifo", 0400), 0);
	assert_int_equal(resultfile_try("fifo"), -EACCES);
}

TEST_F(only_regular_files_are_read)
{
	const char *why;

	assert_int_equal(resultfile_read("out", &read_back, &why), -ENOENT);
	assert_refused(".", "not a regular file");
	assert_refused("/dev/zero", "not a regular file");
	/* opening it would block */
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_refused("fifo", "not a regular file");
}

TEST_F(every_truncation_is_refused)
{
	unsigned char bytes[4096];
	size_t size, cut;

	assert_int_equal(write_result("out"), 0);
	size = read_bytes("out", bytes, sizeof(bytes));
	for (cut = 0; cut < size; cut++) {
		write_bytes("cut", bytes, cut);
		assert_refused("cut", cut ? "cut short" : "file is empty");
		/* a file that is truncated and written again goes to the disk at once */
		unlink("cut");
	}
}

/*
 * Except bits of the data without meaning: those that fill its last byte, and those of a reference
 * to bytes that are elsewhere, too.
 */
TEST_F(every_flipped_bit_is_refused)
{
	unsigned char bytes[4096];
	const char *why = NULL;
	size_t size, bit;

	assert_int_equal(write_result("out"), 0);
	size = read_bytes("out", bytes, sizeof(bytes));
	for (bit = 0; bit < 8 * size; bit++) {
		const char *reason = bit / 8 < sizeof(MAGIC) - 2 ? "not a profil result" :
				     bit / 8 < sizeof(MAGIC) ? "another version" : "damaged";
		const bool is_data = bit / 8 >= sizeof(MAGIC) && bit / 8 < size - 8;

		bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
		write_bytes("bad", bytes, size);
		if (is_data && !resultfile_read("bad", &read_back, &why)) {
			assert_same_result(&read_back, &result);
			result_release(&read_back);
		} else {
			assert_refused("bad", reason);
		}
		bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
		unlink("bad");
	}
	bytes[size] = 0;
	write_bytes("bad", bytes, size + 1);
	assert_refused("bad", "damaged");
}

TEST_F(other_formats_are_refused)
{
	unsigned char magic[] = MAGIC;

	assert_refused("/etc/passwd", "not a profil result");
	assert_refused("/proc/self/exe", "not a profil result");
	write_bytes("out", "gmon", 4);
	assert_refused("out", "not a profil result");
	/* another file in gzip's format */
	write_bytes("out", "\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
	assert_refused("out", "not a profil result");
	magic[sizeof(magic) - 2]++;
	write_bytes("out", magic, sizeof(magic));
	assert_refused("out", "another version");
}

/* Write a valid file that may state a wrong length of its message, @length. */
static void write_message(const char *path, unsigned char *message, size_t nr, uint32_t length)
{
	gz_header header = { .os = 3, .comment = (Bytef *)"profil result 3" };
	z_stream stream = { .next_in = message, .avail_in = (uInt)nr };
	unsigned char *bytes;

	assert_int_equal(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 9, 0),
			 Z_OK);
	assert_int_equal(deflateSetHeader(&stream, &header), Z_OK);
	stream.avail_out = (uInt)deflateBound(&stream, nr);
	stream.next_out = bytes = malloc(stream.avail_out);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	memcpy(bytes + stream.total_out - sizeof(length), &length, sizeof(length));
	write_bytes(path, bytes, stream.total_out);
	deflateEnd(&stream);
	free(bytes);
}

TEST_F(wrong_lengths_are_refused)
{
	const char *why = NULL;
	unsigned char *message;
	size_t nr;

	assert_int_equal(resultpack_pack(&result, &message, &nr), 0);
	write_message("out", message, nr, nr);
	assert_int_equal(resultfile_read("out", &read_back, &why), 0);
	result_release(&read_back);
	write_message("out", message, nr, nr - 1);
	assert_refused("out", "damaged");
	write_message("out", message, nr, nr + 1);
	assert_refused("out", "damaged");
	write_message("out", message, nr, UINT32_MAX);
	assert_refused("out", "damaged");
	write_message("out", message, nr - 1, nr - 1);
	assert_refused("out", "contains no result");
	free(message);
}

/*
 * Empty objects take three bytes of a message and a hundred of memory: a file of 32 KiB can
 * contain 32 MiB of them.
 */
TEST_F(small_files_do_not_exhaust_memory)
{
	const size_t nr = 32 << 20;
	unsigned char *message = malloc(nr);
	struct rusage before, after;
	size_t i;

	/* field 19, of length 0 */
	for (i = 0; i + 3 <= nr; i += 3)
		memcpy(message + i, "\x9a\x01\x00", 3);
	write_message("out", message, i, i);
	free(message);
	getrusage(RUSAGE_SELF, &before);
	assert_refused("out", "more memory than any result");
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < 800 << 10);
}

/* As many objects as a run can have, with the longest paths, are read; one more is not. */
TEST_F(largest_number_of_objects_is_read)
{
	static char paths[RESULT_MAX_OBJECTS + 1][RESULT_MAX_PATH];
	static struct result_object many[RESULT_MAX_OBJECTS + 1];
	struct result large = result;
	const char *why = NULL;
	char *left;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(many); i++) {
		memset(paths[i], 'x', RESULT_MAX_PATH - 1);
		paths[i][snprintf(paths[i], sizeof(paths[i]), "/%04zu", i)] = 'x';
		many[i] = (struct result_object){ .path = paths[i], .end = 1 };
	}
	large.objects = many;
	large.nr_objects = RESULT_MAX_OBJECTS;
	assert_int_equal(result_sum(&large), 0);
	result_find_mean_rate(&large);
	assert_int_equal(resultfile_write("out", &large, &left, NULL), 0);
	assert_int_equal(resultfile_read("out", &read_back, &why), 0);
	assert_same_result(&read_back, &large);
	result_release(&read_back);
	large.nr_objects++;
	assert_int_equal(resultfile_write("out", &large, &left, NULL), 0);
	assert_refused("out", "more objects than a run can have");
}

/* Read a result from @fd as standard input, and close it. Return: as resultfile_read(). */
static int read_input(int fd, const char **why)
{
	int kept = dup(STDIN_FILENO), error;

	assert_true(fd >= 0 && kept >= 0);
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	close(fd);
	error = resultfile_read(RESULTFILE_STDIN, &read_back, why);
	assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
	close(kept);
	return error;
}

/* Return: a pipe into which a child writes a file, byte by byte. */
static int pipe_of(const char *path)
{
	unsigned char bytes[4096];
	size_t nr, i;
	int ends[2];

	nr = read_bytes(path, bytes, sizeof(bytes));
	assert_int_equal(pipe(ends), 0);
	if (!fork()) {
		for (i = 0; i < nr; i++)
			if (write(ends[1], &bytes[i], 1) != 1)
				_exit(1);
		_exit(0);
	}
	close(ends[1]);
	return ends[0];
}

TEST_F(standard_input_is_read)
{
	const char *why = NULL;

	assert_int_equal(write_result("out"), 0);
	assert_int_equal(read_input(open("out", O_RDONLY), &why), 0);
	assert_same_result(&read_back, &result);
	result_release(&read_back);
	assert_int_equal(read_input(pipe_of("out"), &why), 0);
	assert_same_result(&read_back, &result);
	result_release(&read_back);
	while (wait(NULL) > 0)
		;
	/* not a file named "-" */
	assert_int_equal(write_result("-"), 0);
	assert_int_equal(read_input(open("/dev/null", O_RDONLY), &why), -EBADMSG);
	assert_non_null(strstr(why, "file is empty"));
}

TEST_F(standard_input_is_refused)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY);
	struct rusage before, after;
	const char *why = NULL;

	/* reading a terminal would block */
	assert_true(terminal >= 0 && !unlockpt(terminal));
	assert_int_equal(read_input(open(ptsname(terminal), O_RDWR | O_NOCTTY), &why), -EBADMSG);
	assert_non_null(strstr(why, "a terminal: redirect"));
	close(terminal);
	getrusage(RUSAGE_SELF, &before);
	assert_int_equal(read_input(open("/dev/zero", O_RDONLY), &why), -EBADMSG);
	assert_non_null(strstr(why, "larger than any result"));
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < 100 << 10);
	assert_int_equal(read_input(open(".", O_RDONLY), &why), -EISDIR);
}

/* Write a result with one wrong value, and read it. */
#define INVALID(place, value, reason)					\
	do {								\
		__typeof__(place) kept = place;				\
									\
		place = value;						\
		assert_int_equal(write_result("out"), 0);		\
		assert_refused("out", reason);				\
		place = kept;						\
	} while (0)

/* Each kind of invalid value that result_problem() must detect */
TEST_F(invalid_values_are_refused)
{
	struct result_object *objects = result.objects;
	struct result_process *processes = result.processes;
	static char empty[] = "", first[] = "!";
	char *long_path = calloc(1, RESULT_MAX_PATH + 1), *name;
	struct result_function *functions, function = { 0x1000, 0x1010, "a" };

	memset(long_path, '/', RESULT_MAX_PATH);
	INVALID(result.rate, 0, "rate");
	INVALID(result.clock, 4, "clock");
	INVALID(result.unprofiled[0].program, empty, "name of a program");
	INVALID(result.unprofiled[0].cpu_ns, UINT64_MAX, "CPU times");
	INVALID(result.nr_processes, 0, "no process");
	INVALID(result.unlisted_processes, UINT64_MAX, "too many processes");
	INVALID(result.unlisted_ended, 4, "more processes have ended");
	INVALID(result.unlisted_cpu_ns, UINT64_MAX, "CPU times");
	INVALID(result.outside_parts[0].samples, UINT64_MAX, "too many");
	INVALID(result.outside_parts[0].thread, RESULT_NO_THREAD, "not in order");
	INVALID(result.outside_parts[0].thread, 2, "of no thread");
	INVALID(result.threads[0].process, 3, "of no process");
	INVALID(result.threads[0].tid, -1, "thread ID");
	INVALID(result.threads[0].has_cpu_ns, false, "CPU time of a thread");
	INVALID(result.threads[0].name, long_path, "name of a thread");
	INVALID(objects[0].end, objects[0].start, "ends before");
	INVALID(objects[0].end, objects[0].parts[1].address, "outside their object");
	INVALID(objects[0].parts[1].address, objects[0].parts[0].address, "order");
	INVALID(objects[0].parts[1].address, objects[0].parts[0].address - 1, "overflows");
	INVALID(objects[0].parts[0].address, objects[0].start - 1, "overflows");
	INVALID(objects[0].parts[0].samples, 0, "number of samples");
	INVALID(objects[0].parts[0].system, 10000, "number of samples");
	INVALID(objects[0].parts[0].samples, UINT64_MAX, "too many");
	INVALID(objects[VDSO].parts[0].samples, UINT64_MAX - 1, "too many");
	INVALID(objects[1].path, first, "not in order");
	INVALID(objects[0].path, empty, "no path");
	INVALID(objects[0].path, long_path, "path of an object is too long");
	INVALID(processes[1].program, long_path, "path of a program is too long");
	INVALID(processes[0].has_ended, false, "unknown");
	INVALID(processes[0].start_cpu_ns, UINT64_MAX, "too long");
	INVALID(processes[0].cpu_ns, UINT64_MAX - 4, "too long");
	processes[1].has_ended = true;
	INVALID(processes[1].cpu_ns, UINT64_MAX - 21, "too long");
	fake_result_made_code(&result);
	functions = objects[VDSO].functions;
	INVALID(functions[0].name, empty, "name of a function is empty");
	INVALID(functions[0].name, long_path, "name of a function is empty or too long");
	INVALID(functions[0].end, functions[0].start, "functions are not in order");
	INVALID(functions[0].end, functions[1].start + 1, "functions are not in order");
	INVALID(functions[1].end, objects[VDSO].end + 1, "functions are not in order");
	INVALID(functions[1].end, functions[1].start - 1, "overflows");
	objects[0].nr_functions = 1;
	INVALID(objects[0].functions, &function, "an object without names");
	objects[0].nr_functions = 0;
	name = result.argv[0];
	result.argv[0] = NULL;
	assert_int_equal(write_result("out"), 0);
	assert_refused("out", "no command");
	result.argv[0] = name;
	free(long_path);
}

TEST_F(invalid_names_are_refused)
{
	struct result_object *object;

	fill_result(&result);
	object = &result.objects[0];
	INVALID(object->has_names, false, "without names has names");
	INVALID(object->path[0], '[', "not a file");
	INVALID(object->nr_places, 1, "different numbers");
	INVALID(object->nr_frames, 1, "of no place");
	INVALID(object->places[0].function, 2, "in no function");
	INVALID(object->places[0].nr_frames, RESULT_MAX_FRAMES + 1, "of no place");
	INVALID(object->places[1].nr_frames, 2, "of no place");
	INVALID(object->frames[1].function, 2, "frame is wrong");
	INVALID(object->frames[1].file, 2, "frame is wrong");
	INVALID(object->frames[1].line, UINT32_MAX, "frame is wrong");
	INVALID(object->functions[0].file, 2, "line of a function");
	INVALID(object->functions[0].line, UINT32_MAX, "line of a function");
	INVALID(object->functions[1].start, object->functions[0].start - 1, "overflows");
	result_release(&result);
}

static void damage_messages(const struct result *from)
{
	unsigned int seed = 5;
	unsigned char *message;
	int round;
	size_t nr;

	assert_int_equal(resultpack_pack(from, &message, &nr), 0);
	for (round = 0; round < 20000; round++) {
		size_t at = (size_t)rand_r(&seed) % nr;
		unsigned char kept = message[at];
		const char *why = NULL;
		int error;

		message[at] = (unsigned char)rand_r(&seed);
		error = resultpack_unpack(message, nr, &read_back, &why);
		assert_true(error == 0 || (error == -EBADMSG && why));
		result_release(&read_back);
		message[at] = kept;
	}
	free(message);
}

TEST_F(random_messages_do_not_crash)
{
	struct result filled;

	fake_result_made_code(&result);
	damage_messages(&result);
	fill_result(&filled);
	damage_messages(&filled);
	result_release(&filled);
}
