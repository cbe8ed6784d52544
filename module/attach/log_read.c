// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reader of a log (log.h): merges the samples of all CPUs and the ring.
 *
 * It reads how long the ring is, and then takes the chunks away from each CPU, with its slot's
 * lock. A sample that is not among them takes the lock later, so it sees at least that length. So
 * all samples whose place is below are there, and what comes later is behind all that is read now.
 * The clocks wait for the reader only while it moves a list. A tree of the CPUs that have samples
 * leads to the next one: all others cost nothing, however many there are.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uio.h>

#include "attach/log.h"

/* Whether place @a is before place @b. The ring is less than 2^31 bytes long. */
static bool read_is_before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

/* The place of a sample, to compare with those of records. */
static u32 read_place(const struct profil_log_sample *sample)
{
	return sample->place & ~PROFIL_LOG_IN_KERNEL;
}

/* The first chunk of a CPU that was taken away, or NULL. */
static struct profil_log_chunk *read_chunk(struct profil_log_slot *slot)
{
	return list_first_entry_or_null(&slot->reading, struct profil_log_chunk, node);
}

/* The place of the first sample of a CPU in the tree. */
static u32 read_first_place(struct rb_node *node)
{
	struct profil_log_chunk *chunk = read_chunk(rb_entry(node, struct profil_log_slot, node));

	return read_place(chunk->next);
}

/* Add a CPU to the tree, by its first place, if it has samples. */
static void read_add_slot(struct rb_root_cached *tree, struct profil_log_slot *slot)
{
	struct rb_node **link = &tree->rb_root.rb_node, *parent = NULL;
	bool first = true;

	if (!read_chunk(slot))
		return;
	while (*link) {
		parent = *link;
		if (read_is_before(read_first_place(&slot->node), read_first_place(parent))) {
			link = &parent->rb_left;
		} else {
			link = &parent->rb_right;
			first = false;
		}
	}
	rb_link_node(&slot->node, parent, link);
	rb_insert_color_cached(&slot->node, tree, first);
}

/*
 * Take the chunks away from the CPUs, and add all with samples to @tree. Return: how many samples
 * were lost since the last time.
 */
static u64 read_take_chunks(struct profil_log *log, struct rb_root_cached *tree)
{
	struct profil_log_chunk *last;
	struct profil_log_slot *slot;
	u64 lost = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		slot = per_cpu_ptr(log->slots, cpu);
		raw_spin_lock_irq(&slot->lock);
		if (!list_empty(&slot->chunks)) {
			last = list_last_entry(&slot->chunks, struct profil_log_chunk, node);
			last->end = slot->next;
			list_splice_tail_init(&slot->chunks, &slot->reading);
			slot->next = NULL;
			slot->end = NULL;
		}
		lost += slot->lost - slot->lost_read;
		slot->lost_read = slot->lost;
		raw_spin_unlock_irq(&slot->lock);
		read_add_slot(tree, slot);
	}
	return lost;
}

/* Return: 0; -EINVAL: no room for @bytes; or -EFAULT. Then nothing was copied. */
static int read_copy(const void *from, size_t bytes, struct iov_iter *to)
{
	size_t copied;

	if (iov_iter_count(to) < bytes)
		return -EINVAL;
	/* a log may have a million records */
	cond_resched();
	copied = copy_to_iter(from, bytes, to);
	if (copied == bytes)
		return 0;
	iov_iter_revert(to, copied);
	return -EFAULT;
}

/* Copy the next record of the ring, which may go around. Return: as read_copy(). */
static int read_record(struct profil_log *log, struct iov_iter *to)
{
	u32 offset = log->tail & (log->ring_size - 1);
	const struct profil_record *record = log->data + offset;
	u32 bytes = record->bytes, first = min(bytes, log->ring_size - offset);
	int err;

	if (iov_iter_count(to) < bytes)
		return -EINVAL;
	err = read_copy(record, first, to);
	if (err)
		return err;
	err = read_copy(log->data, bytes - first, to);
	if (err) {
		iov_iter_revert(to, first);
		return err;
	}
	/* pairs with the acquire in log_has_room(); litmus: log-room */
	smp_store_release(&log->tail, log->tail + bytes);
	return 0;
}

/* Copy the records of the ring before @place. Return: as read_copy(). */
static int read_records(struct profil_log *log, u32 place, struct iov_iter *to)
{
	int err = 0;

	while (!err && read_is_before(log->tail, place))
		err = read_record(log, to);
	return err;
}

static void read_free_chunk(struct profil_log *log, struct profil_log_chunk *chunk)
{
	raw_spin_lock_irq(&log->lock);
	list_move(&chunk->node, &log->free);
	WRITE_ONCE(log->used, log->used - 1);
	raw_spin_unlock_irq(&log->lock);
}

/* How many samples are converted before they are copied */
#define BATCH	16

/* Convert samples of a chunk that are not after the records copied so far. Return: how many. */
static u32 read_convert(const struct profil_log *log, const struct profil_log_chunk *chunk,
			struct profil_record_sample *records, size_t most)
{
	const struct profil_log_sample *sample = chunk->next;
	u32 nr = 0, left = min_t(size_t, chunk->end - sample, most);

	for (; nr < left && !read_is_before(log->tail, read_place(sample)); nr++, sample++)
		records[nr] = (struct profil_record_sample) {
			.head = {
				.type = sample->place & PROFIL_LOG_IN_KERNEL ?
						PROFIL_RECORD_KERNEL_SAMPLE : PROFIL_RECORD_SAMPLE,
				.bytes = sizeof(*records),
				.pid = sample->pid,
			},
			.pc = sample->pc,
			.samples = sample->samples,
			.tid = sample->tid,
		};
	return nr;
}

/* Copy a CPU's samples that are not after the records copied so far. Return: as read_copy(). */
static int read_samples(struct profil_log *log, struct profil_log_slot *slot, struct iov_iter *to)
{
	struct profil_record_sample records[BATCH];
	struct profil_log_chunk *chunk;
	size_t most;
	u32 nr;
	int err;

	while ((chunk = read_chunk(slot))) {
		/* at least one, to see whether there is one for which there is no room */
		most = clamp_t(size_t, iov_iter_count(to) / sizeof(records[0]), 1, BATCH);
		nr = read_convert(log, chunk, records, most);
		if (!nr)
			break;
		err = read_copy(records, nr * sizeof(records[0]), to);
		if (err)
			return err;
		chunk->next += nr;
		if (chunk->next == chunk->end)
			read_free_chunk(log, chunk);
	}
	return 0;
}

/* Copy a sample with its stack. Return: as read_copy(). */
static int read_stack(const struct profil_log_stack *stack, struct iov_iter *to)
{
	struct profil_record head = {
		.type = PROFIL_RECORD_STACK,
		.bytes = profil_log_stack_size(stack->nr_words),
		.pid = stack->sample.pid,
	};
	int err;

	BUILD_BUG_ON(offsetof(struct profil_log_stack, sample.pc) != sizeof(head));
	BUILD_BUG_ON(offsetof(struct profil_log_stack, regs) !=
		     offsetof(struct profil_record_stack, regs));
	if (iov_iter_count(to) < head.bytes)
		return -EINVAL;
	err = read_copy(&head, sizeof(head), to);
	if (err)
		return err;
	err = read_copy((void *)stack + sizeof(head), head.bytes - sizeof(head), to);
	if (err)
		iov_iter_revert(to, sizeof(head));
	return err;
}

/* As read_samples(), in a log of stacks. */
static int read_stacks(struct profil_log *log, struct profil_log_slot *slot, struct iov_iter *to)
{
	const struct profil_log_stack *stack;
	struct profil_log_chunk *chunk;
	int err;

	while ((chunk = read_chunk(slot)) && !read_is_before(log->tail, read_place(chunk->next))) {
		stack = (void *)chunk->next;
		err = read_stack(stack, to);
		if (err)
			return err;
		chunk->next = (void *)stack + profil_log_stack_size(stack->nr_words);
		if (chunk->next == chunk->end)
			read_free_chunk(log, chunk);
	}
	return 0;
}

/* Copy a LOST record about samples, which has no place. Return: as read_copy(). */
static int read_lost(struct profil_log *log, struct iov_iter *to)
{
	struct profil_record_lost lost = {
		.head = { .type = PROFIL_RECORD_LOST, .bytes = sizeof(lost) },
		.samples = log->lost_samples,
	};
	int err = 0;

	if (lost.samples)
		err = read_copy(&lost, sizeof(lost), to);
	if (!err)
		log->lost_samples = 0;
	return err;
}

/* Copy what was written before the ring had the length @head. Return: as read_copy(). */
static int read_merged(struct profil_log *log, struct rb_root_cached *tree, u32 head,
		       struct iov_iter *to)
{
	struct profil_log_slot *slot;
	struct rb_node *node;
	int err;

	while ((node = rb_first_cached(tree)) && !read_is_before(head, read_first_place(node))) {
		slot = rb_entry(node, struct profil_log_slot, node);
		err = read_records(log, read_first_place(node), to);
		if (!err)
			err = log->most ? read_stacks(log, slot, to) : read_samples(log, slot, to);
		if (err)
			return err;
		rb_erase_cached(node, tree);
		read_add_slot(tree, slot);
	}
	return read_records(log, head, to);
}

/* Return: as profil_log_read(). */
static ssize_t read_take(struct profil_log *log, struct iov_iter *to)
{
	struct rb_root_cached tree = RB_ROOT_CACHED;
	size_t room = iov_iter_count(to);
	bool ended;
	u32 head;
	int err;

	lockdep_assert_held(&log->read_mutex);
	/* in this order: what was written before the end is seen; litmus: log-ended */
	ended = smp_load_acquire(&log->ended);
	/* the last records may have been lost, with none after them */
	raw_spin_lock_irq(&log->lock);
	profil_log_make_room(log, 0);
	raw_spin_unlock_irq(&log->lock);
	/* pairs with the release in log_advance(); litmus: log-head, log-order */
	head = smp_load_acquire(&log->head);
	log->lost_samples += read_take_chunks(log, &tree);
	err = read_merged(log, &tree, head, to);
	if (!err)
		err = read_lost(log, to);
	if (room != iov_iter_count(to))
		return room - iov_iter_count(to);
	if (err)
		return err;
	return ended ? 0 : -EAGAIN;
}

/*
 * Whether a read would not wait. A caller that is in the queue of those who wait will be woken when
 * this changes.
 */
bool profil_log_is_readable(struct profil_log *log)
{
	WRITE_ONCE(log->waits, true);
	/*
	 * Pairs with the barrier in log_wake_reader(); also after the caller has queued itself.
	 * litmus: log-wake, log-wake-tail
	 */
	smp_mb();
	return READ_ONCE(log->ended) || READ_ONCE(log->used) >= log->wake_at ||
	       READ_ONCE(log->head) - READ_ONCE(log->tail) >= log->ring_size / 4;
}

/**
 * profil_log_read - take records out of a log
 * @log:      open
 * @to:       buffer
 * @nonblock: do not wait, not even for another reader
 *
 * Return: number of bytes; 0: the log is empty and has ended; -EAGAIN: with @nonblock, it is empty,
 * or another reader is taking records; -EINVAL: the next record does not fit; -EFAULT, or
 * -ERESTARTSYS.
 */
ssize_t profil_log_read(struct profil_log *log, struct iov_iter *to, bool nonblock)
{
	ssize_t taken;

	do {
		/* without the mutex: another reader may not want to wait */
		if (!nonblock && wait_event_interruptible(log->wait, profil_log_is_readable(log)))
			return -ERESTARTSYS;
		if (nonblock && !mutex_trylock(&log->read_mutex))
			return -EAGAIN;
		if (!nonblock && mutex_lock_interruptible(&log->read_mutex))
			return -ERESTARTSYS;
		taken = read_take(log, to);
		mutex_unlock(&log->read_mutex);
		/* if another reader was faster, wait again */
	} while (taken == -EAGAIN && !nonblock);
	return taken;
}

/* Fill in the counts of a status. */
void profil_log_status(struct profil_log *log, struct profil_status *status)
{
	struct profil_log_slot *slot;
	int cpu;

	for_each_possible_cpu(cpu) {
		slot = per_cpu_ptr(log->slots, cpu);
		raw_spin_lock_irq(&slot->lock);
		status->counted += slot->counted;
		status->lost += slot->lost;
		status->skipped += slot->skipped;
		raw_spin_unlock_irq(&slot->lock);
	}
	status->samples = status->counted + status->lost;
	status->error = status->lost || READ_ONCE(log->has_lost) ? ENOBUFS : 0;
}
