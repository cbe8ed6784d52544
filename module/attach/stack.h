/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks of sampled threads: see stack.c.
 */
#ifndef _PROFIL_STACK_H
#define _PROFIL_STACK_H

#include <linux/kconfig.h>
#include <linux/types.h>

#include "attach/log.h"

struct profil_target;
struct task_struct;

/* Whether the module can take stacks on this machine. Else the functions below are not linked. */
static __always_inline bool profil_stack_is_possible(void)
{
	return IS_ENABLED(CONFIG_X86_64);
}

/* With interrupts off, also with a runqueue's lock held. */
bool profil_stack_write(struct profil_target *target, const struct task_struct *task,
			struct profil_log_slot *slot, const struct profil_log_sample *sample);

/* Process context, atomic. */
void profil_stack_add_text(struct profil_target *target, unsigned long start, unsigned long end);

#endif /* _PROFIL_STACK_H */
