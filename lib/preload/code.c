// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What code of a profiled program is counted where: each executable segment of what the
 * dynamic linker has loaded, and the areas in which the program makes code itself, with
 * the counters that the run's memory has for it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include <linux/profil.h>

#include "code.h"
#include "device.h"
#include "jit.h"

/* Counters that are mapped here, whether or not their object is loaded */
struct mapped {
	uint32_t number;
	uint32_t *counters;
};

static struct mapped *mapped;
static size_t nr_mapped;

/* How often the dynamic linker had loaded and unloaded something at the start. */
static unsigned long long loads;

static int read_loads(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	*(unsigned long long *)data = info->dlpi_adds + info->dlpi_subs;
	return 1;
}

static unsigned long long count_loads(void)
{
	unsigned long long nr = 0;

	dl_iterate_phdr(read_loads, &nr);
	return nr;
}

bool profil_code_changed(void)
{
	return count_loads() != loads;
}

/*
 * All code that there is: first what is loaded, then what is made. *program: index, as
 * profil_objects_list() has it. Return: the number of pieces, or -errno.
 */
static long list_code(struct profil_object **list, size_t *program)
{
	struct profil_object *objects, *more;
	long nr = profil_objects_list(&objects, program);

	if (nr < 0)
		return nr;
	more = reallocarray(objects, 2 * (size_t)nr + PROFIL_JIT_AREAS, sizeof(*more));
	if (!more) {
		free(objects);
		return -ENOMEM;
	}
	*list = more;
	return nr + (long)profil_jit_list(more, (size_t)nr, more + nr);
}

/* Return: where the counters of an object are, or NULL with errno. */
static uint32_t *counters_of(const struct profil_shm *tables, int fd, uint32_t number)
{
	struct mapped *more;
	uint32_t *counters;
	size_t i;

	for (i = 0; i < nr_mapped; i++)
		if (mapped[i].number == number)
			return mapped[i].counters;
	more = reallocarray(mapped, nr_mapped + 1, sizeof(*mapped));
	if (!more)
		return NULL;
	mapped = more;
	counters = profil_shm_map(tables, fd, number);
	if (!counters)
		return NULL;
	mapped[nr_mapped++] = (struct mapped){ number, counters };
	return counters;
}

static struct profil_region region_of(const struct profil_object *object,
				      const uint32_t *counters)
{
	return (struct profil_region){
		.start = object->start,
		.end = object->end,
		.offset = object->start,
		.buf = (uintptr_t)counters,
		.bytes = profil_object_counters(object) * sizeof(*counters),
		.scale = 0x10000 * sizeof(*counters) / PROFIL_RUN_TEXT_BYTES,
		.rounding = PROFIL_ROUND_DOWN,
	};
}

/*
 * The kernel wants a region, and if there is no place for any code, not even for the C
 * library's: this one is where no code is, and counts as outside.
 */
static struct profil_region region_of_nothing(const struct profil_shm *tables)
{
	return (struct profil_region){
		.end = PROFIL_RUN_TEXT_BYTES,
		.buf = (uintptr_t)profil_shm_outside(tables),
		.bytes = sizeof(uint32_t),
		.scale = 0x10000 * sizeof(uint32_t) / PROFIL_RUN_TEXT_BYTES,
		.rounding = PROFIL_ROUND_DOWN,
	};
}

static int compare_starts(const void *va, const void *vb)
{
	const struct profil_region *a = va, *b = vb;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* Return: the number of regions, or -errno. */
static long list_regions(const struct profil_shm *tables, int fd,
			 const struct profil_object *objects, const uint32_t *numbers,
			 size_t nr, struct profil_region *regions)
{
	size_t listed = 0, i;

	for (i = 0; i < nr; i++) {
		const uint32_t *counters;

		if (numbers[i] == PROFIL_NO_PLACE)
			continue;
		counters = counters_of(tables, fd, numbers[i]);
		if (!counters)
			return -errno;
		regions[listed++] = region_of(&objects[i], counters);
	}
	if (!listed)
		regions[listed++] = region_of_nothing(tables);
	/* as the kernel searches them */
	qsort(regions, listed, sizeof(*regions), compare_starts);
	return (long)listed;
}

/*
 * Give all pieces of code their counters, and their numbers into numbers[nr]. Return: the
 * number of regions, or -errno, and in *step what failed.
 */
static long place_code(const struct profil_shm *tables,
		       const struct profil_object *objects, size_t nr, uint32_t *numbers,
		       struct profil_region *regions, enum profil_code_step *step)
{
	long listed;
	int fd;

	*step = PROFIL_CODE_OPEN;
	fd = profil_shm_lock(tables);
	if (fd < 0)
		return fd;
	*step = PROFIL_CODE_MEMORY;
	listed = profil_shm_add(tables, fd, objects, nr, numbers);
	if (!listed)
		listed = list_regions(tables, fd, objects, numbers, nr, regions);
	profil_shm_unlock(fd);
	return listed;
}

/*
 * Nearly all counters stay untouched, so that only the pages that are hit are pinned:
 * RLIMIT_MEMLOCK, small by default, would not go far otherwise.
 */
static int start(int device, const struct profil_shm *tables, unsigned int rate,
		 const struct profil_region *regions, size_t nr)
{
	struct profil_start arg = {
		.size = sizeof(arg),
		.flags = PROFIL_PIN_ON_HIT,
		.rate = rate,
		.width = 32,
		.overflow = PROFIL_OVERFLOW_SATURATE,
		.nr_regions = (uint32_t)nr,
		.regions = (uintptr_t)regions,
		.clock = tables->run->clock,
		.catch_all = (uintptr_t)profil_shm_outside(tables),
	};

	return profil_device_call(device, PROFIL_IOC_START, &arg);
}

int profil_code_start(int device, const struct profil_shm *tables, unsigned int rate,
		      uint32_t *program, enum profil_code_step *step)
{
	struct profil_object *objects = NULL;
	struct profil_region *regions = NULL;
	uint32_t *numbers = NULL;
	size_t own;
	int error;
	long nr;

	*step = PROFIL_CODE_LIST;
	/* first: what comes meanwhile is news */
	loads = count_loads();
	nr = list_code(&objects, &own);
	if (nr < 0)
		return (int)nr;
	*step = PROFIL_CODE_MEMORY;
	regions = calloc((size_t)nr, sizeof(*regions));
	numbers = calloc((size_t)nr, sizeof(*numbers));
	if (!regions || !numbers) {
		error = -ENOMEM;
		goto out;
	}
	nr = place_code(tables, objects, (size_t)nr, numbers, regions, step);
	if (nr < 0) {
		error = (int)nr;
		goto out;
	}
	*program = own == PROFIL_NO_OBJECT ? PROFIL_NO_PLACE : numbers[own];
	*step = PROFIL_CODE_START;
	error = start(device, tables, rate, regions, (size_t)nr);
out:
	free(numbers);
	free(regions);
	free(objects);
	return error;
}
