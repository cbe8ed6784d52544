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

#include "ioctl.h"
#include "profil.h"
#include "rate.h"

#define FLAGS	((unsigned int)PROF_UINT | PROF_FAST | PROF_UINT64)

#define MOST_REGIONS	4096		/* of the kernel */
#define NO_END	UINT64_MAX	/* here; the kernel's own is 0 */

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
		return NO_END;
	return end;
}

/* Rising, and of several at one place the first in the caller's array last. */
static int compare(const void *a, const void *b)
{
	const struct prof *left = *(const struct prof *const *)a;
	const struct prof *right = *(const struct prof *const *)b;

	if (left->pr_off != right->pr_off)
		return left->pr_off < right->pr_off ? -1 : 1;
	return left > right ? -1 : 1;
}

/* The kernel's regions, as far as they are made */
struct cut {
	struct profil_region *regions;
	size_t nr;
	unsigned int width;	/* of a counter, in bytes */
};

/* Return: whether there is room for it. */
static bool add(struct cut *cut, const struct prof *prof, uint64_t start, uint64_t end)
{
	if (cut->nr == MOST_REGIONS)
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
 * Of the regions that hold a pc, the one of the largest offset counts it. They are taken
 * in rising order: what has begun and not ended is a stack, of which the top counts, and
 * the ones below go on when it has ended. The stack takes the place of what has been
 * read of order[nr]. Return: 0; -E2BIG: there are more than the kernel takes.
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
	/* n of them have at most 2 n - 1 pieces: each begins and ends once */
	const size_t most = nr < MOST_REGIONS / 2 ? 2 * nr : MOST_REGIONS;
	unsigned int width = width_of(flags);
	struct cut cut = {
		.regions = calloc(most, sizeof(*cut.regions)),
		.width = width,
	};
	const struct prof *overflow = NULL;
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
		if (!is_overflow(&profp[i])) {
			if (profp[i].pr_scale >= 2)
				order[nr_used++] = &profp[i];
		} else if (!overflow) {
			overflow = &profp[i];
		}
	}
	error = cut_regions(&cut, order, nr_used);
	if (error)
		goto free;
	if (overflow)
		arg.catch_all = (uintptr_t)overflow->pr_base;
	if (overflow && !cut.nr) {
		/* the kernel wants a region: one that has all pcs */
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

/* The kernel may give less than was asked for. */
static unsigned int true_rate(unsigned int asked)
{
	struct profil_status status;

	if (!asked || profil_ioctl_status(&status) || !status.rate)
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
		return profil_ioctl_return(error);
	if (!profcnt)
		return profil_ioctl_return(profil_ioctl_off());
	error = start(profp, (size_t)profcnt, flags, &rate);
	if (!error && tvp) {
		rate = true_rate(rate);
		tvp->tv_sec = rate == 1;
		tvp->tv_usec = rate > 1 ? 1000000 / rate : 0;
	}
	return profil_ioctl_return(error);
}
