// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects for atomic context (reserve.h). On PREEMPT_RT, a work item refills the reserve, so it
 * may be empty if many objects are taken at once. What it holds is charged to no memory cgroup.
 */
#include <linux/kconfig.h>

#include "reserve.h"

#define RESERVE_SIZE	64	/* objects */

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

static void reserve_add(struct profil_reserve *reserve, struct hlist_node *item)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&reserve->lock, flags);
	hlist_add_head(item, &reserve->items);
	WRITE_ONCE(reserve->nr, reserve->nr + 1);
	raw_spin_unlock_irqrestore(&reserve->lock, flags);
}

/* Return: an object, or NULL. */
struct hlist_node *profil_reserve_get(struct profil_reserve *reserve)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		return reserve->alloc(PROFIL_GFP_ATOMIC);
	schedule_work(&reserve->work);
	return reserve_remove(reserve);
}

/* Give an unused object back. */
void profil_reserve_put(struct profil_reserve *reserve, struct hlist_node *item)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		reserve_add(reserve, item);
	else
		reserve->free(item);
}

/* On PREEMPT_RT, fill the reserve. Without memory, it stays smaller. */
void profil_reserve_fill(struct profil_reserve *reserve)
{
	struct hlist_node *item;

	while (IS_ENABLED(CONFIG_PREEMPT_RT) && READ_ONCE(reserve->nr) < RESERVE_SIZE) {
		item = reserve->alloc(GFP_NOWAIT | __GFP_NOWARN);
		if (!item)
			return;
		reserve_add(reserve, item);
	}
}

void profil_reserve_work(struct work_struct *work)
{
	profil_reserve_fill(container_of(work, struct profil_reserve, work));
}

/* Free all objects. None is taken any more. */
void profil_reserve_empty(struct profil_reserve *reserve)
{
	struct hlist_node *item;

	cancel_work_sync(&reserve->work);
	while ((item = reserve_remove(reserve)))
		reserve->free(item);
}
