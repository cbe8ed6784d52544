// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A gmon.out file, as the GNU C library writes it and gprof reads it:
 *
 *	"gmon", int32 version 1, 12 bytes		header
 *	records, each with a first byte for its type: histograms, then arcs
 *
 * All addresses are link-time addresses, also in a shared object's file.
 *
 * Counters in the file have 16 bits. gprof adds up records of the same range, so a count above
 * 65535 is split into several records. gprof requires that records of different ranges do not
 * overlap and have the same size of text per counter. The range is therefore cut into parts, and
 * only parts with such a count need more than one record. Counts of calls have 32 bits; gprof adds
 * up the arcs with the same addresses.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "gmon/file.h"
#include "write_all.h"

#define TAG_HISTOGRAM	0
#define TAG_ARC		1
#define MAX_COUNT	UINT16_MAX

/* Counters per part, if the range is cut */
#define PART		1024

static const char header_of_file[20] = "gmon\1";
static const char header_of_file_big_endian[20] = "gmon\0\0\0\1";

/* Follow the type byte. They have no padding on any architecture. */
struct histogram_header {
	uintptr_t low;
	uintptr_t high;
	int32_t nr;
	int32_t rate;
	char unit[15];
	char unit_letter;
};

struct arc {
	uintptr_t from;
	uintptr_t to;
	uint32_t calls;
} __attribute__((packed));

_Static_assert(sizeof(struct histogram_header) == 2 * sizeof(uintptr_t) + 24,
	       "layout of the file");

/* Collects what is written; error: of the first write that failed */
struct writer {
	int fd;
	int error;
	size_t used;
	char bytes[8192];
};

static void flush(struct writer *writer)
{
	if (!writer->error)
		writer->error = profil_write_all(writer->fd, writer->bytes, writer->used);
	writer->used = 0;
}

/* bytes: fewer than the writer collects */
static void put(struct writer *writer, const void *data, size_t bytes)
{
	if (bytes > sizeof(writer->bytes) - writer->used)
		flush(writer);
	memcpy(writer->bytes + writer->used, data, bytes);
	writer->used += bytes;
}

static void put_tag(struct writer *writer, char tag)
{
	put(writer, &tag, 1);
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
static void put_range(struct writer *writer, uintptr_t low, const uint32_t *counts, size_t nr,
		      uint32_t rate)
{
	const struct histogram_header header = {
		.low = low,
		.high = low + nr * PROFIL_GMON_TEXT_BYTES,
		.nr = (int32_t)nr,
		.rate = (int32_t)rate,
		.unit = "seconds",
		.unit_letter = 's',
	};
	const uint32_t highest = highest_count(counts, nr);
	uint32_t written = 0;
	uint16_t count;
	size_t i;

	for (;;) {
		put_tag(writer, TAG_HISTOGRAM);
		put(writer, &header, sizeof(header));
		for (i = 0; i < nr; i++) {
			count = part_of(counts[i], written);
			put(writer, &count, sizeof(count));
		}
		if (writer->error || highest - written <= MAX_COUNT)
			return;
		written += MAX_COUNT;
	}
}

static void put_histogram(struct writer *writer, const struct profil_gmon_object *object,
			  uint32_t rate)
{
	const bool fits = highest_count(object->counts, object->nr) <= MAX_COUNT;
	const size_t step = fits ? object->nr : PART;
	const uint32_t *counts = object->counts;
	uintptr_t low = object->identity.low;
	size_t left = object->nr, nr;

	while (!writer->error && left) {
		nr = left < step ? left : step;
		put_range(writer, low, counts, nr, rate);
		low += nr * PROFIL_GMON_TEXT_BYTES;
		counts += nr;
		left -= nr;
	}
}

static void put_arcs(struct writer *writer, const struct profil_gmon_arcs *arcs)
{
	unsigned long calls;
	struct arc arc;
	size_t i;

	for (i = 0; i < arcs->nr && !writer->error; i++) {
		arc.from = atomic_load(&arcs->slots[i].from);
		arc.to = atomic_load(&arcs->slots[i].to);
		for (calls = atomic_load(&arcs->slots[i].calls); calls; calls -= arc.calls) {
			arc.calls = calls > UINT32_MAX ? UINT32_MAX : (uint32_t)calls;
			put_tag(writer, TAG_ARC);
			put(writer, &arc, sizeof(arc));
		}
	}
}

int profil_gmon_file_write(int fd, const struct profil_gmon_object *object, uint32_t rate)
{
	struct writer writer = { .fd = fd };

	put(&writer, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? header_of_file :
	    header_of_file_big_endian, sizeof(header_of_file));
	put_histogram(&writer, object, rate);
	put_arcs(&writer, &object->arcs);
	flush(&writer);
	return writer.error;
}
