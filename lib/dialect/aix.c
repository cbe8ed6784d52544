// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil() of AIX, in both its forms. Compiled with the dialect's own headers, which declare struct
 * prof.
 *
 * Only in this dialect does the effect of a call depend on whether profiling is on, and on which
 * form turned it on. Whether it is on is queried from the kernel: a profile may have ended because
 * its memory is gone, and a forked child may not have inherited it. Static variables store which
 * form turned it on, and whether the profile has nothing to count and so does not exist in the
 * kernel: like a profile, they are inherited by fork and lost by exec. A profile of another
 * function of the library counts as off.
 *
 * A call is in profil_guard_state, so that these variables agree with the kernel when the next
 * call, of another thread or of a signal handler, reads them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <mon.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "dialect/overlap.h"
#include "guard.h"
#include "ioctl.h"
#include "profil.h"

#define SCALE_BITS	0xffffU
#define SECOND_FORM	0xffffffffU	/* BufferSize -1 */
#define SCALE_BY_SIZE	0xffffffffU	/* p_scale -1 */
#define MAX_REGIONS	4096		/* the kernel's limit */
#define SET_BYTES	((uintptr_t)8)	/* size of the kernel's sigset_t */

enum form {
	FORM_NONE,
	FORM_FIRST,
	FORM_SECOND,
};

/* Protected by profil_guard_state */
static enum form turned_on_by;
static bool nothing_to_count;
static unsigned int turned_on_at;	/* profil_ioctl_serial() at that time */

/* Whether profil_aix() has a profile. Return: 1, 0, or -errno. */
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

/* Stop the profile, unless the other form has started it. Return: 0 or -errno. */
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

/*
 * After a start: record it, or convert its error. The page documents EFAULT if memory cannot be
 * locked, the kernel returns ENOMEM. Return: 0 or -errno.
 */
static int finish_start(enum form form, bool nothing, int error)
{
	if (error)
		return error == -ENOMEM ? -EFAULT : error;
	turned_on_by = form;
	turned_on_at = profil_ioctl_serial();
	nothing_to_count = nothing;
	return 0;
}

/*
 * Scale 2 counts everything in the first counter. For this, the kernel has a separate rule, which
 * requires scale 0.
 */
static unsigned int rounding_of(unsigned int scale)
{
	return scale == 2 ? PROFIL_ROUND_FIRST : PROFIL_ROUND_UP;
}

static unsigned int kernel_scale(unsigned int scale)
{
	return scale == 2 ? 0 : scale;
}

/* A buffer without room for a counter turns profiling off, as scale 0 does. */
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
	return finish_start(FORM_FIRST, false, profil_ioctl_histogram(&histogram));
}

/*
 * Whether the kernel can read the 8 bytes around an address. rt_sigprocmask() copies the signal
 * set before it rejects an invalid "how": so this changes nothing, needs no descriptor, and
 * is allowed by the usual seccomp filters.
 */
static bool is_readable(uintptr_t at)
{
	const int invalid_how = -1;

	return !syscall(SYS_rt_sigprocmask, invalid_how, at / SET_BYTES * SET_BYTES, NULL,
			SET_BYTES) || errno != EFAULT;
}

/* Read memory that may not be mapped. Return: 0 or -EFAULT. */
static int read_prof(struct prof *into, const struct prof *from)
{
	uintptr_t at = (uintptr_t)from;
	int saved = errno, error = 0;

	/* an element is smaller than a page: checking both ends is enough */
	if (!is_readable(at) || !is_readable(at + sizeof(*from) - 1))
		error = -EFAULT;
	else
		memcpy(into, from, sizeof(*into));
	errno = saved;
	return error;
}

/*
 * The largest scale at which each pc of the range has a counter. The counter's number is rounded
 * up, so for the last byte of text, at distance @last: last * scale < (bytes - 1) * 65536. For a
 * range of about 65536 times the buffer's size or more, the result is 0: the first counter counts
 * everything. The program has not chosen this scale, so 0, 1 and 2 have no special meaning.
 */
static unsigned int scale_by_size(uint64_t last, uint64_t bytes)
{
	const uint64_t limit = ((bytes - 1) << 16) - 1;

	return last > limit / SCALE_BITS ? (unsigned int)(limit / last) : SCALE_BITS;
}

/* The region of an element; its size is 0 bytes if it cannot count anything. */
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
 * A pc belongs to the first element that contains it, even if that element has no counter for it.
 * So all elements are added to the list, and those without counters are removed at the end.
 * Return: number of regions, at most twice the number of elements; or -errno.
 */
static long make_regions(struct profil_region *regions, const struct prof *array)
{
	unsigned long previous = 0;
	struct profil_region region;
	size_t nr = 0, nr_used = 0, i;
	struct prof prof = { .p_high = NULL };
	int error;

	for (i = 0; i <= MAX_REGIONS; i++) {
		error = read_prof(&prof, &array[i]);
		if (error)
			return error;
		if (!prof.p_high)
			break;
		if ((unsigned long)prof.p_high <= previous ||
		    prof.p_low > prof.p_high)
			return -EINVAL;
		if (i == MAX_REGIONS)
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
	const size_t bytes = 2 * (size_t)MAX_REGIONS * sizeof(struct profil_region);
	struct profil_region *regions;
	long nr;
	int error;

	/* not malloc(), which a signal handler may have interrupted */
	regions = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (regions == MAP_FAILED)
		return -EFAULT; /* GCOV_EXCL_LINE: out of memory; see finish_start() */
	nr = make_regions(regions, array);
	if (nr > 0) {
		start.nr_regions = (unsigned int)nr;
		start.regions = (uintptr_t)regions;
		error = profil_ioctl_start(&start);
	} else {
		/* a profile with nothing to count: it replaces another function's profile */
		error = nr < 0 ? (int)nr : profil_ioctl_off();
	}
	munmap(regions, bytes);
	return finish_start(FORM_SECOND, !nr, error);
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

/* See profil_aix(2). */
int profil_aix(void *buffer, unsigned int size, unsigned long offset,
	       unsigned int scale)
{
	struct profil_guard_before before;
	const int saved = errno;
	int error;

	profil_guard_enter(&profil_guard_state, &before);
	if (size == SECOND_FORM)
		error = second_form(buffer);
	else
		error = first_form(buffer, size, offset, scale & SCALE_BITS);
	/* the page's function returns nothing, so errno is the only result: undo other changes */
	errno = saved;
	profil_guard_leave(&profil_guard_state, &before);
	return profil_ioctl_return_old(error);
}
