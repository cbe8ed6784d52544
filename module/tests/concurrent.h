/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a test does on several CPUs at once, and under interrupts.
 */
#ifndef _PROFIL_TESTS_CONCURRENT_H
#define _PROFIL_TESTS_CONCURRENT_H

#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/types.h>

/**
 * struct worker - one of several threads
 * @run:     what it does
 * @data:    to do it with
 * @number:  of the thread, from 0 on
 * @thread:  private, as is the rest
 * @begin:   all are there
 * @done:    it has done it
 */
struct worker {
	void (*run)(struct worker *worker);
	void *data;
	unsigned int number;
	struct task_struct *thread;
	struct completion begin;
	struct completion done;
};

/* Run them all at once, each on one of the CPUs in turn, and wait until all are done. */
void run_workers(struct kunit *test, struct worker *workers, unsigned int nr,
		 void (*run)(struct worker *worker), void *data);

/**
 * struct interrupter - a timer that interrupts the code under test
 * @fire:  what it does, in hard interrupt context
 * @data:  for it
 * @left:  how often it is still to come
 * @timer: private
 */
struct interrupter {
	void (*fire)(struct interrupter *interrupter);
	void *data;
	unsigned int left;
	struct hrtimer timer;
};

/* From now on this CPU is interrupted so many times. The caller is bound to it. */
void interrupter_start(struct interrupter *interrupter, unsigned int times,
		       void (*fire)(struct interrupter *interrupter), void *data);
/* Once it is over or before. */
void interrupter_stop(struct interrupter *interrupter);

static inline bool interrupter_is_over(struct interrupter *interrupter)
{
	/* pairs with the release in fire() */
	return !smp_load_acquire(&interrupter->left);
}

#endif /* _PROFIL_TESTS_CONCURRENT_H */
