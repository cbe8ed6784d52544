// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The histogram in a gmon.out file, as the GNU C library writes it and gprof reads it:
 *
 *	"gmon", int32 version 1, 12 bytes		header
 *	records, each with a first byte for its type; the histogram comes first
 *
 * Counters in the file have 16 bits. gprof adds up records of the same range, so a count above
 * 65535 is split into several records. gprof requires that records of different ranges do not
 * overlap and have the same size of text per counter. The range is therefore cut into parts, and
 * only parts with such a count need more than one record.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gmon/file.h"
#include "write_all.h"

#define HEADER_BYTES	20
#define MAGIC		"gmon"
#define VERSION		1
#define TAG_HISTOGRAM	0
#define MAX_COUNT	UINT16_MAX

/* Counters per part, if the range is cut */
#define PART		1024

/* Follows the type byte. It has no padding on any architecture. */
struct histogram_header {
	uintptr_t low;
	uintptr_t high;
	int32_t nr;
	int32_t rate;
	char unit[15];
	char unit_letter;
};

_Static_assert(sizeof(struct histogram_header) == 2 * sizeof(uintptr_t) + 24,
	       "layout of the file");

/* Read exactly @bytes. Return: 0 or -errno; -EBADMSG: the file is shorter. */
static int read_all(int fd, void *into, size_t bytes, off_t from)
{
	char *at = into;
	ssize_t got;

	while (bytes) {
		got = pread(fd, at, bytes, from);
		if (got < 0 && errno == EINTR)
			continue; /* GCOV_EXCL_LINE: interrupted by a signal */
		if (got <= 0)
			/* GCOV_EXCL_START: the file was just written */
			return got ? -errno : -EBADMSG;
			/* GCOV_EXCL_STOP */
		at += got;
		from += got;
		bytes -= (size_t)got;
	}
	return 0;
}

/* Return: end of the histogram's record, or of the header if there is none; 0: truncated. */
static size_t end_of_histogram(const char *file, size_t bytes)
{
	struct histogram_header header;
	size_t at = HEADER_BYTES;

	if (at == bytes || file[at] != TAG_HISTOGRAM)
		return at;
	at++;
	if (bytes - at < sizeof(header))
		return 0;
	memcpy(&header, file + at, sizeof(header));
	at += sizeof(header);
	/* a negative number becomes a large unsigned one */
	if ((bytes - at) / sizeof(uint16_t) < (size_t)header.nr)
		return 0;
	return at + (size_t)header.nr * sizeof(uint16_t);
}

/* Read everything after the histogram into *rest, which the caller frees. Return: 0 or -errno. */
static int read_rest(int fd, char **rest, size_t *rest_bytes)
{
	struct stat stat;
	int32_t version;
	size_t bytes, end;
	char *file;
	int error;

	if (fstat(fd, &stat))
		return -errno; /* GCOV_EXCL_LINE: the file was just written */
	bytes = (size_t)stat.st_size;
	if (bytes < HEADER_BYTES)
		return -EBADMSG;
	file = malloc(bytes);
	if (!file)
		return -ENOMEM; /* GCOV_EXCL_LINE: out of memory */
	error = read_all(fd, file, bytes, 0);
	if (error)
		goto free; /* GCOV_EXCL_LINE: the file was just written */
	error = -EBADMSG;
	memcpy(&version, file + strlen(MAGIC), sizeof(version));
	if (memcmp(file, MAGIC, strlen(MAGIC)) || version != VERSION)
		goto free;
	end = end_of_histogram(file, bytes);
	if (!end)
		goto free;
	*rest_bytes = bytes - end;
	memmove(file, file + end, *rest_bytes);
	*rest = file;
	return 0;

free:
	free(file);
	return error;
}

static uint32_t highest_count(const uint32_t *counts, size_t nr)
{
	uint32_t highest = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		if (counts[i] > highest)
			highest = counts[i];
	return highest;
}

/* The part of a count for the next record; earlier records hold @written. */
static uint16_t part_of(uint32_t count, uint32_t written)
{
	if (count <= written)
		return 0;
	count -= written;
	return count > MAX_COUNT ? MAX_COUNT : (uint16_t)count;
}

/* Write as many records of a range as its highest count needs, at least one. */
static int write_range(int fd, const struct profil_gmon_histogram *range)
{
	struct histogram_header header = {
		.low = range->low,
		.high = range->low + range->nr * PROFIL_GMON_TEXT_BYTES,
		.nr = (int32_t)range->nr,
		.rate = (int32_t)range->rate,
		.unit = "seconds",
		.unit_letter = 's',
	};
	uint32_t highest = highest_count(range->counts, range->nr);
	size_t head = 1 + sizeof(header);
	size_t bytes = head + range->nr * sizeof(uint16_t);
	uint32_t written = 0;
	char *record;
	int error;
	size_t i;

	record = malloc(bytes);
	if (!record)
		return -ENOMEM; /* GCOV_EXCL_LINE: out of memory */
	record[0] = TAG_HISTOGRAM;
	memcpy(record + 1, &header, sizeof(header));
	for (;;) {
		for (i = 0; i < range->nr; i++) {
			uint16_t count = part_of(range->counts[i], written);

			memcpy(record + head + i * sizeof(count), &count,
			       sizeof(count));
		}
		error = profil_write_all(fd, record, bytes);
		if (error || highest - written <= MAX_COUNT)
			break;
		written += MAX_COUNT;
	}
	free(record);
	return error;
}

static int write_histogram(int fd, const struct profil_gmon_histogram *histogram)
{
	bool fits = highest_count(histogram->counts, histogram->nr) <= MAX_COUNT;
	size_t step = fits ? histogram->nr : PART;
	struct profil_gmon_histogram range = *histogram;
	size_t left = histogram->nr;
	int error = 0;

	while (!error && left) {
		range.nr = left < step ? left : step;
		error = write_range(fd, &range);
		range.low += range.nr * PROFIL_GMON_TEXT_BYTES;
		range.counts += range.nr;
		left -= range.nr;
	}
	return error;
}

int profil_gmon_file_replace(int fd, const struct profil_gmon_histogram *histogram)
{
	size_t rest_bytes = 0;
	char *rest = NULL;
	off_t end;
	int error;

	error = read_rest(fd, &rest, &rest_bytes);
	if (error)
		return error;
	if (lseek(fd, HEADER_BYTES, SEEK_SET) < 0)
		error = -errno; /* GCOV_EXCL_LINE: the file was just written */
	if (!error)
		error = write_histogram(fd, histogram);
	if (!error)
		error = profil_write_all(fd, rest, rest_bytes);
	free(rest);
	if (error)
		return error;
	end = lseek(fd, 0, SEEK_CUR);
	return end < 0 || ftruncate(fd, end) ? -errno : 0;
}
