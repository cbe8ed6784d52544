/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far chance may have moved a figure: a share of N samples is only about as large as
 * the share of time. Intervals are those that hold the true figure in 95 of 100 runs.
 */
#ifndef PROFIL_CONFIDENCE_H
#define PROFIL_CONFIDENCE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct interval - from one figure to another
 * @low:  the lower
 * @high: the higher
 */
struct interval {
	double low;
	double high;
};

/**
 * confidence_share - where the true share is
 * @hits: samples that count
 * @all:  all samples
 *
 * By Wilson's score interval, which holds for few samples and for shares near 0 and 1
 * too (E. B. Wilson, Journal of the American Statistical Association 22 (1927), 209).
 *
 * Return: shares from 0 to 1; all of that if there are no samples.
 */
struct interval confidence_share(uint64_t hits, uint64_t all);

/**
 * confidence_difference - where the true difference of two shares is
 * @old_hits: samples of one profile that count
 * @old_all:  all of them
 * @new_hits: of the other
 * @new_all:  all of them
 *
 * By Newcombe's hybrid of the two shares' score intervals (R. G. Newcombe, Statistics in
 * Medicine 17 (1998), 873, method 10).
 *
 * Return: the new share less the old one, from -1 to 1. If 0 is outside, the two differ
 * by more than chance.
 */
struct interval confidence_difference(uint64_t old_hits, uint64_t old_all,
				      uint64_t new_hits, uint64_t new_all);

/**
 * confidence_seconds_differ - whether two CPU times differ by more than chance
 * @old_hits:    samples of one profile
 * @old_seconds: CPU time that each of them stands for
 * @new_hits:    of the other
 * @new_seconds: CPU time that each of these stands for
 *
 * By the exact conditional test of two Poisson counts (J. Przyborowski, H. Wilenski,
 * Biometrika 31 (1940), 313): if the times are equal, each of all the samples is a new one
 * with a probability that follows from the rates. The smaller tail counts twice.
 *
 * Return: true for at most 5 % of those that do not differ: for fewer where there are few
 * samples, or where the function has most of the samples (at a fixed rate, the number of
 * all samples varies less than by Poisson).
 */
bool confidence_seconds_differ(uint64_t old_hits, double old_seconds,
			       uint64_t new_hits, double new_seconds);

/**
 * confidence_seconds_difference - where the true difference of two CPU times is
 * @old_hits:    as for confidence_seconds_differ()
 * @old_seconds: likewise
 * @new_hits:    likewise
 * @new_seconds: likewise
 *
 * By the score intervals of both counts, joined as by confidence_difference().
 *
 * Return: the new CPU time less the old one. 0 is inside it, or an end, if
 * confidence_seconds_differ() is false; else outside, or an end.
 */
struct interval confidence_seconds_difference(uint64_t old_hits, double old_seconds,
					      uint64_t new_hits, double new_seconds);

#endif /* PROFIL_CONFIDENCE_H */
