// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slow path of a sample: takes it when a clock (tick.c, timer.c) fires, and adds it to a
 * counter. The next samples of the session on this CPU then take the fast path (fast.h). Hard
 * interrupt context, also on PREEMPT_RT. Nothing here sleeps, allocates or takes a fault. Usually
 * the only lock is the slot's, and the only memory written is per-CPU counts and one counter in a
 * pinned page. If the page is not pinned, the sample goes to the queue of pending samples
 * (pending.c). The worker (service.c) pins the page and then counts the sample.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>

#include "clock/clock.h"
#include "clock/tick_math.h"
#include "compat.h"
#include "counters/buffer.h"
#include "counters/config.h"
#include "counters/counter.h"
#include "counters/fast.h"
#include "counters/sampler.h"
#include "counters/session.h"
#include "irqlock.h"
#include "stats.h"

/*
 * Add to a counter. Counters are aligned to their size, so none straddles two pages.
 * @taken: in: number of samples; out: how many were added, without those that came after the limit
 * was reached. Return: false if other CPUs kept writing the counter, so that nothing was added.
 */
static __always_inline bool sampler_add(struct profil_session *session, void *counter, u64 *taken)
{
	const struct profil_config *config = profil_session_config(session);
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
 * Get the page of a counter, which is often that of the last sample. Return: NULL if it is
 * not pinned, or must not be written at the moment.
 */
static __always_inline struct page *sampler_look_up(struct profil_session *session,
						    struct profil_cpu *cpu, u64 buf_offset)
{
	unsigned long index = buf_offset >> PAGE_SHIFT;

	if (unlikely(!cpu->page || cpu->index != index)) {
		cpu->page = profil_session_page(session, index);
		cpu->index = index;
	}
	return cpu->page;
}

/* Count a sample in its page. Return: false if it must become pending. */
static __always_inline bool sampler_count_in(struct profil_session *session,
					     struct page *page,
					     const struct profil_sample *sample,
					     struct profil_counts *counts)
{
	const struct profil_config *config = profil_session_config(session);
	u64 taken = sample->samples;
	bool added = true;
	void *at;

	at = kmap_local_page(page) + offset_in_page(sample->buf_offset);
	/*
	 * Each log entry is handed out only once, so a plain store is enough. In shared
	 * memory a forked child may store to the same entry: one of the stores wins, never a mix.
	 */
	if (likely(!(config->flags & PROFIL_PC_LOG)))
		added = sampler_add(session, at, &taken);
	else if (config->shift == 3)
		WRITE_ONCE(*(u64 *)at, sample->pc);
	else
		WRITE_ONCE(*(u32 *)at, sample->pc);
	kunmap_local(at);
	/* the sample becomes pending, and the worker tries again */
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
		profil_session_lose(session, counts, sample->samples - taken, 0);
	return true;
}

/* Count a sample if its page is pinned. Return: false if it must become pending. */
static __always_inline bool sampler_count(struct profil_session *session,
					  struct profil_cpu *cpu,
					  const struct profil_sample *sample,
					  struct profil_counts *counts)
{
	struct page *page = sampler_look_up(session, cpu, sample->buf_offset);

	return likely(page) && sampler_count_in(session, page, sample, counts);
}

/**
 * profil_sampler_count - count a pending sample
 * @session: its session
 * @cpu:     this CPU's slot
 * @sample:  sample
 * @counts:  where to account it
 *
 * With interrupts off. @cpu's lock keeps the page: profil_cpus_barrier() waits for it.
 *
 * Return: false if the sample must stay pending.
 */
bool profil_sampler_count(struct profil_session *session,
			  struct profil_cpu *cpu,
			  const struct profil_sample *sample,
			  struct profil_counts *counts)
{
	lockdep_assert_held(&cpu->lock);
	return sampler_count(session, cpu, sample, counts);
}

/**
 * profil_sampler_count_in - count a sample in a page that is not pinned
 * @session: its session, which no CPU samples any more
 * @page:    page of its counter, locked
 * @sample:  sample
 * @counts:  where to account it
 *
 * Return: false if other CPUs kept writing the counter.
 */
bool profil_sampler_count_in(struct profil_session *session, struct page *page,
			     const struct profil_sample *sample,
			     struct profil_counts *counts)
{
	return sampler_count_in(session, page, sample, counts);
}

/* @sample by value: a pointer would force it onto the stack in the hot path too. */
static noinline void sampler_add_pending(struct profil_session *session,
					 struct profil_counts *counts,
					 struct profil_sample sample)
{
	if (!profil_pending_add(&session->pending, &sample))
		profil_session_lose(session, counts, sample.samples, ENOBUFS);
}

/*
 * With PROFIL_PC_LOG: store an entry for each sample, of which there are at most
 * PROFIL_MAX_ENTRIES. Return: whether the worker is needed.
 */
static noinline bool sampler_log_pc(struct profil_session *session,
				    struct profil_cpu *cpu, u64 pc, u64 samples)
{
	const struct profil_config *config = profil_session_config(session);
	u64 entry = atomic64_fetch_add(samples, &session->pc_log_used);
	bool kick = false;

	for (; samples && entry < config->pc_log_nr; samples--, entry++) {
		struct profil_sample sample = {
			.buf_offset = config->pc_log + (entry << config->shift),
			.pc = pc,
			.samples = 1,
		};

		if (!sampler_count(session, cpu, &sample, &cpu->counts)) {
			sampler_add_pending(session, &cpu->counts, sample);
			kick = true;
		}
	}
	if (samples)
		profil_session_lose(session, &cpu->counts, samples, 0);
	if (entry >= config->pc_log_nr)
		profil_session_stop(session, PROFIL_STATE_FULL, 0);
	return kick;
}

/* Count samples of one pc. Return: whether the worker is needed. */
static __always_inline bool sampler_take_pc(struct profil_session *session,
					    struct profil_cpu *cpu, u64 pc,
					    u64 samples)
{
	const struct profil_config *config = profil_session_config(session);
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
	sampler_add_pending(session, &cpu->counts, sample);
	return true;
}

enum outcome {
	GONE,	/* nothing taken: the session has just left the table */
	DONE,
	KICK	/* done, but the worker is needed */
};

/*
 * Take samples of a thread: either for @ticks, thinned to the session's rate, or for
 * @points of the timer.
 *
 * The saved user registers are at the top of the thread's kernel stack, in user mode and in
 * a system call. In a system call, the pc is where it will return, as in the original
 * profil(2) implementations.
 */
static __always_inline enum outcome
sampler_take(struct profil_session *session, struct task_struct *task,
	     u64 ticks, u64 points, bool in_user)
{
	const struct profil_config *config = profil_session_config(session);
	struct profil_cpu *cpu = profil_cpus_here(&session->cpus);
	enum outcome outcome = DONE;
	u64 samples = points;

	profil_irq_lock(&cpu->lock);
	if (unlikely(READ_ONCE(session->unpublished))) {
		outcome = GONE; /* GCOV_EXCL_LINE: ended on another CPU */
		goto unlock; /* GCOV_EXCL_LINE: ended on another CPU */
	}
	if (unlikely(READ_ONCE(session->state) != PROFIL_STATE_RUNNING)) {
		/* the session has just stopped by itself: the worker must unpin its memory */
		outcome = KICK;
		goto unlock;
	}
	if (unlikely(config->flags & (in_user ? PROFIL_KERNEL_ONLY : PROFIL_USER_ONLY)))
		goto unlock;
	profil_fast_fill(profil_fast_here(ticks ? PROFIL_FAST_TICK : PROFIL_FAST_TIMER), session,
			 cpu);
	if (ticks) {
		samples = profil_accumulate(&cpu->phase, ticks, config->pace.rate, HZ);
		if (!samples)
			goto unlock;
	}
	if (unlikely(samples > 1))
		samples = profil_clock_limit(&config->pace, config->flags & PROFIL_PC_LOG,
					     samples, &cpu->counts.skipped);
	if (sampler_take_pc(session, cpu, instruction_pointer(task_pt_regs(task)),
			    samples) ||
	    unlikely(READ_ONCE(session->state) != PROFIL_STATE_RUNNING) ||
	    unlikely(profil_cpus_used(&session->cpus, cpu)))
		outcome = KICK;
unlock:
	profil_irq_unlock(&cpu->lock);
	return outcome;
}

/**
 * profil_sampler_tick - take samples of the current thread for ticks
 * @session: session of current->mm, which samples the thread
 * @ticks:   number of ticks, at least 1
 * @in_user: the tick interrupted user mode
 *
 * Hard interrupt context.
 *
 * Return: false if the session has just left the table: then the ticks belong to the session
 * that replaced it.
 */
bool profil_sampler_tick(struct profil_session *session, u64 ticks, bool in_user)
{
	enum outcome outcome = sampler_take(session, current, ticks, 0, in_user);

	if (unlikely(outcome == KICK))
		profil_session_kick(session);
	return outcome != GONE;
}

/**
 * profil_sampler_point - take samples of a thread for points of the timer
 * @session: session of its mm, which samples the thread
 * @task:    the current thread
 * @points:  number of points, at least 1
 * @in_user: it is in user mode
 *
 * With interrupts off, in the timer or at a switch, where nothing may be woken.
 *
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
