// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hot path: from a tick to a counter. Hard interrupt context, also on
 * PREEMPT_RT: nothing here sleeps, allocates or takes a fault, the only lock
 * is the CPU's own, and the only memory written is the CPU's own figures and one
 * counter in a pinned page. If that page is not pinned, the sample waits in the
 * session's log for the worker to pin it.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>

#include <asm/irq_regs.h>

#include "buffer.h"
#include "compat.h"
#include "config.h"
#include "counter.h"
#include "sampler.h"
#include "session.h"
#include "ticks.h"
#include "totals.h"

/*
 * Add to a counter. Counters are aligned to their size, so none straddles two
 * pages. Return: how many samples it took: not those that come after the one that
 * ends the profile.
 */
static u64 add(struct profil_session *session, void *counter, u64 samples)
{
	const struct profil_config *config = session->config;
	u64 before, room;

	before = profil_counter_add(counter, samples, config->shift,
				    config->overflow, config->limit);
	if (config->overflow != PROFIL_OVERFLOW_STOP)
		return samples;
	room = before < config->limit ? config->limit - before : 0;
	if (samples < room)
		return samples;
	profil_session_end(session, PROFIL_STATE_LIMIT, 0);
	return room;
}

/**
 * profil_sampler_count - put a sample where it belongs
 * @session: its session
 * @sample:  sample
 * @figures: where to note it
 *
 * With interrupts off, holding this CPU's lock of the session, so that who takes
 * the page away waits for us. Return: false if the page is not pinned.
 */
bool profil_sampler_count(struct profil_session *session,
			  const struct profil_sample *sample,
			  struct profil_figures *figures)
{
	const struct profil_config *config = session->config;
	struct page *page = profil_buffer_page(&session->buffer,
					       sample->place >> PAGE_SHIFT);
	u64 taken = sample->samples;
	void *at;

	if (!page)
		return false;
	at = kmap_local_page(page) + offset_in_page(sample->place);
	/* each entry of a log is handed out once, so entries need no atomics */
	if (!(config->flags & PROFIL_PC_LOG))
		taken = add(session, at, sample->samples);
	else if (config->shift == 3)
		*(u64 *)at = sample->pc;
	else
		*(u32 *)at = sample->pc;
	kunmap_local(at);

	if (sample->out_of_range)
		figures->out_of_range += taken;
	else
		figures->counted += taken;
	this_cpu_add(profil_cpu_totals.samples, taken);
	if (taken < sample->samples)
		profil_session_lose(session, figures, sample->samples - taken,
				    0);
	return true;
}

/* Return: whether the worker is needed. */
static bool count_or_wait(struct profil_session *session,
			  const struct profil_sample *sample,
			  struct profil_figures *figures)
{
	if (profil_sampler_count(session, sample, figures))
		return false;
	if (!profil_waiting_add(&session->waiting, sample))
		profil_session_lose(session, figures, sample->samples, ENOBUFS);
	return true;
}

/* PROFIL_PC_LOG: one entry a sample. Return: whether the worker is needed. */
static bool log_pc(struct profil_session *session, u64 pc, u64 samples,
		   struct profil_figures *figures)
{
	const struct profil_config *config = session->config;
	u64 entry = atomic64_fetch_add(samples, &session->log_used);
	bool kick = false;

	for (; samples && entry < config->log_nr; samples--, entry++) {
		struct profil_sample sample = {
			.place = config->log + (entry << config->shift),
			.pc = pc,
			.samples = 1,
		};

		kick |= count_or_wait(session, &sample, figures);
	}
	if (samples)
		profil_session_lose(session, figures, samples, 0);
	if (entry >= config->log_nr)
		profil_session_end(session, PROFIL_STATE_FULL, 0);
	return kick;
}

/* Samples of a pc. Return: whether the worker is needed. */
static bool sample(struct profil_session *session,
		   struct profil_figures *figures, u64 pc, u64 samples)
{
	const struct profil_config *config = session->config;
	struct profil_sample sample = { .pc = pc };
	u64 bin = PROFIL_NO_BIN;
	const struct profil_map *map;

	figures->ticks += samples;
	this_cpu_add(profil_cpu_totals.ticks, samples);

	if (config->flags & PROFIL_PC_LOG)
		return log_pc(session, pc, samples, figures);

	map = profil_map_find(config->maps, config->nr_maps, pc);
	if (map)
		bin = profil_bin(map, pc, config->shift);
	if (bin != PROFIL_NO_BIN) {
		sample.place = map->place + (bin << config->shift);
	} else if (config->catch_all != PROFIL_NO_BIN) {
		sample.place = config->catch_all;
		sample.out_of_range = true;
	} else {
		figures->out_of_range += samples;
		this_cpu_add(profil_cpu_totals.samples, samples);
		return false;
	}
	sample.samples = samples;
	return count_or_wait(session, &sample, figures);
}

/**
 * struct profil_moment - when and where a thread is to be sampled
 * @task:    the thread
 * @ticks:   how many of the tick's, to be thinned to the session's rate; or 0,
 * @points:  and how many of the timer's
 * @in_user: it is in user mode
 */
struct profil_moment {
	struct task_struct *task;
	u64 ticks;
	u64 points;
	bool in_user;
};

/* How many samples a session takes of it. */
static u64 samples_of(const struct profil_session *session,
		      struct profil_cpu *cpu, const struct profil_moment *moment)
{
	const struct profil_config *config = session->config;

	if (!profil_session_covers(session, moment->task))
		return 0;
	if (config->flags & (moment->in_user ? PROFIL_KERNEL_ONLY :
					       PROFIL_USER_ONLY))
		return 0;
	if (!moment->ticks)
		return moment->points;
	return profil_accumulate(&cpu->phase, moment->ticks, config->rate, HZ);
}

/*
 * The saved user registers lie at the top of the thread's kernel stack, whether it
 * is in user mode or in a system call: then the pc is where it will return, as the
 * originals have it. Return: false if the session has just left the table: the
 * moment is its successor's. *kick: the worker is needed.
 */
static bool take(struct profil_session *session,
		 const struct profil_moment *moment, bool *kick)
{
	struct profil_cpu *cpu = this_cpu_ptr(session->cpus);
	u64 samples;

	raw_spin_lock(&cpu->lock);
	if (READ_ONCE(session->withdrawn)) {
		raw_spin_unlock(&cpu->lock);
		return false;
	}
	if (READ_ONCE(session->state) == PROFIL_STATE_RUNNING) {
		samples = samples_of(session, cpu, moment);
		if (samples)
			*kick = sample(session, &cpu->figures,
				       instruction_pointer(task_pt_regs(moment->task)),
				       samples);
		/* the profile has just ended itself: it has things to give back */
		if (READ_ONCE(session->state) != PROFIL_STATE_RUNNING)
			*kick = true;
	}
	raw_spin_unlock(&cpu->lock);
	return true;
}

/**
 * profil_sampler_tick - charge ticks to where the current thread is in user mode
 * @session: of current->mm, under rcu_read_lock()
 * @ticks:   how many, at least 1
 *
 * Hard interrupt context. Return: false if the session has just left the table: the
 * tick is its successor's.
 */
bool profil_sampler_tick(struct profil_session *session, u64 ticks)
{
	const struct profil_moment moment = {
		.task = current,
		.ticks = ticks,
		.in_user = user_mode(get_irq_regs()),
	};
	bool kick = false;

	if (!take(session, &moment, &kick))
		return false;
	if (kick)
		profil_session_kick(session);
	return true;
}

/**
 * profil_sampler_point - charge points of the timer to a thread
 * @session: of its mm, under rcu_read_lock()
 * @task:    the current thread
 * @points:  how many, at least 1
 * @in_user: it is in user mode
 *
 * With interrupts off, in the timer or at a switch. Return: as profil_sampler_tick().
 */
bool profil_sampler_point(struct profil_session *session,
			  struct task_struct *task, u64 points, bool in_user)
{
	const struct profil_moment moment = {
		.task = task,
		.points = points,
		.in_user = in_user,
	};
	bool kick = false;

	if (!take(session, &moment, &kick))
		return false;
	if (kick)
		profil_session_kick_later(session);
	return true;
}
