// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The kernel's commands as all faces of the library use them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "call.h"
#include "device.h"
#include "rate.h"
#include "tell.h"

static atomic_uint serial;

/*
 * Whether the kernel counts for all we know: since our last start, and no stop. It may
 * have ended by itself, and a forked child may not have been followed.
 */
static atomic_bool may_count;

static void note_change(bool counts)
{
	atomic_fetch_add(&serial, 1);
	atomic_store(&may_count, counts);
}

bool profil_call_may_count(void)
{
	return atomic_load(&may_count);
}

unsigned int profil_call_serial(void)
{
	return atomic_load(&serial);
}

int profil_call_start(struct profil_start *start)
{
	int fd = profil_device_open();
	char why[160];
	int error;

	if (fd < 0) {
		profil_tell(-fd, "not profiling");
		return fd;
	}
	error = profil_rate_choose(fd, &start->rate);
	if (!error) {
		start->size = sizeof(*start);
		error = profil_device_call(fd, PROFIL_IOC_START, start);
		if (!error)
			note_change(true);
		/* the program may not have chosen it, and cannot know */
		else if ((error == -EINVAL || error == -EPERM) &&
			 profil_rate_explain(fd, start->rate, start->clock, why,
					     sizeof(why)))
			fprintf(stderr, "libprofil: %s; PROFIL_RATE sets it\n",
				why);
	}
	profil_device_close(fd);
	return error;
}

static int ask(unsigned long command, struct profil_status *status)
{
	int fd = profil_device_open();
	int error;

	if (fd < 0)
		return fd;
	memset(status, 0, sizeof(*status));
	status->size = sizeof(*status);
	error = profil_device_call(fd, command, status);
	profil_device_close(fd);
	return error;
}

int profil_call_stop(struct profil_status *status)
{
	int error = ask(PROFIL_IOC_STOP, status);

	if (!error)
		note_change(false);
	return error;
}

int profil_call_status(struct profil_status *status)
{
	return ask(PROFIL_IOC_STATUS, status);
}

int profil_call_off(void)
{
	struct profil_status status;
	int error = profil_call_stop(&status);

	/* while the kernel counts there is a device, if not where we look for it */
	return profil_device_is_missing(-error) && !profil_call_may_count() ? 0 : error;
}

int profil_call_histogram(const struct profil_histogram *histogram)
{
	struct profil_region region = {
		.start = histogram->offset,
		.offset = histogram->offset,
		.buf = (uintptr_t)histogram->buf,
		.bytes = histogram->bytes & ~(size_t)1,
		.scale = histogram->scale,
		.rounding = histogram->rounding,
	};
	struct profil_start start = {
		.flags = histogram->flags,
		.width = 16,
		.overflow = histogram->overflow,
		.limit = histogram->limit,
		.nr_regions = 1,
		.regions = (uintptr_t)&region,
	};

	return region.bytes ? profil_call_start(&start) : profil_call_off();
}

int profil_call_histogram_or_off(const struct profil_histogram *histogram)
{
	int error = profil_call_histogram(histogram);

	if (error)
		profil_call_off();
	return error;
}

/* told: the error that was told so last */
static void tell(atomic_int *told, const char *function, const char *what, int error)
{
	int saved = errno;

	if (atomic_exchange(told, error) != error)
		fprintf(stderr, "libprofil: %s: %s: %s (%s)%s\n",
			function, what, strerrordesc_np(-error),
			strerrorname_np(-error),
			error == -ENOMEM ?
			"; raise the limit of locked memory: ulimit -l" : "");
	errno = saved;
}

void profil_call_tell(const char *function, int error)
{
	static atomic_int told;

	if (!profil_has_told(-error))
		tell(&told, function, "not profiling", error);
}

int profil_call_silent_off(const char *function)
{
	static atomic_int told;
	int error = profil_call_off();

	if (error)
		tell(&told, function, "still profiling", error);
	return error;
}

int profil_call_silent_histogram(const char *function,
				 const struct profil_histogram *histogram)
{
	int error = profil_call_histogram_or_off(histogram);

	if (error)
		profil_call_tell(function, error);
	return error;
}

int profil_call_return(int error)
{
	if (!error)
		return 0;
	errno = -error;
	return -1;
}
