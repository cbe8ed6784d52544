/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects that are allocated in advance, for atomic context on PREEMPT_RT, where memory cannot
 * be allocated.
 */
#ifndef _PROFIL_RESERVE_H
#define _PROFIL_RESERVE_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

/**
 * struct profil_reserve - a list of free objects
 * @lock:  protects @items. Raw, because it is taken in probes of tracepoints
 * @items: nodes in the objects
 * @nr:    number of @items; also read without the lock when refilling: one more or less does
 *         no harm
 * @size:  number of objects to have
 * @alloc: allocates an object without waiting; NULL: no memory
 * @free:  frees an object; may sleep
 * @work:  refills the reserve
 */
struct profil_reserve {
	raw_spinlock_t lock;
	struct hlist_head items;
	unsigned int nr;
	unsigned int size;
	struct hlist_node *(*alloc)(void);
	void (*free)(struct hlist_node *item);
	struct work_struct work;
};

/* The function of @work. */
void profil_reserve_work(struct work_struct *work);

/* Any context. */
struct hlist_node *profil_reserve_take(struct profil_reserve *reserve);
void profil_reserve_put(struct profil_reserve *reserve, struct hlist_node *item);

/* Process context. */
void profil_reserve_fill(struct profil_reserve *reserve);
void profil_reserve_empty(struct profil_reserve *reserve);

#endif /* _PROFIL_RESERVE_H */
