/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run's memory as libprofil would leave it, to be damaged by tests.
 */
#ifndef FAKE_RUN_H
#define FAKE_RUN_H

#include <run.h>

#define FAKE_OBJECTS	2
#define FAKE_COUNTERS	64

/* The layout of run.h with everything in the struct that it belongs to */
struct fake_run {
	struct profil_run header;
	struct profil_run_object objects[FAKE_OBJECTS];
	char paths[FAKE_OBJECTS][32];
	uint32_t outside;
	uint32_t unused;	/* or it were padding behind the counters */
	uint32_t counters[FAKE_OBJECTS][FAKE_COUNTERS];
};

/**
 * fake_run_fill - two objects of 256 bytes text, no hits
 * @run: overwritten
 */
void fake_run_fill(struct fake_run *run);

/**
 * fake_run_memfd - put it where runfile_read() wants it
 * @run:   contents
 * @bytes: how much of it; at most sizeof(*run)
 *
 * Return: a descriptor; fails the test if there is none.
 */
int fake_run_memfd(const struct fake_run *run, size_t bytes);

#endif /* FAKE_RUN_H */
