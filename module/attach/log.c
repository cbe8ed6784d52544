// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of a log (log.h), and the ring of records that are not samples. A record that finds no
 * room is lost, and counted. A LOST record takes its place as soon as there is room.
 *
 * The reader takes no lock that writers of the ring take while they copy: it reads only what lies
 * between @tail and @head, which no writer touches.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "attach/log.h"

static void log_wake(struct irq_work *work)
{
	wake_up_interruptible(&container_of(work, struct profil_log, wake_work)->wait);
}

static void log_init_slots(struct profil_log *log)
{
	struct profil_log_slot *slot;
	int cpu;

	for_each_possible_cpu(cpu) {
		slot = per_cpu_ptr(log->slots, cpu);
		raw_spin_lock_init(&slot->lock);
		INIT_LIST_HEAD(&slot->chunks);
		INIT_LIST_HEAD(&slot->reading);
	}
}

/*
 * Divide the second half of the memory into chunks. A quarter of them in use is a reason to read;
 * each CPU has one that is not full, which is none. A chunk of stacks holds two of the largest:
 * what is left of it when one more may not fit is at most half.
 */
static void log_init_chunks(struct profil_log *log)
{
	void *chunks = log->data + log->ring_size;
	u32 nr, i;

	BUILD_BUG_ON(sizeof(struct profil_log_chunk) > PROFIL_LOG_CHUNK);
	log->chunk_bytes = sizeof(struct profil_log_chunk);
	if (log->most)
		log->chunk_bytes = max_t(u32, PAGE_SIZE,
					 roundup_pow_of_two(offsetof(struct profil_log_chunk,
								     samples) +
							    2 * log->most));
	nr = (log->size - log->ring_size) / log->chunk_bytes;
	for (i = 0; i < nr; i++)
		list_add_tail(&((struct profil_log_chunk *)(chunks + i * log->chunk_bytes))->node,
			      &log->free);
	log->wake_at = min(nr / 4 + num_possible_cpus(), nr / 4 * 3);
}

/**
 * profil_log_init - initialize a log, and allocate its memory
 * @log:  zeroed
 * @size: in bytes, a power of two
 * @stack_words: most words of a stack; 0: samples have no stacks
 *
 * Return: 0 or -ENOMEM.
 */
int profil_log_init(struct profil_log *log, u32 size, u32 stack_words)
{
	raw_spin_lock_init(&log->lock);
	INIT_LIST_HEAD(&log->free);
	mutex_init(&log->read_mutex);
	init_waitqueue_head(&log->wait);
	/* not hard: on PREEMPT_RT, a hard interrupt must not wake readers */
	init_irq_work(&log->wake_work, log_wake);
	log->size = size;
	log->most = stack_words ? profil_log_stack_size(stack_words) : 0;
	log->ring_size = size / 2;
	log->slots = alloc_percpu_gfp(struct profil_log_slot, GFP_KERNEL_ACCOUNT);
	if (!log->slots)
		return -ENOMEM;
	log->data = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	if (!log->data) {
		free_percpu(log->slots);
		return -ENOMEM;
	}
	log_init_slots(log);
	log_init_chunks(log);
	return 0;
}

/**
 * profil_log_close - free the large memory of a log
 * @log: without readers
 *
 * Writers may still call. A writer that takes a lock after this finds no memory, and loses what it
 * writes. One that took it before has finished.
 */
void profil_log_close(struct profil_log *log)
{
	struct profil_log_slot *slot;
	void *data = log->data;
	int cpu;

	raw_spin_lock_irq(&log->lock);
	log->data = NULL;
	INIT_LIST_HEAD(&log->free);
	raw_spin_unlock_irq(&log->lock);
	for_each_possible_cpu(cpu) {
		slot = per_cpu_ptr(log->slots, cpu);
		raw_spin_lock_irq(&slot->lock);
		slot->next = NULL;
		slot->end = NULL;
		INIT_LIST_HEAD(&slot->chunks);
		raw_spin_unlock_irq(&slot->lock);
	}
	irq_work_sync(&log->wake_work);
	kvfree(data);
}

/* Free what writers of a closed log still look at. @log: closed, a grace period ago. */
void profil_log_free(struct profil_log *log)
{
	free_percpu(log->slots);
}

/* Nothing will be written any more: wake the readers. */
void profil_log_end(struct profil_log *log)
{
	/* pairs with the acquire in read_take(); litmus: log-ended */
	smp_store_release(&log->ended, true);
	irq_work_queue(&log->wake_work);
}

/* Wake the reader that waits: there is a reason to read, which has been stored. */
static void log_wake_reader(struct profil_log *log)
{
	/*
	 * Pairs with the barrier in profil_log_is_readable(): either that reader sees the reason,
	 * or this sees that it waits. litmus: log-wake, log-wake-tail
	 */
	smp_mb();
	if (READ_ONCE(log->waits)) {
		/* once for each wait: the reader may run later, and more is written until then */
		WRITE_ONCE(log->waits, false);
		irq_work_queue(&log->wake_work);
	}
}

/**
 * profil_log_start_chunk - give a CPU a chunk for its next samples
 * @log:  log
 * @slot: the CPU's, whose last chunk has no room for another sample
 *
 * With interrupts off.
 *
 * Return: room for the first sample; NULL: no chunk is free.
 */
noinline struct profil_log_sample *profil_log_start_chunk(struct profil_log *log,
							  struct profil_log_slot *slot)
{
	struct profil_log_chunk *chunk;

	lockdep_assert_held(&slot->lock);
	raw_spin_lock(&log->lock);
	chunk = list_first_entry_or_null(&log->free, struct profil_log_chunk, node);
	if (chunk) {
		if (slot->end)
			list_last_entry(&slot->chunks, struct profil_log_chunk, node)->end =
				slot->next;
		list_move_tail(&chunk->node, &slot->chunks);
		WRITE_ONCE(log->used, log->used + 1);
		if (log->used >= log->wake_at)
			log_wake_reader(log);
	}
	raw_spin_unlock(&log->lock);
	if (!chunk)
		return NULL;
	chunk->next = chunk->samples;
	slot->end = log->most ? (void *)chunk + log->chunk_bytes :
				chunk->samples + ARRAY_SIZE(chunk->samples);
	return chunk->samples;
}

/* --- the ring --------------------------------------------------------------------- */

/* Copy into the ring at byte @at. */
static void log_copy(struct profil_log *log, u32 at, const void *from, u32 bytes)
{
	u32 offset = at & (log->ring_size - 1);
	u32 first = log->ring_size - offset;

	if (likely(bytes <= first)) {
		memcpy(log->data + offset, from, bytes);
		return;
	}
	memcpy(log->data + offset, from, first);
	memcpy(log->data, from + first, bytes - first);
}

/* Add @bytes that have been copied. */
static void log_advance(struct profil_log *log, u32 bytes)
{
	u32 head = log->head + bytes;

	lockdep_assert_held(&log->lock);
	/*
	 * In this order: a reader that sees @head knows that samples from now on have this @place.
	 * Pairs with the acquire in profil_target_sample(): what was done before this record is
	 * seen. litmus: log-order, log-place
	 */
	smp_store_release(&log->place, head);
	/* pairs with the acquire in read_take(): it sees the bytes; litmus: log-head, log-order */
	smp_store_release(&log->head, head);
	if (head - READ_ONCE(log->tail) >= log->ring_size / 4)
		log_wake_reader(log);
}

/* A record is lost. Samples from now on are after the LOST record. */
static void log_lose(struct profil_log *log)
{
	lockdep_assert_held(&log->lock);
	log->has_lost = true;
	log->lost_records++;
	/* as in log_advance(): EXIT may be the record; litmus: log-place */
	smp_store_release(&log->place, log->head | PROFIL_LOG_LOST_HERE);
}

/* Return: whether @bytes more fit into the ring. */
static bool log_has_room(const struct profil_log *log, u32 bytes)
{
	/* pairs with the release in read_record(): it has copied what it freed; litmus: log-room */
	return log->head - smp_load_acquire(&log->tail) + bytes <= log->ring_size;
}

/**
 * profil_log_make_room - make sure that a record fits into the ring
 * @log:   open
 * @bytes: size of the record; 0: none
 *
 * If records were lost, a LOST record says so first.
 *
 * Return: whether it fits.
 */
bool profil_log_make_room(struct profil_log *log, u32 bytes)
{
	struct profil_record_lost lost = {
		.head = { .type = PROFIL_RECORD_LOST, .bytes = sizeof(lost) },
		.records = log->lost_records,
	};

	BUILD_BUG_ON(sizeof(lost) % 8);
	lockdep_assert_held(&log->lock);
	if (likely(!lost.records))
		return log_has_room(log, bytes);
	if (!log_has_room(log, sizeof(lost) + bytes))
		return false;
	log_copy(log, log->head, &lost, sizeof(lost));
	log->lost_records = 0;
	log_advance(log, sizeof(lost));
	return true;
}

/* A record is padded with 0 to a multiple of this. */
#define PADDED_TO	8

/* Return: whether there is room for a record of @bytes before it is padded. Else it is lost. */
static bool log_make_room(struct profil_log *log, u32 bytes)
{
	if (!log->data)
		return false;
	if (profil_log_make_room(log, ALIGN(bytes, PADDED_TO)))
		return true;
	log_lose(log);
	return false;
}

/* Add a record for which there is room, and whose last @more_bytes have been copied. */
static void log_add(struct profil_log *log, struct profil_record *record, u32 type, u32 bytes,
		    u32 more_bytes)
{
	static const char padding[PADDED_TO];
	u32 whole = ALIGN(bytes + more_bytes, PADDED_TO);

	record->type = type;
	record->bytes = whole;
	log_copy(log, log->head, record, bytes);
	log_copy(log, log->head + bytes + more_bytes, padding, whole - bytes - more_bytes);
	log_advance(log, whole);
}

/**
 * profil_log_write - write a record into the ring
 * @log:    log
 * @record: start of the record; @type and @bytes are filled in
 * @type:   PROFIL_RECORD_*
 * @bytes:  size of the structure at @record
 * @more:   what follows it
 * @more_bytes: its size
 */
void profil_log_write(struct profil_log *log, struct profil_record *record, u32 type,
		      u32 bytes, const void *more, u32 more_bytes)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&log->lock, flags);
	if (log_make_room(log, bytes + more_bytes)) {
		log_copy(log, log->head + bytes, more, more_bytes);
		log_add(log, record, type, bytes, more_bytes);
	}
	raw_spin_unlock_irqrestore(&log->lock, flags);
}

/*
 * Copy memory of the current process into the ring at byte @at. Return: how many bytes, up to the
 * first page that is not present.
 */
static u32 log_copy_user(struct profil_log *log, u32 at, const void __user *from, u32 bytes)
{
	u32 done = 0, offset, part;

	while (done < bytes) {
		offset = (at + done) & (log->ring_size - 1);
		part = min_t(u32, bytes - done, PAGE_SIZE - offset_in_page(from + done));
		part = min(part, log->ring_size - offset);
		/* all or nothing */
		if (copy_from_user_nofault(log->data + offset, from + done, part))
			break;
		done += part;
	}
	return done;
}

/**
 * profil_log_write_user - the same, with memory of the current process after the structure
 * @log:    log
 * @record: start of the record; @type and @bytes are filled in
 * @type:   PROFIL_RECORD_*
 * @bytes:  size of the structure at @record
 * @more:   what follows it
 * @more_bytes: its size; at most a few pages, because interrupts are off meanwhile
 *
 * The record ends before the first page that is not present: page faults are disabled, so this
 * does not sleep, and may hold the lock. The memory is copied straight into the log, where only
 * the holder of the lock writes, and which the reader does not see before log_advance().
 */
void profil_log_write_user(struct profil_log *log, struct profil_record *record, u32 type,
			   u32 bytes, const void __user *more, u32 more_bytes)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&log->lock, flags);
	if (log_make_room(log, bytes + more_bytes)) {
		more_bytes = log_copy_user(log, log->head + bytes, more, more_bytes);
		log_add(log, record, type, bytes, more_bytes);
	}
	raw_spin_unlock_irqrestore(&log->lock, flags);
}

/* Say in the log that a record is missing. */
void profil_log_lose(struct profil_log *log)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&log->lock, flags);
	if (log->data)
		log_lose(log);
	raw_spin_unlock_irqrestore(&log->lock, flags);
}
