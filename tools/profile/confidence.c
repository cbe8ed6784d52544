// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampling error, and error between runs.
 *
 * Clocks divide time into intervals, and take one sample in each: random at a random point, timer
 * at its start, and tick at every so many ticks of the profile. Profiles that a process starts
 * itself, and those that another one attaches, use the same clocks, and so have the same errors.
 *
 * Let a function run in the part f of an interval. It has the sample with the probability f. random
 * draws anew in each interval, so the variance of the function's samples is the sum of f (1 - f):
 *
 * - It is at most the number of samples, n: that of Poisson's distribution. That is all that is
 *   known of bursts that are much shorter than an interval.
 * - In a process that is busy all the time, the other functions have the other samples. For a given
 *   number N of them, the variance is at most N p (1 - p), for a share p. It is that for functions
 *   that call each other within an interval, and less for those that run for many intervals.
 * - The process itself fills all intervals of a busy thread but the first and the last one, and
 *   those in which it is interrupted. Each of these ends adds at most 1/4. So N is known to a
 *   sample or two if the thread was never interrupted, and else depends on how often it was.
 *
 * The kernel's account of CPU time says how far N is off: by N - rate * CPU time. So that is not
 * estimated. The count of a function is off by p times as much, and by what is left to chance when
 * N is given. Together, for the variance V = (N - rate * CPU time)^2 + 1/2 of N, that of n is
 *
 *	N p (1 - p) + p^2 V  =  n (1 - n / M)	with M = N^2 / (N - V),
 *
 * as if n of M intervals had a sample of the function. That is a binomial distribution again, and
 * Poisson's for V = N, which holds if the CPU time is not known.
 *
 * timer and tick draw once for all intervals. While the phases of functions and clock change
 * independently of each other, the same holds for them. Of a program in step with the clock, the
 * same part is sampled each time: then no interval follows from counts, and users are told so.
 */
#include <math.h>
#include <stdlib.h>

#include "profile/confidence.h"
#include "profile/share.h"

/* 95 % of a normal distribution are within this number of standard deviations. */
#define Z	1.959963984540054
#define LEVEL	0.05	/* of significance */

/*
 * The score interval of the expected number of samples. @inverse: 1 / M of above; 0: the variance
 * is the number of samples.
 */
static struct interval score(double samples, double inverse)
{
	const double scale = 1 + Z * Z * inverse, middle = (samples + Z * Z / 2) / scale;
	const double variance = fmax(samples * (1 - samples * inverse), 0);
	const double half = Z / scale * sqrt(variance + Z * Z / 4);

	return (struct interval){ samples > 0 ? fmax(middle - half, 0) : 0, middle + half };
}

struct interval confidence_share(uint64_t samples, uint64_t all)
{
	struct interval interval = { 0, 1 };

	if (!all)
		return interval;
	interval = score((double)samples, 1 / (double)all);
	interval.low /= (double)all;
	/* exactly 1, which rounding could miss */
	interval.high = samples < all ? fmin(interval.high / (double)all, 1) : 1;
	return interval;
}

double confidence_variance(const struct result *result)
{
	double rest = (double)result_samples(result), sum = 0;
	size_t i;

	for (i = 0; i < result->nr_processes; i++) {
		const struct result_process *process = &result->processes[i];
		const double samples = (double)process->samples;
		const double off = samples - result_rate(result) * (double)process->cpu_ns / 1e9;

		sum += process->has_ended ? fmin(samples, off * off + 0.5) : samples;
		rest -= samples;
	}
	return sum + rest;
}

double confidence_mean(const struct confidence_side *side)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < side->nr; i++)
		sum += side->values[i];
	return sum / (double)side->nr;
}

/* The variance between the runs of a side, which has several */
static double run_variance(const struct confidence_side *side)
{
	const double middle = confidence_mean(side);
	double sum = 0;
	size_t i;

	for (i = 0; i < side->nr; i++)
		sum += (side->values[i] - middle) * (side->values[i] - middle);
	return sum / ((double)side->nr - 1);
}

/* 95 % of Student's distribution are within this number of standard deviations. */
static double student(double freedom)
{
	static const double few[] = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306 };

	if (freedom < 9)
		return few[freedom < 1 ? 0 : (size_t)freedom - 1];
	/* the expansion of Cornish and Fisher, which is right to 0.2 % here */
	return Z + 2.3724 / freedom + 2.8228 / (freedom * freedom);
}

/*
 * Half of Welch's interval. A side with a single run is taken to differ from run to run as the
 * other one. Return: 0 if both have a single run.
 */
static double between_runs(const struct confidence_side *old, const struct confidence_side *new)
{
	const double k = (double)old->nr, l = (double)new->nr;
	double a, b, freedom = k + l - 2;

	if (old->nr == 1 && new->nr == 1)
		return 0;
	a = run_variance(old->nr > 1 ? old : new) / k;
	b = run_variance(new->nr > 1 ? new : old) / l;
	if (!(a + b > 0))
		return 0;
	if (old->nr > 1 && new->nr > 1)
		freedom = (a + b) * (a + b) / (a * a / (k - 1) + b * b / (l - 1));
	return student(freedom) * sqrt(a + b);
}

/* How far the true value may be below and above that of a side, by sampling error */
static struct interval distances(const struct confidence_side *side)
{
	const double all = (double)side->all, samples = (double)side->samples;
	const double inverse = all > 0 ? (1 - fmin(side->variance / all, 1)) / all : 0;
	const struct interval interval = score(samples, inverse);
	const double unit = side->unit / (double)side->nr;

	return (struct interval){ (samples - interval.low) * unit,
				  (interval.high - samples) * unit };
}

struct interval confidence_change(const struct confidence_side *old,
				  const struct confidence_side *new)
{
	const double change = confidence_mean(new) - confidence_mean(old);
	const double runs = between_runs(old, new);
	const struct interval from = distances(old), to = distances(new);

	return (struct interval){ change - fmax(hypot(to.low, from.high), runs),
				  change + fmax(hypot(to.high, from.low), runs) };
}

static int compare_values(const void *va, const void *vb)
{
	const double a = *(const double *)va, b = *(const double *)vb;

	return a < b ? -1 : a > b;
}

struct interval confidence_median(double *values, size_t nr, double *median)
{
	const double n = (double)nr;
	double below = exp2(-n), term = below;
	size_t k = 0;

	qsort(values, nr, sizeof(*values), compare_values);
	*median = (values[(nr - 1) / 2] + values[nr / 2]) / 2;
	/* @below is the probability that at most @k values are below the true median */
	while (2 * (below + term * (n - (double)k) / ((double)k + 1)) <= LEVEL) {
		term *= (n - (double)k) / ((double)k + 1);
		below += term;
		k++;
	}
	return (struct interval){ values[k], values[nr - 1 - k] };
}
