/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A watch: what an open file of the device samples in other processes.
 */
#ifndef _PROFIL_WATCH_H
#define _PROFIL_WATCH_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "attach/log.h"

struct pid_namespace;
struct profil_config;
struct profil_attach;
struct profil_status;

/**
 * struct profil_watch - the targets of an open file, and their log
 * @config:    rate, clock and flags; and the limits of the process that attached first, whose
 *             memory the log is
 * @log:       records of all targets
 * @phases:    for each CPU the part of a sample that ticks have earned so far (tick_math.h);
 *             used with the log's lock held
 * @pids:      PID namespace of the process that attached first
 * @targets:   its targets; with the lock of the table of targets
 * @closed:    the file is closed: no target may be added; with the same lock
 * @nr_targets: number of @targets
 * @forks_followed: children that became targets
 * @fork_failures: children that did not
 * @free_work: frees it a grace period after the file is closed
 *
 * The first ATTACH creates it.
 */
struct profil_watch {
	struct profil_config *config;
	struct profil_log log;
	u32 __percpu *phases;
	struct pid_namespace *pids;
	struct hlist_head targets;
	bool closed;
	int nr_targets;
	atomic_long_t forks_followed;
	atomic_long_t fork_failures;
	struct rcu_work free_work;
};

/**
 * struct profil_watcher - an open file of the device
 * @mutex: one ATTACH at a time
 * @watch: NULL: nothing has been attached. Written once, with @mutex held
 */
struct profil_watcher {
	struct mutex mutex;	/* see above */
	struct profil_watch *watch;
};

bool profil_watch_is_possible(void);

/* May sleep. */
struct profil_watcher *profil_watcher_open(void);
void profil_watcher_close(struct profil_watcher *watcher);
int profil_watcher_attach(struct profil_watcher *watcher, const struct profil_attach *arg);
void profil_watcher_status(struct profil_watcher *watcher, struct profil_status *status);
ssize_t profil_watcher_read(struct profil_watcher *watcher, char __user *user, size_t bytes,
			    bool nonblock);
__poll_t profil_watcher_poll(struct profil_watcher *watcher, struct file *file,
			     poll_table *table);

void profil_watch_init(void);
void profil_watch_exit(void);

#endif /* _PROFIL_WATCH_H */
