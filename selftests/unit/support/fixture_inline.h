/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A function with a mangled name, shared(unsigned int), that is inlined in two files, which include
 * it by different paths.
 */
#ifndef FIXTURE_INLINE_H
#define FIXTURE_INLINE_H

static inline __attribute__((always_inline)) unsigned int _Z6sharedj(unsigned int n)
{
	return (n << 5 ^ n) * 13;
}

#endif /* FIXTURE_INLINE_H */
