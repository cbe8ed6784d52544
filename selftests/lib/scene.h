/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of libprofil's faces share: code that stays at chosen places,
 * and 16-bit counters for it, at a scale that gives place d of the text counter
 * byte d; and what the library says on stderr. To be included after the
 * harness.
 */
#ifndef SELFTESTS_SCENE_H
#define SELFTESTS_SCENE_H

#include "process.h"
#include "profil.h"
#include "stderr_capture.h"

#define WHOLE	0x10000		/* scale: a counter for each 2 bytes */
#define NEAR	((size_t)0x100)	/* a place in the first page */
#define FAR	(PAGE + 0x100)	/* one in the second */

struct scene {
	int fd;
	size_t bytes;		/* two pages, of text as of counters */
	char *text;
	uint16_t *counters;
};

/*
 * Far from where the kernel puts what is mapped next, so that a hole that a test
 * makes there stays one.
 */
void *map_apart(size_t bytes);

/* A sample at each tick: the shortest stays. */
#define SET_SCENE(scene)						\
	do {								\
		REQUIRE_DEVICE((scene)->fd);				\
		(scene)->bytes = 2 * PAGE;				\
		(scene)->text = map_code((scene)->bytes);		\
		(scene)->counters = map_apart((scene)->bytes);		\
		ASSERT_NE(MAP_FAILED, (scene)->text);			\
		ASSERT_NE(MAP_FAILED, (scene)->counters);		\
		ASSERT_EQ(0, profil_set_rate(get_info((scene)->fd).tick_hz)); \
	} while (0)

void clear_scene(struct scene *scene);

unsigned int scene_state(const struct scene *scene);

unsigned long offset_of(const struct scene *scene);

/* A start, by the device itself, that counts the text as all of them do. */
void count_scene(const struct scene *scene, struct profil_start *start,
		 struct profil_region *region);

uint16_t *scene_counter(const struct scene *scene, size_t place);

/*
 * Stay at a place of the text for so many samples, at the rate of the profile, and two
 * more at most. Return: what has become of the profile.
 */
struct profil_status stay(const struct scene *scene, size_t place, unsigned int nr);

/* Whether so many more are counted there, and it goes on. */
bool counts_at(const struct scene *scene, size_t place, unsigned int nr);

/* Stay where a sample has no memory, until a worker has come to send the signal. */
void stay_until_killed(const struct scene *scene);

/* Whether nothing at all is counted in the first page, where it would be. */
bool is_silent(const struct scene *scene);

/* From here on only the first page of counters is there. */
void take_away_far(const struct scene *scene);

/* Exit status of a child that does something, as the shell has it. */
int in_child(int (*function)(const struct scene *scene), const struct scene *scene);

#endif /* SELFTESTS_SCENE_H */
