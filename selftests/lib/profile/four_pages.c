// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps and hits counters in four pages.
 */
#include "profile/four_pages.h"

int four_pages_init(struct four_pages *m)
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

int map_counters(struct four_pages *m, enum source source)
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
		m->view = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m->file, 0);
		m->mirror = mmap(NULL, bytes, PROT_READ, MAP_SHARED, m->file, 0);
		break;
	case SYSV:
		m->file = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
		if (m->file < 0)
			return -1;
		m->view = shmat(m->file, NULL, 0);
		m->mirror = shmat(m->file, NULL, SHM_RDONLY);
		/* it is removed with its last mapping */
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
	/* the pcs below and above: at the ends of the last and the first page */
	m->regions[0].buf = m->regions[PAGES].buf + PAGE - sizeof(uint64_t);
	m->regions[PAGES + 1].buf = m->regions[1].buf + PAGE - sizeof(uint64_t);
	m->regions[0].bytes = sizeof(uint64_t);
	m->regions[PAGES + 1].bytes = sizeof(uint64_t);
	return 0;
}

void unmap_counters(struct four_pages *m)
{
	size_t bytes = ALL_PAGES * PAGE;

	if (m->source == SYSV) {
		shmdt(m->view);
		shmdt(m->mirror);
		return;
	}
	/* memory that a test has moved elsewhere stays mapped */
	munmap(m->view, bytes);
	if (m->mirror)
		munmap(m->mirror, bytes);
	if (m->file >= 0)
		close(m->file);
}

double four_pages_seconds(const struct four_pages *m, double nr)
{
	return nr / m->start.rate;
}

void hit_all_pages(struct four_pages *m)
{
	int i;

	for (i = 0; i < PAGES; i++)
		stay_at_pc(m->code + i * APART, four_pages_seconds(m, 2.5));
	burn(four_pages_seconds(m, 2.5));
}

void run_threads_for(double seconds)
{
	double end = process_seconds() + seconds;

	while (process_seconds() < end)
		usleep(2000);
}
