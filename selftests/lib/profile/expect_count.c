// SPDX-License-Identifier: GPL-2.0-only
/*
 * Standard errors and preemptions, for the expectations of expect_count.h.
 */
#include "profile/expect_count.h"

bool counts_are_checked(void)
{
	const char *counts = getenv("PROFIL_COUNTS");

	return !counts || strcmp(counts, "print");
}

double square_root(double square)
{
	double root = square > 1 ? square : 1;
	int i;

	/* Newton's method: starting above the root, it at least halves the error */
	for (i = 0; i < 40; i++)
		root = (root + square / root) / 2;
	return root;
}

long preemptions(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nivcsw;
}

double preemption_allowance(long preempted)
{
	return CHANCE_ALLOWANCE((double)preempted / 4);
}
