// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses CPU time in four functions of its own and in the C library: work ROUNDS. It is compiled as
 * a static, a musl and a 32-bit program.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS	20000

static uint32_t numbers[NUMBERS];

__attribute__((noinline)) static void fill(uint32_t seed)
{
	int i;

	for (i = 0; i < NUMBERS; i++) {
		seed = seed * 1664525 + 1013904223;
		numbers[i] = seed >> 8;
	}
}

__attribute__((noinline)) static int compare(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

__attribute__((noinline)) static uint32_t checksum(void)
{
	uint32_t sum = 1;
	int turn, i;

	for (turn = 0; turn < 20; turn++) {
		for (i = 0; i < NUMBERS; i++)
			sum = (sum << 5 | sum >> 27) ^ numbers[i];
	}
	return sum;
}

__attribute__((noinline)) static uint32_t divide(void)
{
	uint32_t sum = 0;
	int i;

	for (i = 1; i < NUMBERS; i++)
		sum += numbers[i] % (numbers[i - 1] | 1);
	return sum;
}

/* In the C library: memory and the format of numbers */
__attribute__((noinline)) static size_t print_numbers(void)
{
	size_t length = 0;
	int i;

	for (i = 0; i < NUMBERS; i += 10) {
		char *text = malloc(32 + numbers[i] % 64);

		snprintf(text, 32, "%u %x", numbers[i], numbers[i + 1]);
		length += strlen(text);
		free(text);
	}
	return length;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1, i;
	uint32_t sum = 0;

	for (i = 0; i < rounds; i++) {
		fill((uint32_t)i);
		sum ^= checksum() + divide() + (uint32_t)print_numbers();
		qsort(numbers, NUMBERS, sizeof(*numbers), compare);
	}
	printf("%u\n", sum);
	return 0;
}
