// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/device.h"
#include "../../module/bins.h"
#include "fake_device.h"

#define MOST_REGIONS	4096

struct fake_device fake_device;

static struct profil_map maps[MOST_REGIONS];

void fake_device_reset(void)
{
	memset(&fake_device, 0, sizeof(fake_device));
}

/* What module/config.c refuses of regions. */
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
	const struct profil_region *regions =
		(const struct profil_region *)(uintptr_t)arg->regions;
	u32 bytes = arg->width / 8, i;

	if (fake_device.start_error)
		return -fake_device.start_error;
	if (!arg->rate || arg->rate > FAKE_RATE || !arg->nr_regions ||
	    arg->catch_all % bytes)
		return -EINVAL;
	if (arg->nr_regions > MOST_REGIONS)
		return -E2BIG;
	for (i = 0; i < arg->nr_regions; i++)
		if (!is_valid(&regions[i], i ? &regions[i - 1] : NULL, bytes))
			return -EINVAL;
	for (i = 0; i < arg->nr_regions; i++)
		maps[i] = (struct profil_map) {
			.start = regions[i].start,
			.last = regions[i].end - 1,
			.offset = regions[i].offset,
			.nr = regions[i].bytes / bytes,
			.place = regions[i].buf,
			.scale = regions[i].scale,
			.rounding = regions[i].rounding,
		};
	fake_device.start = *arg;
	fake_device.state = PROFIL_STATE_RUNNING;
	fake_device.starts++;
	return 0;
}

uint64_t fake_device_counter(uint64_t pc)
{
	const struct profil_start *arg = &fake_device.start;
	u32 shift = arg->width == 16 ? 1 : arg->width == 32 ? 2 : 3;
	const struct profil_map *map;
	u64 bin = PROFIL_NO_BIN;

	if (fake_device.state != PROFIL_STATE_RUNNING)
		abort();
	map = profil_map_find(maps, arg->nr_regions, pc);
	if (map)
		bin = profil_bin(map, pc, shift);
	return bin == PROFIL_NO_BIN ? arg->catch_all :
				      map->place + (bin << shift);
}

int profil_device_call(int fd, unsigned long command, void *arg)
{
	struct profil_status *status = arg;
	struct profil_info *info = arg;

	(void)fd;
	switch (command) {
	case PROFIL_IOC_START:
		return start(arg);
	case PROFIL_IOC_STOP:
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
	return fake_device.open_error ? -fake_device.open_error : 3;
}

void profil_device_close(int fd)
{
	(void)fd;
}

bool profil_device_is_missing(int error)
{
	return error == ENOENT;
}

const char *profil_device_remedy(int error)
{
	(void)error;
	return "";
}

const char *profil_device_start_remedy(int error)
{
	(void)error;
	return "(what to do)";
}
