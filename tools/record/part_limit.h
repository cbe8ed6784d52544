/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_PART_LIMIT_H
#define PROFIL_PART_LIMIT_H

struct recording;

/*
 * Most samples of a thread at an address that are kept apart, so that a run of any length has bounded
 * memory: 160 MB at 76 bytes each (counts.h), and those of one read of the log, at most 8 MiB.
 */
#define PART_LIMIT	((size_t)2 << 20)

/*
 * If there are more, fold threads with few samples, then places, until half of them is left (fold.h).
 * Return: 0 or -ENOMEM.
 */
int part_limit_keep(struct recording *recording);

#endif /* PROFIL_PART_LIMIT_H */
