/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UNIT_LINUX_ATOMIC_H
#define UNIT_LINUX_ATOMIC_H

#include <linux/types.h>

#define CONFIG_64BIT		1
#define CONFIG_CPU_BIG_ENDIAN	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define IS_ENABLED(option)	(option)

#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define PTR_ALIGN_DOWN(p, a)	\
	((__typeof__(p))((uintptr_t)(p) & ~(uintptr_t)((a) - 1)))

/* Called between a read and the exchange, so that a test can act as another CPU. */
extern void (*before_exchange)(void *word);

#define cmpxchg(p, old, new) ({						\
	__typeof__(*(p)) __old = (old);					\
									\
	if (before_exchange)						\
		before_exchange(p);					\
	__atomic_compare_exchange_n(p, &__old, new, false,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);	\
	__old;								\
})
#define cmpxchg64 cmpxchg

typedef struct { int counter; } atomic_t;
typedef struct { s64 counter; } atomic64_t;

static inline int atomic_fetch_add_relaxed(int i, atomic_t *v)
{
	return __atomic_fetch_add(&v->counter, i, __ATOMIC_RELAXED);
}

static inline s64 atomic64_fetch_add_relaxed(s64 i, atomic64_t *v)
{
	return __atomic_fetch_add(&v->counter, i, __ATOMIC_RELAXED);
}

#endif /* UNIT_LINUX_ATOMIC_H */
