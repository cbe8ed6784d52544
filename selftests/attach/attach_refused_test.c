// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which processes can be attached, and by whom. Each refusal has one errno, and starts nothing. A
 * program that the caller may not trace gets no sample.
 */
#include <limits.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "attach/target.h"
#include "eventually.h"
#include "executable.h"
#include "files.h"
#include "kernel/tasks.h"

#define USER		61100	/* of the targets; no other test uses these two */
#define OTHER		61101
#define USER_PAGES	64	/* RLIMIT_MEMLOCK: two logs, and some more */

#define YAMA		"/proc/sys/kernel/yama/ptrace_scope"

FIXTURE(refused) {
	int device;
	struct target target;
	struct profil_attach attach;
	struct records records;
	long long sessions;
	char dir[32];		/* permits set-user-ID programs */
	char path[64];		/* a program there */
	int *shared;
	char yama[2];		/* the setting before the test */
};

/* At the start of a target: it lives until it is killed. */
FIXTURE_SETUP(refused)
{
	REQUIRE_ATTACH(self->device);
	if (geteuid())
		SKIP(return, "needs root");
	self->sessions = settled_figure("sessions");
	self->records = (struct records) { 0 };
	self->shared = map_shared(PAGE);
	self->dir[0] = 0;
	self->yama[0] = (char)('0' + read_number(YAMA, ""));
	self->yama[1] = 0;
	write_text(YAMA, "0");
	ASSERT_EQ(0, start_target(&self->target, self->device, wait_for_ever, NULL));
	self->attach = attachment(self->device, &self->target);
}

/* Nothing was started, or it has ended with the target. */
FIXTURE_TEARDOWN(refused)
{
	kill_target(&self->target);
	free_records(&self->records);
	close(self->device);
	write_text(YAMA, self->yama);
	EXPECT_EQ(self->sessions, await_figure("sessions", self->sessions));
	if (self->dir[0])
		remove_tree(self->dir);
}

#define ATTACH(error)							\
	EXPECT_EQ(error, call(self->device, PROFIL_IOC_ATTACH, &self->attach))

/* Refused, with nothing started */
#define REFUSED(error)							\
	do {								\
		ATTACH(error);						\
		EXPECT_EQ(PROFIL_STATE_OFF, log_status(self->device).state); \
	} while (0)

/* Attaches by this descriptor, which it closes. */
#define REFUSED_MEM(error, descriptor)					\
	do {								\
		self->attach.mem = (descriptor);			\
		ASSERT_LE(0, self->attach.mem);				\
		REFUSED(error);						\
		close(self->attach.mem);				\
		self->attach.mem = self->target.mem;			\
	} while (0)

/* The other tests change one thing of this. */
TEST_F(refused, good_one_is_accepted)
{
	ATTACH(0);
	EXPECT_EQ(PROFIL_STATE_RUNNING, log_status(self->device).state);
	EXPECT_EQ(self->sessions + 1, figure("sessions"));
}

TEST_F(refused, fields)
{
	struct {
		struct profil_attach attach;
		uint64_t tail;
	} longer = { .attach = self->attach };
	struct profil_attach good = self->attach, *attach = &self->attach;
	uint32_t flags[] = {
		PROFIL_PC_LOG, PROFIL_PIN_ON_HIT, PROFIL_THREAD_ONLY, PROFIL_FAULT_SIGNAL,
		PROFIL_CHECK_ON_HIT, 0x200, 0x80000000, PROFIL_USER_ONLY | PROFIL_KERNEL_ONLY,
	};
	const uint32_t first = offsetof(struct profil_attach, stack_bytes);
	uint32_t sizes[] = { 0, 4, first - 8, first - 1 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		attach->size = sizes[i];
		REFUSED(EINVAL);
	}
	attach->size = (uint32_t)PAGE + 8; REFUSED(E2BIG);
	longer.attach.size = sizeof(longer);
	longer.tail = 1;
	EXPECT_EQ(E2BIG, call(self->device, PROFIL_IOC_ATTACH, &longer));
	EXPECT_EQ(EFAULT, call(self->device, PROFIL_IOC_ATTACH, (void *)8));
	*attach = good;
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		attach->flags = flags[i];
		REFUSED(EINVAL);
	}
	*attach = good;
	attach->rate = 0; REFUSED(EINVAL);
	attach->rate = 20001; REFUSED(EINVAL);
	attach->rate = ~0U; REFUSED(EINVAL);
	*attach = good;
	attach->clock = PROFIL_CLOCK_RANDOM + 1; REFUSED(EINVAL);
	attach->clock = PROFIL_CLOCK_TICK;
	attach->rate = get_info(self->device).tick_hz + 1; REFUSED(EINVAL);
	*attach = good;
	attach->log_bytes = 0; REFUSED(EINVAL);
	attach->log_bytes = LEAST_LOG / 2; REFUSED(EINVAL);
	attach->log_bytes = 3 * LEAST_LOG; REFUSED(EINVAL);
	attach->log_bytes = 2 * LARGEST_LOG; REFUSED(EINVAL);
	/* without stacks, there is nothing to say about them */
	*attach = good;
	attach->stack_words = 1; REFUSED(EINVAL);
	*attach = good;
	attach->text[1] = 1; REFUSED(EINVAL);
	/* zeroes after the known fields are accepted */
	*attach = good;
	longer.tail = 0;
	EXPECT_EQ(0, call(self->device, PROFIL_IOC_ATTACH, &longer));
}

TEST_F(refused, fields_of_stacks)
{
	struct profil_attach good = self->attach, *attach = &self->attach;
	const bool possible = get_info(self->device).features & PROFIL_FEATURE_STACKS;

	good.stack_bytes = PROFIL_STACK_BYTES_MAX;
	good.stack_words = PROFIL_STACK_WORDS_MAX;
	good.log_bytes = 2 << 20;
	*attach = good;
	attach->stack_bytes = 7; REFUSED(EINVAL);
	attach->stack_bytes = PROFIL_STACK_BYTES_MAX + 8; REFUSED(EINVAL);
	attach->stack_bytes = 0; REFUSED(EINVAL);
	*attach = good;
	attach->stack_words = 0; REFUSED(EINVAL);
	attach->stack_words = PROFIL_STACK_WORDS_MAX + 1; REFUSED(EINVAL);
	*attach = good;
	attach->log_bytes /= 2; REFUSED(EINVAL);
	*attach = good;
	attach->text[0] = 2; REFUSED(EINVAL);
	attach->text[1] = 1; REFUSED(EINVAL);
	*attach = good;
	attach->text[2] = 2; REFUSED(EINVAL);
	attach->text[3] = 1; REFUSED(EINVAL);
	*attach = good;
	ATTACH(possible ? 0 : EOPNOTSUPP);
}

/* Only a file of the kind mem is a proof: others of /proc can be opened with fewer rights. */
TEST_F(refused, other_kinds_of_files)
{
	static const char *const of_the_target[] = {
		"maps", "smaps", "pagemap", "stat", "auxv", "environ", "cmdline", "exe", "root",
		"ns/pid", "",
	};
	static const char *const files[] = {
		"/dev/zero", "/dev/profil", "/proc", "/proc/self/exe",
	};
	pid_t pid = self->target.pid;
	int ends[2];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(of_the_target); i++)
		REFUSED_MEM(EINVAL, open_of(pid, of_the_target[i], O_RDONLY));
	REFUSED_MEM(EINVAL, open_of(pid, "clear_refs", O_WRONLY));
	for (i = 0; i < ARRAY_SIZE(files); i++)
		REFUSED_MEM(EINVAL, open(files[i], O_RDONLY));
	REFUSED_MEM(EINVAL, memfd_create("mem", 0));
	REFUSED_MEM(EINVAL, socket(AF_UNIX, SOCK_STREAM, 0));
	REFUSED_MEM(EINVAL, epoll_create1(0));
	REFUSED_MEM(EINVAL, (int)syscall(SYS_pidfd_open, pid, 0));
	REFUSED_MEM(EINVAL, dup(self->device));
	ASSERT_EQ(0, pipe(ends));
	REFUSED_MEM(EINVAL, ends[0]);
	REFUSED_MEM(EINVAL, ends[1]);
}

TEST_F(refused, no_descriptor)
{
	int descriptor = dup(self->target.mem);

	REFUSED_MEM(EBADF, open_of(self->target.pid, "mem", O_PATH));
	close(descriptor);
	self->attach.mem = descriptor; REFUSED(EBADF);
	self->attach.mem = -1; REFUSED(EBADF);
	self->attach.mem = AT_FDCWD; REFUSED(EBADF);
	self->attach.mem = 1 << 30; REFUSED(EBADF);
}

/* Opened for reading, for writing, or for both */
TEST_F(refused, not_by_the_mode)
{
	static const int modes[] = { O_RDONLY, O_WRONLY, O_RDWR };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		self->attach.mem = open_of(self->target.pid, "mem", modes[i]);
		ATTACH(0);
		close(self->attach.mem);
		close(self->device);
		self->device = open_device();
	}
}

static void *wait_in_thread(void *data)
{
	__atomic_store_n((int *)data, (int)gettid(), __ATOMIC_RELEASE);
	wait_for_ever(NULL);
	return NULL;
}

static void make_a_thread(void *data)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_in_thread, data);
	wait_for_ever(NULL);
}

TEST_F(refused, no_such_process)
{
	static const pid_t pids[] = { 0, -1, 1 << 30, INT_MIN, INT_MAX };
	struct target ended, threads;
	struct task task;
	siginfo_t info;
	pid_t tid;
	size_t i;
	int mem;

	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		self->attach.pid = pids[i];
		REFUSED(ESRCH);
	}
	/* a process that exists, and the descriptor of another one */
	self->attach.pid = getpid(); REFUSED(ESRCH);
	self->attach.pid = self->target.pid;
	REFUSED_MEM(ESRCH, open("/proc/self/mem", O_RDWR));
	/* a thread is no process */
	ASSERT_EQ(0, start_target(&threads, self->device, make_a_thread, self->shared));
	release(&threads);
	while (!(tid = __atomic_load_n(self->shared, __ATOMIC_ACQUIRE)))
		usleep(1000);
	self->attach.pid = tid;
	REFUSED_MEM(ESRCH, open_of(tid, "mem", O_RDONLY));
	kill_target(&threads);
	/* ended: a zombie, and then none */
	ASSERT_EQ(0, start_target(&ended, self->device, wait_for_ever, NULL));
	mem = dup(ended.mem);
	self->attach.pid = ended.pid;
	self->attach.mem = mem;
	kill(ended.pid, SIGKILL);
	ASSERT_EQ(0, waitid(P_PID, (id_t)ended.pid, &info, WEXITED | WNOWAIT));
	REFUSED(ESRCH);
	kill_target(&ended);
	REFUSED(ESRCH);
	close(mem);
	if (!read_task(2, &task) || strcmp(task.name, "kthreadd"))
		return;
	/* kernel threads have no memory */
	self->attach.pid = 2;
	mem = open_of(2, "mem", O_RDONLY);
	self->attach.mem = mem >= 0 ? mem : self->target.mem;
	REFUSED(ESRCH);
	close(mem);
}

/* Executes this program again, which then uses CPU time and exits. */
static void execute(const char *path)
{
	execl(path, "program", "task", NULL);
	_exit(99);
}

static void execute_itself(void *unused)
{
	(void)unused;
	execl("/proc/self/exe", "program", "task", "wait", NULL);
	_exit(99);
}

/* The descriptor is of the memory of the earlier program, whose user may have had fewer rights. */
TEST_F(refused, executed_since)
{
	struct target target;

	ASSERT_EQ(0, start_target(&target, self->device, execute_itself, NULL));
	self->attach.pid = target.pid;
	self->attach.mem = target.mem;
	release(&target);
	/* memory that has gone reads as an empty file */
	ASSERT_TRUE(EVENTUALLY(!pread(target.mem, self->shared, 1, (off_t)(uintptr_t)self)));
	REFUSED(ESRCH);
	self->attach.mem = open_of(target.pid, "mem", O_RDONLY);
	ATTACH(0);
	kill_target(&target);
}

/* --- other users ------------------------------------------------------------------------- */

/* The rest of a test, in a process that is an unprivileged user with a device of its own */
typedef void as_user(struct __test_metadata *_metadata, struct _test_data_refused *self);

static void run_as(struct __test_metadata *_metadata, struct _test_data_refused *self, uid_t uid,
		   size_t pages, as_user *run)
{
	pid_t pid = fork();

	if (!pid) {
		close(self->device);
		/* as after a login: changing the user has forbidden to trace its processes */
		if (become_user(uid, pages) || prctl(PR_SET_DUMPABLE, 1))
			_exit(97);
		self->device = open_device();
		run(_metadata, self);
		_exit(!__test_passed(_metadata));
	}
	EXPECT_EQ(0, wait_for(pid));
}

/* Starts a target of the user, and fills in its attachment. */
static void start_own(struct __test_metadata *_metadata, struct _test_data_refused *self,
		      void (*run)(void *arg))
{
	ASSERT_EQ(0, start_target(&self->target, self->device, run, self));
	self->attach = attachment(self->device, &self->target);
}

/* Expects that mem of the target cannot be opened. */
static void expect_unreadable(struct __test_metadata *_metadata, struct _test_data_refused *self)
{
	EXPECT_EQ(-1, open_of(self->target.pid, "mem", O_RDONLY));
	EXPECT_EQ(EACCES, errno);
	/* nor can it be attached without */
	self->attach.mem = open("/proc/self/mem", O_RDONLY);
	REFUSED(ESRCH);
	close(self->attach.mem);
	self->attach.mem = open_of(self->target.pid, "stat", O_RDONLY);
	REFUSED(EINVAL);
	close(self->attach.mem);
}

TEST_F(refused, process_of_another_user)
{
	run_as(_metadata, self, USER, USER_PAGES, expect_unreadable);
}

/* A process of USER, which permits its user to trace it, or not */
static void fork_for_ever(void *unused)
{
	pid_t pid;

	(void)unused;
	for (;;) {
		pid = fork();
		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
}

/* Not even for a moment: a fork in that moment would make the child a target for good. */
TEST_F(refused, another_process_by_own_memory)
{
	struct target victim;
	int calls;

	ASSERT_EQ(0, start_target(&victim, self->device, fork_for_ever, NULL));
	release(&victim);
	/* a log that takes records */
	self->attach.pid = getpid();
	self->attach.mem = open("/proc/self/mem", O_RDONLY);
	ATTACH(0);
	self->attach.pid = victim.pid;
	for (calls = 0; calls < 100000; calls++)
		ATTACH(ESRCH);
	kill_target(&victim);
	ASSERT_EQ(0, fcntl(self->device, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(EAGAIN, read_all(&self->records, self->device));
	EXPECT_EQ(0, count_records(&self->records, PROFIL_RECORD_FORK, ANY));
	EXPECT_EQ(0, count_records(&self->records, PROFIL_RECORD_EXIT, ANY));
	EXPECT_EQ(samples_of(&self->records, getpid()), samples_of(&self->records, ANY));
	EXPECT_EQ(0, sum_lost(&self->records).records);
	close(self->attach.mem);
}

static void become_traceable(void *data)
{
	become_user(USER, USER_PAGES);
	prctl(PR_SET_DUMPABLE, 1);
	__atomic_store_n(((struct _test_data_refused *)data)->shared, 1, __ATOMIC_RELEASE);
	wait_for_ever(NULL);
}

static void become_untraceable(void *data)
{
	become_user(USER, USER_PAGES);
	prctl(PR_SET_DUMPABLE, 0);
	__atomic_store_n(((struct _test_data_refused *)data)->shared, 1, __ATOMIC_RELEASE);
	wait_for_ever(NULL);
}

/* Replaces the target. Its mem is open already, so the caller opens another. */
static void start_user_process(struct __test_metadata *_metadata, struct _test_data_refused *self,
			       void (*become)(void *data))
{
	kill_target(&self->target);
	*self->shared = 0;
	ASSERT_EQ(0, start_target(&self->target, self->device, become, self));
	self->attach.pid = self->target.pid;
	release(&self->target);
	ASSERT_TRUE(EVENTUALLY(__atomic_load_n(self->shared, __ATOMIC_ACQUIRE)));
}

static void attach_by_pid(struct __test_metadata *_metadata, struct _test_data_refused *self)
{
	self->attach.mem = open_of(self->target.pid, "mem", O_RDONLY);
	ASSERT_LE(0, self->attach.mem);
	ATTACH(0);
}

TEST_F(refused, process_that_forbids_it)
{
	start_user_process(_metadata, self, become_traceable);
	run_as(_metadata, self, USER, USER_PAGES, attach_by_pid);
	run_as(_metadata, self, OTHER, USER_PAGES, expect_unreadable);
	start_user_process(_metadata, self, become_untraceable);
	run_as(_metadata, self, USER, USER_PAGES, expect_unreadable);
	/* root may */
	self->attach.mem = open_of(self->target.pid, "mem", O_RDONLY);
	ATTACH(0);
}

/* --- Yama -------------------------------------------------------------------------------- */

static void attach_child(struct __test_metadata *_metadata, struct _test_data_refused *self)
{
	start_own(_metadata, self, wait_for_ever);
	ATTACH(0);
	kill_target(&self->target);
}

static void expect_child_unreadable(struct __test_metadata *_metadata,
				    struct _test_data_refused *self)
{
	EXPECT_EQ(EACCES, start_target(&self->target, self->device, wait_for_ever, NULL));
	expect_unreadable(_metadata, self);
	kill_target(&self->target);
}

/* Kernel parameter: 0 all processes of the user, 1 descendants, 2 none without CAP_SYS_PTRACE */
TEST_F(refused, by_yama)
{
	if (access(YAMA, F_OK))
		SKIP(return, "the kernel has no Yama");
	start_user_process(_metadata, self, become_traceable);
	run_as(_metadata, self, USER, USER_PAGES, attach_by_pid);
	EXPECT_EQ(0, write_text(YAMA, "1"));
	run_as(_metadata, self, USER, USER_PAGES, expect_unreadable);
	run_as(_metadata, self, USER, USER_PAGES, attach_child);
	EXPECT_EQ(0, write_text(YAMA, "2"));
	run_as(_metadata, self, USER, USER_PAGES, expect_unreadable);
	run_as(_metadata, self, USER, USER_PAGES, expect_child_unreadable);
}

/* --- limits ------------------------------------------------------------------------------ */

static void expect_no_memory(struct __test_metadata *_metadata, struct _test_data_refused *self)
{
	start_own(_metadata, self, wait_for_ever);
	REFUSED(ENOMEM);
	kill_target(&self->target);
}

static void fill_the_limit(struct __test_metadata *_metadata, struct _test_data_refused *self)
{
	int other = open_device();
	struct target first;

	start_own(_metadata, self, wait_for_ever);
	first = self->target;
	self->attach.log_bytes = LEAST_LOG * 2;
	ATTACH(0);
	EXPECT_EQ(0, start_target(&self->target, self->device, wait_for_ever, NULL));
	self->attach.pid = self->target.pid;
	self->attach.mem = self->target.mem;
	EXPECT_EQ(ENOMEM, call(other, PROFIL_IOC_ATTACH, &self->attach));
	/* closing the file returns its pages */
	close(self->device);
	EXPECT_EQ(0, call(other, PROFIL_IOC_ATTACH, &self->attach));
	kill_target(&self->target);
	kill_target(&first);
}

/* There is room for a log and a half. */
TEST_F(refused, by_memlock)
{
	run_as(_metadata, self, USER, 0, expect_no_memory);
	run_as(_metadata, self, OTHER, 2 * LEAST_LOG / PAGE * 3 / 2, fill_the_limit);
}

static void expect_no_high_rate(struct __test_metadata *_metadata, struct _test_data_refused *self)
{
	start_own(_metadata, self, wait_for_ever);
	self->attach.rate = get_info(self->device).max_rate + 1;
	REFUSED(EPERM);
	self->attach.rate--;
	ATTACH(0);
	kill_target(&self->target);
}

TEST_F(refused, by_rate)
{
	run_as(_metadata, self, USER, USER_PAGES, expect_no_high_rate);
}

static void fork_and_burn(void *data)
{
	struct _test_data_refused *self = data;
	pid_t pid = fork();

	if (!pid) {
		burn(0.1);
		_exit(0);
	}
	*self->shared = pid;
	_exit(wait_for(pid));
}

/* A second process is refused, and so is a child, which is not sampled. */
static void reach_max_sessions(struct __test_metadata *_metadata, struct _test_data_refused *self)
{
	struct profil_status status;
	struct target second;

	start_own(_metadata, self, fork_and_burn);
	ATTACH(0);
	ASSERT_EQ(0, start_target(&second, self->device, wait_for_ever, NULL));
	self->attach.pid = second.pid;
	self->attach.mem = second.mem;
	ATTACH(ENOSPC);
	kill_target(&second);
	release(&self->target);
	EXPECT_EQ(0, read_all(&self->records, self->device));
	EXPECT_EQ(0, samples_of(&self->records, *self->shared));
	EXPECT_EQ(1, count_records(&self->records, PROFIL_RECORD_EXIT, ANY));
	status = log_status(self->device);
	EXPECT_EQ(1, status.fork_failures);
	EXPECT_EQ(0, status.forks_followed);
	EXPECT_EQ(1, count_records(&self->records, PROFIL_RECORD_LOST, ANY));
	EXPECT_EQ(ENOBUFS, status.error);
	EXPECT_EQ(0, await_end(&self->target).status);
}

TEST_F(refused, by_max_user_sessions)
{
	long long before = read_number(PARAMETERS "max_user_sessions", "");
	char text[32];

	snprintf(text, sizeof(text), "%lld", before);
	ASSERT_EQ(0, write_text(PARAMETERS "max_user_sessions", "1"));
	run_as(_metadata, self, USER, USER_PAGES, reach_max_sessions);
	EXPECT_EQ(0, write_text(PARAMETERS "max_user_sessions", text));
}

/* --- programs that the caller may not trace -------------------------------------------------- */

static void execute_path(void *data)
{
	burn(0.05);
	execute(((struct _test_data_refused *)data)->path);
}

/* Runs a target that executes the program, and checks what follows. */
static void expect_program(struct __test_metadata *_metadata, struct _test_data_refused *self,
			   __u32 flags)
{
	const struct profil_record_exec *exec;
	const struct profil_record *next;
	pid_t pid = self->target.pid;

	ATTACH(0);
	release(&self->target);
	EXPECT_EQ(0, read_all(&self->records, self->device));
	EXPECT_EQ(0, await_end(&self->target).status);
	EXPECT_LT(0, samples_of(&self->records, pid));
	exec = find_record(&self->records, PROFIL_RECORD_EXEC, pid, 0);
	ASSERT_NE(NULL, exec);
	EXPECT_EQ(flags, exec->flags);
	next = next_record(&self->records, &exec->head);
	ASSERT_NE(NULL, next);
	if (flags) {
		/* neither a sample nor a mapping nor its children */
		EXPECT_EQ(PROFIL_RECORD_EXIT, next->type);
		EXPECT_EQ(NULL, next_record(&self->records, next));
	} else {
		EXPECT_LT(0, count_records(&self->records, PROFIL_RECORD_MAP, pid));
		EXPECT_EQ(1, count_records(&self->records, PROFIL_RECORD_FORK, ANY));
		EXPECT_EQ(2, count_records(&self->records, PROFIL_RECORD_EXIT, ANY));
	}
	free_records(&self->records);
}

static void expect_denied(struct __test_metadata *_metadata, struct _test_data_refused *self)
{
	start_own(_metadata, self, execute_path);
	expect_program(_metadata, self, PROFIL_EXEC_DENIED);
	/* the same if the process is not sampled before */
	close(self->device);
	self->device = open_device();
	start_own(_metadata, self, execute_path);
	self->attach.flags |= PROFIL_FROM_EXEC;
	ATTACH(0);
	release(&self->target);
	EXPECT_EQ(0, read_all(&self->records, self->device));
	EXPECT_EQ(0, await_end(&self->target).status);
	EXPECT_EQ(0, samples_of(&self->records, ANY));
	EXPECT_EQ(0, count_records(&self->records, PROFIL_RECORD_MAP, ANY));
	free_records(&self->records);
	/* nor has it a stack */
	if (!(get_info(self->device).features & PROFIL_FEATURE_STACKS))
		return;
	close(self->device);
	self->device = open_device();
	start_own(_metadata, self, execute_path);
	ASSERT_EQ(0, ask_for_stacks(&self->attach, 64));
	expect_program(_metadata, self, PROFIL_EXEC_DENIED);
}

static void expect_followed(struct __test_metadata *_metadata, struct _test_data_refused *self)
{
	start_own(_metadata, self, execute_path);
	expect_program(_metadata, self, 0);
}

static void become_user_and_execute(void *data)
{
	if (!become_user(USER, USER_PAGES))
		execute_path(data);
}

static void make_program(struct __test_metadata *_metadata, struct _test_data_refused *self,
			 mode_t mode)
{
	if (!self->dir[0])
		ASSERT_EQ(0, make_directory(self->dir, sizeof(self->dir)));
	snprintf(self->path, sizeof(self->path), "%s/program-%o", self->dir, mode);
	ASSERT_EQ(0, copy_program(self->path));
	ASSERT_EQ(0, chmod(self->path, mode));
	kill_target(&self->target);
}

/* The control: an ordinary program of root */
TEST_F(refused, not_an_ordinary_program)
{
	make_program(_metadata, self, 0755);
	run_as(_metadata, self, USER, USER_PAGES, expect_followed);
}

TEST_F(refused, set_user_id_program)
{
	make_program(_metadata, self, 04755);
	run_as(_metadata, self, USER, USER_PAGES, expect_denied);
	/* root may trace it */
	start_own(_metadata, self, become_user_and_execute);
	expect_program(_metadata, self, 0);
}

/* A user may execute it, but not read its text. */
TEST_F(refused, unreadable_program)
{
	make_program(_metadata, self, 0711);
	run_as(_metadata, self, USER, USER_PAGES, expect_denied);
	start_own(_metadata, self, become_user_and_execute);
	expect_program(_metadata, self, 0);
}

/* With Yama's 1, a descendant of the caller stays one. */
TEST_F(refused, not_a_descendant_with_yama)
{
	if (write_text(YAMA, "1"))
		SKIP(return, "the kernel has no Yama");
	make_program(_metadata, self, 0755);
	run_as(_metadata, self, USER, USER_PAGES, expect_followed);
}

/* --- user namespaces ----------------------------------------------------------------------- */

static void enter_user_namespace_and_execute(void *data)
{
	if (unshare(CLONE_NEWUSER))
		_exit(98);
	execute_path(data);
}

/* The owner of a user namespace may trace its processes. */
static void attach_to_namespace(struct __test_metadata *_metadata, struct _test_data_refused *self)
{
	start_own(_metadata, self, enter_user_namespace_and_execute);
	expect_program(_metadata, self, 0);
}

/* The root of a user namespace may not trace processes outside of it, even of the same user. */
static void attach_from_namespace(struct __test_metadata *_metadata,
				  struct _test_data_refused *self)
{
	ASSERT_EQ(0, unshare(CLONE_NEWUSER));
	expect_unreadable(_metadata, self);
}

TEST_F(refused, across_user_namespaces)
{
	pid_t pid = fork();

	if (!pid)
		_exit(unshare(CLONE_NEWUSER) ? 1 : 0);
	if (wait_for(pid))
		SKIP(return, "no user namespaces");
	make_program(_metadata, self, 0755);
	run_as(_metadata, self, USER, USER_PAGES, attach_to_namespace);
	start_user_process(_metadata, self, become_traceable);
	run_as(_metadata, self, USER, USER_PAGES, attach_from_namespace);
}

/* --- PID namespaces ------------------------------------------------------------------------ */

#define MOST_PID_NAMESPACES	"/proc/sys/user/max_pid_namespaces"

static void fork_in_namespace(void *data)
{
	struct _test_data_refused *self = data;
	pid_t pid;

	if (unshare(CLONE_NEWPID))
		_exit(98);
	pid = fork();
	if (!pid)
		_exit(getpid() != 1);
	*self->shared = pid;
	_exit(wait_for(pid));
}

/* A child in another PID namespace has the ID that it has for the caller. */
TEST_F(refused, not_a_child_in_a_pid_namespace)
{
	pid_t pid;

	kill_target(&self->target);
	start_own(_metadata, self, fork_in_namespace);
	pid = self->target.pid;
	ATTACH(0);
	release(&self->target);
	EXPECT_EQ(0, read_all(&self->records, self->device));
	EXPECT_EQ(0, await_end(&self->target).status);
	EXPECT_EQ(1, count_records(&self->records, PROFIL_RECORD_FORK, *self->shared));
	EXPECT_EQ(1, count_records(&self->records, PROFIL_RECORD_EXIT, *self->shared));
	EXPECT_EQ(1, count_records(&self->records, PROFIL_RECORD_EXIT, pid));
}

/* In a PID namespace of its own, where a process outside has no ID */
static void attach_in_pid_namespace(struct __test_metadata *_metadata,
				    struct _test_data_refused *self)
{
	int mem = self->target.mem;
	pid_t pid;

	EXPECT_EQ(1, getpid());
	REFUSED(ESRCH);
	self->attach.pid = 1; REFUSED(ESRCH);
	ASSERT_EQ(0, mount("none", "/proc", "proc", 0, NULL));
	start_own(_metadata, self, fork_and_burn);
	pid = self->target.pid;
	EXPECT_EQ(2, pid);
	self->attach.mem = mem;
	REFUSED(ESRCH);
	self->attach.mem = self->target.mem;
	ATTACH(0);
	release(&self->target);
	EXPECT_EQ(0, read_all(&self->records, self->device));
	EXPECT_EQ(1, count_records(&self->records, PROFIL_RECORD_FORK, 3));
	EXPECT_EQ(1, count_records(&self->records, PROFIL_RECORD_EXIT, 2));
	EXPECT_LT(0, samples_of(&self->records, 3));
	EXPECT_EQ(0, await_end(&self->target).status);
}

/* Exits with 0, with 98 if there are no PID namespaces, or 99 if there may be no other one. */
static void enter_pid_namespace(struct __test_metadata *_metadata, struct _test_data_refused *self)
{
	pid_t pid;

	/* the last one is freed some time after its processes and its attachment */
	if (!EVENTUALLY(!unshare(CLONE_NEWPID | CLONE_NEWNS) || errno != ENOSPC))
		_exit(99);
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		_exit(98);
	pid = fork();
	if (!pid) {
		close(self->device);
		self->device = open_device();
		attach_in_pid_namespace(_metadata, self);
		_exit(!__test_passed(_metadata));
	}
	_exit(wait_for(pid));
}

/* Twice, with at most one: what was attached does not keep its PID namespace. */
TEST_F(refused, outside_of_the_pid_namespace)
{
	char most[24];
	int i, result;
	pid_t pid;

	snprintf(most, sizeof(most), "%lld", read_number(MOST_PID_NAMESPACES, ""));
	result = write_text(MOST_PID_NAMESPACES, "1");
	if (result)
		SKIP(return, "no right to limit PID namespaces");
	for (i = 0; i < 2 && !result; i++) {
		pid = fork();
		if (!pid)
			enter_pid_namespace(_metadata, self);
		result = wait_for(pid);
	}
	EXPECT_EQ(0, write_text(MOST_PID_NAMESPACES, most));
	if (result == 98)
		SKIP(return, "no PID namespaces");
	EXPECT_EQ(0, result);
}

/* --- changes of the user --------------------------------------------------------------------- */

/* root follows a process that gives up its rights, and executes a program then. */
TEST_F(refused, not_after_setuid)
{
	make_program(_metadata, self, 0755);
	start_own(_metadata, self, become_user_and_execute);
	expect_program(_metadata, self, 0);
}

/* This program, executed by a target: `program task [wait]` */
static int do_task(bool wait)
{
	pid_t pid;

	if (wait)
		wait_for_ever(NULL);
	pid = fork();
	if (!pid)
		_exit(0);
	burn(0.1);
	return wait_for(pid);
}

int main(int argc, char **argv)
{
	if (argc >= 2 && !strcmp(argv[1], "task"))
		return do_task(argc > 2);
	return test_harness_run(argc, argv);
}
