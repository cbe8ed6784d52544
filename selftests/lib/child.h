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
static inline int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) :
				   128 + WTERMSIG(status);
}

static inline void *map_shared(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/*
 * Take the memory of a process that is being killed, as the OOM killer does: that
 * waits for nobody. 0, or -1 and errno.
 */
static inline int release_memory(int pidfd)
{
	return (int)syscall(448 /* SYS_process_mrelease */, pidfd, 0);
}

/* Give one byte through a pipe, or wait for one. 0 if that is what came. */
static inline int pass(int pipe_end)
{
	return write(pipe_end, "x", 1) == 1 ? 0 : -1;
}

static inline int await_pass(int pipe_end)
{
	char byte;

	return read(pipe_end, &byte, 1) == 1 ? 0 : -1;
}

/*
 * Be a user of no rights for good, who may pin so many pages, and raise that
 * up to eight times as many. Tests take a user each, so that none is charged
 * for another's. 0 or errno.
 */
static inline int become_user(uid_t uid, size_t pages)
{
	struct rlimit limit = { pages * PAGE, 8 * pages * PAGE };

	return setrlimit(RLIMIT_MEMLOCK, &limit) || setgroups(0, NULL) ||
	       setresgid(uid, uid, uid) || setresuid(uid, uid, uid) ? errno : 0;
}

#endif /* SELFTESTS_CHILD_H */
