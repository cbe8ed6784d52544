/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a profile can be started: by starting one, before a command runs for an hour
 * without.
 */
#ifndef PROFIL_PROBE_H
#define PROFIL_PROBE_H

#include "record/shm.h"

/**
 * probe_start - start a profile of this process as a run would, and end it
 * @device: from profil_device_open()
 * @wish:   rate and clock of the run
 *
 * Its counters' page is pinned at once, which a run does with the first sample.
 *
 * Return: NULL, or what keeps it from being started and what to do about it, as a sentence
 * to free().
 */
char *probe_start(int device, const struct shm_wish *wish);

#endif /* PROFIL_PROBE_H */
