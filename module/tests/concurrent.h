/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run the code of a test in several threads at once, or interrupted by a timer.
 */
#ifndef _PROFIL_TESTS_CONCURRENT_H
#define _PROFIL_TESTS_CONCURRENT_H

#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/types.h>

/**
 * struct test_thread - one of several threads that run at once
 * @run:     function that the thread runs
 * @data:    for @run
 * @number:  number of the thread, from 0
 * @task:    private, like the fields after it
 * @begin:   completed when all threads have been created
 * @done:    completed when @run has returned
 */
struct test_thread {
	void (*run)(struct test_thread *thread);
	void *data;
	unsigned int number;
	struct task_struct *task;
	struct completion begin;
	struct completion done;
};

/* Run @nr threads at once, distributed over the online CPUs, and wait for all of them. */
void run_threads(struct kunit *test, struct test_thread *threads, unsigned int nr,
		 void (*run)(struct test_thread *thread), void *data);

/**
 * struct interrupter - a timer that interrupts the code under test
 * @fire:  called by each interrupt, in hard interrupt context
 * @data:  for @fire
 * @left:  number of interrupts still to come
 * @timer: private
 */
struct interrupter {
	void (*fire)(struct interrupter *interrupter);
	void *data;
	unsigned int left;
	struct hrtimer timer;
};

/* Interrupt this CPU @times times. The caller is bound to it. */
void interrupter_start(struct interrupter *interrupter, unsigned int times,
		       void (*fire)(struct interrupter *interrupter), void *data);
/* Wait for a running interrupt, and cancel the others. */
void interrupter_stop(struct interrupter *interrupter);

static inline bool interrupter_is_done(struct interrupter *interrupter)
{
	/* pairs with the release in fire() */
	return !smp_load_acquire(&interrupter->left);
}

#endif /* _PROFIL_TESTS_CONCURRENT_H */
