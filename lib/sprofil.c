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
#include "overlap.h"
#include "profil.h"
#include "rate.h"

#define FLAGS	((unsigned int)PROF_UINT | PROF_FAST | PROF_UINT64)

/* More than the kernel takes, and so little that 64 bits hold it scaled */
#define MOST_BYTES	(1ULL << 46)

static bool is_overflow(const struct prof *prof)
{
	return !prof->pr_off && prof->pr_scale == 2;
}

/*
 * The first pc behind a region: whose counter, (d / width) * scale / 65536, would be
 * the first behind the buffer.
 */
static uint64_t end_of(const struct prof *prof, unsigned int width)
{
	uint64_t bytes = prof->pr_size, units, end;

	if (bytes > MOST_BYTES)
		bytes = MOST_BYTES;
	units = ((bytes / width << 16) + prof->pr_scale - 1) / prof->pr_scale;
	if (__builtin_add_overflow(prof->pr_off, units * width, &end))
		return PROFIL_NO_END;
	return end;
}

/* Falling, and of several at one place the first in the caller's array first. */
static int compare(const void *a, const void *b)
{
	const struct prof *left = *(const struct prof *const *)a;
	const struct prof *right = *(const struct prof *const *)b;

	if (left->pr_off != right->pr_off)
		return left->pr_off > right->pr_off ? -1 : 1;
	return left < right ? -1 : 1;
}

/*
 * Of those that hold a pc, the one of the largest offset counts it. Return: number of
 * regions, at most twice that of order[nr].
 */
static size_t make_regions(struct profil_region *regions,
			   const struct prof **order, size_t nr,
			   unsigned int width)
{
	size_t nr_regions = 0, i;

	qsort(order, nr, sizeof(*order), compare);
	for (i = 0; i < nr; i++) {
		struct profil_region region = {
			.start = order[i]->pr_off,
			.end = end_of(order[i], width),
			.offset = order[i]->pr_off,
			.buf = (uintptr_t)order[i]->pr_base,
			.bytes = order[i]->pr_size,
			.scale = (uint32_t)order[i]->pr_scale,
			.rounding = PROFIL_ROUND_PC,
		};

		nr_regions = profil_overlap_fill(regions, nr_regions, &region);
	}
	profil_overlap_finish(regions, nr_regions);
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

/* Return: 0 or -errno. *rate gets the one asked for; 0: nothing is to be counted. */
static int start(const struct prof *profp, size_t nr, unsigned int flags,
		 unsigned int *rate)
{
	const struct prof **order = calloc(nr, sizeof(*order));
	struct profil_region *regions = calloc(2 * nr, sizeof(*regions));
	const struct prof *overflow = NULL;
	unsigned int width = width_of(flags);
	struct profil_start arg = {
		.rate = flags & PROF_FAST ? PROFIL_HIGHEST_RATE : 0,
		.width = width * 8,
		.overflow = PROFIL_OVERFLOW_SATURATE,
		.regions = (uintptr_t)regions,
	};
	size_t nr_used = 0, i;
	int error = -ENOMEM;

	if (!order || !regions)
		goto free;
	for (i = 0; i < nr; i++) {
		if (profp[i].pr_size < width)
			continue;
		if (!is_overflow(&profp[i])) {
			if (profp[i].pr_scale >= 2)
				order[nr_used++] = &profp[i];
		} else if (!overflow) {
			overflow = &profp[i];
		}
	}
	arg.nr_regions = (uint32_t)make_regions(regions, order, nr_used, width);
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
	free(order);
	return error;
}

/* The kernel may give less than was asked for. */
static unsigned int true_rate(unsigned int asked)
{
	struct profil_status status;

	if (!asked || profil_call_status(&status) || !status.rate)
		return asked;
	return status.rate;
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
	error = start(profp, (size_t)profcnt, flags, &rate);
	if (!error && tvp) {
		rate = true_rate(rate);
		tvp->tv_sec = rate == 1;
		tvp->tv_usec = rate > 1 ? 1000000 / rate : 0;
	}
	return profil_call_return(error);
}
