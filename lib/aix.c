// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * AIX, both forms. Built with the dialect's own headers, which have struct prof.
 *
 * Here alone it matters whether profiling is on already, and by which form. Whether
 * it is on, the kernel knows best: it ends by itself when memory goes, and a child
 * may not have been followed. Which form turned it on, and a profile with nothing to
 * count, of which the kernel does not know, are remembered here, as fork passes it on
 * and exec ends it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <mon.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "call.h"
#include "device.h"
#include "profil.h"

#define SCALE_BITS	0xffffU
#define SECOND_FORM	0xffffffffU	/* BufferSize -1 */
#define SCALE_BY_SIZE	0xffffffffU	/* p_scale -1 */
#define MOST_REGIONS	4096		/* of the kernel */

enum form {
	FORM_NONE,
	FORM_FIRST,
	FORM_SECOND,
};

static _Atomic enum form turned_on_by;
static atomic_bool nothing_to_count;

/* Return: 1, 0, or -errno. */
static int is_on(void)
{
	struct profil_status status = { .state = PROFIL_STATE_OFF };
	int error = profil_call_status(&status);

	if (error && !profil_device_is_missing(-error))
		return error;
	return status.state == PROFIL_STATE_RUNNING || nothing_to_count;
}

static int turn_off(enum form form)
{
	int on = is_on();
	int error;

	if (on <= 0 || turned_on_by != form)
		return on < 0 ? on : 0;
	error = profil_call_off();
	if (!error) {
		turned_on_by = FORM_NONE;
		nothing_to_count = false;
	}
	return error;
}

/* What the kernel calls a lack of memory to lock, the page calls EFAULT. */
static int turned_on(enum form form, bool nothing, int error)
{
	if (error)
		return error == -ENOMEM ? -EFAULT : error;
	turned_on_by = form;
	nothing_to_count = nothing;
	return 0;
}

static int first_form(void *buffer, unsigned int size, unsigned long offset,
		      unsigned int scale)
{
	struct profil_histogram histogram = {
		.buf = buffer,
		.bytes = size,
		.offset = offset,
		.scale = scale == 2 ? 0 : scale,
		.rounding = scale == 2 ? PROFIL_ROUND_FIRST : PROFIL_ROUND_UP,
		.overflow = PROFIL_OVERFLOW_SATURATE,
	};
	bool nothing = size < sizeof(HISTCOUNTER);
	int on;

	if (scale < 2)
		return turn_off(FORM_FIRST);
	on = is_on();
	if (on)
		return on < 0 ? on : 0;
	return turned_on(FORM_FIRST, nothing,
			 nothing ? 0 : profil_call_histogram(&histogram));
}

/* Read memory that may not be there. */
static int read_prof(struct prof *into, const struct prof *from)
{
	struct iovec here = { into, sizeof(*into) };
	struct iovec there = { (void *)from, sizeof(*from) };

	if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) !=
	    (ssize_t)sizeof(*into))
		return -EFAULT;
	return 0;
}

static unsigned int scale_of(const struct prof *prof)
{
	unsigned long text = (unsigned long)prof->p_high -
			     (unsigned long)prof->p_low;
	unsigned long long scale;

	if (prof->p_scale != SCALE_BY_SIZE)
		return prof->p_scale & SCALE_BITS;
	scale = ((unsigned long long)prof->p_bufsize << 16) / text;
	return scale < SCALE_BITS ? (unsigned int)scale : SCALE_BITS;
}

/*
 * A region of what an element has beyond the one before, which is the first to be
 * looked at. Return: whether anything can be counted in it.
 */
static bool make_region(struct profil_region *region, const struct prof *prof,
			unsigned long previous)
{
	unsigned long low = (unsigned long)prof->p_low;
	unsigned long high = (unsigned long)prof->p_high;
	unsigned int scale;

	if (high == low)
		return false;
	scale = scale_of(prof);
	region->start = low > previous ? low : previous;
	region->end = high;
	region->offset = low;
	region->buf = (uintptr_t)prof->p_buff;
	region->bytes = (unsigned int)prof->p_bufsize & ~1U;
	region->scale = scale == 2 ? 0 : scale;
	region->rounding = scale == 2 ? PROFIL_ROUND_FIRST : PROFIL_ROUND_UP;
	return scale >= 2 && region->bytes;
}

/* Return: number of regions, or -errno. */
static int make_regions(struct profil_region *regions, const struct prof *array)
{
	unsigned long previous = 0;
	struct prof prof;
	int nr = 0, i;
	int error;

	for (i = 0; i <= MOST_REGIONS; i++) {
		error = read_prof(&prof, &array[i]);
		if (error)
			return error;
		if (!prof.p_high)
			return nr;
		if ((unsigned long)prof.p_high <= previous ||
		    prof.p_low > prof.p_high)
			return -EINVAL;
		if (i == MOST_REGIONS)
			break;
		if (make_region(&regions[nr], &prof, previous))
			nr++;
		previous = (unsigned long)prof.p_high;
	}
	return -E2BIG;
}

static int start_regions(const struct prof *array)
{
	struct profil_start start = {
		.width = 16,
		.overflow = PROFIL_OVERFLOW_SATURATE,
	};
	struct profil_region *regions;
	int nr, error = 0;

	regions = calloc(MOST_REGIONS, sizeof(*regions));
	if (!regions)
		return -ENOMEM;
	nr = make_regions(regions, array);
	if (nr > 0) {
		start.nr_regions = (unsigned int)nr;
		start.regions = (uintptr_t)regions;
		error = profil_call_start(&start);
	}
	free(regions);
	return nr < 0 ? nr : turned_on(FORM_SECOND, !nr, error);
}

static int second_form(const struct prof *array)
{
	struct prof first;
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
	if (size == SECOND_FORM)
		return profil_call_return(second_form(buffer));
	return profil_call_return(first_form(buffer, size, offset,
					     scale & SCALE_BITS));
}
