// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The native interface, for programs that use all features of the kernel module.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ioctl.h"
#include "profil.h"

#define END_OF(type, field)							\
	(offsetof(type, field) + sizeof(((type *)0)->field))

/* Larger sizes are errors, as in the kernel */
#define MAX_BYTES	4096

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Return: 0 or -errno; -E2BIG: the caller sets a field that this library does not know. */
static int read_attr(struct profil_attr *attr, const void *from, size_t size)
{
	const char *bytes = from;
	size_t i;

	if (size < END_OF(struct profil_attr, nr_regions) || size > MAX_BYTES)
		return -EINVAL;
	for (i = sizeof(*attr); i < size; i++)
		if (bytes[i])
			return -E2BIG;
	memset(attr, 0, sizeof(*attr));
	memcpy(attr, from, smaller(size, sizeof(*attr)));
	return 0;
}

/* See libprofil(3). */
int profil_start_sized(const struct profil_attr *given, size_t size)
{
	struct profil_attr attr;
	struct profil_start start;
	int error = read_attr(&attr, given, size);

	if (!error && attr.nr_regions > UINT32_MAX)
		error = -E2BIG;
	if (error)
		return profil_ioctl_return(error);
	start = (struct profil_start){
		.flags = attr.flags,
		.rate = attr.rate,
		.clock = attr.clock,
		.width = attr.width ? attr.width : 32,
		.overflow = attr.overflow,
		.nr_regions = (uint32_t)attr.nr_regions,
		.regions = (uintptr_t)attr.regions,
		.limit = attr.limit,
		.catch_all = (uintptr_t)attr.catch_all,
		.log = (uintptr_t)attr.log,
		.log_bytes = attr.log_bytes,
	};
	return profil_ioctl_return(profil_ioctl_start(&start));
}

static bool is_status_size(size_t size)
{
	return size >= END_OF(struct profil_status, state) && size <= MAX_BYTES;
}

/* The caller's structure may be shorter or longer than this library's. */
static void write_status(void *to, size_t size, struct profil_status *status)
{
	status->size = (uint32_t)size;
	memset(to, 0, size);
	memcpy(to, status, smaller(size, sizeof(*status)));
}

/* See libprofil(3). */
int profil_stop_sized(struct profil_status *given, size_t size)
{
	struct profil_status status;
	int error = given && !is_status_size(size) ? -EINVAL : profil_ioctl_stop(&status);

	if (!error && given)
		write_status(given, size, &status);
	return profil_ioctl_return(error);
}

/* See libprofil(3). */
int profil_status_sized(struct profil_status *given, size_t size)
{
	struct profil_status status;
	int error = is_status_size(size) ? profil_ioctl_status(&status) : -EINVAL;

	if (!error)
		write_status(given, size, &status);
	return profil_ioctl_return(error);
}

/* See libprofil(3). */
int profil_set_rate(unsigned int hz)
{
	return profil_ioctl_return(profil_ioctl_set_rate(hz));
}
