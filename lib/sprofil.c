// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sprofil(): several regions, each with a buffer and a scale of its own. Built to the
 * GNU C library's declaration and rule, but what it gets wrong there: a pc below the
 * lowest region, start after stop, the period that it tells.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/profil.h>

#include "call.h"
#include "profil.h"
#include "rate.h"

#define FLAGS	((unsigned int)PROF_UINT | PROF_FAST | PROF_UINT64)

/* A region as the caller has it: what it would hold if there were no others. */
struct extent {
	const struct prof *prof;
	uint64_t start;
	uint64_t end;	/* UINT64_MAX: none */
	int number;
};

static bool is_overflow(const struct prof *prof)
{
	return !prof->pr_off && prof->pr_scale == 2;
}

/* Rising, and of several at one place the first in the caller's order last. */
static int compare(const void *a, const void *b)
{
	const struct extent *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return right->number - left->number;
}

/*
 * The first pc behind a region: whose counter, (d / width) * scale / 65536, would be
 * the first behind the buffer.
 */
static uint64_t end_of(const struct prof *prof, unsigned int width)
{
	unsigned __int128 nr = prof->pr_size / width;
	unsigned __int128 units, end;

	units = ((nr << 16) + prof->pr_scale - 1) / prof->pr_scale;
	end = prof->pr_off + units * width;
	return end < UINT64_MAX ? (uint64_t)end : UINT64_MAX;
}

/* Return: number of extents, sorted. *overflow is the first overflow region. */
static int list_extents(struct extent *extents, const struct prof *profp,
			int profcnt, unsigned int width,
			const struct prof **overflow)
{
	int nr = 0, i;

	for (i = 0; i < profcnt; i++) {
		const struct prof *prof = &profp[i];

		if (is_overflow(prof)) {
			if (!*overflow && prof->pr_size >= width)
				*overflow = prof;
			continue;
		}
		if (prof->pr_scale < 2 || prof->pr_size < width)
			continue;
		extents[nr++] = (struct extent){
			.prof = prof,
			.start = prof->pr_off,
			.end = end_of(prof, width),
			.number = i,
		};
	}
	qsort(extents, (size_t)nr, sizeof(*extents), compare);
	return nr;
}

static void add_region(struct profil_region *region,
		       const struct extent *extent, uint64_t start, uint64_t end)
{
	*region = (struct profil_region){
		.start = start,
		.end = end < UINT64_MAX ? end : 0,
		.offset = extent->start,
		.buf = (uintptr_t)extent->prof->pr_base,
		.bytes = extent->prof->pr_size,
		.scale = (uint32_t)extent->prof->pr_scale,
		.rounding = PROFIL_ROUND_PC,
	};
}

/*
 * Cut extents that overlap into regions that do not: where several hold a pc, the
 * one that starts highest, so that a sweep upwards finds in @open, last, the one
 * that counts. Return: number of regions, less than twice that of extents.
 */
static unsigned int cut(struct profil_region *regions,
			const struct extent *extents, int nr,
			const struct extent **open)
{
	unsigned int nr_regions = 0;
	uint64_t at = 0;
	int i, nr_open = 0;

	for (i = 0; i <= nr; i++) {
		uint64_t next = i < nr ? extents[i].start : UINT64_MAX;

		while (nr_open && at < next) {
			const struct extent *top = open[nr_open - 1];
			uint64_t end = top->end < next ? top->end : next;

			if (at < end)
				add_region(&regions[nr_regions++], top, at, end);
			if (top->end <= next)
				nr_open--;
			if (at < end)
				at = end;
		}
		at = next;
		if (i < nr)
			open[nr_open++] = &extents[i];
	}
	return nr_regions;
}

static unsigned int width_of(unsigned int flags)
{
	if (flags & PROF_UINT64)
		return sizeof(uint64_t);
	return flags & PROF_UINT ? sizeof(uint32_t) : sizeof(uint16_t);
}

static int check(const struct prof *profp, int profcnt, unsigned int flags)
{
	int i;

	if (flags & ~FLAGS || (flags & PROF_UINT && flags & PROF_UINT64) ||
	    profcnt < 0)
		return -EINVAL;
	for (i = 0; i < profcnt; i++)
		if (profp[i].pr_scale > UINT32_MAX)
			return -EINVAL;
	return 0;
}

/* Return: 0 or -errno. *rate gets the true one; 0: nothing is to be counted. */
static int start(const struct prof *profp, int profcnt, unsigned int flags,
		 unsigned int *rate)
{
	size_t nr = (size_t)profcnt;
	struct extent *extents = calloc(nr, sizeof(*extents));
	const struct extent **open = calloc(nr, sizeof(*open));
	struct profil_region *regions = calloc(2 * nr, sizeof(*regions));
	const struct prof *overflow = NULL;
	unsigned int width = width_of(flags);
	struct profil_start arg = {
		.rate = flags & PROF_FAST ? PROFIL_HIGHEST_RATE : 0,
		.width = width * 8,
		.overflow = PROFIL_OVERFLOW_SATURATE,
		.regions = (uintptr_t)regions,
	};
	int error = -ENOMEM;

	if (!extents || !open || !regions)
		goto free;
	arg.nr_regions = cut(regions, extents,
			     list_extents(extents, profp, profcnt, width,
					  &overflow), open);
	if (overflow)
		arg.catch_all = (uintptr_t)overflow->pr_base;
	if (overflow && !arg.nr_regions) {
		/* the kernel wants a region: one that has all pcs */
		regions[0].buf = arg.catch_all;
		regions[0].bytes = width;
		regions[0].rounding = PROFIL_ROUND_FIRST;
		arg.nr_regions = 1;
		arg.catch_all = 0;
	}
	error = arg.nr_regions ? profil_call_start(&arg) : profil_call_off();
	*rate = arg.nr_regions ? arg.rate : 0;
free:
	free(regions);
	free(open);
	free(extents);
	return error;
}

/* As documented in profil.h. */
int sprofil(struct prof *profp, int profcnt, struct timeval *tvp,
	    unsigned int flags)
{
	unsigned int rate = 0;
	int error = check(profp, profcnt, flags);

	if (error)
		return profil_call_return(error);
	if (!profcnt)
		return profil_call_return(profil_call_off());
	error = start(profp, profcnt, flags, &rate);
	if (!error && tvp) {
		tvp->tv_sec = rate == 1;
		tvp->tv_usec = rate > 1 ? 1000000 / rate : 0;
	}
	return profil_call_return(error);
}
