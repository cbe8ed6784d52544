// SPDX-License-Identifier: GPL-2.0-only
/*
 * A bounded log of records in kernel memory (log.h). A record that finds no room is lost, and
 * counted. A LOST record takes its place as soon as there is room.
 *
 * The reader takes no lock that writers take: it reads only what lies between @tail and @head,
 * which no writer touches.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "attach/log.h"

static void log_wake(struct irq_work *work)
{
	wake_up_interruptible(&container_of(work, struct profil_log, wake_work)->wait);
}

/**
 * profil_log_init - initialize a log, and allocate its memory
 * @log:  zeroed
 * @size: in bytes, a power of two
 *
 * Return: 0 or -ENOMEM.
 */
int profil_log_init(struct profil_log *log, u32 size)
{
	raw_spin_lock_init(&log->lock);
	mutex_init(&log->read_mutex);
	init_waitqueue_head(&log->wait);
	/* not hard: on PREEMPT_RT, a hard interrupt must not wake readers */
	init_irq_work(&log->wake_work, log_wake);
	log->size = size;
	log->most_samples = size / 4 * 3;
	log->data = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	return log->data ? 0 : -ENOMEM;
}

/**
 * profil_log_close - free the memory of a log
 * @log: without readers
 *
 * Writers may still call. A writer that takes the lock after this finds no memory. One that took
 * it before has finished.
 */
void profil_log_close(struct profil_log *log)
{
	void *data = log->data;

	raw_spin_lock_irq(&log->lock);
	log->data = NULL;
	raw_spin_unlock_irq(&log->lock);
	irq_work_sync(&log->wake_work);
	kvfree(data);
}

/**
 * profil_log_end - nothing will be written any more: wake the readers
 * @log: log
 */
void profil_log_end(struct profil_log *log)
{
	/* pairs with the acquire in log_available() */
	smp_store_release(&log->ended, true);
	irq_work_queue(&log->wake_work);
}

/* Copy into the ring at byte @at. */
static void log_copy(struct profil_log *log, u32 at, const void *from, u32 bytes)
{
	u32 offset = at & (log->size - 1);
	u32 first = log->size - offset;

	if (likely(bytes <= first)) {
		memcpy(log->data + offset, from, bytes);
		return;
	}
	memcpy(log->data + offset, from, first);
	memcpy(log->data, from + first, bytes - first);
}

/* With the lock held. Return: whether @bytes more are within the first @most of the log. */
static bool log_has_room(const struct profil_log *log, u32 most, u32 bytes)
{
	/* pairs with the release in profil_log_read(): the reader has copied what it freed */
	return log->head - smp_load_acquire(&log->tail) + bytes <= most;
}

/**
 * profil_log_wake - wake the reader that waits, if a quarter of the log is in use
 * @log: log, to which a record has been added, with the lock held
 */
noinline void profil_log_wake(struct profil_log *log)
{
	/*
	 * Pairs with the barrier in profil_log_is_readable(): either that reader sees @head, or
	 * this sees that it waits.
	 */
	smp_mb();
	if (READ_ONCE(log->waits)) {
		/* once for each wait: the reader may run later, and more is written until then */
		WRITE_ONCE(log->waits, false);
		irq_work_queue(&log->wake_work);
	}
}

/* Add @bytes that have been copied. With the lock held. */
static void log_advance(struct profil_log *log, u32 bytes)
{
	profil_log_advance(log, log->head - READ_ONCE(log->tail), bytes);
}

static noinline bool log_write_lost(struct profil_log *log, u32 most, u32 more)
{
	struct profil_record_lost lost = {
		.head = { .type = PROFIL_RECORD_LOST, .bytes = sizeof(lost) },
		.samples = log->lost_samples,
		.records = log->lost_records,
	};

	BUILD_BUG_ON(sizeof(lost) % 8);
	if (!log_has_room(log, most, sizeof(lost) + more))
		return false;
	log_copy(log, log->head, &lost, sizeof(lost));
	log_advance(log, sizeof(lost));
	log->lost_samples = 0;
	log->lost_records = 0;
	return true;
}

/*
 * With the lock held. Return: whether @more bytes are within the first @most of the log. If records
 * were lost, says so before, if there is room for both.
 */
static bool log_make_room_within(struct profil_log *log, u32 most, u32 more)
{
	if (unlikely(log->lost_samples || log->lost_records))
		return log_write_lost(log, most, more);
	return log_has_room(log, most, more);
}

/**
 * profil_log_write_any_sample - write a record that profil_log_write_sample() may not write
 * @log:    open, with the lock held
 * @sample: record; by value, so that its writer needs no stack for it
 *
 * Return: false if there is no room, so that it is lost.
 */
noinline bool profil_log_write_any_sample(struct profil_log *log,
					  struct profil_record_sample sample)
{
	if (!log_make_room_within(log, log->most_samples, sizeof(sample))) {
		log->has_lost = true;
		log->lost_samples += sample.samples;
		log->lost += sample.samples;
		return false;
	}
	log_copy(log, log->head, &sample, sizeof(sample));
	log_advance(log, sizeof(sample));
	log->counted += sample.samples;
	return true;
}

/* A record is padded with 0 to a multiple of this. */
#define PADDED_TO	8

/*
 * With the lock held. Return: whether there is room for a record that is not a sample, with @bytes
 * before it is padded. If not, it is lost.
 */
static bool log_make_room(struct profil_log *log, u32 bytes)
{
	if (!log->data)
		return false;
	if (log_make_room_within(log, log->size, ALIGN(bytes, PADDED_TO)))
		return true;
	log->has_lost = true;
	log->lost_records++;
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
 * profil_log_write - write a record that is not a sample
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
		offset = (at + done) & (log->size - 1);
		part = min_t(u32, bytes - done, PAGE_SIZE - offset_in_page(from + done));
		part = min(part, log->size - offset);
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

/**
 * profil_log_lose - say in the log that a record is missing that is not a sample
 * @log: log
 */
void profil_log_lose(struct profil_log *log)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&log->lock, flags);
	if (log->data) {
		log->has_lost = true;
		log->lost_records++;
	}
	raw_spin_unlock_irqrestore(&log->lock, flags);
}

static u32 log_used(struct profil_log *log)
{
	/* pairs with the release in log_advance() */
	return smp_load_acquire(&log->head) - log->tail;
}

/*
 * Whether a read would not wait. A caller that is in the queue of those who wait will be woken when
 * this changes.
 */
bool profil_log_is_readable(struct profil_log *log)
{
	WRITE_ONCE(log->waits, true);
	/* pairs with the barrier in log_advance(); also after the caller has queued itself */
	smp_mb();
	return READ_ONCE(log->ended) || log_used(log) >= log->size / 4;
}

/* How many bytes whole records have, from the first one on, at most @room. */
static u32 log_whole_records(struct profil_log *log, u32 used, size_t room)
{
	const struct profil_record *record;
	u32 bytes = 0;

	while (bytes < used) {
		record = log->data + ((log->tail + bytes) & (log->size - 1));
		if (bytes + record->bytes > room)
			break;
		bytes += record->bytes;
	}
	return bytes;
}

static int log_copy_to_user(struct profil_log *log, char __user *user, u32 bytes)
{
	u32 offset = log->tail & (log->size - 1);
	u32 first = min(bytes, log->size - offset);

	if (copy_to_user(user, log->data + offset, first) ||
	    copy_to_user(user + first, log->data, bytes - first))
		return -EFAULT;
	return 0;
}

/* The last records may have been lost, with none after them. Return: bytes in use. */
static u32 log_flush_lost(struct profil_log *log)
{
	raw_spin_lock_irq(&log->lock);
	log_make_room_within(log, log->size, 0);
	raw_spin_unlock_irq(&log->lock);
	return log_used(log);
}

/* With the read_mutex held. Return: bytes in use; 0: the log has ended; or -EAGAIN: it is empty. */
static long log_available(struct profil_log *log)
{
	bool ended;
	u32 used;

	/* in this order: what was written before the end is seen */
	ended = smp_load_acquire(&log->ended);
	used = log_used(log);
	if (!used)
		used = log_flush_lost(log);
	if (!used && !ended)
		return -EAGAIN;
	return used;
}

/* With the read_mutex held. Return: as profil_log_read(). */
static ssize_t log_take(struct profil_log *log, char __user *user, size_t bytes)
{
	long used = log_available(log), whole;
	int err;

	if (used <= 0)
		return used;
	whole = log_whole_records(log, used, bytes);
	err = whole ? log_copy_to_user(log, user, whole) : -EINVAL;
	if (err)
		return err;
	/* pairs with the acquire in log_has_room() */
	smp_store_release(&log->tail, log->tail + whole);
	return whole;
}

/**
 * profil_log_read - take records out of a log
 * @log:      open
 * @user:     buffer
 * @bytes:    its size
 * @nonblock: do not wait, not even for another reader
 *
 * Return: number of bytes; 0: the log is empty and has ended; -EAGAIN: with @nonblock, it is empty,
 * or another reader is taking records; -EINVAL: the next record does not fit; -EFAULT, or
 * -ERESTARTSYS.
 */
ssize_t profil_log_read(struct profil_log *log, char __user *user, size_t bytes,
			bool nonblock)
{
	ssize_t taken;

	do {
		/* without the mutex: another reader may not want to wait */
		if (!nonblock &&
		    wait_event_interruptible(log->wait, profil_log_is_readable(log)))
			return -ERESTARTSYS;
		if (nonblock && !mutex_trylock(&log->read_mutex))
			return -EAGAIN;
		if (!nonblock && mutex_lock_interruptible(&log->read_mutex))
			return -ERESTARTSYS;
		taken = log_take(log, user, bytes);
		mutex_unlock(&log->read_mutex);
		/* if another reader was faster, wait again */
	} while (taken == -EAGAIN && !nonblock);
	return taken;
}

/* Fill in the counts of a status. */
void profil_log_status(struct profil_log *log, struct profil_status *status)
{
	raw_spin_lock_irq(&log->lock);
	status->samples = log->counted + log->lost;
	status->counted = log->counted;
	status->lost = log->lost;
	status->skipped = log->skipped;
	status->error = log->has_lost ? ENOBUFS : 0;
	raw_spin_unlock_irq(&log->lock);
}
