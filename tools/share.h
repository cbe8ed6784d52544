/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples as a share of all.
 */
#ifndef PROFIL_SHARE_H
#define PROFIL_SHARE_H

#include <stdint.h>

/**
 * share_of - a share of samples
 * @samples: those in question
 * @all:     all of them; of none, shares are 0
 *
 * Return: from 0 to 1.
 */
static inline double share_of(uint64_t samples, uint64_t all)
{
	return all ? (double)samples / (double)all : 0;
}

/**
 * share_percent - the same in percent
 * @samples: those in question
 * @all:     all of them; of none, shares are 0
 *
 * Return: from 0 to 100.
 */
static inline double share_percent(uint64_t samples, uint64_t all)
{
	return all ? 100.0 * (double)samples / (double)all : 0;
}

#endif /* PROFIL_SHARE_H */
