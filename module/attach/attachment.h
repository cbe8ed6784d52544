/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An attachment: what an open file of the device samples in other processes.
 */
#ifndef _PROFIL_ATTACHMENT_H
#define _PROFIL_ATTACHMENT_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "attach/log.h"
#include "clock/clock.h"
#include "user.h"

struct iov_iter;
struct pid_namespace;
struct profil_attach;
struct profil_status;

/**
 * struct profil_attachment - the targets of an open file, and their log
 * @pace:      how often they are sampled
 * @flags:     PROFIL_USER_ONLY and so on, of struct profil_attach
 * @is_plain:  samples are of both modes, without stacks, and @pids is the first namespace
 * @stack_bytes: of struct profil_attach; 0: samples have no stacks
 * @stack_words: the same
 * @rights:    limits of the process that attached first, whose memory the log is
 * @log:       records of all targets
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
struct profil_attachment {
	struct profil_pace pace;
	u32 flags;
	bool is_plain;
	u32 stack_bytes;
	u32 stack_words;
	struct profil_rights rights;
	/* samples write it: on other cache lines than what clocks only read */
	struct profil_log log ____cacheline_aligned_in_smp;
	struct pid_namespace *pids;
	struct hlist_head targets;
	bool closed;
	int nr_targets;
	atomic_long_t forks_followed;
	atomic_long_t fork_failures;
	struct rcu_work free_work;
};

/**
 * struct profil_file - an open file of the device
 * @mutex: one ATTACH at a time
 * @attachment: NULL: nothing has been attached. Written once, with @mutex held
 */
struct profil_file {
	struct mutex mutex;	/* see above */
	struct profil_attachment *attachment;
};

bool profil_attachment_is_possible(void);
bool profil_attachment_has_stacks(void);

/* May sleep. */
struct profil_file *profil_file_open(void);
void profil_file_close(struct profil_file *opened);
int profil_file_attach(struct profil_file *opened, const struct profil_attach *arg);
void profil_file_status(struct profil_file *opened, struct profil_status *status);
ssize_t profil_file_read(struct profil_file *opened, struct iov_iter *to, bool nonblock);
__poll_t profil_file_poll(struct profil_file *opened, struct file *file, poll_table *table);

int profil_attachment_init(void);
void profil_attachment_exit(void);

#endif /* _PROFIL_ATTACHMENT_H */
