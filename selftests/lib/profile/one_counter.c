// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile with one counter, and a thread that is sampled meanwhile.
 */
#include "profile/one_counter.h"

void one_counter_init(struct one_counter *r)
{
	r->pins = pins_of_all();
	r->file = -1;
	r->uffd = -1;
	count_all(&r->start, &r->region, NULL, 64, get_info(r->fd).tick_hz);
}

int one_counter_start(struct one_counter *r, void *counter, uint32_t flags)
{
	r->counter = counter;
	r->region.buf = (uintptr_t)counter;
	r->start.flags = flags;
	return call(r->fd, PROFIL_IOC_START, &r->start);
}

uint64_t one_counter_value(const struct one_counter *r)
{
	return __atomic_load_n(r->counter, __ATOMIC_RELAXED);
}

double one_counter_seconds(const struct one_counter *r, double nr)
{
	return nr / r->start.rate;
}

void *map_memfd(struct one_counter *r, int flags, size_t bytes)
{
	r->file = memfd_create("counters", MFD_CLOEXEC);
	if (r->file < 0 || ftruncate(r->file, (off_t)bytes))
		return MAP_FAILED;
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, r->file, 0);
}

struct look take_look(const struct one_counter *r)
{
	struct look look;

	look.before = (int64_t)one_counter_value(r);
	look.status = get_status(r->fd);
	look.after = (int64_t)one_counter_value(r);
	return look;
}

int advise(struct one_counter *r, int advice)
{
	return madvise(r->counter, PAGE, advice) ? errno : 0;
}

void *burn_until_end(void *data)
{
	struct burner *burner = data;

	while (!__atomic_load_n(&burner->end, __ATOMIC_RELAXED))
		burn(0.01);
	burner->used = thread_seconds();
	return NULL;
}
