/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects for atomic context. They are allocated when they are wanted, but on PREEMPT_RT, where
 * atomic context cannot allocate memory, in advance.
 */
#ifndef _PROFIL_RESERVE_H
#define _PROFIL_RESERVE_H

#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

/* How atomic context allocates. Charged to the active memory cgroup, or that of the process. */
#define PROFIL_GFP_ATOMIC	(GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT)

/**
 * struct profil_reserve - how to allocate a kind of objects, and those allocated in advance
 * @lock:  protects @items. Raw, because it is taken in probes of tracepoints
 * @items: nodes in the objects
 * @nr:    number of @items; also read without the lock when refilling: one more or less does
 *         no harm
 * @alloc: allocates an object; NULL: no memory
 * @free:  frees an object; does not sleep
 * @work:  refills the reserve
 */
struct profil_reserve {
	raw_spinlock_t lock;
	struct hlist_head items;
	unsigned int nr;
	struct hlist_node *(*alloc)(gfp_t gfp);
	void (*free)(struct hlist_node *item);
	struct work_struct work;
};

/* The function of @work. */
void profil_reserve_work(struct work_struct *work);

/* Atomic context, not in interrupts. */
struct hlist_node *profil_reserve_get(struct profil_reserve *reserve);
void profil_reserve_put(struct profil_reserve *reserve, struct hlist_node *item);

/* Process context. */
void profil_reserve_fill(struct profil_reserve *reserve);
void profil_reserve_empty(struct profil_reserve *reserve);

#endif /* _PROFIL_RESERVE_H */
