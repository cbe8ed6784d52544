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
#include <linux/pid.h>
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

/* Return: whether the worker is needed. */
static bool sample(struct profil_session *session, struct profil_cpu *cpu,
		   u64 ticks)
{
	const struct profil_config *config = session->config;
	struct profil_figures *figures = &cpu->figures;
	u64 pc = instruction_pointer(task_pt_regs(current));
	struct profil_sample sample = { .pc = pc };
	u64 bin = PROFIL_NO_BIN;
	const struct profil_map *map;
	u64 samples;

	if (session->thread && session->thread != task_pid(current))
		return false;
	if (config->flags & PROFIL_USER_ONLY && !user_mode(get_irq_regs()))
		return false;
	samples = profil_accumulate(&cpu->phase, ticks, config->rate, HZ);
	if (!samples)
		return false;
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
 * profil_sampler_tick - charge ticks to where the current thread is in user mode
 * @session: of current->mm, under rcu_read_lock()
 * @ticks:   how many, at least 1
 *
 * Hard interrupt context. The saved user registers lie at the top of the
 * thread's kernel stack, whether the tick found it in user mode or in a system
 * call: then the pc is where it will return, as the originals have it. Return:
 * false if the session has just left the table: the tick is its successor's.
 */
bool profil_sampler_tick(struct profil_session *session, u64 ticks)
{
	struct profil_cpu *cpu = this_cpu_ptr(session->cpus);
	bool kick = false;

	raw_spin_lock(&cpu->lock);
	if (READ_ONCE(session->withdrawn)) {
		raw_spin_unlock(&cpu->lock);
		return false;
	}
	if (READ_ONCE(session->state) == PROFIL_STATE_RUNNING) {
		kick = sample(session, cpu, ticks);
		/* the profile has just ended itself: it has things to give back */
		if (READ_ONCE(session->state) != PROFIL_STATE_RUNNING)
			kick = true;
	}
	raw_spin_unlock(&cpu->lock);
	if (kick)
		profil_session_kick(session);
	return true;
}
