/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A raw spinlock for unit tests, which have one thread: it only checks that lock and unlock
 * alternate.
 */
#ifndef UNIT_LINUX_SPINLOCK_H
#define UNIT_LINUX_SPINLOCK_H

#include <stdlib.h>

typedef struct {
	int held;
} raw_spinlock_t;

#define raw_spin_lock_init(lock)	((lock)->held = 0)

#define raw_spin_lock_irqsave(lock, flags) do {				\
	if ((lock)->held++)						\
		abort();						\
	(flags) = 1;							\
} while (0)

#define raw_spin_unlock_irqrestore(lock, flags) do {			\
	if (!(flags) || --(lock)->held)					\
		abort();						\
} while (0)

#endif /* UNIT_LINUX_SPINLOCK_H */
