/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Small loops at known addresses, so that samples hit a chosen pc without new threads, system
 * calls or changes to the memory map.
 */
#ifndef SELFTESTS_LOOPS_H
#define SELFTESTS_LOOPS_H

#include "common.h"

#define LOOP_BYTES	16	/* distance between two loops */

/* Maps @nr functions that count down from their argument. */
char *map_loops(size_t nr);

/* Runs loop @number for @seconds of CPU time, except for short readings of the clock. */
void stay_in_loop(char *code, size_t number, double seconds);

#endif /* SELFTESTS_LOOPS_H */
