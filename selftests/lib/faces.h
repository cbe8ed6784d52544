/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of libprofil's faces share: code that stays at chosen places,
 * and 16-bit counters for it, at a scale that gives place d of the text counter
 * byte d; and what the library says on stderr. To be included after the
 * harness.
 */
#ifndef SELFTESTS_FACES_H
#define SELFTESTS_FACES_H

#include "process.h"
#include "profil.h"

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
static inline void *map_apart(size_t bytes)
{
	return mmap((void *)0x20000000, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

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

static inline void clear_scene(struct scene *scene)
{
	stop(scene->fd);
	close(scene->fd);
	munmap(scene->text, scene->bytes);
	munmap(scene->counters, scene->bytes);
}

static inline unsigned int state(const struct scene *scene)
{
	return get_status(scene->fd).state;
}

static inline unsigned long offset_of(const struct scene *scene)
{
	return (unsigned long)scene->text;
}

/* A start, by the device itself, that counts the text as all of them do. */
static inline void count_scene(const struct scene *scene,
			       struct profil_start *start,
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

static inline uint16_t *counter(const struct scene *scene, size_t place)
{
	return &scene->counters[place / 2];
}

/*
 * Stay at a place of the text for so many samples, at the rate of the profile, and two
 * more at most. Return: what has become of the profile.
 */
static inline struct profil_status stay(const struct scene *scene, size_t place,
					unsigned int nr)
{
	struct profil_status status = get_status(scene->fd);
	unsigned int rate = status.rate ? status.rate : get_info(scene->fd).tick_hz;

	if (stay_at_pc(scene->text + place, time_of(nr, rate))) {
		status.state = ~0U;
		return status;
	}
	return get_status(scene->fd);
}

/* Whether so many more are counted there, and it goes on. */
static inline bool counts_at(const struct scene *scene, size_t place,
			     unsigned int nr)
{
	uint64_t before = get_status(scene->fd).counted;
	struct profil_status status = stay(scene, place, nr);

	return status.state == PROFIL_STATE_RUNNING &&
	       status.counted >= before + nr;
}

/* Stay where a sample has no memory, until a worker has come to send the signal. */
static inline void stay_until_killed(const struct scene *scene)
{
	stay_at_pc(scene->text + FAR, 0.25);
}

/* Whether nothing at all is counted in the first page, where it would be. */
static inline bool is_silent(const struct scene *scene)
{
	char *before = malloc(PAGE);
	bool silent;

	memcpy(before, scene->counters, PAGE);
	silent = stay(scene, NEAR, 4).state != ~0U &&
		 !memcmp(before, scene->counters, PAGE);
	free(before);
	return silent;
}

/* From here on only the first page of counters is there. */
static inline void take_away_far(const struct scene *scene)
{
	munmap((char *)scene->counters + PAGE, scene->bytes - PAGE);
}

/* Exit status of a child that does something, as the shell has it. */
static inline int in_child(int (*function)(const struct scene *scene),
			   const struct scene *scene)
{
	struct rlimit none = { 0, 0 };
	pid_t pid = fork();

	if (!pid) {
		setrlimit(RLIMIT_CORE, &none);
		_exit(function(scene));
	}
	return pid < 0 ? -1 : wait_for(pid);
}

/* Send what the library says to a file; and have it, and stderr back. */
struct ear {
	int file;
	int saved;
	char heard[1024];
};

static inline void open_ear(struct ear *ear)
{
	ear->file = memfd_create("stderr", MFD_CLOEXEC);
	ear->saved = dup(STDERR_FILENO);
	dup2(ear->file, STDERR_FILENO);
}

static inline const char *close_ear(struct ear *ear)
{
	ssize_t bytes = pread(ear->file, ear->heard, sizeof(ear->heard) - 1, 0);

	ear->heard[bytes > 0 ? bytes : 0] = '\0';
	dup2(ear->saved, STDERR_FILENO);
	close(ear->saved);
	close(ear->file);
	return ear->heard;
}

static inline int lines(const char *text)
{
	int nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

#endif /* SELFTESTS_FACES_H */
