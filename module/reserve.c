// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects that are allocated in advance (reserve.h). Only on PREEMPT_RT is a reserve filled:
 * elsewhere, callers allocate. A work item refills it, so it may be empty if many objects are
 * taken at once.
 */
#include <linux/kconfig.h>

#include "reserve.h"

static struct hlist_node *reserve_remove(struct profil_reserve *reserve)
{
	struct hlist_node *item;
	unsigned long flags;

	raw_spin_lock_irqsave(&reserve->lock, flags);
	item = reserve->items.first;
	if (item) {
		hlist_del(item);
		WRITE_ONCE(reserve->nr, reserve->nr - 1);
	}
	raw_spin_unlock_irqrestore(&reserve->lock, flags);
	return item;
}

/* Take an object, and let another one be allocated. Return: the object, or NULL. */
struct hlist_node *profil_reserve_take(struct profil_reserve *reserve)
{
	schedule_work(&reserve->work);
	return reserve_remove(reserve);
}

/* Put an object into the reserve. */
void profil_reserve_put(struct profil_reserve *reserve, struct hlist_node *item)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&reserve->lock, flags);
	hlist_add_head(item, &reserve->items);
	WRITE_ONCE(reserve->nr, reserve->nr + 1);
	raw_spin_unlock_irqrestore(&reserve->lock, flags);
}

/* On PREEMPT_RT, fill the reserve. Without memory, it stays smaller. */
void profil_reserve_fill(struct profil_reserve *reserve)
{
	struct hlist_node *item;

	while (IS_ENABLED(CONFIG_PREEMPT_RT) &&
	       READ_ONCE(reserve->nr) < reserve->size) {
		item = reserve->alloc();
		if (!item)
			return;
		profil_reserve_put(reserve, item);
	}
}

void profil_reserve_work(struct work_struct *work)
{
	profil_reserve_fill(container_of(work, struct profil_reserve, work));
}

/* Free all objects. No CPU takes any more. */
void profil_reserve_empty(struct profil_reserve *reserve)
{
	struct hlist_node *item;

	cancel_work_sync(&reserve->work);
	while ((item = reserve_remove(reserve)))
		reserve->free(item);
}
