/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples as a share of all samples.
 */
#ifndef PROFIL_SHARE_H
#define PROFIL_SHARE_H

#include <stdint.h>

/* The share of some samples. Return: from 0 to 1; 0 if there are no samples. */
static inline double share_of(uint64_t samples, uint64_t all)
{
	return all ? (double)samples / (double)all : 0;
}

/* The share of some samples in percent. Return: from 0 to 100; 0 if there are no samples. */
static inline double share_percent(uint64_t samples, uint64_t all)
{
	return all ? 100.0 * (double)samples / (double)all : 0;
}

#endif /* PROFIL_SHARE_H */
