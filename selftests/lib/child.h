/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Children of a test: how they ended, what they share with their parent, a byte
 * from one to the other, and users without rights that they may become.
 */
#ifndef SELFTESTS_CHILD_H
#define SELFTESTS_CHILD_H

#include <grp.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "common.h"

/*
 * Exit status of a child (-1: of the one that there is), as the shell has it;
 * -1 if there is no such child.
 */
int wait_for(pid_t pid);

void *map_shared(size_t bytes);

/*
 * Take the memory of a process that is being killed, as the OOM killer does: that
 * waits for nobody. 0, or -1 and errno.
 */
int release_memory(int pidfd);

/* Give one byte through a pipe, or wait for one. 0 if that is what came. */
int send_byte(int pipe_end);

int receive_byte(int pipe_end);

/*
 * Be a user of no rights for good, who may pin so many pages, and raise that
 * up to eight times as many. Tests take a user each, so that none is charged
 * for another's. 0 or errno.
 */
int become_user(uid_t uid, size_t pages);

#endif /* SELFTESTS_CHILD_H */
