/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Raw spinlocks where interrupts are off, in the paths that each sample takes. As raw_spin_lock(),
 * but without a function call, and without counting for preemption, which interrupts that are off
 * keep from happening. Lockdep and the other checks of locks need the call.
 */
#ifndef _PROFIL_IRQLOCK_H
#define _PROFIL_IRQLOCK_H

#include <linux/compiler.h>
#include <linux/spinlock.h>

#if defined(CONFIG_DEBUG_SPINLOCK) || defined(CONFIG_DEBUG_LOCK_ALLOC)

#define profil_irq_trylock(lock)	raw_spin_trylock(lock)
#define profil_irq_lock(lock)		raw_spin_lock(lock)
#define profil_irq_unlock(lock)		raw_spin_unlock(lock)

#else

static __always_inline bool profil_irq_trylock(raw_spinlock_t *lock)
{
	return arch_spin_trylock(&lock->raw_lock);
}

static __always_inline void profil_irq_lock(raw_spinlock_t *lock)
{
	arch_spin_lock(&lock->raw_lock);
}

static __always_inline void profil_irq_unlock(raw_spinlock_t *lock)
{
	arch_spin_unlock(&lock->raw_lock);
}

#endif

#endif /* _PROFIL_IRQLOCK_H */
