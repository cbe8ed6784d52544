/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_GMON_VECTORS_H
#define PROFIL_GMON_VECTORS_H

/*
 * Vector registers on x86: mcount() runs before a function has read its arguments from them, and
 * functions of the C library change them. Elsewhere the compiler expects that mcount() does.
 */
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#include <stdbool.h>

/* x87, SSE, AVX and AVX-512: what arguments can be in */
#define PROFIL_VECTORS_MASK	0xe7

struct profil_vectors {
	/* FXSAVE area, 512 bytes; header of XSAVE, 64 bytes; the rest up to the last of AVX-512 */
	unsigned char area[2688] __attribute__((aligned(64)));
	bool extended;
};

static inline void profil_vectors_save(struct profil_vectors *vectors)
{
	unsigned int a, b, c = 0, d;

	vectors->extended = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE);
	if (vectors->extended) {
		/* XSAVE does not write all of its header, and XRSTOR reads it */
		for (a = 512; a < 576; a++)
			vectors->area[a] = 0;
		__asm__ volatile("xsave %0" : "+m"(vectors->area)
				 : "a"(PROFIL_VECTORS_MASK), "d"(0) : "memory");
	} else {
		__asm__ volatile("fxsave %0" : "=m"(vectors->area) : : "memory");
	}
}

static inline void profil_vectors_restore(const struct profil_vectors *vectors)
{
	if (vectors->extended)
		__asm__ volatile("xrstor %0" : : "m"(vectors->area), "a"(PROFIL_VECTORS_MASK),
				 "d"(0) : "memory");
	else
		__asm__ volatile("fxrstor %0" : : "m"(vectors->area) : "memory");
}
#else
struct profil_vectors {
	char none;
};

static inline void profil_vectors_save(struct profil_vectors *vectors)
{
	vectors->none = 0;
}

static inline void profil_vectors_restore(const struct profil_vectors *vectors)
{
	(void)vectors;
}
#endif

#endif /* PROFIL_GMON_VECTORS_H */
