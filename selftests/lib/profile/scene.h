/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two pages of code in which a thread can stay at a chosen place, and 16-bit counters for them at a
 * scale of 1:1: place d of the text is counted in byte d. Include this after the harness.
 */
#ifndef SELFTESTS_SCENE_H
#define SELFTESTS_SCENE_H

#include "profile/process.h"
#include "profil.h"
#include "stderr_capture.h"

#define WHOLE	0x10000		/* scale: a counter for each 2 bytes */
#define NEAR	((size_t)0x100)	/* in the first page */
#define FAR	(PAGE + 0x100)	/* in the second page */

struct scene {
	int fd;
	size_t bytes;		/* two pages, of the text and of the counters */
	char *text;
	uint16_t *counters;
};

/* Maps memory far from later mappings, so that a hole which a test makes there stays a hole. */
void *map_apart(size_t bytes);

/* The profile has a sample at each tick, so that stays are as short as possible. */
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

/* Fills in a start of the device that counts the text as the dialects do. */
void count_scene(const struct scene *scene, struct profil_start *start,
		 struct profil_region *region);

uint16_t *scene_counter(const struct scene *scene, size_t place);

/*
 * Stays at a place of the text for @nr samples at the rate of the profile, and up to two more.
 * Returns the status of the profile.
 */
struct profil_status stay(const struct scene *scene, size_t place, unsigned int nr);

/* Returns whether @nr samples are counted there, and the profile continues. */
bool counts_at(const struct scene *scene, size_t place, unsigned int nr);

/* Stays where a sample has no memory, until a worker sends the signal. */
void stay_until_killed(const struct scene *scene);

/* Returns whether nothing is counted while a thread stays in the first page. */
bool is_silent(const struct scene *scene);

/* Unmaps the second page of counters. */
void take_away_far(const struct scene *scene);

/* Runs @function in a child. Returns its exit status, as a shell reports it. */
int in_child(int (*function)(const struct scene *scene), const struct scene *scene);

/* Runs @function in a child of vfork(), which uses the memory of its parent. Returns its exit status. */
int in_borrower(int (*function)(const void *data), const void *data);

#endif /* SELFTESTS_SCENE_H */
