// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps loops at known addresses.
 */
#include "load/loops.h"

#if defined(__x86_64__) || defined(__aarch64__)

char *map_loops(size_t nr)
{
#if defined(__x86_64__)
	/* dec %rdi; jnz; ret */
	static const uint8_t loop[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
#elif defined(__aarch64__)
	/* subs x0, x0, #1; b.ne; ret */
	static const uint32_t loop[] = { 0xf1000400, 0x54ffffe1, 0xd65f03c0 };
#endif
	char *code = map_code(nr * LOOP_BYTES);
	size_t i;

	for (i = 0; i < nr; i++)
		memcpy(code + i * LOOP_BYTES, loop, sizeof(loop));
	__builtin___clear_cache(code, code + nr * LOOP_BYTES);
	return code;
}

#define FIRST_TURNS	100000

void stay_in_loop(char *code, size_t number, double seconds)
{
	void (*loop)(unsigned long turns);
	double begin = thread_seconds(), used;

	loop = (void *)(code + number * LOOP_BYTES);
	/* reads the clock three times only, to leave few ticks to other code */
	loop(FIRST_TURNS);
	used = thread_seconds() - begin;
	if (used < seconds)
		loop((unsigned long)(FIRST_TURNS * (seconds - used) / used) + 1);
	/* an interrupt may have made the first turns look slow */
	while (thread_seconds() < begin + seconds)
		loop(FIRST_TURNS);
}

#endif
