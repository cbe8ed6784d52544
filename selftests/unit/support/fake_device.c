// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fake device of fake_device.h
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/device.h"
#include "module/counters/bins.h"
#include "support/fake_device.h"

#define MAX_REGIONS	4096
#define MAX_DESCRIPTORS	1024

struct fake_device fake_device;

static struct profil_range ranges[MAX_REGIONS];

void fake_device_reset(void)
{
	memset(&fake_device, 0, sizeof(fake_device));
}

/* The checks of regions in module/config.c */
static bool is_valid(const struct profil_region *region,
		     const struct profil_region *previous, u32 bytes)
{
	if (region->end && region->end <= region->start)
		return false;
	if (region->offset > region->start)
		return false;
	if (previous && (!previous->end || previous->end > region->start))
		return false;
	if (region->rounding > PROFIL_ROUND_FIRST ||
	    !region->scale != (region->rounding == PROFIL_ROUND_FIRST))
		return false;
	return !(region->buf & (bytes - 1)) && region->bytes >= bytes;
}

static int start(const struct profil_start *arg)
{
	const struct profil_region *regions = (const struct profil_region *)(uintptr_t)arg->regions;
	u32 bytes = arg->width / 8, i;

	if (fake_device.start_error)
		return -fake_device.start_error;
	if (!arg->rate || arg->rate > FAKE_RATE ||
	    !arg->nr_regions != !!(arg->flags & PROFIL_PC_LOG) ||
	    arg->catch_all % bytes)
		return -EINVAL;
	if (arg->nr_regions > MAX_REGIONS)
		return -E2BIG;
	for (i = 0; i < arg->nr_regions; i++)
		if (!is_valid(&regions[i], i ? &regions[i - 1] : NULL, bytes))
			return -EINVAL;
	for (i = 0; i < arg->nr_regions; i++) {
		ranges[i] = (struct profil_range) {
			.start = regions[i].start,
			.last = regions[i].end - 1,
			.offset = regions[i].offset,
			.nr = regions[i].bytes / bytes,
			.buf_offset = regions[i].buf,
			.scale = regions[i].scale,
		};
		profil_range_round(&ranges[i], regions[i].rounding, bytes == 2 ? 1 : bytes / 4 + 1);
	}
	fake_device.start = *arg;
	fake_device.state = PROFIL_STATE_RUNNING;
	fake_device.starts++;
	return 0;
}

uint64_t fake_device_counter(uint64_t pc)
{
	const struct profil_start *arg = &fake_device.start;
	u32 shift = arg->width == 16 ? 1 : arg->width == 32 ? 2 : 3;
	const struct profil_range *range;
	u64 bin = PROFIL_NO_BIN;

	if (fake_device.state != PROFIL_STATE_RUNNING)
		abort();
	range = profil_range_find(ranges, arg->nr_regions, pc);
	if (range)
		bin = profil_bin(range, pc, shift);
	return bin == PROFIL_NO_BIN ? arg->catch_all :
				      range->buf_offset + (bin << shift);
}

bool fake_device_is(int fd)
{
	struct stat stat;

	return fd == FAKE_DESCRIPTOR || (!fstat(fd, &stat) && S_ISCHR(stat.st_mode) &&
	       stat.st_rdev == makedev(1, 7));
}

static int next_descriptor(int fd)
{
	while (++fd < MAX_DESCRIPTORS)
		if (fake_device_is(fd))
			return fd;
	return -1;
}

int fake_device_descriptor(void)
{
	return next_descriptor(STDERR_FILENO);
}

int fake_device_descriptors(void)
{
	int fd = STDERR_FILENO, nr = 0;

	while ((fd = next_descriptor(fd)) >= 0)
		nr++;
	return nr;
}

void fake_device_lose(int error)
{
	int fd;

	while ((fd = fake_device_descriptor()) >= 0)
		close(fd);
	fake_device.open_error = error;
}

int profil_device_call(int fd, unsigned long command, void *arg)
{
	struct profil_status *status = arg;
	struct profil_info *info = arg;

	if (!fake_device_is(fd))
		abort();
	if (fake_device.during)
		fake_device.during();
	switch (command) {
	case PROFIL_IOC_START:
		return start(arg);
	case PROFIL_IOC_STOP:
		if (fake_device.stop_error)
			return -fake_device.stop_error;
		fake_device.stops++;
		*status = fake_device.figures;
		status->state = fake_device.state;
		fake_device.state = PROFIL_STATE_OFF;
		return 0;
	case PROFIL_IOC_STATUS:
		*status = fake_device.figures;
		status->state = fake_device.state;
		return 0;
	case PROFIL_IOC_INFO:
		if (fake_device.info_error)
			return -fake_device.info_error;
		info->max_rate = FAKE_RATE;
		return 0;
	default:
		return -ENOTTY;
	}
}

int profil_device_open(void)
{
	int fd;

	if (fake_device.open_error)
		return -fake_device.open_error;
	fake_device.opens++;
	/* not a cancellation point, as in lib/device.c */
	fd = (int)syscall(SYS_openat, AT_FDCWD, FAKE_DEVICE, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

void profil_device_close(int fd)
{
	if (!fake_device_is(fd))
		abort();
	syscall(SYS_close, fd);
}

bool profil_device_is_missing(int error)
{
	return error == ENOENT;
}

const char *profil_device_remedy(int error)
{
	return "";
}

const char *profil_device_start_remedy(int error)
{
	return "(remedy)";
}
