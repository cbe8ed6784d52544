// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hot path: from a tick to a counter. Hard interrupt context, also on
 * PREEMPT_RT: nothing here sleeps, allocates, takes a lock or a fault, and the
 * only memory written is the CPU's own figures and one counter in a pinned page.
 */
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

/*
 * A profile ends itself once. Other CPUs see it at their next tick, and may be
 * counting a last sample now.
 */
static void end_with(struct profil_session *session, int state)
{
	cmpxchg(&session->state, PROFIL_STATE_RUNNING, state);
}

/*
 * Counters are aligned to their size, so none straddles two pages. Return: how
 * many samples it took: not those that come after the one that ends the profile.
 */
static u64 count(struct profil_session *session, u64 place, u64 samples)
{
	const struct profil_config *config = session->config;
	void *page = kmap_local_page(session->buffer->pages[place >> PAGE_SHIFT]);
	u64 before, room;

	before = profil_counter_add(page + offset_in_page(place), samples,
				    config->shift, config->overflow,
				    config->limit);
	kunmap_local(page);
	if (config->overflow != PROFIL_OVERFLOW_STOP)
		return samples;
	room = before < config->limit ? config->limit - before : 0;
	if (samples < room)
		return samples;
	end_with(session, PROFIL_STATE_LIMIT);
	return room;
}

/* PROFIL_PC_LOG: one entry a sample. Return: how many it took. */
static u64 log_pc(struct profil_session *session, u64 pc, u64 samples)
{
	const struct profil_config *config = session->config;
	u64 entry = atomic64_fetch_add(samples, &session->log_used);
	u64 taken = 0;
	void *page;
	u64 place;

	/* each entry number is handed out once, so entries need no atomics */
	for (; taken < samples && entry < config->log_nr; taken++, entry++) {
		place = config->log + (entry << config->shift);
		page = kmap_local_page(session->buffer->pages[place >> PAGE_SHIFT]);
		if (config->shift == 3)
			*(u64 *)(page + offset_in_page(place)) = pc;
		else
			*(u32 *)(page + offset_in_page(place)) = pc;
		kunmap_local(page);
	}
	if (entry >= config->log_nr)
		end_with(session, PROFIL_STATE_FULL);
	return taken;
}

/**
 * profil_sample - charge ticks to where the current thread is in user mode
 * @session: of current->mm, under rcu_read_lock()
 * @ticks:   how many, at least 1
 *
 * Hard interrupt context. The saved user registers lie at the top of the
 * thread's kernel stack, whether the tick found it in user mode or in a system
 * call: then the pc is where it will return, as the originals have it.
 */
void profil_sample(struct profil_session *session, u64 ticks)
{
	const struct profil_config *config = session->config;
	struct profil_stats *stats = this_cpu_ptr(session->stats);
	u64 pc = instruction_pointer(task_pt_regs(current));
	u64 bin = PROFIL_NO_BIN;
	const struct profil_map *map;
	u64 samples, taken;

	if (READ_ONCE(session->state) != PROFIL_STATE_RUNNING)
		return;
	if (config->flags & PROFIL_USER_ONLY && !user_mode(get_irq_regs()))
		return;
	samples = profil_accumulate(&stats->phase, ticks, config->rate, HZ);
	if (!samples)
		return;
	stats->ticks += samples;

	if (config->flags & PROFIL_PC_LOG) {
		taken = log_pc(session, pc, samples);
		stats->counted += taken;
		stats->lost += samples - taken;
		return;
	}

	map = profil_map_find(config->maps, config->nr_maps, pc);
	if (map)
		bin = profil_bin(map, pc, config->shift);
	if (bin != PROFIL_NO_BIN) {
		taken = count(session, map->place + (bin << config->shift),
			      samples);
		stats->counted += taken;
	} else {
		taken = samples;
		if (config->catch_all != PROFIL_NO_BIN)
			taken = count(session, config->catch_all, samples);
		stats->out_of_range += taken;
	}
	stats->lost += samples - taken;
}
