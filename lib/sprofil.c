// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sprofil(): several regions, each with its own buffer and scale. Declaration and rule are the
 * GNU C library's, without its bugs with a pc below the lowest region, a start after a stop, and
 * the reported period.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/profil.h>

#include "ioctl.h"
#include "profil.h"
#include "rate.h"

#define VALID_FLAGS	((unsigned int)PROF_UINT | PROF_FAST | PROF_UINT64)

#define MAX_REGIONS	4096		/* the kernel's limit */
#define NO_END		UINT64_MAX	/* the kernel's value is 0 */

/* Above the kernel's limit, and small enough that 64 bits can hold the scaled value */
#define MAX_BYTES	(1ULL << 46)

/* A region whose single counter counts the pcs of no other region */
static bool is_catch_all(const struct prof *prof)
{
	return !prof->pr_off && prof->pr_scale == 2;
}

/*
 * End of a region: the first pc whose counter, (distance / width) * scale / 65536, would be
 * after the end of the buffer.
 */
static uint64_t end_of(const struct prof *prof, unsigned int width)
{
	uint64_t bytes = prof->pr_size, units, end;

	if (bytes > MAX_BYTES)
		bytes = MAX_BYTES;
	units = ((bytes / width << 16) + prof->pr_scale - 1) / prof->pr_scale;
	if (__builtin_add_overflow(prof->pr_off, units * width, &end))
		return NO_END;
	return end;
}

/*
 * Ascending offsets. Of equal ones, the first in the caller's array is last, so that it counts the
 * pcs of all.
 */
static int compare(const void *a, const void *b)
{
	const struct prof *left = *(const struct prof *const *)a;
	const struct prof *right = *(const struct prof *const *)b;

	if (left->pr_off != right->pr_off)
		return left->pr_off < right->pr_off ? -1 : 1;
	return left > right ? -1 : 1;
}

/* The regions for the kernel, which do not overlap */
struct cut {
	struct profil_region *regions;
	size_t nr;
	unsigned int width;	/* of a counter, in bytes */
};

/* Return: false if there is no room. */
static bool add(struct cut *cut, const struct prof *prof, uint64_t start, uint64_t end)
{
	if (cut->nr == MAX_REGIONS)
		return false;
	cut->regions[cut->nr++] = (struct profil_region){
		.start = start,
		.end = end == NO_END ? 0 : end,
		.offset = prof->pr_off,
		.buf = (uintptr_t)prof->pr_base,
		.bytes = prof->pr_size,
		.scale = (uint32_t)prof->pr_scale,
		.rounding = PROFIL_ROUND_PC,
	};
	return true;
}

/*
 * Cut regions so that each pc is in the one with the largest offset that contains it. A sweep in
 * ascending order keeps a stack of the regions that have begun and not ended: the top counts,
 * and when it ends, the next below counts again. The stack reuses the part of order[nr] that has
 * been read. Return: 0; -E2BIG: more pieces than the kernel allows.
 */
static int cut_regions(struct cut *cut, const struct prof **order, size_t nr)
{
	size_t depth = 0, i;

	qsort(order, nr, sizeof(*order), compare);
	for (i = 0; i <= nr; i++) {
		const uint64_t next = i < nr ? order[i]->pr_off : NO_END;
		uint64_t from = depth ? order[depth - 1]->pr_off : next;

		while (depth && from < next) {
			const uint64_t end = end_of(order[depth - 1], cut->width);
			const uint64_t to = end < next ? end : next;

			if (from < to && !add(cut, order[depth - 1], from, to))
				return -E2BIG;
			if (from < to)
				from = to;
			if (end <= next)
				depth--;
		}
		if (i < nr)
			order[depth++] = order[i];
	}
	return 0;
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

	if (flags & ~VALID_FLAGS || (flags & PROF_UINT && flags & PROF_UINT64) ||
	    profcnt < 0)
		return -EINVAL;
	for (i = 0; i < profcnt; i++)
		if (profp[i].pr_scale > UINT32_MAX)
			return -EINVAL;
	return 0;
}

/* Return: 0 or -errno. *rate receives the requested rate; 0: there is nothing to count. */
static int start(const struct prof *profp, size_t nr, unsigned int flags,
		 unsigned int *rate)
{
	const struct prof **order = calloc(nr, sizeof(*order));
	/* n regions have at most 2 n - 1 pieces: each begins and ends once */
	const size_t max = nr < MAX_REGIONS / 2 ? 2 * nr : MAX_REGIONS;
	unsigned int width = width_of(flags);
	struct cut cut = {
		.regions = calloc(max, sizeof(*cut.regions)),
		.width = width,
	};
	const struct prof *catch_all = NULL;
	struct profil_start arg = {
		.rate = flags & PROF_FAST ? PROFIL_HIGHEST_RATE : 0,
		.width = width * 8,
		.overflow = PROFIL_OVERFLOW_SATURATE,
	};
	size_t nr_used = 0, i;
	int error = -ENOMEM;

	if (!order || !cut.regions)
		goto free;
	for (i = 0; i < nr; i++) {
		if (profp[i].pr_size < width)
			continue;
		if (!is_catch_all(&profp[i])) {
			if (profp[i].pr_scale >= 2)
				order[nr_used++] = &profp[i];
		} else if (!catch_all) {
			catch_all = &profp[i];
		}
	}
	error = cut_regions(&cut, order, nr_used);
	if (error)
		goto free;
	if (catch_all)
		arg.catch_all = (uintptr_t)catch_all->pr_base;
	if (catch_all && !cut.nr) {
		/* the kernel requires a region: one for all pcs */
		cut.regions[0].buf = arg.catch_all;
		cut.regions[0].bytes = width;
		cut.regions[0].rounding = PROFIL_ROUND_FIRST;
		cut.nr = 1;
		arg.catch_all = 0;
	}
	arg.regions = (uintptr_t)cut.regions;
	arg.nr_regions = (uint32_t)cut.nr;
	error = arg.nr_regions ? profil_ioctl_start(&arg) : profil_ioctl_off();
	*rate = arg.nr_regions ? arg.rate : 0;
free:
	free(cut.regions);
	free(order);
	return error;
}

/* The kernel may sample at a lower rate than requested. */
static unsigned int effective_rate(unsigned int requested)
{
	struct profil_status status;

	if (!requested || profil_ioctl_status(&status) || !status.rate)
		return requested;
	return status.rate;
}

/* See sprofil(3). */
int sprofil(struct prof *profp, int profcnt, struct timeval *tvp,
	    unsigned int flags)
{
	unsigned int rate = 0;
	int error = check(profp, profcnt, flags);

	if (error)
		return profil_ioctl_return_old(error);
	if (!profcnt)
		return profil_ioctl_return_old(profil_ioctl_off());
	error = start(profp, (size_t)profcnt, flags, &rate);
	if ((!error || error == -EBUSY) && tvp) {
		rate = effective_rate(rate);
		tvp->tv_sec = rate == 1;
		tvp->tv_usec = rate > 1 ? 1000000 / rate : 0;
	}
	return profil_ioctl_return_old(error);
}
