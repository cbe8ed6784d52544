/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The timer clocks.
 */
#ifndef _PROFIL_TIMER_H
#define _PROFIL_TIMER_H

struct mm_struct;
struct pid;

/* May sleep. */
void profil_timer_start(void);
void profil_timer_start_target(struct pid *process, const struct mm_struct *mm);

/* Process context, also atomic. */
void profil_timer_start_current(void);

extern const struct profil_hook_ops profil_session_timer_hook;
extern const struct profil_hook_ops profil_target_timer_hook;

void profil_timer_init(void);

#endif /* _PROFIL_TIMER_H */
