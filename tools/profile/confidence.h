/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sampling error: 95 % confidence intervals of shares and CPU times, and tests of whether they
 * differ.
 */
#ifndef PROFIL_CONFIDENCE_H
#define PROFIL_CONFIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A confidence interval */
struct interval {
	double low;	/* lower end */
	double high;	/* upper end */
};

/*
 * Confidence interval of a share. This is Wilson's score interval, which also holds for few samples
 * and for shares near 0 and 1 (E. B. Wilson, Journal of the American Statistical Association 22
 * (1927), 209). Return: shares from 0 to 1; the whole range if there are no samples.
 */
struct interval confidence_share(uint64_t samples, uint64_t all);

/**
 * confidence_difference - confidence interval of the difference of two shares
 * @old_samples: samples of a function in the old profile
 * @old_all:     all samples of the old profile
 * @new_samples: samples of the function in the new profile
 * @new_all:     all samples of the new profile
 *
 * This is Newcombe's combination of the two score intervals (R. G. Newcombe, Statistics in
 * Medicine 17 (1998), 873, method 10).
 *
 * Return: new share minus old share, from -1 to 1. If 0 is outside the interval, the shares
 * differ significantly.
 */
struct interval confidence_difference(uint64_t old_samples, uint64_t old_all,
				      uint64_t new_samples, uint64_t new_all);

/**
 * confidence_seconds_differ - whether two CPU times differ significantly
 * @old_samples: samples of a function in the old profile
 * @old_seconds: CPU time that each of these samples represents
 * @new_samples: samples of the function in the new profile
 * @new_seconds: CPU time that each of these samples represents
 *
 * This is the exact conditional test of two Poisson counts (J. Przyborowski, H. Wilenski,
 * Biometrika 31 (1940), 313): if the CPU times are equal, each sample of the two profiles
 * belongs to the new one with a probability that follows from the rates. The test is
 * two-sided: it doubles the smaller tail.
 *
 * Return: true if they differ significantly; by chance, also for at most 5 % of the pairs that
 * are equal. There are fewer of these errors if there are few samples, or if the function has
 * most of the samples: at a fixed rate, the number of all samples varies less than a Poisson
 * count.
 */
bool confidence_seconds_differ(uint64_t old_samples, double old_seconds,
			       uint64_t new_samples, double new_seconds);

/*
 * Confidence interval of the difference of two CPU times. The score intervals of both counts are
 * combined as in confidence_difference(). Return: new CPU time minus old CPU time. If
 * confidence_seconds_differ() is true, 0 is outside the interval or one of its ends; else 0 is
 * inside it or one of its ends.
 */
struct interval confidence_seconds_difference(uint64_t old_samples, double old_seconds,
					      uint64_t new_samples, double new_seconds);

/**
 * confidence_median - confidence interval of a median
 * @values: at least 6 measurements; sorted by this function
 *
 * The interval is between two of the values. It is exact for any distribution, so a few runs that
 * were disturbed do not matter: each value is above the true median with probability 1/2 (W. R.
 * Thompson, Annals of Mathematical Statistics 7 (1936), 122).
 *
 * Return: the interval, of a confidence of at least 95 %.
 */
struct interval confidence_median(double *values, size_t nr, double *median);

#endif /* PROFIL_CONFIDENCE_H */
