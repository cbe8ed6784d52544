// SPDX-License-Identifier: GPL-2.0-only
/*
 * gmon.out, as gprof reads it:
 *
 *	header	"gmon", version (32 bits), 12 bytes of 0
 *	record	tag (a byte, 0: histogram), first address, address behind the last,
 *		number of bins (32 bits), rate in Hz (32 bits), name of the unit (15
 *		bytes), its letter (a byte), the bins (16 bits each)
 *	...
 *
 * gprof wants all records to have bins of the same width, and no two to overlap unless
 * they are of the very same stretch of text, when it adds them up. It shares the samples
 * of a bin among the functions in it.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"

#define VERSION		1
#define TAG_HISTOGRAM	0
#define MOST		UINT16_MAX	/* samples in a bin */

/* gprof takes narrower bins for twice as many */
#define LEAST_BYTES	2

/* A record's head takes as much room as some bins of 0; and gprof is slow with many */
#define WIDEST_GAP	256
#define MOST_BINS	65536		/* of a record */

/* Of a count: a million records of it are 45 MB */
#define MOST_SAMPLES	((uint64_t)MOST << 20)

struct gmon {
	FILE *out;
	uint32_t rate;
	uint64_t bin_bytes;
};

/* Bins in the making of a stretch of text */
struct stretch {
	uint64_t low;
	size_t nr_bins;
	uint64_t bins[MOST_BINS];
};

static void put(const struct gmon *gmon, const void *bytes, size_t size)
{
	fwrite(bytes, 1, size, gmon->out);
}

static void put_header(const struct gmon *gmon)
{
	const uint32_t version = VERSION;
	const char spare[12] = { 0 };

	put(gmon, "gmon", 4);
	put(gmon, &version, sizeof(version));
	put(gmon, spare, sizeof(spare));
}

static uint64_t most_of(const uint64_t *bins, size_t nr)
{
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		if (bins[i] > most)
			most = bins[i];
	return most;
}

/* What of a count stands in the @nth repetition of its record */
static uint16_t part(uint64_t samples, uint64_t nth)
{
	if (samples <= nth * MOST)
		return 0;
	samples -= nth * MOST;
	return samples < MOST ? (uint16_t)samples : MOST;
}

static void put_record(const struct gmon *gmon, uint64_t low, const uint64_t *bins,
		       size_t nr, uint64_t nth)
{
	const uint64_t high = low + nr * gmon->bin_bytes;
	const unsigned char tag = TAG_HISTOGRAM;
	const uint32_t nr_bins = (uint32_t)nr;
	const char unit[15] = "seconds";
	size_t i;

	put(gmon, &tag, sizeof(tag));
	put(gmon, &low, sizeof(low));
	put(gmon, &high, sizeof(high));
	put(gmon, &nr_bins, sizeof(nr_bins));
	put(gmon, &gmon->rate, sizeof(gmon->rate));
	put(gmon, unit, sizeof(unit));
	put(gmon, "s", 1);
	for (i = 0; i < nr; i++) {
		uint16_t samples = part(bins[i], nth);

		put(gmon, &samples, sizeof(samples));
	}
}

static void put_records(const struct gmon *gmon, uint64_t low, const uint64_t *bins,
			size_t nr)
{
	uint64_t most = most_of(bins, nr), nth = 0;

	do
		put_record(gmon, low, bins, nr, nth++);
	while (nth * MOST < most);
}

/* Bins that need repetition are records of their own: the others are not repeated. */
static void put_stretch(const struct gmon *gmon, const struct stretch *stretch)
{
	size_t from = 0, to;

	while (from < stretch->nr_bins) {
		for (to = from; to < stretch->nr_bins && stretch->bins[to] <= MOST; to++)
			;
		if (to == from)
			to++;
		put_records(gmon, stretch->low + from * gmon->bin_bytes,
			    stretch->bins + from, to - from);
		from = to;
	}
}

/* Return: whether it lies in a bin of the stretch, if that is made longer by some. */
static bool belongs(const struct gmon *gmon, const struct stretch *stretch,
		    uint64_t address)
{
	uint64_t bin = (address - stretch->low) / gmon->bin_bytes;

	return stretch->nr_bins && bin < MOST_BINS &&
	       bin < stretch->nr_bins + WIDEST_GAP &&
	       (address - stretch->low) % gmon->bin_bytes == 0;
}

static void add(const struct gmon *gmon, struct stretch *stretch, uint64_t address,
		uint64_t samples)
{
	size_t bin;

	if (!belongs(gmon, stretch, address)) {
		put_stretch(gmon, stretch);
		memset(stretch, 0, sizeof(*stretch));
		stretch->low = address;
	}
	bin = (size_t)((address - stretch->low) / gmon->bin_bytes);
	stretch->bins[bin] += samples;
	if (bin >= stretch->nr_bins)
		stretch->nr_bins = bin + 1;
}

int export_gmon(FILE *out, const struct result *result, size_t object)
{
	const struct result_object *from = &result->objects[object];
	struct gmon gmon = { .out = out, .rate = (uint32_t)lround(result_rate(result)) };
	struct stretch *stretch;
	size_t i;

	for (i = 0; i < from->nr_counts; i++)
		if (from->counts[i].samples > MOST_SAMPLES)
			return -EOVERFLOW;
	stretch = calloc(1, sizeof(*stretch));
	if (!stretch)
		return -ENOMEM;
	gmon.bin_bytes = result->text_bytes;
	if (gmon.bin_bytes < LEAST_BYTES)
		gmon.bin_bytes = LEAST_BYTES;
	put_header(&gmon);
	for (i = 0; i < from->nr_counts; i++) {
		uint64_t address = from->counts[i].address;

		/* two counts of a byte share a bin */
		if (result->text_bytes < LEAST_BYTES)
			address -= address % LEAST_BYTES;
		add(&gmon, stretch, address, from->counts[i].samples);
	}
	put_stretch(&gmon, stretch);
	free(stretch);
	return 0;
}
