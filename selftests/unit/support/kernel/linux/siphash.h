/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SipHash-2-4 of one word (Aumasson and Bernstein, 2012), with the kernel's interface.
 */
#ifndef UNIT_LINUX_SIPHASH_H
#define UNIT_LINUX_SIPHASH_H

#include <linux/types.h>

typedef struct {
	u64 key[2];
} siphash_key_t;

static inline u64 siphash_rotate(u64 x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static inline void siphash_rounds(u64 v[4], int nr)
{
	while (nr--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = siphash_rotate(v[1], 13) ^ v[0];
		v[3] = siphash_rotate(v[3], 16) ^ v[2];
		v[0] = siphash_rotate(v[0], 32) + v[3];
		v[2] += v[1];
		v[3] = siphash_rotate(v[3], 21) ^ v[0];
		v[1] = siphash_rotate(v[1], 17) ^ v[2];
		v[2] = siphash_rotate(v[2], 32);
	}
}

static inline u64 siphash_1u64(u64 word, const siphash_key_t *key)
{
	u64 words[2] = { word, 8ULL << 56 };
	u64 v[4] = {
		key->key[0] ^ 0x736f6d6570736575ULL,
		key->key[1] ^ 0x646f72616e646f6dULL,
		key->key[0] ^ 0x6c7967656e657261ULL,
		key->key[1] ^ 0x7465646279746573ULL,
	};
	int i;

	for (i = 0; i < 2; i++) {
		v[3] ^= words[i];
		siphash_rounds(v, 2);
		v[0] ^= words[i];
	}
	v[2] ^= 0xff;
	siphash_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

#endif /* UNIT_LINUX_SIPHASH_H */
