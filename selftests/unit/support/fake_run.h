/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shared memory of a run as libprofil-run.so fills it, which tests can damage.
 */
#ifndef FAKE_RUN_H
#define FAKE_RUN_H

#include <preload/run.h>

#define FAKE_OBJECTS	2
#define FAKE_PROCESSES	3
#define FAKE_COUNTERS	64

/* The used entries of the tables, without the unused space between them */
struct fake_run {
	struct profil_run header;
	struct profil_run_object objects[FAKE_OBJECTS];
	struct profil_run_process processes[FAKE_PROCESSES];
	uint32_t outside;
	uint32_t unused;	/* avoids padding */
	uint32_t counters[FAKE_OBJECTS][FAKE_COUNTERS];
};

/* Offset of the counters of an object, and size of the memory */
#define FAKE_COUNTERS_AT(i)	(PROFIL_RUN_COUNTERS_AT + 4096 * (i))
#define FAKE_BYTES		FAKE_COUNTERS_AT(FAKE_OBJECTS)

/**
 * fake_run_fill - make two objects with 256 bytes of code, one running process, no samples
 * @run: overwritten
 */
void fake_run_fill(struct fake_run *run);

/**
 * fake_run_memfd - make a file for shm_read()
 * @run: contents
 *
 * Return: a descriptor. On error, the test fails.
 */
int fake_run_memfd(const struct fake_run *run);

#endif /* FAKE_RUN_H */
