// SPDX-License-Identifier: GPL-2.0-only
/*
 * A parallel region, which clang makes a function named .omp_outlined. No test runs it.
 */
int parallel(int *numbers);

int parallel(int *numbers)
{
#pragma omp parallel
	numbers[0]++;
	return numbers[1];
}
