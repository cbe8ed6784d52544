// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * AIX, both forms. Built with the dialect's own headers, which have struct prof.
 *
 * Here alone it matters whether profiling is on already, and by which form. Whether
 * it is on, the kernel knows best: it ends by itself when memory goes, and a child
 * may not have been followed. Which form turned it on, and a profile with nothing to
 * count, of which the kernel does not know, are remembered here, as fork passes it on
 * and exec ends it. A profile of another function of the library is none of ours.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <mon.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ioctl.h"
#include "dialect/overlap.h"
#include "profil.h"

#define SCALE_BITS	0xffffU
#define SECOND_FORM	0xffffffffU	/* BufferSize -1 */
#define SCALE_BY_SIZE	0xffffffffU	/* p_scale -1 */
#define MOST_REGIONS	4096		/* of the kernel */
#define SET_BYTES	((uintptr_t)8)	/* of the kernel's set of signals */

enum form {
	FORM_NONE,
	FORM_FIRST,
	FORM_SECOND,
};

static _Atomic enum form turned_on_by;
static atomic_bool nothing_to_count;
static atomic_uint turned_on_at;	/* profil_ioctl_serial() then */

/* Return: 1, 0, or -errno. */
static int is_on(void)
{
	struct profil_status status = { .state = PROFIL_STATE_OFF };
	int error;

	if (turned_on_by == FORM_NONE || turned_on_at != profil_ioctl_serial())
		return 0;
	if (nothing_to_count)
		return 1;
	error = profil_ioctl_status(&status);
	if (error && !profil_ioctl_no_device(error))
		return error;
	return status.state == PROFIL_STATE_RUNNING;
}

static int turn_off(enum form form)
{
	int on = is_on();
	int error;

	if (on <= 0 || turned_on_by != form)
		return on < 0 ? on : 0;
	error = profil_ioctl_off();
	if (!error)
		turned_on_by = FORM_NONE;
	return error;
}

/* What the kernel calls a lack of memory to lock, the page calls EFAULT. */
static int turned_on(enum form form, bool nothing, int error)
{
	if (error)
		return error == -ENOMEM ? -EFAULT : error;
	turned_on_by = form;
	turned_on_at = profil_ioctl_serial();
	nothing_to_count = nothing;
	return 0;
}

/* Scale 2 is all in the first counter, which for the kernel is a rule of its own. */
static unsigned int rounding_of(unsigned int scale)
{
	return scale == 2 ? PROFIL_ROUND_FIRST : PROFIL_ROUND_UP;
}

static unsigned int kernel_scale(unsigned int scale)
{
	return scale == 2 ? 0 : scale;
}

/* A buffer without a counter makes this form ineffective: it turns off what is on. */
static int first_form(void *buffer, unsigned int size, unsigned long offset,
		      unsigned int scale)
{
	struct profil_histogram histogram = {
		.buf = buffer,
		.bytes = size,
		.offset = offset,
		.scale = kernel_scale(scale),
		.rounding = rounding_of(scale),
		.overflow = PROFIL_OVERFLOW_SATURATE,
	};
	int on;

	if (scale < 2 || size < sizeof(HISTCOUNTER))
		return turn_off(FORM_FIRST);
	on = is_on();
	if (on)
		return on < 0 ? on : 0;
	return turned_on(FORM_FIRST, false, profil_ioctl_histogram(&histogram));
}

/*
 * Whether the kernel can read the 8 bytes that hold this one. It copies a set of signals
 * before it refuses what is to be done with it: so nothing is changed, there is no
 * descriptor to run out of, and no filter of system calls forbids it.
 */
static bool is_readable(uintptr_t at)
{
	const int nothing = -1;

	return !syscall(SYS_rt_sigprocmask, nothing, at / SET_BYTES * SET_BYTES, NULL,
			SET_BYTES) || errno != EFAULT;
}

/* Read memory that may not be there. */
static int read_prof(struct prof *into, const struct prof *from)
{
	uintptr_t at = (uintptr_t)from;
	int saved = errno, error = 0;

	/* no page is smaller than an element */
	if (!is_readable(at) || !is_readable(at + sizeof(*from) - 1))
		error = -EFAULT;
	else
		memcpy(into, from, sizeof(*into));
	errno = saved;
	return error;
}

/*
 * The largest scale at which each pc of the range has a counter. Counters are found by
 * rounding up, so the last byte of text, at distance @last, must come to less than one
 * byte below the buffer's end: last * scale < (bytes - 1) * 65536. 0, of a range that is
 * 65536 times the buffer, is all in the first counter. 0, 1 and 2 have no other meaning
 * here: the program has not chosen them.
 */
static unsigned int scale_by_size(uint64_t last, uint64_t bytes)
{
	const uint64_t limit = ((bytes - 1) << 16) - 1;

	return last > limit / SCALE_BITS ? (unsigned int)(limit / last) : SCALE_BITS;
}

/* Of no bytes if nothing can be counted in it. */
static struct profil_region make_region(const struct prof *prof)
{
	struct profil_region region = {
		.start = (unsigned long)prof->p_low,
		.end = (unsigned long)prof->p_high,
		.offset = (unsigned long)prof->p_low,
		.buf = (uintptr_t)prof->p_buff,
		.bytes = (unsigned int)prof->p_bufsize & ~1U,
	};
	const unsigned int scale = prof->p_scale & SCALE_BITS;

	if (prof->p_scale != SCALE_BY_SIZE) {
		region.scale = kernel_scale(scale);
		region.rounding = rounding_of(scale);
		if (scale < 2)
			region.bytes = 0;
	} else if (region.bytes) {
		region.scale = scale_by_size(region.end - region.start - 1, region.bytes);
		region.rounding = region.scale ? PROFIL_ROUND_UP : PROFIL_ROUND_FIRST;
	}
	return region;
}

/*
 * The first element that holds a pc counts it, also if it has no counter for it: so
 * all go into the list, and those that count nothing are taken out again. Return:
 * number of regions, at most twice that of elements, or -errno.
 */
static long make_regions(struct profil_region *regions, const struct prof *array)
{
	unsigned long previous = 0;
	struct profil_region region;
	size_t nr = 0, nr_used = 0, i;
	struct prof prof = { .p_high = NULL };
	int error;

	for (i = 0; i <= MOST_REGIONS; i++) {
		error = read_prof(&prof, &array[i]);
		if (error)
			return error;
		if (!prof.p_high)
			break;
		if ((unsigned long)prof.p_high <= previous ||
		    prof.p_low > prof.p_high)
			return -EINVAL;
		if (i == MOST_REGIONS)
			return -E2BIG;
		previous = (unsigned long)prof.p_high;
		if (prof.p_low == prof.p_high)
			continue;
		region = make_region(&prof);
		nr = profil_overlap_fill(regions, nr, &region);
	}
	for (i = 0; i < nr; i++)
		if (regions[i].bytes)
			regions[nr_used++] = regions[i];
	return (long)nr_used;
}

static int start_regions(const struct prof *array)
{
	struct profil_start start = {
		.width = 16,
		.overflow = PROFIL_OVERFLOW_SATURATE,
	};
	struct profil_region *regions;
	long nr = -ENOMEM;
	int error = 0;

	regions = calloc(2 * (size_t)MOST_REGIONS, sizeof(*regions));
	if (regions)
		nr = make_regions(regions, array);
	if (nr > 0) {
		start.nr_regions = (unsigned int)nr;
		start.regions = (uintptr_t)regions;
		error = profil_ioctl_start(&start);
	} else {
		/* as a profile with nothing to count: it replaces another's */
		error = nr < 0 ? (int)nr : profil_ioctl_off();
	}
	free(regions);
	return turned_on(FORM_SECOND, !nr, error);
}

static int second_form(const struct prof *array)
{
	struct prof first = { .p_high = NULL };
	int error, on;

	error = read_prof(&first, array);
	if (error)
		return error;
	if (!first.p_high)
		return turn_off(FORM_SECOND);
	on = is_on();
	if (on)
		return on < 0 ? on : 0;
	return start_regions(array);
}

/* As documented in profil.h. */
int profil_aix(void *buffer, unsigned int size, unsigned long offset,
	       unsigned int scale)
{
	const int saved = errno;
	int error;

	if (size == SECOND_FORM)
		error = second_form(buffer);
	else
		error = first_form(buffer, size, offset, scale & SCALE_BITS);
	/* the page's returns nothing: so errno must be as it was, whatever malloc() did */
	errno = saved;
	return profil_ioctl_return(error);
}
