/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many names are compared: what takes a time that grows with the square of a result is
 * found by counting, on any machine. For a program that is linked with --wrap=strcmp.
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
