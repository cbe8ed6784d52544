// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starts helper processes, sends requests to them, and executes requests in them.
 */
#include "eventually.h"
#include "load/helper_process.h"

long ask_at(int socket, enum request request, long argument, int generation)
{
	struct message message = {
		.request = request,
		.argument = argument,
		.generation = generation,
	};
	long answer;

	if (send(socket, &message, sizeof(message), MSG_NOSIGNAL) < 0 ||
	    recv(socket, &answer, sizeof(answer), 0) != sizeof(answer))
		return -1;
	return answer;
}

long ask(const struct helper *helper, enum request request, long argument)
{
	return ask_at(helper->socket, request, argument, 0);
}

long ask_child(const struct helper *helper, enum request request, long argument)
{
	return ask_at(helper->socket, request, argument, 1);
}

/* These run in the helper. */

static int device;
static struct helper child = { .socket = -1 };

static long start(size_t pages, unsigned int nr_regions, unsigned int flags)
{
	static struct profil_region regions[MAX_REGIONS];
	struct profil_start arg;
	unsigned int i;
	char *memory = map_memory(pages * PAGE);

	if (memory == MAP_FAILED)
		return errno;
	count_all(&arg, &regions[0], memory, 64, get_info(device).tick_hz);
	arg.flags = flags;
	arg.nr_regions = nr_regions;
	regions[0].bytes = pages * PAGE / nr_regions / 8 * 8;
	/* the last region has no end, so that it contains all other code */
	for (i = 1; i < nr_regions; i++) {
		regions[i] = regions[i - 1];
		regions[i - 1].end = i * 16;
		regions[i].start = i * 16;
		regions[i].buf += regions[i].bytes;
	}
	return call(device, PROFIL_IOC_START, &arg);
}

static void serve(int socket) __attribute__((noreturn));

/* A helper is killed when its parent ends. */
static void follow_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static long fork_helper(void)
{
	int sockets[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return errno;
	child.pid = fork();
	if (!child.pid) {
		follow_parent();
		close(sockets[0]);
		child.socket = -1;
		serve(sockets[1]);
	}
	close(sockets[1]);
	child.socket = sockets[0];
	return child.pid < 0 ? errno : 0;
}

static long end_child(void)
{
	ask_at(child.socket, EXIT, 0, 0);
	close(child.socket);
	return waitpid(child.pid, NULL, 0) == child.pid ? 0 : errno;
}

/*
 * Forks @nr children that exist at the same time and use CPU time. Returns how many have pages
 * pinned, or -1.
 */
static long fork_many(int nr)
{
	int answers[2], wait[2], i;
	char has_pages;
	long nr_pinned = 0;

	if (pipe(answers) || pipe(wait))
		return -1;
	for (i = 0; i < nr; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return -1;
		if (!pid) {
			burn(0.05);
			has_pages = get_status(device).pinned_bytes > 0;
			close(wait[1]);
			if (write(answers[1], &has_pages, 1) != 1 || read(wait[0], &has_pages, 1))
				_exit(1);
			_exit(0);
		}
	}
	for (i = 0; i < nr; i++) {
		if (read(answers[0], &has_pages, 1) != 1)
			return -1;
		nr_pinned += has_pages;
	}
	close(wait[1]);
	while (waitpid(-1, NULL, 0) > 0)
		;
	close(wait[0]);
	close(answers[0]);
	close(answers[1]);
	return nr_pinned;
}

/* Uses CPU time for @nr samples, if any. */
static void take_samples(long nr)
{
	uint64_t enough = get_status(device).samples + (uint64_t)nr;

	if (nr)
		WORK_UNTIL(burn(seconds_for((unsigned int)nr, rate_of(device))),
			   get_status(device).samples >= enough);
}

static long execute(int socket)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", socket);
	setenv("PROFIL_LIMITS_SOCKET", number, 1);
	fcntl(socket, F_SETFD, 0);
	execl("/proc/self/exe", "limits_test", NULL);
	return errno;
}

static long carry_out(int socket, enum request request, long argument)
{
	switch (request) {
	case START:
		return start((size_t)argument, 1, 0);
	case START_ON_HIT:
		return start((size_t)argument, 1, PROFIL_PIN_ON_HIT);
	case START_REGIONS:
		/* one counter each, in few pages */
		return start(((size_t)argument * 8 + PAGE - 1) / PAGE, (unsigned int)argument, 0);
	case STOP:
		return stop(device).state;
	case STATE:
		return get_status(device).state;
	case FORKS_FOLLOWED:
		return (long)get_status(device).forks_followed;
	case FORK_FAILURES:
		return (long)get_status(device).fork_failures;
	case PINNED:
		return (long)(get_status(device).pinned_bytes / PAGE);
	case LOST:
		take_samples(argument);
		return (long)get_status(device).lost;
	case COUNTED:
		take_samples(argument);
		return (long)get_status(device).counted;
	case ERROR:
		return get_status(device).error;
	case FORK:
		return fork_helper();
	case END_CHILD:
		return end_child();
	case FORK_MANY:
		return fork_many((int)argument);
	case EXEC:
		return execute(socket);
	case SETUID:
		return setresuid((uid_t)argument, (uid_t)argument, (uid_t)argument) ? errno : 0;
	case EXIT:
		_exit(0);
	}
	return -1;
}

static void serve(int socket)
{
	struct message message;
	long answer;

	for (;;) {
		if (recv(socket, &message, sizeof(message), 0) !=
		    sizeof(message))
			_exit(0);
		if (message.generation)
			answer = ask_at(child.socket, message.request, message.argument,
					message.generation - 1);
		else
			answer = carry_out(socket, message.request, message.argument);
		if (send(socket, &answer, sizeof(answer), MSG_NOSIGNAL) < 0)
			_exit(1);
	}
}

/* Runs in the program that a helper has executed: this one, but it continues to serve requests. */
static void __attribute__((constructor)) constructor(void)
{
	const char *socket = getenv("PROFIL_LIMITS_SOCKET");
	long done = 0;

	if (!socket)
		return;
	device = open_device();
	if (send(atoi(socket), &done, sizeof(done), MSG_NOSIGNAL) > 0)
		serve(atoi(socket));
	_exit(1);
}

static int keep(uint32_t capabilities)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ .effective = capabilities, .permitted = capabilities },
	};

	return syscall(SYS_capset, &header, data) ? errno : 0;
}

/* Becomes root in a user namespace, as in a container. Returns -1 with errno on error. */
static int enter_container(void)
{
	char map[64];

	snprintf(map, sizeof(map), "0 %u 1", (unsigned int)geteuid());
	/* otherwise the /proc files of a process that has changed its user belong to root */
	prctl(PR_SET_DUMPABLE, 1);
	if (unshare(CLONE_NEWUSER))
		return -1;
	if (!write_text("/proc/self/uid_map", map) && !setresuid(0, 0, 0) && !geteuid())
		return 0;
	errno = EIO;
	return -1;
}

/* Becomes a user who may lock @pages pages. Returns 0 or an errno. */
static int become(uid_t uid, size_t pages, unsigned int how)
{
	struct rlimit limit = {
		.rlim_cur = pages * PAGE,
		.rlim_max = pages * PAGE,
	};
	uint32_t capabilities = 0;

	if (how & KEEP_IPC_LOCK)
		capabilities |= 1U << CAP_IPC_LOCK;
	if (how & KEEP_SETUID)
		capabilities |= 1U << CAP_SETUID;
	if (setrlimit(RLIMIT_MEMLOCK, &limit) ||
	    prctl(PR_SET_KEEPCAPS, capabilities ? 1 : 0) ||
	    setgroups(0, NULL) || setresgid(uid, uid, uid) ||
	    setresuid(uid, uid, uid))
		return errno;
	if (uid && keep(capabilities))
		return errno;
	if (how & CONTAINER && enter_container())
		return errno;
	follow_parent();
	return 0;
}

struct helper start_helper(uid_t uid, size_t pages, unsigned int how)
{
	struct helper helper = { .socket = -1 };
	unsigned long flags = SIGCHLD;
	int sockets[2];
	long error = ESRCH;

	if (how & PID_NAMESPACE)
		flags |= CLONE_NEWPID;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return helper;
	helper.pid = (pid_t)syscall(SYS_clone, flags, 0, 0, 0, 0);
	if (!helper.pid) {
		close(sockets[0]);
		error = become(uid, pages, how);
		/* no longer as root, so that the descriptor has no privilege */
		device = open_device();
		if (send(sockets[1], &error, sizeof(error), MSG_NOSIGNAL) < 0 || error)
			_exit(1);
		serve(sockets[1]);
	}
	close(sockets[1]);
	if (helper.pid > 0)
		recv(sockets[0], &error, sizeof(error), 0);
	else
		error = errno;
	if (error) {
		close(sockets[0]);
		errno = (int)error;
	} else {
		helper.socket = sockets[0];
	}
	return helper;
}

void stop_helper(struct helper *helper)
{
	ask(helper, EXIT, 0);
	close(helper->socket);
	helper->socket = -1;
	waitpid(helper->pid, NULL, 0);
}
