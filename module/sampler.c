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

#include "buffer.h"
#include "clock.h"
#include "compat.h"
#include "config.h"
#include "counter.h"
#include "sampler.h"
#include "session.h"
#include "ticks.h"
#include "stats.h"

/*
 * Add to a counter. Counters are aligned to their size, so none straddles two
 * pages. @taken: in: how many samples; out: how many it took, not those that come after
 * the one that ends the profile. Return: false if the counter is written by others all the
 * time, and nothing was added.
 */
static __always_inline bool sampler_add(struct profil_session *session,
					void *counter, u64 *taken)
{
	const struct profil_config *config = session->config;
	u64 before, room;

	if (unlikely(!profil_counter_add(counter, *taken, config->shift,
					 config->overflow, config->limit,
					 &before)))
		return false;
	if (likely(config->overflow != PROFIL_OVERFLOW_STOP))
		return true;
	room = before < config->limit ? config->limit - before : 0;
	if (*taken < room)
		return true;
	profil_session_stop(session, PROFIL_STATE_LIMIT, 0);
	*taken = room;
	return true;
}

/*
 * The page that a place is in, most often the last one's; NULL: it is not pinned, or may
 * not be written for now.
 */
static __always_inline struct page *sampler_look_up(struct profil_session *session,
						    struct profil_cpu *cpu, u64 buf_offset)
{
	unsigned long index = buf_offset >> PAGE_SHIFT;

	if (unlikely(!cpu->page || cpu->index != index)) {
		if (unlikely(profil_session_needs_recheck(session)))
			return NULL;
		cpu->page = profil_buffer_page(&session->buffer, index);
		cpu->index = index;
	}
	return cpu->page;
}

/* Put a sample into the page where it belongs. Return: false if it has to wait. */
static __always_inline bool sampler_count_in(struct profil_session *session,
					     struct page *page,
				     const struct profil_sample *sample,
				     struct profil_counts *counts)
{
	const struct profil_config *config = session->config;
	u64 taken = sample->samples;
	bool added = true;
	void *at;

	at = kmap_local_page(page) + offset_in_page(sample->buf_offset);
	/*
	 * Each entry of a log is handed out once, so entries need no atomics. In shared
	 * memory a forked child may store at the same time: then the last one stays,
	 * whole.
	 */
	if (likely(!(config->flags & PROFIL_PC_LOG)))
		added = sampler_add(session, at, &taken);
	else if (config->shift == 3)
		WRITE_ONCE(*(u64 *)at, sample->pc);
	else
		WRITE_ONCE(*(u32 *)at, sample->pc);
	kunmap_local(at);
	/* it waits, as one whose page is not pinned: the worker tries again */
	if (unlikely(!added))
		return false;

	if (sample->out_of_range) {
		counts->out_of_range += taken;
		this_cpu_add(profil_cpu_stats.out_of_range, taken);
	} else {
		counts->counted += taken;
		this_cpu_add(profil_cpu_stats.counted, taken);
	}
	if (unlikely(taken < sample->samples))
		profil_session_lose(session, counts, sample->samples - taken,
				    0);
	return true;
}

/* The same where its page is pinned. Return: false if it has to wait. */
static __always_inline bool sampler_count(struct profil_session *session,
					  struct profil_cpu *cpu,
				  const struct profil_sample *sample,
				  struct profil_counts *counts)
{
	struct page *page = sampler_look_up(session, cpu, sample->buf_offset);

	return likely(page) && sampler_count_in(session, page, sample, counts);
}

/**
 * profil_sampler_count - count a sample that has waited
 * @session: its session
 * @cpu:     this CPU's part of it
 * @sample:  sample
 * @counts:  where to note it
 *
 * With interrupts off, holding @cpu's lock, so that who takes the page away waits
 * for us. Return: false if it is to wait again.
 */
bool profil_sampler_count(struct profil_session *session,
			  struct profil_cpu *cpu,
			  const struct profil_sample *sample,
			  struct profil_counts *counts)
{
	return sampler_count(session, cpu, sample, counts);
}

/**
 * profil_sampler_count_in - count a sample in a page that is not pinned
 * @session: its session, which no CPU samples any more
 * @page:    of its counter, locked
 * @sample:  sample
 * @counts:  where to note it
 *
 * Return: false if others write the counter all the time.
 */
bool profil_sampler_count_in(struct profil_session *session, struct page *page,
			     const struct profil_sample *sample,
			     struct profil_counts *counts)
{
	return sampler_count_in(session, page, sample, counts);
}

/* By value: what is pointed to would be kept on the stack, in the usual case too. */
static noinline void sampler_let_wait(struct profil_session *session,
				      struct profil_counts *counts,
			      struct profil_sample sample)
{
	if (!profil_pending_add(&session->pending, &sample))
		profil_session_lose(session, counts, sample.samples, ENOBUFS);
}

/*
 * PROFIL_PC_LOG: one entry a sample, of at most PROFIL_MOST_ENTRIES. Return: whether the
 * worker is needed.
 */
static noinline bool sampler_log_pc(struct profil_session *session,
				    struct profil_cpu *cpu, u64 pc, u64 samples)
{
	const struct profil_config *config = session->config;
	u64 entry = atomic64_fetch_add(samples, &session->log_used);
	bool kick = false;

	for (; samples && entry < config->log_nr; samples--, entry++) {
		struct profil_sample sample = {
			.buf_offset = config->log + (entry << config->shift),
			.pc = pc,
			.samples = 1,
		};

		if (!sampler_count(session, cpu, &sample, &cpu->counts)) {
			sampler_let_wait(session, &cpu->counts, sample);
			kick = true;
		}
	}
	if (samples)
		profil_session_lose(session, &cpu->counts, samples, 0);
	if (entry >= config->log_nr)
		profil_session_stop(session, PROFIL_STATE_FULL, 0);
	return kick;
}

/* Samples of a pc. Return: whether the worker is needed. */
static __always_inline bool sampler_take_pc(struct profil_session *session,
					    struct profil_cpu *cpu, u64 pc,
				      u64 samples)
{
	const struct profil_config *config = session->config;
	struct profil_sample sample = { .pc = pc, .samples = samples };
	u64 bin = PROFIL_NO_BIN;
	const struct profil_range *range;

	cpu->counts.samples += samples;
	this_cpu_add(profil_cpu_stats.samples, samples);

	if (unlikely(config->flags & PROFIL_PC_LOG))
		return sampler_log_pc(session, cpu, pc, samples);

	range = profil_range_find(config->ranges, config->nr_ranges, pc);
	if (range)
		bin = profil_bin(range, pc, config->shift);
	if (bin != PROFIL_NO_BIN) {
		sample.buf_offset = range->buf_offset + (bin << config->shift);
	} else if (config->catch_all != PROFIL_NO_BIN) {
		sample.buf_offset = config->catch_all;
		sample.out_of_range = true;
	} else {
		cpu->counts.out_of_range += samples;
		this_cpu_add(profil_cpu_stats.out_of_range, samples);
		return false;
	}
	if (likely(sampler_count(session, cpu, &sample, &cpu->counts)))
		return false;
	sampler_let_wait(session, &cpu->counts, sample);
	return true;
}

/*
 * Of the samples that are due at once, those that are taken; the others are skipped. Both
 * clocks come through here, so that this bounds what an interrupt, or a switch with the
 * runqueue's lock held, may do. It also keeps struct profil_sample's 32 bits from
 * overflowing.
 */
static noinline u64 sampler_limit(const struct profil_config *config,
				  struct profil_cpu *cpu, u64 samples)
{
	u64 most = profil_most_samples(profil_clock_rate(config),
				       config->flags & PROFIL_PC_LOG);

	if (samples <= most)
		return samples;
	cpu->counts.skipped += samples - most;
	return most;
}

enum outcome {
	GONE,	/* the session has just left the table: that was its successor's */
	DONE,
	KICK	/* done, but for what the worker is needed for */
};

/*
 * Charge a thread with ticks, to be thinned to the session's rate, or else with points
 * of the timer.
 *
 * The saved user registers lie at the top of the thread's kernel stack, whether it
 * is in user mode or in a system call: then the pc is where it will return, as the
 * originals have it.
 */
static __always_inline enum outcome
sampler_take(struct profil_session *session, struct task_struct *task,
	     u64 ticks, u64 points, bool in_user)
{
	const struct profil_config *config = session->config;
	struct profil_cpu *cpu = profil_cpus_here(&session->cpus);
	enum outcome outcome = DONE;
	u64 samples = points;

	raw_spin_lock(&cpu->lock);
	if (unlikely(READ_ONCE(session->unpublished))) {
		outcome = GONE;
		goto unlock;
	}
	if (unlikely(READ_ONCE(session->state) != PROFIL_STATE_RUNNING)) {
		/* it has just ended itself: it has things to give back */
		outcome = KICK;
		goto unlock;
	}
	if (unlikely(config->flags &
		     (in_user ? PROFIL_KERNEL_ONLY : PROFIL_USER_ONLY)))
		goto unlock;
	if (ticks) {
		samples = profil_accumulate(&cpu->phase, ticks, config->rate,
					    HZ);
		if (!samples)
			goto unlock;
	}
	if (unlikely(samples > 1))
		samples = sampler_limit(config, cpu, samples);
	if (sampler_take_pc(session, cpu, instruction_pointer(task_pt_regs(task)),
			    samples) ||
	    unlikely(READ_ONCE(session->state) != PROFIL_STATE_RUNNING) ||
	    unlikely(profil_cpus_used(&session->cpus, cpu)))
		outcome = KICK;
unlock:
	raw_spin_unlock(&cpu->lock);
	return outcome;
}

/**
 * profil_sampler_tick - charge ticks to where the current thread is in user mode
 * @session: of current->mm, that samples it
 * @ticks:   how many, at least 1
 * @in_user: the tick found it in user mode
 *
 * Hard interrupt context. Return: false if the session has just left the table: the
 * tick is its successor's.
 */
bool profil_sampler_tick(struct profil_session *session, u64 ticks,
			 bool in_user)
{
	enum outcome outcome = sampler_take(session, current, ticks, 0,
					     in_user);

	if (unlikely(outcome == KICK))
		profil_session_kick(session);
	return outcome != GONE;
}

/**
 * profil_sampler_point - charge points of the timer to a thread
 * @session: of its mm, that samples it
 * @task:    the current thread
 * @points:  how many, at least 1
 * @in_user: it is in user mode
 *
 * With interrupts off, in the timer or at a switch, where nobody may be woken.
 * Return: as profil_sampler_tick().
 */
bool profil_sampler_point(struct profil_session *session,
			  struct task_struct *task, u64 points, bool in_user)
{
	enum outcome outcome = sampler_take(session, task, 0, points, in_user);

	if (unlikely(outcome == KICK))
		profil_session_kick_from_switch(session);
	return outcome != GONE;
}
