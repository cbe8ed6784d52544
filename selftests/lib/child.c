// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits for children, and exchanges bytes with them.
 */
#include "child.h"

int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) :
				   128 + WTERMSIG(status);
}

void *map_shared(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

int release_memory(int pidfd)
{
	return (int)syscall(448 /* SYS_process_mrelease */, pidfd, 0);
}

int send_byte(int pipe_end)
{
	return write(pipe_end, "x", 1) == 1 ? 0 : -1;
}

int receive_byte(int pipe_end)
{
	char byte;

	return read(pipe_end, &byte, 1) == 1 ? 0 : -1;
}

int become_user(uid_t uid, size_t pages)
{
	struct rlimit limit = { pages * PAGE, 8 * pages * PAGE };

	return setrlimit(RLIMIT_MEMLOCK, &limit) || setgroups(0, NULL) ||
	       setresgid(uid, uid, uid) || setresuid(uid, uid, uid) ? errno : 0;
}
