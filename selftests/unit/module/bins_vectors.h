/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pcs and their 16-bit bins according to the manual pages of the old systems.
 */
#ifndef BINS_VECTORS_H
#define BINS_VECTORS_H

#include "module/counters/bins.h"

#define NONE	PROFIL_NO_BIN

/**
 * struct bins_vector - a pc and its bin
 * @d:     distance of the pc from the offset
 * @scale: scale of the region
 * @n:     size of the buffer in bytes
 * @byte:  position of the bin in the buffer, in bytes, or NONE
 */
struct bins_vector {
	u64 d;
	u32 scale;
	u64 n;
	u64 byte;
};

/* OpenSolaris, Linux 0.99 and OSF/1: the rows with profiling enabled */
static const struct bins_vector bins_down[] = {
	{ 0, 0xffff, 0x400, 0 },
	{ 2, 0xffff, 0x400, 0 },
	{ 3, 0xffff, 0x400, 2 },
	{ 7, 0x4000, 0x400, 0 },
	{ 8, 0x4000, 0x400, 2 },
	{ 0x123456, 0x4000, 0x100000, 298260 },
	{ 0x3ff, 0x10000, 0x400, 1022 },
	{ 0x400, 0x10000, 0x400, NONE },
	{ 0x10000, 2, 0x400, 2 },
	{ 0x20000, 2, 4, NONE },
	{ 4, 0x10000, 5, NONE },
	{ 6, 0x20000, 0x400, 12 },
	{ -2ULL, 0x8000, 0x400, NONE },
	{ 5, 0x20000, 0x400, 10 },
	{ 0x12345, 0x8000, 0x10000, 37282 },
	{ 3, 0x8000, 0x400, 0 },
	{ 6, 0x8000, 0x400, 2 },
};

/* 4.4BSD and glibc */
static const struct bins_vector bins_pc[] = {
	{ 0, 65536, 0x400, 0 },
	{ 3, 65536, 0x400, 2 },
	{ 0x3ff, 65536, 0x400, 1022 },
	{ 0x400, 65536, 0x400, NONE },
	{ 3, 32768, 0x400, 0 },
	{ 4, 32768, 0x400, 2 },
	{ 3, 0xffff, 0x400, 0 },
	{ 4, 0xffff, 0x400, 2 },
	{ 5, 0xffff, 0x400, 2 },
	{ 11, 0x3000, 0x400, 0 },
	{ 0x35, 0x6000, 0x400, 18 },
	{ 0x20000, 1, 0x400, 2 },
	{ 5, 0x20000, 0x400, 8 },
	{ 0x1ff, 0x20000, 0x400, 1020 },
	{ -2ULL, 0x10000, 0x400, NONE },
	{ -2ULL, 0x20000, 0x400, NONE },
	{ 4, 0x10000, 5, NONE },
};

/* AIX */
static const struct bins_vector bins_up[] = {
	{ 0, 0xffff, 0x400, 0 },
	{ 1, 0xffff, 0x400, 0 },
	{ 2, 0xffff, 0x400, 2 },
	{ 3, 0xffff, 0x400, 2 },
	{ 4, 0xffff, 0x400, 4 },
	{ 2, 0x7fff, 0x400, 0 },
	{ 3, 0x7fff, 0x400, 2 },
	{ 6, 0x7fff, 0x400, 2 },
	{ 7, 0x7fff, 0x400, 4 },
	{ 3, 0x4000, 0x400, 0 },
	{ 4, 0x4000, 0x400, 2 },
	{ 0x3ff, 0xffff, 0x400, 1022 },
	{ 0x400, 0xffff, 0x400, NONE },
	{ 0x3fd, 0x8000, 0x200, 510 },
	{ 0x3fe, 0x8000, 0x200, NONE },
	{ 0x10, 0x8000, 0x400, 8 },
};

/* AIX with scale 2 */
static const struct bins_vector bins_first[] = {
	{ 0x12345, 0, 2, 0 },
	{ -1ULL, 0, 2, 0 },
};

/* Position of the bin in the buffer, in bytes, or NONE. */
static inline u64 bins_vector_byte(u32 rounding, const struct bins_vector *v)
{
	struct profil_range range = {
		.last = U64_MAX,
		.nr = v->n / 2,
		.scale = rounding == PROFIL_ROUND_FIRST ? 0 : v->scale,
	};
	u64 bin;

	profil_range_round(&range, rounding, 1);
	bin = profil_bin(&range, v->d, 1);
	return bin == NONE ? NONE : 2 * bin;
}

#endif /* BINS_VECTORS_H */
