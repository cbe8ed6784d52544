/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bounded log in kernel memory. Each CPU writes its samples into chunks of its own (here), all
 * CPUs write the other records into one ring (log.c), and read(2) takes both out (log_read.c).
 *
 * The ring has an order, and its length is the clock of the log: each sample has a place, the
 * length of the ring from before its target was looked at. So a sample comes after all records that
 * were written when it was taken. And it comes before the EXIT of its target: a CPU that reads a
 * place behind EXIT sees that the target has been removed. The reader merges the CPUs' samples and
 * the ring by place. Samples of several CPUs with one place are in no order.
 */
#ifndef _PROFIL_LOG_H
#define _PROFIL_LOG_H

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/profil.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

struct iov_iter;

/**
 * struct profil_log_sample - a sample in a chunk
 * @place:   @place of the log when it was taken, and PROFIL_LOG_IN_KERNEL
 * @pid:     as in struct profil_record, like the following
 * @pc:      address
 * @samples: number of samples
 * @tid:     thread
 */
struct profil_log_sample {
	u32 place;
	pid_t pid;
	u64 pc;
	u32 samples;
	pid_t tid;
};

/**
 * struct profil_log_stack - a sample with its stack, in the chunks of a log of stacks
 * @sample: sample
 * @flags:  as in struct profil_record_stack, like the following
 * @nr_words: how many @words
 * @seen_bytes: how much of the stack was looked at
 * @regs:   registers
 * @words:  words of the stack
 *
 * It is struct profil_record_stack, but for the first 4 bytes.
 */
struct profil_log_stack {
	struct profil_log_sample sample;
	u32 flags;
	u16 nr_words;
	u16 seen_bytes;
	u64 regs[PROFIL_STACK_REGS];
	u64 words[];
};

/* Parts of a place, which is a multiple of 8 otherwise */
#define PROFIL_LOG_IN_KERNEL	1U	/* the sample is in kernel mode */
#define PROFIL_LOG_LOST_HERE	4U	/* records were lost here: LOST will be the next one */

#define PROFIL_LOG_CHUNK	1024
#define PROFIL_LOG_CHUNK_SAMPLES						\
	((PROFIL_LOG_CHUNK - sizeof(struct list_head) - 2 * sizeof(void *)) /	\
	 sizeof(struct profil_log_sample))

/**
 * struct profil_log_chunk - samples of one CPU
 * @node:    entry in the log's @free, or in a slot's @chunks or @reading
 * @next:    the first sample that has not been read
 * @end:     after the last one that has been written; valid in @reading
 * @samples: in the order of time; in a log of stacks, each is a struct profil_log_stack, and the
 *           chunk is larger
 */
struct profil_log_chunk {
	struct list_head node;
	struct profil_log_sample *next;
	struct profil_log_sample *end;
	struct profil_log_sample samples[PROFIL_LOG_CHUNK_SAMPLES];
};

/**
 * struct profil_log_slot - a CPU's part of a log
 * @lock:    the CPU writes a sample; or the reader takes the chunks away, once for each read(2), or
 *           the log is closed. No other CPU takes it. Raw, because clocks write in hard interrupts
 * @phase:   the part of a sample that ticks have earned so far (tick_math.h)
 * @next:    the next sample of the last of @chunks
 * @end:     end of that chunk; equal to @next: it is full, or there is none; NULL: there is none
 * @chunks:  written, and not taken away by the reader
 * @counted: samples ever written
 * @lost:    samples ever lost
 * @skipped: samples that were due but not taken (clock.c)
 * @reading: chunks that the reader has taken away; with read_mutex
 * @node:    entry in the tree of a read; with read_mutex
 * @lost_read: how many of @lost the reader has reported; with read_mutex
 */
struct profil_log_slot {
	raw_spinlock_t lock;
	u32 phase;
	struct profil_log_sample *next;
	struct profil_log_sample *end;
	u64 counted;
	u64 lost;
	u64 skipped;
	struct list_head chunks;
	struct list_head reading;
	struct rb_node node;
	u64 lost_read;
} ____cacheline_aligned_in_smp;

/**
 * struct profil_log - a log
 * @place:    what samples are given: @head, and PROFIL_LOG_LOST_HERE
 * @size:     in bytes, a power of two: half of it is the ring, half chunks
 * @most:     largest sample with its stack, in bytes; 0: it is no log of stacks
 * @slots:    for each possible CPU
 * @lock:     held by writers of the ring, and to take or return a free chunk. Raw, because hooks
 *            and clocks write with interrupts disabled
 * @data:     ring of @ring_size bytes, then the chunks; NULL: closed, nothing is written
 * @ring_size: a power of two
 * @chunk_bytes: size of a chunk
 * @head:     bytes ever written to the ring, modulo 2^32: only writers change it
 * @tail:     bytes ever read, modulo 2^32: only the reader changes it
 * @free:     chunks without samples
 * @used:     number of the other chunks
 * @wake_at:  so many are a reason to read
 * @lost_records: records that found no room in the ring, since the last LOST record there
 * @has_lost: there were such records
 * @ended:    nothing will be written any more
 * @waits:    a reader may wait until there is a reason to read, and must be woken
 * @read_mutex: one reader at a time
 * @lost_samples: samples that were lost and not yet reported by a LOST record; with read_mutex
 * @wait:     readers that wait for a reason to read, or for the end
 * @wake_work: wakes them from a context that cannot
 *
 * A record in the ring starts at a multiple of 8 bytes, so that its head is in one piece.
 */
struct profil_log {
	/* samples read these: on another cache line than what is written more often */
	u32 place;
	u32 size;
	u32 most;
	struct profil_log_slot __percpu *slots;
	raw_spinlock_t lock ____cacheline_aligned_in_smp;
	void *data;
	u32 ring_size;
	u32 chunk_bytes;
	u32 head;
	u32 tail;
	struct list_head free;
	u32 used;
	u32 wake_at;
	u64 lost_records;
	bool has_lost;
	bool ended;
	bool waits;
	struct mutex read_mutex; /* see above */
	u64 lost_samples;
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

/* With interrupts off. */
struct profil_log_sample *profil_log_start_chunk(struct profil_log *log,
						 struct profil_log_slot *slot);

/* May sleep. */
int profil_log_init(struct profil_log *log, u32 size, u32 stack_words);
void profil_log_close(struct profil_log *log);
void profil_log_free(struct profil_log *log);

/* Any context. */
bool profil_log_make_room(struct profil_log *log, u32 bytes);

/* May sleep; in log_read.c. */
ssize_t profil_log_read(struct profil_log *log, struct iov_iter *to, bool nonblock);
bool profil_log_is_readable(struct profil_log *log);
void profil_log_status(struct profil_log *log, struct profil_status *status);

/* Write a sample where there is @room. With interrupts off, and the lock of @slot, this CPU's. */
static __always_inline void profil_log_put(struct profil_log_slot *slot,
					   struct profil_log_sample *room,
					   const struct profil_log_sample sample)
{
	lockdep_assert_held(&slot->lock);
	*room = sample;
	slot->next = room + 1;
	slot->counted += sample.samples;
}

/* The same, where there may be none. Return: false: the sample is lost. */
static __always_inline bool profil_log_write_sample(struct profil_log *log,
						    struct profil_log_slot *slot,
						    const struct profil_log_sample sample)
{
	struct profil_log_sample *room = slot->next;

	if (room == slot->end)
		room = profil_log_start_chunk(log, slot);
	if (room)
		profil_log_put(slot, room, sample);
	else
		slot->lost += sample.samples;
	return room;
}

/* Size of a sample with a stack of @words, and of its record. */
static inline u32 profil_log_stack_size(u32 words)
{
	return sizeof(struct profil_log_stack) + words * sizeof(u64);
}

/* As profil_log_write_sample(): room for a sample with any stack; NULL: there is none. */
static inline struct profil_log_stack *profil_log_stack_room(struct profil_log *log,
							     struct profil_log_slot *slot)
{
	struct profil_log_sample *next = slot->next;

	lockdep_assert_held(&slot->lock);
	if ((void *)slot->end - (void *)next < log->most)
		next = profil_log_start_chunk(log, slot);
	return (void *)next;
}

/* A sample has been written there. */
static inline void profil_log_add_stack(struct profil_log_slot *slot,
					struct profil_log_stack *stack)
{
	slot->next = (void *)stack + profil_log_stack_size(stack->nr_words);
	slot->counted += stack->sample.samples;
}

#endif /* _PROFIL_LOG_H */
