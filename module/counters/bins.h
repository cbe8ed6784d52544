/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From a pc to its bin, the number of its counter: pure arithmetic on checked regions. It
 * uses no kernel state, so that the unit tests run the same code as the sampler.
 *
 * All arithmetic is in full width: d = pc - offset has up to 64 bits and the scale 32, so
 * the product has up to 96. BSD kernels truncate it to an int, and so count a distant pc (in
 * a shared library) in some counter of the program.
 */
#ifndef _PROFIL_BINS_H
#define _PROFIL_BINS_H

#include <linux/profil.h>
#include <linux/types.h>

/**
 * struct profil_range - a region, as the sampler needs it
 * @start:      first pc
 * @last:       last pc (inclusive, since the last region may reach 2^64 - 1)
 * @offset:     subtracted from the pc before it is scaled
 * @nr:         number of counters, 1 to 2^29 (PROFIL_MAX_BYTES of 16-bit counters)
 * @buf_offset: byte position (config.h) of counter 0
 * @scale:      bytes of buffer per byte of text, as a fraction of 65536
 * @drop:       low bits of the distance from @offset that do not count (profil_range_round())
 * @add:        added to a position in the buffer, in bytes, before it is rounded down
 */
struct profil_range {
	u64 start;
	u64 last;
	u64 offset;
	u64 nr;
	u64 buf_offset;
	u32 scale;
	u16 drop;
	u16 add;
};

#define PROFIL_NO_BIN	U64_MAX

/* d * scale / 65536, or U64_MAX if that does not fit in 64 bits. */
static inline u64 profil_scale_down(u64 d, u32 scale)
{
	u64 low = (d & U32_MAX) * scale;
	u64 high = (d >> 32) * scale + (low >> 32);	/* at most 2^64 - 2^32 */

	if (high >> 48)
		return U64_MAX;
	return high << 16 | (low & U32_MAX) >> 16;
}

/**
 * profil_range_round - set how a range rounds
 * @range:    range. For PROFIL_ROUND_FIRST its scale is 0, so that all distances become 0
 * @rounding: PROFIL_ROUND_*
 * @shift:    log2 of the counter size in bytes
 *
 * All rules are one formula: ((distance & ~drop) * scale / 65536 + add) / size, rounded down.
 * PROFIL_ROUND_PC divides the distance by the size of a counter before it is scaled, which gives
 * the same number as to drop the remainder of that division.
 */
static inline void profil_range_round(struct profil_range *range, u32 rounding, unsigned int shift)
{
	u16 rest = (1U << shift) - 1;

	range->drop = rounding == PROFIL_ROUND_PC ? rest : 0;
	range->add = rounding == PROFIL_ROUND_UP ? rest : 0;
}

/**
 * profil_bin - find the counter for a pc
 * @range: region that contains @pc
 * @pc:    program counter
 * @shift: log2 of the counter size in bytes
 *
 * Return: the counter's number, or PROFIL_NO_BIN if it would be beyond the region's buffer.
 */
static inline u64 profil_bin(const struct profil_range *range, u64 pc, unsigned int shift)
{
	u64 d = (pc - range->offset) & ~(u64)range->drop;
	u64 bytes = profil_scale_down(d, range->scale);
	u64 index = bytes >> shift;

	/* before the sum, which could overflow */
	if (index < range->nr)
		index = (bytes + range->add) >> shift;
	return index < range->nr ? index : PROFIL_NO_BIN;
}

/**
 * profil_range_count_below - count the regions that start at or below a pc
 * @ranges: regions, sorted by start, not overlapping
 * @nr:     number of regions, may be 0
 * @pc:     program counter
 *
 * Return: the number. The last of them contains @pc, or none does.
 */
static inline u32 profil_range_count_below(const struct profil_range *ranges, u32 nr, u64 pc)
{
	u32 low = 0, high = nr;

	/* ranges[0 .. low) start at or below pc, ranges[high .. nr) above it */
	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (ranges[mid].start <= pc)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Find the region that contains a pc. Return: the region, or NULL if there is none. */
static inline const struct profil_range *
profil_range_find(const struct profil_range *ranges, u32 nr, u64 pc)
{
	u32 below = profil_range_count_below(ranges, nr, pc);

	return below && pc <= ranges[below - 1].last ? &ranges[below - 1] : NULL;
}

#endif /* _PROFIL_BINS_H */
