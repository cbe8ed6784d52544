/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's types that module/counters/bins.h, tick_math.h, counter.h, grid.h and sieve.h use, so
 * that unit tests can compile these files.
 */
#ifndef UNIT_LINUX_TYPES_H
#define UNIT_LINUX_TYPES_H

#include_next <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef long long s64;

#define U16_MAX	UINT16_MAX
#define U32_MAX	UINT32_MAX
#define U64_MAX	UINT64_MAX

#endif /* UNIT_LINUX_TYPES_H */
