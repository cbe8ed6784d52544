// SPDX-License-Identifier: GPL-2.0-only
/*
 * storm SECONDS [PROCESSES [SEED]]: processes on all CPUs that execute random operations of a
 * profiled program: start, replace and stop profiles; unmap and change their memory; fork, exec,
 * create threads, exit, and kill each other; attach each other to logs, and read and close these.
 * Some processes belong to unprivileged users.
 *
 * The target is the kernel. Here, only a process that dies of a fault is an error. storm_test.sh
 * then checks that the module has released everything. All processes have been waited for by then.
 *
 * Exit status: 0 when the time is up; 1 if a process crashed.
 */
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "storm.h"
#include "storm_attach.h"

#define MAX_CHILDREN	2
#define MAX_DEPTH	3
#define MAX_THREADS	4

/* Unprivileged users; storm_test.sh has the same list */
static const uid_t users[] = { 1999980001, 1999980002 };

/* Descriptors that stay open across exec */
#define SHARED_FD	100
#define PROGRAM_FD	101

static long depth;

/*
 * Held while children are created, waited for or killed, so that no pid in the list can be reused
 * by another process.
 */
static pthread_mutex_t children_lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t children[MAX_CHILDREN];

static void run_operations(unsigned int nr);

/* Any signal other than those that the processes send each other is a crash. */
static void check_status(int status)
{
	if (!WIFSIGNALED(status) || WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM)
		return;
	printf("# signal %d killed a process\n", WTERMSIG(status));
	fflush(stdout);
	__atomic_add_fetch(&shared->crashes, 1, __ATOMIC_RELAXED);
}

static bool reap(pid_t *child)
{
	int status;

	if (*child && waitpid(*child, &status, WNOHANG) == *child) {
		*child = 0;
		check_status(status);
	}
	return !*child;
}

/* Takes the lock. Returns a free entry of the list, or NULL. */
static pid_t *lock_free_entry(void)
{
	int i;

	pthread_mutex_lock(&children_lock);
	for (i = 0; depth < MAX_DEPTH && i < MAX_CHILDREN; i++)
		if (reap(&children[i]))
			return &children[i];
	return NULL;
}

/* Stores the child, and releases the lock. Returns whether there is a child. */
static bool store_child(pid_t *entry, pid_t pid)
{
	if (pid > 0)
		*entry = pid;
	pthread_mutex_unlock(&children_lock);
	return pid > 0;
}

/* Runs in the child after fork. Parent and child share the memfd on purpose. */
static void init_child(void)
{
	pthread_mutex_init(&children_lock, NULL);
	memset(children, 0, sizeof(children));
	nr_threads = 1;
	depth++;
	new_random_state();
}

static bool do_fork(void)
{
	pid_t *entry = lock_free_entry(), pid = -1;

	if (entry)
		pid = fork();
	if (!pid) {
		init_child();
		run_operations((unsigned int)below(60));
		_exit(0);
	}
	return store_child(entry, pid);
}

static void execute(void)
{
	char depth_argument[24], *argv[] = {
		"storm", "child", depth_argument, NULL
	};

	snprintf(depth_argument, sizeof(depth_argument), "%ld", depth + 1);
	if (below(2))
		syscall(SYS_execveat, PROGRAM_FD, "", argv, environ, AT_EMPTY_PATH);
	else
		execv("/proc/thread-self/exe", argv);
}

static bool do_vfork(void)
{
	pid_t *entry = lock_free_entry();
	/* the child uses this stack until it executes or exits */
	volatile pid_t pid = -1;

	if (entry)
		pid = vfork();
	if (!pid) {
		execute();
		_exit(0);
	}
	return store_child(entry, pid);
}

static bool do_spawn(void)
{
	char *argv[] = { "storm", "child", "1", NULL };
	pid_t *entry = lock_free_entry(), pid = -1;

	if (!entry || posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ))
		pid = -1;
	return store_child(entry, pid);
}

/* Executes the program again, from any thread. */
static bool do_exec(void)
{
	if (depth < MAX_DEPTH)
		execute();
	return false;
}

static bool do_failing_exec(void)
{
	char *argv[] = { "nothing", NULL };

	return execv("/nonexistent", argv) == -1;
}

static bool do_kill(void)
{
	bool done = false;
	int i;

	pthread_mutex_lock(&children_lock);
	for (i = 0; i < MAX_CHILDREN && !done; i++)
		if (!reap(&children[i]))
			done = !kill(children[i], below(2) ? SIGKILL : SIGTERM);
	pthread_mutex_unlock(&children_lock);
	return done;
}

static bool do_exit(void)
{
	switch (below(4)) {
	case 0:
		kill(getpid(), SIGKILL);
		break;
	case 1:
		exit(0);
	case 2:
		_exit(0);
	default:
		/*
		 * The other threads continue. pthread_exit() would load a library, and a child
		 * that another thread forks at that time would have it half loaded.
		 */
		__atomic_sub_fetch(&nr_threads, 1, __ATOMIC_SEQ_CST);
		syscall(SYS_exit, 0);
	}
	return true;
}

static void *thread(void *unused)
{
	new_random_state();
	run_operations((unsigned int)below(40));
	__atomic_sub_fetch(&nr_threads, 1, __ATOMIC_SEQ_CST);
	return unused;
}

static bool do_thread(void)
{
	pthread_attr_t attributes;
	pthread_t new;
	bool done;

	if (__atomic_add_fetch(&nr_threads, 1, __ATOMIC_SEQ_CST) > MAX_THREADS) {
		__atomic_sub_fetch(&nr_threads, 1, __ATOMIC_SEQ_CST);
		return false;
	}
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 256 * 1024);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	done = !pthread_create(&new, &attributes, thread, NULL);
	if (!done)
		__atomic_sub_fetch(&nr_threads, 1, __ATOMIC_SEQ_CST);
	pthread_attr_destroy(&attributes);
	return done;
}

static bool do_move(void)
{
	return !put_on_cpu(0, (int)below((uint64_t)sysconf(_SC_NPROCESSORS_ONLN)));
}

static bool do_sleep(void)
{
	return !usleep((useconds_t)below(3000));
}

/* --- the storm ------------------------------------------------------------- */

static const struct operation {
	const char *name;
	bool (*run)(void);
	unsigned int weight;
} operations[] = {
	{ "start", do_start, 10 },
	{ "start on hit", do_start_on_hit, 10 },
	{ "on the stack", do_stack, 2 },
	{ "stop", do_stop, 4 },
	{ "status", do_status, 6 },
	{ "burn", do_burn, 20 },
	{ "attach", do_attach, 8 },
	{ "read a log", do_read_log, 8 },
	{ "close a log", do_close_log, 3 },
	{ "map", do_map, 6 },
	{ "munmap", do_munmap, 4 },
	{ "mprotect", do_mprotect, 4 },
	{ "madvise", do_madvise, 8 },
	{ "mremap", do_mremap, 4 },
	{ "truncate", do_truncate, 2 },
	{ "touch", do_touch, 4 },
	{ "clear_refs", do_clear_refs, 1 },
	{ "fork", do_fork, 10 },
	{ "vfork", do_vfork, 2 },
	{ "spawn", do_spawn, 2 },
	{ "exec", do_exec, 1 },
	{ "failing exec", do_failing_exec, 2 },
	{ "kill", do_kill, 4 },
	{ "thread", do_thread, 6 },
	{ "move", do_move, 2 },
	{ "sleep", do_sleep, 2 },
	{ "exit", do_exit, 1 },
};

#define NR_OPERATIONS	(sizeof(operations) / sizeof(*operations))

static void do_one(void)
{
	static unsigned int sum;
	unsigned int weights = 0;
	size_t i;

	if (!sum) {
		for (i = 0; i < NR_OPERATIONS; i++)
			weights += operations[i].weight;
		sum = weights;
	}
	weights = (unsigned int)below(sum);
	for (i = 0; weights >= operations[i].weight; i++)
		weights -= operations[i].weight;
	/* counted first, because some operations do not return */
	__atomic_add_fetch(&shared->figures[i].done, 1, __ATOMIC_RELAXED);
	if (operations[i].run())
		return;
	__atomic_sub_fetch(&shared->figures[i].done, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&shared->figures[i].refused, 1, __ATOMIC_RELAXED);
}

static void run_operations(unsigned int nr)
{
	while (nr-- && !time_is_up())
		do_one();
}

/* Runs at the start of each program, also after exec. */
static void init_program(void)
{
	new_random_state();
	device = open_device();
	tick_hz = get_info(device).tick_hz;
	memfd = memfd_create("counters", MFD_CLOEXEC);
	zeroes = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (device < 0 || memfd < 0 || zeroes < 0 || ftruncate(memfd, (off_t)ARENA_BYTES))
		_exit(2);
	map_at((char *)ARENA, ARENA_BYTES);
}

/* Half of the processes are root; the others are users with a small RLIMIT_MEMLOCK. */
static void run_process(pid_t group)
{
	struct rlimit limit = { 0 };
	uid_t user;

	setpgid(0, group);
	signal(SIGTERM, SIG_DFL);
	new_random_state();
	if (!geteuid() && below(2)) {
		user = users[below(2)];
		limit.rlim_cur = (8 + below(200)) * PAGE;
		limit.rlim_max = limit.rlim_cur;
		if (setrlimit(RLIMIT_MEMLOCK, &limit) ||
		    setresgid(user, user, user) || setresuid(user, user, user))
			_exit(2);
	}
	init_program();
	run_operations(20 + (unsigned int)below(200));
	exit(0);
}

static void share(double seconds, uint64_t seed)
{
	int fd = memfd_create("storm", 0);
	int program = open("/proc/self/exe", O_PATH);

	if (fd < 0 || ftruncate(fd, sizeof(*shared)) ||
	    dup2(fd, SHARED_FD) != SHARED_FD ||
	    dup2(program, PROGRAM_FD) != PROGRAM_FD) {
		perror("storm");
		exit(1);
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, SHARED_FD, 0);
	shared->deadline = clock_seconds(CLOCK_MONOTONIC) + seconds;
	shared->seed = seed;
}

/* As a subreaper, this process also waits for all descendants whose parents have exited. */
static void run_storm(long nr_processes)
{
	pid_t anchor, pid, *pids = calloc((size_t)nr_processes, sizeof(*pids));
	long i, alive;
	int status;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* holds the process group, so that all of them can be killed */
	anchor = fork();
	if (!anchor) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	setpgid(anchor, anchor);
	while (!time_is_up()) {
		for (i = 0, alive = 0; i < nr_processes; i++) {
			if (!pids[i])
				pids[i] = fork();
			if (!pids[i])
				run_process(anchor);
			if (pids[i] < 0)
				pids[i] = 0;
			alive += pids[i] > 0;
		}
		if (!alive)
			continue;
		pid = waitpid(-1, &status, 0);
		check_status(status);
		for (i = 0; i < nr_processes; i++)
			if (pids[i] == pid)
				pids[i] = 0;
	}
	kill(-anchor, SIGKILL);
	while (waitpid(-1, &status, 0) > 0)
		check_status(status);
	free(pids);
}

int main(int argc, char **argv)
{
	long nr_processes = 2 * sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t seed = (uint64_t)time(NULL), sum = 0;
	struct rlimit no_core = { 0, 0 };
	size_t i;

	if (argc == 3 && !strcmp(argv[1], "child")) {
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			      MAP_SHARED, SHARED_FD, 0);
		if (shared == MAP_FAILED)
			return 2;
		depth = strtol(argv[2], NULL, 10);
		init_program();
		run_operations((unsigned int)below(40));
		return 0;
	}
	if (argc < 2 || argc > 4 || strtod(argv[1], NULL) <= 0) {
		fputs("usage: storm SECONDS [PROCESSES [SEED]]\n", stderr);
		return 2;
	}
	if (argc > 2)
		nr_processes = strtol(argv[2], NULL, 10);
	if (argc > 3)
		seed = strtoull(argv[3], NULL, 10);
	device = open_device();
	if (device < 0) {
		perror("storm: /dev/profil");
		return 1;
	}
	close(device);
	setrlimit(RLIMIT_CORE, &no_core);
	share(strtod(argv[1], NULL), seed);
	printf("# seed %llu, %ld processes and their children\n",
	       (unsigned long long)seed, nr_processes);
	fflush(stdout);
	run_storm(nr_processes);

	for (i = 0; i < NR_OPERATIONS; i++) {
		printf("# %-12s %8llu done %8llu refused\n", operations[i].name,
		       (unsigned long long)shared->figures[i].done,
		       (unsigned long long)shared->figures[i].refused);
		sum += shared->figures[i].done;
	}
	printf("# %llu processes and threads, %llu operations\n",
	       (unsigned long long)shared->processes, (unsigned long long)sum);
	if (shared->crashes)
		printf("# %llu processes crashed\n",
		       (unsigned long long)shared->crashes);
	return shared->crashes ? 1 : 0;
}
