/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run's memory as libprofil-run.so would leave it, to be damaged by tests.
 */
#ifndef FAKE_RUN_H
#define FAKE_RUN_H

#include <preload/run.h>

#define FAKE_OBJECTS	2
#define FAKE_PROCESSES	3
#define FAKE_COUNTERS	64

/* What is used of the tables, without what is empty between and behind them */
struct fake_run {
	struct profil_run header;
	struct profil_run_object objects[FAKE_OBJECTS];
	struct profil_run_process processes[FAKE_PROCESSES];
	uint32_t outside;
	uint32_t unused;	/* or it were padding */
	uint32_t counters[FAKE_OBJECTS][FAKE_COUNTERS];
};

/* Where the counters of an object are in the memory, and how large it is */
#define FAKE_COUNTERS_AT(i)	(PROFIL_RUN_COUNTERS_AT + 4096 * (i))
#define FAKE_BYTES		FAKE_COUNTERS_AT(FAKE_OBJECTS)

/**
 * fake_run_fill - two objects of 256 bytes text, one process that goes on, no hits
 * @run: overwritten
 */
void fake_run_fill(struct fake_run *run);

/**
 * fake_run_memfd - put it where shm_read() wants it
 * @run: contents
 *
 * Return: a descriptor; fails the test if there is none.
 */
int fake_run_memfd(const struct fake_run *run);

#endif /* FAKE_RUN_H */
