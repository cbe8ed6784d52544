// SPDX-License-Identifier: GPL-2.0-only
/*
 * The gmon.out format of gprof:
 *
 *	header	"gmon", version (32 bits), 12 bytes of 0
 *	record	tag (a byte, 0: histogram), first address, end address (exclusive),
 *		number of bins (32 bits), rate in Hz (32 bits), name of the unit (15
 *		bytes), its letter (a byte), the bins (16 bits each)
 *	record	tag (1: arc), address in the caller, address in the callee, number (32 bits)
 *	...
 *
 * gprof requires that the bins of all records represent the same number of bytes of text.
 * Records must not overlap, except that gprof adds up records of exactly the same range of text.
 * The samples of a bin are distributed over the functions in it.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "export/stacks.h"

#define VERSION		1
#define TAG_HISTOGRAM	0
#define TAG_ARC		1
#define BIN_MAX		UINT16_MAX	/* samples in a bin */

/* Bytes of text per bin. With narrower bins, gprof expects twice their number. */
#define BIN_BYTES	2

/*
 * This many empty bins in a row start a new record. Fewer do not, because the head of a record
 * takes room too, and gprof is slow with many records.
 */
#define MAX_GAP		256
#define MAX_BINS	65536		/* in a record */

/* The largest count that can be written: 2^20 records, which take 45 MB */
#define MAX_SAMPLES	((uint64_t)BIN_MAX << 20)

struct gmon {
	FILE *out;
	uint32_t rate;
};

/* A range of text whose bins are being collected */
struct stretch {
	uint64_t low;
	size_t nr_bins;
	uint64_t bins[MAX_BINS];
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

static uint64_t find_max(const uint64_t *bins, size_t nr)
{
	uint64_t max = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		if (bins[i] > max)
			max = bins[i];
	return max;
}

/* The samples of a bin in the @nth repetition of its record, counted from 0 */
static uint16_t bin_part(uint64_t samples, uint64_t nth)
{
	if (samples <= nth * BIN_MAX)
		return 0;
	samples -= nth * BIN_MAX;
	return samples < BIN_MAX ? (uint16_t)samples : BIN_MAX;
}

static void put_record(const struct gmon *gmon, uint64_t low, const uint64_t *bins,
		       size_t nr, uint64_t nth)
{
	const uint64_t high = low + nr * BIN_BYTES;
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
		uint16_t samples = bin_part(bins[i], nth);

		put(gmon, &samples, sizeof(samples));
	}
}

static void put_records(const struct gmon *gmon, uint64_t low, const uint64_t *bins,
			size_t nr)
{
	uint64_t max = find_max(bins, nr), nth = 0;

	do
		put_record(gmon, low, bins, nr, nth++);
	while (nth * BIN_MAX < max);
}

/* A bin that needs several records gets records of its own, so that other bins are not repeated. */
static void put_stretch(const struct gmon *gmon, const struct stretch *stretch)
{
	size_t from = 0, to;

	while (from < stretch->nr_bins) {
		for (to = from; to < stretch->nr_bins && stretch->bins[to] <= BIN_MAX; to++)
			;
		if (to == from)
			to++;
		put_records(gmon, stretch->low + from * BIN_BYTES,
			    stretch->bins + from, to - from);
		from = to;
	}
}

/* Whether the bin of an address is in the stretch, or after it with fewer than MAX_GAP between */
static bool belongs(const struct stretch *stretch, uint64_t address)
{
	uint64_t bin = (address - stretch->low) / BIN_BYTES;

	return stretch->nr_bins && bin < MAX_BINS && bin < stretch->nr_bins + MAX_GAP;
}

static void add(const struct gmon *gmon, struct stretch *stretch, uint64_t address,
		uint64_t samples)
{
	size_t bin;

	if (!belongs(stretch, address)) {
		put_stretch(gmon, stretch);
		memset(stretch, 0, sizeof(*stretch));
		stretch->low = address;
	}
	bin = (size_t)((address - stretch->low) / BIN_BYTES);
	stretch->bins[bin] += samples;
	if (bin >= stretch->nr_bins)
		stretch->nr_bins = bin + 1;
}

/* Samples in stacks with a call. One from another object, or from an unknown one, is at 0. */
struct arc {
	uint64_t from;
	uint64_t to;
	uint64_t samples;
};

static int compare_arcs(const void *va, const void *vb)
{
	const struct arc *a = va, *b = vb;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

static void put_arc(const struct gmon *gmon, const struct arc *arc)
{
	const unsigned char tag = TAG_ARC;
	uint64_t left = arc->samples;

	while (left) {
		const uint32_t count = left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;

		put(gmon, &tag, sizeof(tag));
		put(gmon, &arc->from, sizeof(arc->from));
		put(gmon, &arc->to, sizeof(arc->to));
		put(gmon, &count, sizeof(count));
		left -= count;
	}
}

/* Return: the nearest caller in the object; RESULT_NO_NODE: there is none. */
static uint32_t find_caller(const struct result_node *nodes, uint32_t node)
{
	const uint32_t object = nodes[node].object;

	do
		node = nodes[node].parent;
	while (node != RESULT_NO_NODE && nodes[node].object != object);
	return node;
}

/* Return: the arcs of nodes in the object, with the samples below them, to free(); NULL: no memory. */
static struct arc *list_arcs(const struct result *result, size_t object, size_t *nr)
{
	struct arc *arcs = calloc(result->nr_nodes + 1, sizeof(*arcs));
	struct result_count *totals = stacks_totals(result);
	size_t i;

	*nr = 0;
	if (!arcs || !totals) {
		free(arcs);
		free(totals);
		return NULL;
	}
	for (i = 0; i < result->nr_nodes; i++) {
		uint32_t caller;

		if (result->nodes[i].object != object)
			continue;
		caller = find_caller(result->nodes, (uint32_t)i);
		arcs[(*nr)++] = (struct arc){
			caller == RESULT_NO_NODE ? 0 : result->nodes[caller].address,
			result->nodes[i].address, totals[i].samples,
		};
	}
	free(totals);
	qsort(arcs, *nr, sizeof(*arcs), compare_arcs);
	return arcs;
}

/* Write the calls of functions in the object. Return: 0 or -ENOMEM. */
static int put_arcs(const struct gmon *gmon, const struct result *result, size_t object)
{
	size_t nr, i;
	struct arc *arcs = list_arcs(result, object, &nr);

	if (!arcs)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		if (i + 1 < nr && !compare_arcs(&arcs[i], &arcs[i + 1]))
			arcs[i + 1].samples += arcs[i].samples;
		else
			put_arc(gmon, &arcs[i]);
	}
	free(arcs);
	return 0;
}

int export_gmon(FILE *out, const struct result *result, size_t object)
{
	const struct result_object *from = &result->objects[object];
	struct gmon gmon = { .out = out, .rate = (uint32_t)lround(result_rate(result)) };
	struct stretch *stretch;
	size_t i;

	for (i = 0; i < from->nr_counts; i++)
		if (from->counts[i].samples > MAX_SAMPLES)
			return -EOVERFLOW;
	stretch = calloc(1, sizeof(*stretch));
	if (!stretch)
		return -ENOMEM;
	put_header(&gmon);
	for (i = 0; i < from->nr_counts; i++)
		add(&gmon, stretch, from->counts[i].address / BIN_BYTES * BIN_BYTES,
		    from->counts[i].samples);
	put_stretch(&gmon, stretch);
	free(stretch);
	return result->nr_stack_parts ? put_arcs(&gmon, result, object) : 0;
}
