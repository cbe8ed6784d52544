// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code at known places, and its counters.
 */
#include "profile/scene.h"

void *map_apart(size_t bytes)
{
	return mmap((void *)0x20000000, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void clear_scene(struct scene *scene)
{
	stop(scene->fd);
	close(scene->fd);
	munmap(scene->text, scene->bytes);
	munmap(scene->counters, scene->bytes);
}

unsigned int scene_state(const struct scene *scene)
{
	return get_status(scene->fd).state;
}

unsigned long offset_of(const struct scene *scene)
{
	return (unsigned long)scene->text;
}

void count_scene(const struct scene *scene, struct profil_start *start,
		 struct profil_region *region)
{
	*region = (struct profil_region) {
		.start = (uintptr_t)scene->text,
		.end = (uintptr_t)scene->text + scene->bytes,
		.offset = (uintptr_t)scene->text,
		.buf = (uintptr_t)scene->counters,
		.bytes = scene->bytes,
		.scale = WHOLE,
	};
	*start = (struct profil_start) {
		.size = sizeof(*start),
		.rate = get_info(scene->fd).tick_hz,
		.width = 16,
		.nr_regions = 1,
		.regions = (uintptr_t)region,
	};
}

uint16_t *scene_counter(const struct scene *scene, size_t place)
{
	return &scene->counters[place / 2];
}

struct profil_status stay(const struct scene *scene, size_t place, unsigned int nr)
{
	struct profil_status error = { .state = ~0U };

	return stay_for(scene->fd, scene->text + place, nr) ? error : get_status(scene->fd);
}

bool counts_at(const struct scene *scene, size_t place, unsigned int nr)
{
	uint64_t before = get_status(scene->fd).counted;
	struct profil_status status = stay(scene, place, nr);

	return status.state == PROFIL_STATE_RUNNING &&
	       status.counted >= before + nr;
}

void stay_until_killed(const struct scene *scene)
{
	stay_at_pc(scene->text + FAR, 0.25);
}

bool is_silent(const struct scene *scene)
{
	char *before = malloc(PAGE);
	bool silent;

	memcpy(before, scene->counters, PAGE);
	silent = !stay_at_pc(scene->text + NEAR, seconds_for(4, rate_of(scene->fd))) &&
		 !memcmp(before, scene->counters, PAGE);
	free(before);
	return silent;
}

void take_away_far(const struct scene *scene)
{
	munmap((char *)scene->counters + PAGE, scene->bytes - PAGE);
}

int in_child(int (*function)(const struct scene *scene), const struct scene *scene)
{
	struct rlimit none = { 0, 0 };
	pid_t pid = fork();

	if (!pid) {
		setrlimit(RLIMIT_CORE, &none);
		_exit(function(scene));
	}
	return pid < 0 ? -1 : wait_for(pid);
}

int __attribute__((noinline)) in_borrower(int (*function)(const void *data), const void *data)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(function(data));
	return pid < 0 ? -1 : wait_for(pid);
}
