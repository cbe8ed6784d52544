// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on threads, processes and descriptors.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "run.h"

#define MAX_PROCESSES	6	/* of a program */
#define MAX_THREADS	4
#define STACK_BYTES	(64UL << 10)

/* An unprivileged user that nothing else uses */
#define FUZZ_USER	1999980003

int fds[NR_FDS];
unsigned int opened[NR_FDS];

static pthread_t threads[MAX_THREADS];
static unsigned int nr_threads;
static char clone_stack[STACK_BYTES] __attribute__((aligned(16)));
static pid_t cloned;

extern char **environ;

static void put_fd(uint64_t at, int fd, unsigned int number)
{
	if (fds[at] >= 0)
		close(fds[at]);
	fds[at] = fd;
	opened[at] = number;
}

/*
 * Each process opens at most one device for each of its operations, and one more at the start:
 * fewer than MAX_FILES.
 */
static int open_device(uint64_t at)
{
	int fd = open("/dev/profil", O_RDWR | O_CLOEXEC | O_NONBLOCK);

	put_fd(at, fd, __atomic_fetch_add(&shared->nr_files, fd >= 0, __ATOMIC_RELAXED));
	return fd < 0 ? errno : 0;
}

void processes_init(void)
{
	int i, error;

	for (i = 0; i < NR_FDS; i++)
		fds[i] = -1;
	error = open_device(0);
	if (error)
		failure("/dev/profil: %s", strerror(error));
}

/* Use CPU time of the calling thread, which may be a CLONE_VM process. */
static void burn(uint64_t milliseconds)
{
	struct timespec now;
	volatile unsigned int i;
	uint64_t end = 0, ns;

	do {
		for (i = 0; i < 2000; i++)
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
		ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
		if (!end)
			end = ns + milliseconds * 1000000;
	} while (ns < end);
}

static void *burn_in_thread(void *milliseconds)
{
	burn((uintptr_t)milliseconds);
	return NULL;
}

static int burn_in_clone(void *milliseconds)
{
	burn((uintptr_t)milliseconds);
	_exit(0);
}

static bool one_more_process(void)
{
	return __atomic_add_fetch(&shared->processes, 1, __ATOMIC_RELAXED) <=
	       MAX_PROCESSES;
}

static void join_threads(void)
{
	while (nr_threads)
		pthread_join(threads[--nr_threads], NULL);
}

/* A process that shares the memory. There is one stack for it, so only one runs at a time. */
static int do_clone(uint64_t milliseconds, int flags)
{
	if (!one_more_process())
		return EAGAIN;
	if (cloned)
		waitpid(cloned, NULL, 0);
	cloned = clone(burn_in_clone, clone_stack + STACK_BYTES,
		       CLONE_VM | SIGCHLD | flags, (void *)milliseconds);
	if (cloned < 0) {
		cloned = 0;
		return errno;
	}
	return 0;
}

static int do_spawn(void)
{
	static char *const arguments[] = { "true", NULL };
	pid_t pid;

	if (!one_more_process())
		return EAGAIN;
	return posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environ);
}

/* Parent and child both continue with the next operation. */
static int do_fork(void)
{
	pid_t pid;

	if (!one_more_process())
		return EAGAIN;
	pid = fork();
	if (!pid) {
		nr_threads = 0;
		cloned = 0;
	}
	return pid < 0 ? errno : 0;
}

/* Execute the fuzzer, which continues with the next operation. */
static int do_exec(const struct program *program, unsigned int at)
{
	char text[MAX_OPERATIONS * MAX_LINE];
	char *const arguments[] = { "fuzz", "--rest", text, NULL };
	FILE *out = fmemopen(text, sizeof(text), "w");
	int error;

	if (!out)
		return errno;
	program_print(out, program, at + 1, "");
	fputc('\n', out);
	fclose(out);
	hold_fault_signal(true);
	execv("/proc/self/exe", arguments);
	error = errno;
	hold_fault_signal(false);
	return error;
}

/* Drop all privileges, and limit locked memory. */
static int do_user(uint64_t pages)
{
	struct rlimit limit = { pages * PAGE_BYTES, pages * PAGE_BYTES };

	/* dumpable, as after exec: else it may not open its own memory in /proc */
	return setrlimit(RLIMIT_MEMLOCK, &limit) || setgroups(0, NULL) ||
	       setresgid(FUZZ_USER, FUZZ_USER, FUZZ_USER) ||
	       setresuid(FUZZ_USER, FUZZ_USER, FUZZ_USER) ||
	       prctl(PR_SET_DUMPABLE, 1) ? errno : 0;
}

/* Send a descriptor through a socket; if @from is @to, it is not received. */
static int do_pass(uint64_t from, uint64_t to)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	char byte = 0;
	struct iovec data = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	int ends[2], fd = -1, error = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return errno;
	control.header = (struct cmsghdr){
		.cmsg_len = CMSG_LEN(sizeof(int)),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	};
	memcpy(CMSG_DATA(&control.header), &fds[from], sizeof(int));
	if (sendmsg(ends[0], &message, 0) < 0)
		error = errno;
	else if (from != to && recvmsg(ends[1], &message, MSG_CMSG_CLOEXEC) < 0)
		error = errno;
	else if (from != to)
		memcpy(&fd, CMSG_DATA(&control.header), sizeof(int));
	close(ends[0]);
	close(ends[1]);
	if (fd >= 0)
		put_fd(to, fd, opened[from]);
	return error;
}

int processes_do(const struct program *program, unsigned int at)
{
	const struct operation *operation = &program->operations[at];
	uint64_t n = operation->values[0].offset;
	int error;

	switch (operation->kind) {
	case OP_BURN:
		burn(n);
		return 0;
	case OP_THREAD:
		if (nr_threads == MAX_THREADS)
			join_threads();
		error = pthread_create(&threads[nr_threads], NULL, burn_in_thread, (void *)n);
		nr_threads += !error;
		return error;
	case OP_FORK:
		return do_fork();
	case OP_VFORK:
		return do_clone(n, CLONE_VFORK);
	case OP_CLONE:
		return do_clone(n, 0);
	case OP_SPAWN:
		return do_spawn();
	case OP_EXEC:
		return do_exec(program, at);
	case OP_USER:
		return do_user(n);
	case OP_OPEN:
		return open_device(n);
	case OP_CLOSE:
		put_fd(n, -1, 0);
		return 0;
	case OP_DUP:
		put_fd(operation->values[1].offset, dup(fds[n]), opened[n]);
		return fds[operation->values[1].offset] < 0 ? errno : 0;
	default:
		return do_pass(n, operation->values[1].offset);
	}
}

void processes_end(void)
{
	join_threads();
	while (wait(NULL) > 0 || errno == EINTR)
		;
}
