/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sampling error, and error between runs: 95 % confidence intervals of shares, CPU times, their
 * changes, and medians. confidence.c derives them from how the clocks sample.
 */
#ifndef PROFIL_CONFIDENCE_H
#define PROFIL_CONFIDENCE_H

#include <stddef.h>
#include <stdint.h>

#include "result/result.h"

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

/*
 * The variance of the number of samples of a run, in samples squared, by the CPU times of its
 * processes. Return: at most the number of samples: of processes whose CPU time is not known.
 */
double confidence_variance(const struct result *result);

/**
 * struct confidence_side - a function, or all, in the runs of one of two builds
 * @samples:  its samples in all runs
 * @all:      samples of all functions in all runs, at least 1
 * @variance: sum of confidence_variance() over the runs; 0: values are shares of @all
 * @unit:     value of a sample: CPU time in s, or a share; of several runs, the greatest
 * @values:   its value in each run
 * @nr:       number of runs, at least 1
 */
struct confidence_side {
	uint64_t samples;
	uint64_t all;
	double variance;
	double unit;
	double *values;
	size_t nr;
};

double confidence_mean(const struct confidence_side *side);

/*
 * Confidence interval of the difference of the means, new minus old. The sampling errors of both
 * sides are combined as by Newcombe (Statistics in Medicine 17 (1998), 873, method 10). With
 * several runs, the interval is at least that of Welch (Biometrika 34 (1947), 28), which has the
 * variance between runs. With one run a side, it is about these two runs only. If 0 is outside, the
 * values differ significantly.
 */
struct interval confidence_change(const struct confidence_side *old,
				  const struct confidence_side *new);

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
