// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The ioctls of /dev/profil, for all public functions of the library: keeps track of whether a
 * profile may be running, and prints errors for functions that cannot return them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "device.h"
#include "device_fd.h"
#include "diagnose.h"
#include "error_text.h"
#include "ioctl.h"
#include "rate.h"
#include "text.h"

static atomic_uint serial;	/* see profil_ioctl_serial() */

/*
 * A profile was started and not stopped since. It may have ended in the kernel, and a forked
 * child may not have inherited it.
 */
static atomic_bool may_be_running;

static void note_change(bool running)
{
	atomic_fetch_add(&serial, 1);
	atomic_store(&may_be_running, running);
}

bool profil_ioctl_may_be_running(void)
{
	return atomic_load(&may_be_running);
}

unsigned int profil_ioctl_serial(void)
{
	return atomic_load(&serial);
}

int profil_ioctl_start(struct profil_start *start)
{
	struct profil_device_fd device;
	bool explained = false;
	char why[160];
	int error;

	error = profil_rate_wanted(&start->rate);
	if (error)
		return error;
	start->size = sizeof(*start);
	if (profil_device_fd_get(&device) >= 0) {
		if (start->rate == PROFIL_HIGHEST_RATE)
			start->rate = profil_rate_highest(device.fd, PROFIL_CLOCK_AUTO);
		error = profil_device_call(device.fd, PROFIL_IOC_START, start);
		if (!error)
			note_change(true);
		explained = profil_rate_explain(device.fd, -error, start->rate, start->clock,
						why, sizeof(why));
	}
	profil_device_fd_put(&device, profil_ioctl_may_be_running());
	if (explained)
		profil_text_print("libprofil: ", profil_error_text(-error), " (",
				  profil_error_name(-error), "): ", why, "; set PROFIL_RATE");
	if (device.fd >= 0)
		return error;
	profil_diagnose_open(-device.fd, "not profiling");
	return device.fd;
}

static int call_with_status(unsigned long command, struct profil_status *status)
{
	struct profil_device_fd device;
	int error = profil_device_fd_get(&device);

	if (error >= 0) {
		memset(status, 0, sizeof(*status));
		status->size = sizeof(*status);
		error = profil_device_call(device.fd, command, status);
	}
	if (!error && command == PROFIL_IOC_STOP)
		note_change(false);
	/* a forked child that did not inherit the profile */
	else if (!error && status->state == PROFIL_STATE_OFF)
		atomic_store(&may_be_running, false);
	profil_device_fd_put(&device, profil_ioctl_may_be_running());
	return error;
}

int profil_ioctl_stop(struct profil_status *status)
{
	return call_with_status(PROFIL_IOC_STOP, status);
}

int profil_ioctl_status(struct profil_status *status)
{
	return call_with_status(PROFIL_IOC_STATUS, status);
}

int profil_ioctl_probe(void)
{
	struct profil_device_fd device;
	int fd = profil_device_fd_get(&device);

	profil_device_fd_put(&device, profil_ioctl_may_be_running());
	return fd < 0 ? fd : 0;
}

int profil_ioctl_set_rate(unsigned int hz)
{
	struct profil_device_fd device;
	unsigned int highest = 0;

	if (hz) {
		if (profil_device_fd_get(&device) >= 0)
			highest = profil_rate_highest(device.fd, PROFIL_CLOCK_AUTO);
		profil_device_fd_put(&device, profil_ioctl_may_be_running());
		if (device.fd < 0)
			return device.fd;
		if (hz > highest)
			return -EINVAL;
	}
	profil_rate_set(hz);
	return 0;
}

bool profil_ioctl_no_device(int error)
{
	return profil_device_is_missing(-error) && !profil_ioctl_may_be_running();
}

int profil_ioctl_off_status(struct profil_status *status)
{
	int error = profil_ioctl_stop(status);

	if (!profil_ioctl_no_device(error))
		return error;
	*status = (struct profil_status){ .state = PROFIL_STATE_OFF };
	return 0;
}

int profil_ioctl_off(void)
{
	struct profil_status status;

	return profil_ioctl_off_status(&status);
}

int profil_ioctl_histogram(const struct profil_histogram *histogram)
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

	return region.bytes ? profil_ioctl_start(&start) : profil_ioctl_off();
}

/* Stop the earlier profile after a failed start. Return: 0; or -errno, and it continues. */
static int stop_earlier(void)
{
	int error = profil_ioctl_off();

	return profil_ioctl_may_be_running() ? error : 0;
}

int profil_ioctl_histogram_or_off(const struct profil_histogram *histogram)
{
	int error = profil_ioctl_histogram(histogram);
	int off_error = error ? stop_earlier() : 0;

	return off_error ? off_error : error;
}

static const char *remedy(int error)
{
	switch (error) {
	case ENOMEM:
		return "raise the limit of locked memory: ulimit -l";
	case EOPNOTSUPP:
		return "use a buffer outside shared mappings of files on disk and device memory, or switch ftrace on: sysctl kernel.ftrace_enabled=1";
	default:
		return "see profil(2)";
	}
}

/*
 * last: error (-errno) of the previous line of this kind, which is not repeated. EBUSY is no error of
 * old functions: profil_ioctl_return_old().
 */
static void warn(atomic_int *last, const char *function, const char *what, int error)
{
	if (error != -EBUSY && atomic_exchange(last, error) != error)
		profil_text_print("libprofil: ", function, ": ", what, ": ",
				  profil_error_text(-error), " (", profil_error_name(-error), "); ",
				  remedy(-error));
}

void profil_ioctl_warn_not_started(const char *function, int error)
{
	static atomic_int last;

	if (!profil_diagnose_has_reported(-error))
		warn(&last, function, "not profiling", error);
}

void profil_ioctl_warn_not_stopped(const char *function, int error)
{
	static atomic_int last;

	warn(&last, function, "still profiling", error);
}

int profil_ioctl_off_or_warn(const char *function)
{
	int error = profil_ioctl_off();

	if (error)
		profil_ioctl_warn_not_stopped(function, error);
	return error;
}

int profil_ioctl_histogram_or_warn(const char *function,
				   const struct profil_histogram *histogram)
{
	int error = profil_ioctl_histogram(histogram);
	int off_error = error ? stop_earlier() : 0;

	if (off_error)
		profil_ioctl_warn_not_stopped(function, off_error);
	else if (error)
		profil_ioctl_warn_not_started(function, error);
	return off_error ? off_error : error;
}

int profil_ioctl_return_old(int error)
{
	return profil_ioctl_return(error == -EBUSY ? 0 : error);
}

int profil_ioctl_return(int error)
{
	if (!error)
		return 0;
	errno = -error;
	return -1;
}
