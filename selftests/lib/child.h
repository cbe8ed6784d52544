/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Children of a test: their exit status, memory shared with the parent, bytes sent through pipes,
 * and unprivileged users.
 */
#ifndef SELFTESTS_CHILD_H
#define SELFTESTS_CHILD_H

#include <grp.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "common.h"

/* Returns the exit status of a child (@pid -1: of any), as a shell reports it; -1 on error. */
int wait_for(pid_t pid);

/*
 * Waits until a child has exited and has left its CPU, and does not reap it. Then the kernel knows
 * all of its CPU time. Returns -1 on error.
 *
 * A parent on another CPU can reap a child that still runs in exit. The kernel then counts the
 * child's time up to the last tick, or to the child's last reading of its clock. On PREEMPT_RT, 27
 * of 100 children that had read it lost the 0.3 ms of exit.
 */
int await_zombie(pid_t pid);

void *map_shared(size_t bytes);

/* Returns the CPU time of all children that were waited for. */
double children_seconds(void);

/*
 * Forks a profiled process, which keeps the module's hooks attached until it is killed. So no START
 * waits for attaching them, which takes some 100 ms. Returns its pid, or -1.
 */
pid_t hold_hooks(int device);

/*
 * Frees the memory of a process that is being killed, without sleeping, as the OOM killer does.
 * Returns -1 with errno on error.
 */
int release_memory(int pidfd);

/* Sends a byte through a pipe, or waits for one. Returns -1 on error or end of file. */
int send_byte(int pipe_end);

int receive_byte(int pipe_end);

/*
 * Becomes an unprivileged user who may pin @pages pages, and may raise that limit to eight times as
 * many. Each test uses a user of its own, as pages are charged per user. Returns 0 or an errno.
 */
int become_user(uid_t uid, size_t pages);

#endif /* SELFTESTS_CHILD_H */
