// SPDX-License-Identifier: GPL-2.0-only
#include "common.h"
#include "load/gaps.h"

#define SHORTEST	200	/* interruption, in instructions */
#define SEEN(nr)	((nr) / 50)	/* so often is no chance */
/*
 * From the figure. The kernel's paths differ by 18 instructions: at twice as much, one path matches
 * another. What has become more different shows in the mean.
 */
#define FAR		25

struct gaps *make_gaps(unsigned int nr)
{
	struct gaps *gaps = mmap(NULL, sizeof(*gaps), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (gaps == MAP_FAILED)
		return NULL;
	gaps->unit = instruction_seconds() * 1e9;
	gaps->nr = nr;
	return gaps;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Aligned, so that the distance between the loops is known. */
#define LOOP(name)					\
	void __attribute__((noinline, aligned(64))) name(void)	\
	{						\
		unsigned int turns = 500;		\
							\
		while (turns--)				\
			__asm__ volatile("" : "+r" (turns));	\
	}

LOOP(gaps_loop)
static LOOP(other_loop)

/* Returns the time since *@last in ns, at least that of two empty loops. */
static uint64_t next_gap(uint64_t *last)
{
	uint64_t now, gap;

	gaps_loop();
	other_loop();
	now = now_ns();
	gap = now - *last;
	*last = now;
	return gap;
}

void measure_gaps(void *gaps_)
{
	struct gaps *gaps = gaps_;
	uint64_t last = now_ns(), least = UINT64_MAX, gap;
	uint64_t begin;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		gap = next_gap(&last);
		if (gap < least)
			least = gap;
	}
	begin = last;
	for (i = 0; i < gaps->nr;) {
		gap = next_gap(&last);
		/* on a real machine, which may become faster */
		if (gap < least)
			least = gap;
		gap -= least;
		if ((double)gap > SHORTEST * gaps->unit)
			gaps->cost[i++] = (unsigned int)((double)gap / gaps->unit + 0.5);
	}
	gaps->seconds = (double)(last - begin) / 1e9;
}

static int compare(const void *a, const void *b)
{
	const unsigned int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

double mean_gap(struct gaps *gaps, unsigned int spread)
{
	unsigned int median, i, nr = 0;
	double sum = 0;

	qsort(gaps->cost, gaps->nr, sizeof(gaps->cost[0]), compare);
	median = gaps->cost[gaps->nr / 2];
	for (i = 0; i < gaps->nr; i++) {
		if (gaps->cost[i] + spread >= median && gaps->cost[i] <= median + spread) {
			sum += gaps->cost[i];
			nr++;
		}
	}
	return sum / nr;
}

/* Returns the first place from @from on whose cost differs. Sorted. */
static unsigned int end_of_equal(const struct gaps *gaps, unsigned int from)
{
	unsigned int i = from;

	while (i < gaps->nr && gaps->cost[i] == gaps->cost[from])
		i++;
	return i;
}

unsigned int most_frequent_gap(const struct gaps *gaps)
{
	unsigned int from, end, best = 0, most = 0;

	for (from = 0; from < gaps->nr; from = end) {
		end = end_of_equal(gaps, from);
		if (end - from > most) {
			most = end - from;
			best = gaps->cost[from];
		}
	}
	return best;
}

/* Returns the next cost from *@from on that occurs @least times, and advances *@from; or 0 */
static unsigned int next_cost(const struct gaps *gaps, unsigned int least, unsigned int *from)
{
	unsigned int begin, end;

	for (begin = *from; begin < gaps->nr; begin = end) {
		end = end_of_equal(gaps, begin);
		if (end - begin >= least) {
			*from = end;
			return gaps->cost[begin];
		}
	}
	return 0;
}

static bool has_cost(const struct gaps *gaps, unsigned int cost)
{
	unsigned int i = 0, found;

	while ((found = next_cost(gaps, SEEN(gaps->nr), &i)))
		if (found == cost)
			return true;
	return false;
}

/* Returns how many costs of @bare occur in @sampling with @difference more. */
static unsigned int matches(const struct gaps *bare, const struct gaps *sampling, int difference)
{
	unsigned int nr = 0, i = 0, cost;

	while ((cost = next_cost(bare, SEEN(bare->nr), &i)))
		nr += has_cost(sampling, cost + difference);
	return nr;
}

unsigned int likely_difference(const struct gaps *bare, const struct gaps *sampling,
			       unsigned int figure)
{
	unsigned int best = 0, most = 0, nr;
	int far, side;

	/* from the figure on, so that of equally good ones the closest is kept */
	for (far = 0; far <= FAR; far++) {
		for (side = -1; side <= 1; side += 2) {
			nr = matches(bare, sampling, (int)figure + side * far);
			if (nr > most) {
				most = nr;
				best = figure + side * far;
			}
		}
	}
	return best;
}
