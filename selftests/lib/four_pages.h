/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile in four pages of counters, each hit by a thread at a pc of its own,
 * so that wherever a page goes, there are some left that might still be
 * written.
 *
 * The counters lie in a file in memory (or in System V shared memory) that is
 * mapped twice: what the profile knows of is the first mapping.
 */
#ifndef SELFTESTS_FOUR_PAGES_H
#define SELFTESTS_FOUR_PAGES_H

#include <sys/shm.h>

#include "common.h"
#include "memory.h"

#define PAGES		4	/* of counters */
#define ALL_PAGES	(PAGES + 2)	/* with one before and one behind */
#define APART		64	/* bytes between two pcs */
#define RACES		4	/* times that a change is tried with ticks about */

enum source { MEMFD, SYSV, ANON };

struct memory {
	int fd;
	enum source source;
	int file;		/* memfd, or System V identifier */
	char *view;		/* ALL_PAGES, known to the profile */
	char *counters;		/* PAGES of them, from the second on */
	char *mirror;		/* the same pages at another place, or NULL */
	char *code;
	struct profil_region regions[PAGES + 2];
	struct profil_start start;
	long long pins;
};

/* Every pc has a counter: what is counted is what the pages have. */
static inline int set_up(struct memory *m)
{
	struct profil_region *region = m->regions;
	size_t i;

	m->pins = pins_of_all();
	m->code = map_code(PAGE);
	if (m->code == MAP_FAILED)
		return -1;
	for (i = 0; i < PAGES + 2; i++, region++) {
		region->start = i ? (uintptr_t)m->code + (i - 1) * APART : 0;
		region->end = (uintptr_t)m->code + i * APART;
		region->rounding = PROFIL_ROUND_FIRST;
	}
	region[-1].end = 0;
	m->start = (struct profil_start) {
		.size = sizeof(m->start),
		.rate = get_info(m->fd).tick_hz,
		.width = 64,
		.nr_regions = PAGES + 2,
		.regions = (uintptr_t)m->regions,
	};
	return 0;
}

/* Fresh counters, in memory of that kind. */
static inline int map_counters(struct memory *m, enum source source)
{
	size_t i, bytes = ALL_PAGES * PAGE;

	m->source = source;
	m->mirror = NULL;
	m->file = -1;
	switch (source) {
	case MEMFD:
		m->file = memfd_create("counters",
				       MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (m->file < 0 || ftruncate(m->file, (off_t)bytes))
			return -1;
		m->view = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			       m->file, 0);
		m->mirror = mmap(NULL, bytes, PROT_READ, MAP_SHARED, m->file,
				 0);
		break;
	case SYSV:
		m->file = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
		if (m->file < 0)
			return -1;
		m->view = shmat(m->file, NULL, 0);
		m->mirror = shmat(m->file, NULL, SHM_RDONLY);
		/* it goes with its last mapping */
		shmctl(m->file, IPC_RMID, NULL);
		break;
	case ANON:
		m->view = map_memory(bytes);
		break;
	}
	if (m->view == MAP_FAILED || m->mirror == MAP_FAILED)
		return -1;
	memset(m->view, 0, bytes);
	m->counters = m->view + PAGE;
	for (i = 0; i < PAGES; i++) {
		m->regions[i + 1].buf = (uintptr_t)m->counters + i * PAGE;
		m->regions[i + 1].bytes = sizeof(uint64_t);
	}
	/* the rest of the program, below and above, in the outer pages */
	m->regions[0].buf = m->regions[PAGES].buf + PAGE - sizeof(uint64_t);
	m->regions[PAGES + 1].buf = m->regions[1].buf + PAGE - sizeof(uint64_t);
	m->regions[0].bytes = sizeof(uint64_t);
	m->regions[PAGES + 1].bytes = sizeof(uint64_t);
	return 0;
}

static inline void unmap_counters(struct memory *m)
{
	size_t bytes = ALL_PAGES * PAGE;

	if (m->source == SYSV) {
		shmdt(m->view);
		shmdt(m->mirror);
		return;
	}
	/* what has moved from here stays where it is */
	munmap(m->view, bytes);
	if (m->mirror)
		munmap(m->mirror, bytes);
	if (m->file >= 0)
		close(m->file);
}

static inline double ticks(const struct memory *m, double nr)
{
	return nr / m->start.rate;
}

/* Two ticks and a half at each of the pcs, and elsewhere: one comes at least. */
static inline void visit_all(struct memory *m)
{
	int i;

	for (i = 0; i < PAGES; i++)
		stay_at_pc(m->code + i * APART, ticks(m, 2.5));
	burn(ticks(m, 2.5));
}

/* Other threads are at the pcs: wait until they have used some CPU time. */
static inline void let_run(double seconds)
{
	double end = process_seconds() + seconds;

	while (process_seconds() < end)
		usleep(2000);
}

#endif /* SELFTESTS_FOUR_PAGES_H */
