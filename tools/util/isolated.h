/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Work that a damaged or changing file may crash, done in a child process.
 */
#ifndef PROFIL_ISOLATED_H
#define PROFIL_ISOLATED_H

/**
 * isolated_run - do some work in a child process
 * @work:   to do; what it leaves in stdio's buffers is written. Returns 0 or errno, up to 255
 * @data:   its argument
 * @killer: the signal that ended it; 0: none
 *
 * Where no child can be made, this process does it itself.
 *
 * Return: what @work returned; 0 if a signal ended it.
 */
int isolated_run(int (*work)(void *data), void *data, int *killer);

#endif /* PROFIL_ISOLATED_H */
