// SPDX-License-Identifier: GPL-2.0-only
/* A library that reload.c loads. It is compiled twice, as two files. */
#include <stdint.h>

uint32_t work(uint32_t turns);

__attribute__((noinline)) static uint32_t step(uint32_t sum)
{
	return (sum << 5 | sum >> 27) ^ 0x9e3779b9;
}

uint32_t work(uint32_t turns)
{
	uint32_t sum = 1;

	while (turns--)
		sum += step(sum) * 3;
	return sum;
}
