/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bounded log of records in kernel memory. Clocks and hooks write it in any context, and
 * read(2) takes records out.
 */
#ifndef _PROFIL_LOG_H
#define _PROFIL_LOG_H

#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/profil.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

/**
 * struct profil_log - a log
 * @lock:     held by writers. Raw, because clocks write in hard interrupts
 * @data:     ring of @size bytes; NULL: closed, nothing is written
 * @size:     a power of two
 * @most_samples: how much of the log may be in use after a sample, in bytes
 * @head:     bytes ever written, modulo 2^32: only writers change it
 * @tail:     bytes ever read, modulo 2^32: only the reader changes it
 * @lost_samples: samples in records that found no room, since the last LOST record
 * @lost_records: other records that found no room, since then
 * @counted:  samples ever written
 * @lost:     samples ever lost
 * @has_lost: a record was lost
 * @skipped:  samples that were due but not taken (clock.c)
 * @ended:    nothing will be written any more
 * @waits:    a reader may wait for a quarter of the log, and must be woken
 * @read_mutex: one reader at a time
 * @wait:     readers that wait for a quarter of the log, or for its end
 * @wake_work: wakes them from a context that cannot
 *
 * A record starts at a multiple of 8 bytes, so that its head is in one piece.
 */
struct profil_log {
	raw_spinlock_t lock;
	void *data;
	u32 size;
	u32 most_samples;
	u32 head;
	u32 tail;
	u64 lost_samples;
	u64 lost_records;
	u64 counted;
	u64 lost;
	u64 skipped;
	bool has_lost;
	bool ended;
	bool waits;
	struct mutex read_mutex; /* see above */
	wait_queue_head_t wait;
	struct irq_work wake_work;
};

/* Any context. */
void profil_log_end(struct profil_log *log);
void profil_log_write(struct profil_log *log, struct profil_record *record, u32 type,
		      u32 bytes, const void *more, u32 more_bytes);
void profil_log_write_user(struct profil_log *log, struct profil_record *record, u32 type,
			   u32 bytes, const void __user *more, u32 more_bytes);
void profil_log_lose(struct profil_log *log);

/* With interrupts off and the lock held. */
void profil_log_wake(struct profil_log *log);
bool profil_log_write_any_sample(struct profil_log *log, struct profil_record_sample sample);

/* May sleep. */
int profil_log_init(struct profil_log *log, u32 size);
void profil_log_close(struct profil_log *log);
ssize_t profil_log_read(struct profil_log *log, char __user *user, size_t bytes,
			bool nonblock);
bool profil_log_is_readable(struct profil_log *log);
void profil_log_status(struct profil_log *log, struct profil_status *status);

/* Add @bytes that have been copied. @used: how many were in use, or more. With the lock held. */
static __always_inline void profil_log_advance(struct profil_log *log, u32 used, u32 bytes)
{
	/* pairs with the acquire in log_used(): the reader sees the bytes */
	smp_store_release(&log->head, log->head + bytes);
	if (unlikely(used + bytes >= log->size / 4))
		profil_log_wake(log);
}

/**
 * profil_log_write_sample - write a SAMPLE or KERNEL_SAMPLE record
 * @log:    open, with the lock held
 * @sample: record
 *
 * With interrupts off. Inlined, so that @sample is a few stores. The last quarter of the log is for
 * other records: a reader that misses an EXEC takes all samples after it for those of another
 * program.
 *
 * Return: false if there is no room, so that it is lost.
 */
static __always_inline bool profil_log_write_sample(struct profil_log *log,
						    const struct profil_record_sample sample)
{
	u32 offset = log->head & (log->size - 1);
	/* pairs with the release in profil_log_read(): the reader has copied what it freed */
	u32 used = log->head - smp_load_acquire(&log->tail);

	/* no room, or after lost records, or it wraps */
	if (unlikely(used + sizeof(sample) > log->most_samples) ||
	    unlikely(log->lost_samples | log->lost_records) ||
	    unlikely(offset + sizeof(sample) > log->size))
		return profil_log_write_any_sample(log, sample);
	*(struct profil_record_sample *)(log->data + offset) = sample;
	profil_log_advance(log, used, sizeof(sample));
	log->counted += sample.samples;
	return true;
}

#endif /* _PROFIL_LOG_H */
