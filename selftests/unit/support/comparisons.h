/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts comparisons of names, which shows quadratic time on a machine of any speed. The test
 * must be linked with --wrap=strcmp.
 */
#ifndef COMPARISONS_H
#define COMPARISONS_H

static unsigned long nr_comparisons;

int __real_strcmp(const char *a, const char *b);
int __wrap_strcmp(const char *a, const char *b);

int __wrap_strcmp(const char *a, const char *b)
{
	nr_comparisons++;
	return __real_strcmp(a, b);
}

#endif /* COMPARISONS_H */
