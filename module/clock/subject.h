/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the clocks sample profiles of both kinds. @kind is constant everywhere, so each kind has
 * its own copy of a clock's code.
 */
#ifndef _PROFIL_SUBJECT_H
#define _PROFIL_SUBJECT_H

#include "attach/fast.h"
#include "attach/target.h"
#include "attach/tracer.h"
#include "clock/clock.h"
#include "counters/fast.h"
#include "counters/sampler.h"
#include "counters/session.h"
#include "counters/table.h"

/**
 * profil_subject_find - find the first profile that a clock samples on this CPU
 * @kind:  which kind
 * @task:  the current thread of this CPU
 * @timer: the clock is the timer, not the tick
 *
 * With interrupts off, which is an RCU read-side section.
 *
 * Return: the profile, or NULL.
 */
static __always_inline struct profil_subject *
profil_subject_find(enum profil_kind kind, struct task_struct *task, bool timer)
{
	struct profil_session *session;
	struct profil_target *target;

	if (kind == PROFIL_KIND_SESSION) {
		session = profil_table_find_sampled(task, timer);
		return session ? &session->subject : NULL;
	}
	target = profil_target_find_sampled(task, timer);
	return target ? &target->subject : NULL;
}

static __always_inline struct profil_target *
profil_subject_target(struct profil_subject *subject)
{
	return container_of(subject, struct profil_target, subject);
}

/*
 * Find the next one after a profile that has been found, in the same read-side section. A process
 * has at most one session. Return: the profile, or NULL.
 */
static __always_inline struct profil_subject *
profil_subject_find_next(enum profil_kind kind, struct profil_subject *subject, bool timer)
{
	struct profil_target *target;

	if (kind == PROFIL_KIND_SESSION)
		return NULL;
	target = profil_target_find_next_sampled(profil_subject_target(subject), timer);
	return target ? &target->subject : NULL;
}

/* Whether it shares the CPU time that it may take with others of the process. */
static __always_inline bool
profil_subject_is_users(enum profil_kind kind, struct profil_subject *subject)
{
	return kind == PROFIL_KIND_TARGET &&
	       !profil_tracer_may_trace_all(profil_subject_target(subject)->tracer);
}

static __always_inline struct profil_session *
profil_subject_session(struct profil_subject *subject)
{
	return container_of(subject, struct profil_session, subject);
}

/**
 * profil_subject_tick - take samples of the current thread for ticks
 * @kind:    kind of @subject
 * @subject: from profil_subject_find()
 * @ticks:   number of ticks, at least 1
 * @in_user: the tick interrupted user mode
 *
 * Return: false if it has just been replaced: then the ticks belong to the one that replaced it.
 */
static __always_inline bool
profil_subject_tick(enum profil_kind kind, struct profil_subject *subject, u64 ticks, bool in_user)
{
	if (kind == PROFIL_KIND_SESSION)
		return profil_sampler_tick(profil_subject_session(subject), ticks, in_user);
	profil_target_sample(profil_subject_target(subject), current, ticks, 0, in_user);
	return true;
}

/* The same for points of the timer, of a thread that may just leave the CPU. */
static __always_inline bool
profil_subject_point(enum profil_kind kind, struct profil_subject *subject,
		     struct task_struct *task, u64 points, bool in_user)
{
	if (kind == PROFIL_KIND_SESSION)
		return profil_sampler_point(profil_subject_session(subject), task, points, in_user);
	profil_target_sample(profil_subject_target(subject), task, 0, points, in_user);
	return true;
}

#endif /* _PROFIL_SUBJECT_H */
