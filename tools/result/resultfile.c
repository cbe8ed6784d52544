// SPDX-License-Identifier: GPL-2.0-only
/*
 * Results in files.
 *
 * atomic_file.h writes a file whole or not at all. A file is read with suspicion: its
 * lengths show whether it is cut short, its checksum whether it is damaged, and no length
 * may be larger than a bound.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "result/atomic_file.h"
#include "result/read_file.h"
#include "result/resultfile.h"
#include "result/resultpack.h"
#include "util/failure.h"

#define MAGIC	"profil result "
#define VERSION	"1\n"

/*
 * Of a message. Samples in each 4 bytes of 50 MiB of text would be as much; and it is
 * packed into less, or a little more.
 */
#define MAX_BYTES	((size_t)32 << 20)

/* What is in front of the packed message; numbers are little-endian */
struct envelope {
	char magic[sizeof(MAGIC VERSION) - 1];
	uint64_t packed_bytes;
	uint64_t bytes;
	uint32_t checksum;
} __attribute__((packed));

/* --- writing ------------------------------------------------------------------ */

static uint32_t checksum(const struct envelope *envelope, const unsigned char *packed,
			 size_t bytes)
{
	unsigned char lengths[sizeof(envelope->packed_bytes) + sizeof(envelope->bytes)];
	uLong sum = crc32(0, NULL, 0);

	memcpy(lengths, (const char *)envelope + offsetof(struct envelope, packed_bytes),
	       sizeof(lengths));
	sum = crc32(sum, lengths, sizeof(lengths));
	return (uint32_t)crc32_z(sum, packed, bytes);
}

/* Return: a file's contents, to free(), and their length; or NULL with errno. */
static unsigned char *wrap(const struct result *result, size_t *bytes)
{
	unsigned char *message = NULL, *contents = NULL, *packed;
	struct envelope envelope = { .magic = MAGIC VERSION };
	uLongf packed_bytes;
	size_t plain_bytes;

	errno = ENOMEM;
	if (resultpack_pack(result, &message, &plain_bytes))
		return NULL;
	if (plain_bytes > MAX_BYTES) {
		errno = EFBIG;
		goto out;
	}
	packed_bytes = compressBound(plain_bytes);
	contents = malloc(sizeof(envelope) + packed_bytes);
	if (!contents)
		goto out;
	packed = contents + sizeof(envelope);
	if (compress(packed, &packed_bytes, message, plain_bytes) != Z_OK) {
		free(contents);
		contents = NULL;
		goto out;
	}
	envelope.packed_bytes = htole64(packed_bytes);
	envelope.bytes = htole64(plain_bytes);
	envelope.checksum = htole32(checksum(&envelope, packed, packed_bytes));
	memcpy(contents, &envelope, sizeof(envelope));
	*bytes = sizeof(envelope) + packed_bytes;
out:
	free(message);
	return contents;
}

static int write_all(int fd, const unsigned char *bytes, size_t nr)
{
	while (nr) {
		ssize_t written = write(fd, bytes, nr);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return failure_errno();
		bytes += written;
		nr -= (size_t)written;
	}
	return 0;
}

static int open_special(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	return fd < 0 ? failure_errno() : fd;
}

static int try_special(const char *path, mode_t mode)
{
	int fd;

	/* opening a pipe waits for its reader, and closing it sends the reader away */
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
	error = write_all(fd, contents, bytes);
	close(fd);
	return error;
}

int resultfile_write(const char *path, const struct result *result, char **left,
		     int *unkept)
{
	struct atomic_file new;
	unsigned char *contents;
	size_t bytes;
	int error;

	*left = NULL;
	if (unkept)
		*unkept = 0;
	contents = wrap(result, &bytes);
	if (!contents)
		return failure_errno();
	error = atomic_file_find(&new, path);
	if (!error && new.is_special) {
		error = write_special(path, contents, bytes);
	} else if (!error) {
		error = atomic_file_begin(&new);
		if (!error)
			error = write_all(new.fd, contents, bytes);
		if (!error)
			error = atomic_file_finish(&new, left, unkept);
	}
	atomic_file_release(&new);
	free(contents);
	return error;
}

const char *resultfile_remedy(int error)
{
	if (error == EFBIG)
		return "it may have 32 MiB, and a file what ulimit -f allows; a lower --rate or --no-follow makes it smaller";
	return "-o names another file, -o /dev/null none";
}

/* --- reading ------------------------------------------------------------------ */

#define CUT_SHORT	"it is cut short: copy it anew, or run the command again"
#define DAMAGED		"it is damaged: copy it anew, or run the command again"

/* Of a file */
#define MOST_BYTES	(sizeof(struct envelope) + compressBound(MAX_BYTES))

#define TOO_LARGE	"it is larger than any result: name a file that profil wrote"

static int check_magic(const unsigned char *contents, size_t bytes, const char **why)
{
	static const char magic[] = MAGIC VERSION;
	const size_t name = strlen(MAGIC);

	if (!bytes)
		return read_file_refuse(why, "it is empty: run the command again");
	if (memcmp(contents, magic, bytes < name ? bytes : name))
		return read_file_refuse(why, "it is no result of profil, which `profil COMMAND' writes");
	if (bytes < sizeof(struct envelope))
		return read_file_refuse(why, CUT_SHORT);
	if (memcmp(contents, magic, strlen(magic)))
		return read_file_refuse(why, "it is of another version of this format: report it with the profil that wrote it");
	return 0;
}

static int unwrap(const unsigned char *contents, size_t size, struct result *result,
		  const char **why)
{
	const unsigned char *packed = contents + sizeof(struct envelope);
	size_t packed_bytes = size - sizeof(struct envelope);
	struct envelope envelope;
	unsigned char *message;
	uLongf plain_bytes;
	int error;

	memcpy(&envelope, contents, sizeof(envelope));
	if (le64toh(envelope.packed_bytes) > packed_bytes)
		return read_file_refuse(why, CUT_SHORT);
	if (le64toh(envelope.packed_bytes) != packed_bytes ||
	    le32toh(envelope.checksum) != checksum(&envelope, packed, packed_bytes))
		return read_file_refuse(why, DAMAGED);
	if (le64toh(envelope.bytes) > MAX_BYTES)
		return read_file_refuse(why, "it says that it is larger than any result: run the command again");
	plain_bytes = (uLongf)le64toh(envelope.bytes);
	message = malloc(plain_bytes + 1);
	if (!message)
		return -ENOMEM;
	error = uncompress(message, &plain_bytes, packed, packed_bytes);
	if (error == Z_MEM_ERROR)
		error = -ENOMEM;
	else if (error != Z_OK || plain_bytes != le64toh(envelope.bytes))
		error = read_file_refuse(why, DAMAGED);
	else
		error = resultpack_unpack(message, plain_bytes, result, why);
	free(message);
	return error;
}

int resultfile_read(const char *path, struct result *result, const char **why)
{
	unsigned char *contents;
	size_t bytes;
	int error;

	memset(result, 0, sizeof(*result));
	error = read_file(path, MOST_BYTES, &contents, &bytes, why);
	if (error == -EFBIG)
		error = read_file_refuse(why, TOO_LARGE);
	if (!error)
		error = check_magic(contents, bytes, why);
	if (!error)
		error = unwrap(contents, bytes, result, why);
	free(contents);
	return error;
}

bool resultfile_is_foreign(const char *path)
{
	char begin[sizeof(MAGIC) - 1];
	size_t length = read_file_start(path, begin, sizeof(begin));

	return memcmp(begin, MAGIC, length);
}
