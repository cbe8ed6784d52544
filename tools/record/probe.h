/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks whether a profile can be started, by starting one, before the command runs.
 */
#ifndef PROFIL_PROBE_H
#define PROFIL_PROBE_H

#include "record/shm.h"

/**
 * probe_start - start a profile of this process as a run does, and stop it
 * @device: from profil_device_open()
 * @options: rate and clock of the run
 *
 * The page of its counter is pinned at once, while a run pins pages at the first sample.
 *
 * Return: NULL, or a sentence with the reason and the remedy, to be freed with free().
 */
char *probe_start(int device, const struct shm_options *options);

#endif /* PROFIL_PROBE_H */
