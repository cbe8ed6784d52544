// SPDX-License-Identifier: GPL-2.0-only
/*
 * Result files: the message of resultpack.h, compressed in gzip's format.
 *
 * atomic_file.h writes a file whole or not at all. A file that is read may be damaged in any
 * way: gzip's checksum and length are checked, and no more memory is taken than the largest
 * result needs.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <write_all.h>
#include <zlib.h>

#include "result/atomic_file.h"
#include "result/fold.h"
#include "result/read_file.h"
#include "result/resultfile.h"
#include "result/resultpack.h"
#include "util/failure.h"

/* The start of each file: gzip's fixed header, and the first part of its comment */
#define MAGIC	"\x1f\x8b\x08\x10\0\0\0\0\0\x03" COMMENT
#define COMMENT	"profil result "
#define VERSION	"3"

#define GZIP_WINDOW	(15 + 16)	/* for zlib: the largest window, in gzip's format */
#define FAST_LEVEL	2		/* of zlib; 1 has another header than MAGIC */
#define GZIP_UNIX	3		/* the operating system in gzip's header */

/* The largest message. 50 MiB of text with samples at each instruction make about as much. */
#define MAX_BYTES	((size_t)32 << 20)

/* The largest file: headers, comment and trailer take less than 64 bytes. */
#define MAX_FILE_BYTES	(compressBound(MAX_BYTES) + 64)

/* --- writing ------------------------------------------------------------------ */

/* Return: the contents of a file, to free(), and their length; NULL: no memory. */
static unsigned char *compress_message(unsigned char *message, size_t message_bytes, int level,
				       size_t *bytes)
{
	gz_header header = { .os = GZIP_UNIX, .comment = (Bytef *)COMMENT VERSION };
	z_stream stream = { .next_in = message, .avail_in = (uInt)message_bytes };
	unsigned char *contents = NULL;

	if (deflateInit2(&stream, level, Z_DEFLATED, GZIP_WINDOW, MAX_MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	if (deflateSetHeader(&stream, &header) == Z_OK) {
		stream.avail_out = (uInt)deflateBound(&stream, message_bytes);
		contents = malloc(stream.avail_out);
		stream.next_out = contents;
	}
	if (contents && deflate(&stream, Z_FINISH) != Z_STREAM_END) {
		free(contents);
		contents = NULL;
	}
	*bytes = stream.total_out;
	deflateEnd(&stream);
	return contents;
}

/* Pack a result that fits, or is folded until it does. Return: 0 or -errno. */
static int pack(struct result *result, unsigned char **message, size_t *bytes)
{
	int error = result->folded_threads ? fold_remove_threads(result) : 0;

	for (;;) {
		if (!error)
			error = resultpack_pack(result, message, bytes);
		if (error || *bytes <= MAX_BYTES)
			return error;
		free(*message);
		error = fold_result(result, *bytes, MAX_BYTES);
	}
}

/* Return: the contents of a file, to free(), and their length; or NULL with errno. */
static unsigned char *wrap(struct result *result, int level, size_t *bytes)
{
	unsigned char *message, *contents;
	size_t message_bytes;
	int error = pack(result, &message, &message_bytes);

	errno = error ? -error : ENOMEM;
	if (error)
		return NULL;
	contents = compress_message(message, message_bytes, level, bytes);
	free(message);
	return contents;
}

static int open_special(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	return fd < 0 ? failure_errno() : fd;
}

static int try_special(const char *path, mode_t mode)
{
	int fd;

	/* open() would block until the pipe has a reader, and close() send end-of-file to it */
	if (S_ISFIFO(mode))
		return access(path, W_OK) ? failure_errno() : 0;
	fd = open_special(path);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int resultfile_try(const char *path)
{
	struct atomic_file new;
	int error = atomic_file_find(&new, path);

	if (!error && new.is_special) {
		error = try_special(path, new.file.st_mode);
	} else if (!error) {
		error = atomic_file_check(&new);
		if (!error)
			error = atomic_file_begin(&new);
	}
	atomic_file_release(&new);
	return error;
}

static int write_special(const char *path, const unsigned char *contents, size_t bytes)
{
	int fd = open_special(path);
	int error;

	if (fd < 0)
		return fd;
	error = profil_write_all(fd, contents, bytes);
	close(fd);
	return error;
}

static int write_at_level(const char *path, struct result *result, int level, char **left,
			  int *unkept)
{
	struct atomic_file new;
	unsigned char *contents;
	size_t bytes;
	int error;

	*left = NULL;
	if (unkept)
		*unkept = 0;
	contents = wrap(result, level, &bytes);
	if (!contents)
		return failure_errno();
	error = atomic_file_find(&new, path);
	if (!error && new.is_special) {
		error = write_special(path, contents, bytes);
	} else if (!error) {
		error = atomic_file_begin(&new);
		if (!error)
			error = profil_write_all(new.fd, contents, bytes);
		if (!error)
			error = atomic_file_finish(&new, left, unkept);
	}
	atomic_file_release(&new);
	free(contents);
	return error;
}

int resultfile_write(const char *path, struct result *result, char **left,
		     int *unkept)
{
	return write_at_level(path, result, Z_DEFAULT_COMPRESSION, left, unkept);
}

int resultfile_write_to(int fd, struct result *result)
{
	size_t bytes;
	unsigned char *contents = wrap(result, Z_DEFAULT_COMPRESSION, &bytes);
	int error = contents ? profil_write_all(fd, contents, bytes) : failure_errno();

	free(contents);
	return error;
}

/* Read what tells a file apart from one that has replaced it. Return: false: there is no file. */
static bool look(const char *path, struct resultfile_seen *seen)
{
	struct stat st;

	*seen = (struct resultfile_seen){ 0 };
	if (stat(path, &st))
		return false;
	*seen = (struct resultfile_seen){ st.st_dev, st.st_ino, st.st_mtim };
	return true;
}

void resultfile_look(struct resultfile *file)
{
	look(file->path, &file->seen);
}

/* Whether another process has written the file, since this one looked at it or wrote it. */
static bool is_of_another(const struct resultfile *file)
{
	struct resultfile_seen now;

	return look(file->path, &now) && memcmp(&now, &file->seen, sizeof(now));
}

int resultfile_replace(struct resultfile *file, struct result *result, bool is_last,
		       char **left)
{
	const bool is_others = is_of_another(file);
	int unkept = 0, error;

	error = write_at_level(file->path, result, is_last ? Z_DEFAULT_COMPRESSION : FAST_LEVEL,
			       left, file->is_written && !is_others ? NULL : &unkept);
	if (unkept)
		resultfile_explain_unkept(file->path, unkept);
	if (error)
		return error;
	if (is_others && !unkept)
		failure_warnx("%s: another run has written this file meanwhile; its result is %s.old now. With -o profil.%%p.out, each run has a file of its own",
			      file->path, file->path);
	file->is_written = true;
	resultfile_look(file);
	return 0;
}

void resultfile_explain_unwritten(const char *path, int error, const char *what)
{
	failure_warnx("%s: %s (%s): %s is not written; %s", path, strerror(-error),
		      strerrorname_np(-error), what, resultfile_remedy(-error));
}

void resultfile_explain_unkept(const char *path, int error)
{
	failure_warnx("%s.old: %s (%s): the previous result was not kept; before the next run, move the result, or name another file with -o",
		      path, strerror(-error), strerrorname_np(-error));
}

const char *resultfile_remedy(int error)
{
	if (error == EFBIG)
		return "raise the file size limit (ulimit -f)";
	return "name another file with -o, or discard it with -o /dev/null";
}

/* --- reading ------------------------------------------------------------------ */

#define DAMAGED	"the file is cut short or damaged: copy it again, or run the command again"

static int check_magic(const unsigned char *contents, size_t bytes, const char **why)
{
	static const char magic[] = MAGIC VERSION;
	const size_t common = sizeof(MAGIC) - 1;

	if (!bytes)
		return failure_refuse(why, "the file is empty: run the command again");
	if (memcmp(contents, magic, bytes < common ? bytes : common))
		return failure_refuse(why, "not a profil result file; `profil COMMAND' writes one");
	if (bytes < sizeof(magic))
		return failure_refuse(why, DAMAGED);
	/* with the 0 that ends the comment */
	if (memcmp(contents, magic, sizeof(magic)))
		return failure_refuse(why, "another version of the file format: read it with the version of profil that wrote it");
	return 0;
}

bool resultfile_is_result(const char *path)
{
	char start[sizeof(MAGIC) - 1];
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	const bool is_result = fd >= 0 && read(fd, start, sizeof(start)) == sizeof(start) &&
			       !memcmp(start, MAGIC, sizeof(start));

	if (fd >= 0)
		close(fd);
	return is_result;
}

static int unwrap(unsigned char *contents, size_t size, struct result *result, const char **why)
{
	z_stream stream = { .next_in = contents, .avail_in = (uInt)size };
	unsigned char *message;
	size_t bytes;
	uint32_t length;
	int error;

	/* gzip's last field, the length of the message; wrong if the file is truncated */
	memcpy(&length, contents + size - sizeof(length), sizeof(length));
	bytes = le32toh(length);
	if (bytes > MAX_BYTES)
		return failure_refuse(why, DAMAGED);
	message = malloc(bytes + 1);
	if (!message || inflateInit2(&stream, GZIP_WINDOW) != Z_OK) {
		free(message);
		return -ENOMEM;
	}
	stream.next_out = message;
	stream.avail_out = (uInt)bytes + 1;
	error = inflate(&stream, Z_FINISH);
	inflateEnd(&stream);
	if (error == Z_MEM_ERROR)
		error = -ENOMEM;
	else if (error != Z_STREAM_END || stream.avail_in)
		error = failure_refuse(why, DAMAGED);
	else
		error = resultpack_unpack(message, bytes, result, why);
	free(message);
	return error;
}

int resultfile_read(const char *path, struct result *result, const char **why)
{
	unsigned char *contents;
	size_t bytes;
	int error;

	memset(result, 0, sizeof(*result));
	error = read_file(path, MAX_FILE_BYTES, &contents, &bytes, why);
	if (error == -EFBIG)
		error = failure_refuse(why, "larger than any result: name a file that `profil COMMAND' wrote");
	if (!error)
		error = check_magic(contents, bytes, why);
	if (!error)
		error = unwrap(contents, bytes, result, why);
	free(contents);
	return error;
}
