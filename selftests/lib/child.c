// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits for children, and exchanges bytes with them.
 */
#include "child.h"
#include "kernel/tasks.h"

int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) :
				   128 + WTERMSIG(status);
}

int await_zombie(pid_t pid)
{
	struct task zombie;
	siginfo_t info;
	cpu_set_t cpus;

	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) ||
	    sched_getaffinity(0, sizeof(cpus), &cpus))
		return -1;
	/* this thread gets the zombie's CPU when the zombie has left it */
	if (!read_task(pid, &zombie) || put_on_cpu(0, zombie.cpu))
		return -1;
	return sched_setaffinity(0, sizeof(cpus), &cpus);
}

void *map_shared(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
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

double children_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

pid_t hold_hooks(int device)
{
	int pipes[2];
	pid_t pid;

	if (pipe(pipes))
		return -1;
	pid = fork();
	if (!pid) {
		struct profil_region region;
		struct profil_start start;

		count_all(&start, &region, map_memory(PAGE), 64, get_info(device).tick_hz);
		if (!call(device, PROFIL_IOC_START, &start))
			send_byte(pipes[1]);
		pause();
	}
	close(pipes[1]);
	receive_byte(pipes[0]);
	close(pipes[0]);
	return pid;
}
