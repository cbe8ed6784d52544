// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session ends with its address space, at every kind of exec, and releases all its resources.
 * A failed exec changes nothing.
 *
 * The tests execute this program again: see new_program() below.
 */
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "executable.h"
#include "profile/process.h"

#define COUNTER_PAGES	16

FIXTURE(exec) {
	struct profile profile;	/* counters in several pages of shared memory */
	int memfd;		/* of the counters */
	char dir[32];		/* permits set-user-ID programs */
	char program[64];	/* a copy of this program in @dir */
};

FIXTURE_VARIANT(exec) {
	__u32 flags;
	bool inherited;		/* by fork; else the child starts the session */
};

FIXTURE_VARIANT_ADD(exec, eager) {
	.flags = 0,
};

FIXTURE_VARIANT_ADD(exec, pin_on_hit) {
	.flags = PROFIL_PIN_ON_HIT,
};

FIXTURE_VARIANT_ADD(exec, inherited) {
	.inherited = true,
};

FIXTURE_SETUP(exec)
{
	REQUIRE_DEVICE(self->profile.fd);
	if (make_directory(self->dir, sizeof(self->dir)))
		SKIP(return, "no directory for set-user-id programs");
	snprintf(self->program, sizeof(self->program), "%s/program", self->dir);
	ASSERT_EQ(0, copy_program(self->program));
	init_profile(&self->profile, variant->flags);
	self->memfd = share_counters(&self->profile, COUNTER_PAGES);
	ASSERT_LE(0, self->memfd);
	if (variant->inherited)
		ASSERT_EQ(0, start_profile(&self->profile));
}

FIXTURE_TEARDOWN(exec)
{
	stop(self->profile.fd);
	close(self->profile.fd);
	remove_tree(self->dir);
}

/* The task of new_program(). It exits with EXIT_OK, plus states. */
#define TASK_VARIABLE	"PROFIL_TEST_TASK"
#define FD_VARIABLE	"PROFIL_TEST_FD"
#define MEMFD_VARIABLE	"PROFIL_TEST_MEMFD"
#define EXIT_OK		40
#define EXIT_COUNTED	59
#define EXIT_NO_RIGHTS	60

/* Passes the task, the device and the counters to the new program. */
static void set_task(const struct _test_data_exec *self, const char *task)
{
	char fd[16];

	snprintf(fd, sizeof(fd), "%d", dup(self->profile.fd));
	setenv(FD_VARIABLE, fd, 1);
	snprintf(fd, sizeof(fd), "%d", self->memfd);
	setenv(MEMFD_VARIABLE, fd, 1);
	setenv(TASK_VARIABLE, task, 1);
}

/*
 * Expects that no session exists, now and after some ticks, and that none of the ticks is in the
 * old program's counter. A waiting parent may count one or two there.
 */
static int stay_off(int fd)
{
	unsigned int state = get_status(fd).state;
	uint64_t before = ~0ULL, after = ~0ULL;
	int memfd = atoi(getenv(MEMFD_VARIABLE));

	if (pread(memfd, &before, sizeof(before), 0) != sizeof(before))
		return 1;
	burn(seconds_for(10, get_info(fd).tick_hz));
	if (pread(memfd, &after, sizeof(after), 0) != sizeof(after))
		return 1;
	if (after > before + 2)
		return EXIT_COUNTED;
	return EXIT_OK + (int)(state + get_status(fd).state);
}

/* Starts a session in as much memory as the old program's. */
static int profile_itself(int fd)
{
	uint64_t *counter = map_memory(COUNTER_PAGES * PAGE);
	struct profil_region region;
	struct profil_start start;
	struct profil_status status;

	count_all(&start, &region, counter, 64, get_info(fd).tick_hz);
	region.bytes = COUNTER_PAGES * PAGE;
	if (call(fd, PROFIL_IOC_START, &start))
		return 1;
	burn(seconds_for(5, start.rate));
	status = stop(fd);
	return status.state == PROFIL_STATE_RUNNING && status.counted >= 5 &&
	       status.counted == *counter ? EXIT_OK : 2;
}

static void __attribute__((constructor)) new_program(void)
{
	const char *task = getenv(TASK_VARIABLE), *number = getenv(FD_VARIABLE);
	int fd;

	if (!task || !number)
		return;
	fd = atoi(number);
	if (!strcmp(task, "stay off"))
		_exit(stay_off(fd));
	if (!strcmp(task, "stay off, as root"))
		_exit(geteuid() ? EXIT_NO_RIGHTS : stay_off(fd));
	if (!strcmp(task, "profile"))
		_exit(profile_itself(fd));
	if (!strcmp(task, "wait")) {
		/* the pipes are stdin and stdout */
		if (send_byte(1) || receive_byte(0))
			_exit(1);
		_exit(EXIT_OK);
	}
	_exit(EXIT_OK);
}

/* Executes in a profiled child. Returns the new program's exit status. */
static int execute_profiled(struct _test_data_exec *self,
			    void (*execute)(struct _test_data_exec *self),
			    const char *task)
{
	pid_t pid = fork();

	if (!pid) {
		if (check_profiled(&self->profile))
			_exit(100);
		set_task(self, task);
		execute(self);
		_exit(101);
	}
	return wait_for(pid);
}

static void expect_off(struct __test_metadata *_metadata,
		       struct _test_data_exec *self,
		       void (*execute)(struct _test_data_exec *self))
{
	EXPECT_EQ(EXIT_OK + PROFIL_STATE_OFF, execute_profiled(self, execute, "stay off"));
}

static void by_execve(struct _test_data_exec *self)
{
	(void)self;
	execl("/proc/self/exe", "program", NULL);
}

static void by_script(struct _test_data_exec *self)
{
	char path[64], text[80];

	snprintf(path, sizeof(path), "%s/script", self->dir);
	snprintf(text, sizeof(text), "#!%s argument\n", self->program);
	if (!make_file(path, text, strlen(text), 0755))
		execl(path, path, NULL);
}

static void by_fexecve(struct _test_data_exec *self)
{
	char *args[] = { "program", NULL };

	fexecve(open(self->program, O_RDONLY | O_CLOEXEC), args, environ);
}

static void by_execveat(struct _test_data_exec *self)
{
	char *args[] = { "program", NULL };
	int dir = open(self->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	syscall(SYS_execveat, dir, "program", args, environ, 0);
}

static void by_set_user_id(struct _test_data_exec *self)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/set-user-id", self->dir);
	if (!copy_program(path) && !chown(path, 0, 0) && !chmod(path, 04755) &&
	    !become_user(61003, COUNTER_PAGES))
		execl(path, path, NULL);
}

static void *execute_here(void *self)
{
	by_execve(self);
	_exit(102);
}

/* A second thread executes, while the first runs on another CPU. */
static void by_other_thread(struct _test_data_exec *self)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, execute_here, self))
		for (;;)
			burn(1);
}

TEST_F(exec, execve_ends_the_session)
{
	expect_off(_metadata, self, by_execve);
}

TEST_F(exec, script_ends_the_session)
{
	expect_off(_metadata, self, by_script);
}

TEST_F(exec, fexecve_ends_the_session)
{
	expect_off(_metadata, self, by_fexecve);
}

TEST_F(exec, execveat_ends_the_session)
{
	expect_off(_metadata, self, by_execveat);
}

TEST_F(exec, exec_by_another_thread_ends_the_session)
{
	expect_off(_metadata, self, by_other_thread);
}

TEST_F(exec, set_user_id_program_ends_the_session)
{
	int status;

	if (getuid())
		SKIP(return, "needs root to make a set-user-ID program");
	status = execute_profiled(self, by_set_user_id, "stay off, as root");
	if (status == EXIT_NO_RIGHTS)
		SKIP(return, "set-user-ID programs do not work here");
	EXPECT_EQ(EXIT_OK + PROFIL_STATE_OFF, status);
}

/* The session of the parent continues. */
TEST_F(exec, parents_session_continues)
{
	struct profil_status before, after;

	ASSERT_EQ(0, check_profiled(&self->profile));
	before = get_status(self->profile.fd);
	EXPECT_EQ(EXIT_OK + PROFIL_STATE_OFF, execute_profiled(self, by_execve, "stay off"));
	EXPECT_EQ(0, check_profiled(&self->profile));
	after = get_status(self->profile.fd);
	EXPECT_EQ(PROFIL_STATE_RUNNING, after.state);
	EXPECT_EQ(before.forks_followed + 1, after.forks_followed);
	/* the same session, not a new one of check_profiled() */
	EXPECT_LE(before.samples + 10, after.samples);
}

/* The same for a child that shares its parent's memory until exec. */
static pid_t __attribute__((noinline)) vfork_and_execute(void)
{
	pid_t pid = vfork();

	if (!pid) {
		execl("/proc/self/exe", "program", NULL);
		_exit(101);
	}
	return pid;
}

TEST_F(exec, session_of_parent_with_shared_memory_continues)
{
	char *args[] = { "program", NULL };
	struct profil_status before, after;
	pid_t pid;
	int i;

	ASSERT_EQ(0, check_profiled(&self->profile));
	set_task(self, "stay off");
	for (i = 0; i < 2; i++) {
		before = get_status(self->profile.fd);
		if (!i) {
			pid = vfork_and_execute();
		} else {
			ASSERT_EQ(0, posix_spawn(&pid, "/proc/self/exe", NULL,
						 NULL, args, environ));
		}
		ASSERT_GT(pid, 0);
		EXPECT_EQ(EXIT_OK + PROFIL_STATE_OFF, wait_for(pid));
		EXPECT_TRUE(counts(&self->profile, 10));
		after = get_status(self->profile.fd);
		EXPECT_EQ(PROFIL_STATE_RUNNING, after.state);
		EXPECT_LE(before.counted + 10, after.counted);
		EXPECT_EQ(before.forks_followed, after.forks_followed);
	}
	after = stop(self->profile.fd);
	EXPECT_EQ(after.counted, counted(&self->profile));
}

/* Tries each failing exec in a profiled child. Returns the number of unexpected results. */
static int exec_fails(struct _test_data_exec *self)
{
	static char long_word[256 << 10];
	char *args[] = { "program", NULL };
	char *long_args[] = { "program", long_word, NULL };
	char garbage[64], text[64], lost[64], missing[64];
	const struct {
		const char *path;
		char **args;
		int error;
	} tries[] = {
		{ missing, args, ENOENT },
		{ lost, args, ENOENT },
		{ garbage, args, ENOEXEC },
		{ text, args, EACCES },
		{ self->dir, args, EACCES },
		{ self->program, long_args, E2BIG },
	};
	struct profile *profile = &self->profile;
	struct profil_status before = get_status(profile->fd), after;
	int wrong = 0;
	size_t i;

	memset(long_word, 'x', sizeof(long_word) - 1);
	snprintf(missing, sizeof(missing), "%s/missing", self->dir);
	snprintf(garbage, sizeof(garbage), "%s/garbage", self->dir);
	snprintf(text, sizeof(text), "%s/text", self->dir);
	snprintf(lost, sizeof(lost), "%s/lost", self->dir);
	if (make_file(garbage, "\177EXE", 4, 0755) ||
	    make_file(text, "text", 4, 0644) ||
	    make_file(lost, "#!/nonexistent\n", 15, 0755))
		return 99;
	for (i = 0; i < ARRAY_SIZE(tries); i++) {
		errno = 0;
		execve(tries[i].path, tries[i].args, environ);
		wrong += errno != tries[i].error;
		wrong += !counts(profile, 5);
		after = get_status(profile->fd);
		wrong += after.state != PROFIL_STATE_RUNNING ||
			 after.counted < before.counted + 5;
		before = after;
	}
	return wrong;
}

TEST_F(exec, failed_exec_changes_nothing)
{
	pid_t pid = fork();

	if (!pid)
		_exit(check_profiled(&self->profile) ? 100 : exec_fails(self));
	EXPECT_EQ(0, wait_for(pid));
}

/*
 * The new program can start a session with all of the user's limit: exec has returned the charge.
 */
static void by_user(struct _test_data_exec *self)
{
	/* a new session, charged to this user */
	stop(self->profile.fd);
	if (become_user(61004, COUNTER_PAGES) || start_profile(&self->profile))
		_exit(102);
	if (!counts(&self->profile, 5))
		_exit(103);
	execl(self->program, "program", NULL);
}

TEST_F(exec, new_program_profiles_itself)
{
	EXPECT_EQ(EXIT_OK, execute_profiled(self, by_execve, "profile"));
	if (getuid())
		SKIP(return, "needs root, to be another user");
	EXPECT_EQ(EXIT_OK, execute_profiled(self, by_user, "profile"));
}

/* exec releases the session and its pins; the new program still runs. */
TEST_F(exec, exec_releases_everything)
{
	long long sessions, pinned, with_child;
	int out[2], in[2];
	pid_t pid;

	/* the parent's counter, if it has one, must be pinned before */
	if (get_status(self->profile.fd).state == PROFIL_STATE_RUNNING)
		EXPECT_TRUE(counts(&self->profile, 3));
	sessions = settled_figure("sessions");
	pinned = settled_figure("pinned_bytes");
	ASSERT_LE(0, sessions);
	ASSERT_LE(0, pinned);
	ASSERT_EQ(0, pipe(out));
	ASSERT_EQ(0, pipe(in));
	pid = fork();
	if (!pid) {
		if (dup2(out[0], 0) || dup2(in[1], 1) != 1 ||
		    check_profiled(&self->profile) || send_byte(1) || receive_byte(0))
			_exit(100);
		set_task(self, "wait");
		execl(self->program, "program", NULL);
		_exit(101);
	}
	close(in[1]);
	ASSERT_EQ(0, receive_byte(in[0]));
	with_child = figure("sessions");
	EXPECT_EQ(sessions + 1, with_child);
	EXPECT_LT(pinned, figure("pinned_bytes"));
	ASSERT_EQ(0, send_byte(out[1]));
	ASSERT_EQ(0, receive_byte(in[0]));
	EXPECT_EQ(sessions, await_figure("sessions", sessions));
	EXPECT_EQ(pinned, await_figure("pinned_bytes", pinned));
	ASSERT_EQ(0, send_byte(out[1]));
	EXPECT_EQ(EXIT_OK, wait_for(pid));
	close(in[0]);
	close(out[0]);
	close(out[1]);
}

/* exec before the child's first tick, and before its memory is pinned. */
TEST_F(exec, exec_at_once_after_fork_leaves_nothing)
{
	long long sessions, pinned;
	struct profil_status status;
	int i;

	if (get_status(self->profile.fd).state == PROFIL_STATE_OFF)
		ASSERT_EQ(0, start_profile(&self->profile));
	EXPECT_TRUE(counts(&self->profile, 3));
	sessions = settled_figure("sessions");
	pinned = settled_figure("pinned_bytes");
	set_task(self, "exit");
	for (i = 0; i < 100; i++) {
		pid_t pid = fork();

		if (!pid) {
			by_execve(self);
			_exit(101);
		}
		ASSERT_EQ(EXIT_OK, wait_for(pid));
	}
	status = get_status(self->profile.fd);
	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	EXPECT_EQ(100, status.forks_followed);
	EXPECT_EQ(sessions, await_figure("sessions", sessions));
	EXPECT_EQ(pinned, await_figure("pinned_bytes", pinned));
}

TEST_HARNESS_MAIN
