// SPDX-License-Identifier: GPL-2.0-only
/*
 * Root attaches a process and passes the open file to a user, who attaches own processes with it.
 * They get the user's rights, not root's: no sample and no mapping of a set-user-ID program, and
 * the user's limits.
 */
#include <signal.h>
#include <sys/prctl.h>

#include "kselftest_harness.h"
#include "attach/target.h"
#include "executable.h"
#include "files.h"

#define USER		61110	/* a uid that no other test uses */
#define USER_PAGES	64
#define SESSIONS	PARAMETERS "max_user_sessions"

FIXTURE(passed) {
	int device;
	struct target target;	/* of root */
	pid_t *pid;		/* the target of the user */
	long long max_sessions;
	char dir[32];
	char path[64];
};

static void set_max_sessions(long long number)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", number);
	write_text(SESSIONS, text);
}

FIXTURE_SETUP(passed)
{
	REQUIRE_ATTACH(self->device);
	if (geteuid())
		SKIP(return, "needs root");
	self->max_sessions = read_number(SESSIONS, "");
	self->pid = map_shared(PAGE);
	ASSERT_EQ(0, make_directory(self->dir, sizeof(self->dir)));
	snprintf(self->path, sizeof(self->path), "%s/program", self->dir);
	ASSERT_EQ(0, copy_program(self->path));
	ASSERT_EQ(0, start_target(&self->target, self->device, wait_for_ever, NULL));
	ASSERT_EQ(0, attach_target(self->device, &self->target, 0));
	fcntl(self->device, F_SETFL, O_NONBLOCK);
}

FIXTURE_TEARDOWN(passed)
{
	set_max_sessions(self->max_sessions);
	kill_target(&self->target);
	close(self->device);
	remove_tree(self->dir);
}

static void execute(void *path)
{
	execl(path, "program", "burn", NULL);
	_exit(99);
}

/* The user attaches a process that executes the program, from there on. */
static void attach_own(struct _test_data_passed *self)
{
	struct target own;

	if (become_user(USER, USER_PAGES) || prctl(PR_SET_DUMPABLE, 1) ||
	    start_target(&own, self->device, execute, self->path) ||
	    attach_target(self->device, &own, PROFIL_FROM_EXEC))
		_exit(1);
	*self->pid = own.pid;
	release(&own);
	_exit(await_end(&own).status);
}

static void see_program(struct __test_metadata *_metadata, struct _test_data_passed *self,
			mode_t mode, __u32 flags)
{
	const struct profil_record_exec *exec;
	struct records records = { 0 };
	pid_t user;

	ASSERT_EQ(0, chmod(self->path, mode));
	user = fork();
	if (!user)
		attach_own(self);
	ASSERT_EQ(0, wait_for(user));
	EXPECT_EQ(EAGAIN, read_all(&records, self->device));
	exec = find_record(&records, PROFIL_RECORD_EXEC, *self->pid, 0);
	ASSERT_NE(NULL, exec);
	EXPECT_EQ(flags, exec->flags);
	EXPECT_EQ(!flags, samples_of(&records, *self->pid) > 0);
	EXPECT_EQ(!flags, count_records(&records, PROFIL_RECORD_MAP, *self->pid) > 0);
	free_records(&records);
}

/* The control */
TEST_F(passed, ordinary_program_is_sampled)
{
	see_program(_metadata, self, 0755, 0);
}

TEST_F(passed, set_user_id_program_is_not_sampled)
{
	see_program(_metadata, self, 04755, PROFIL_EXEC_DENIED);
}

static void attach_two(int device)
{
	struct target one, two;
	int first, second;

	if (become_user(USER, USER_PAGES) || prctl(PR_SET_DUMPABLE, 1) ||
	    start_target(&one, device, wait_for_ever, NULL) ||
	    start_target(&two, device, wait_for_ever, NULL))
		_exit(1);
	first = attach_target(device, &one, 0);
	second = attach_target(device, &two, 0);
	kill_target(&one);
	kill_target(&two);
	_exit(first ? 2 : second);
}

TEST_F(passed, limit_is_that_of_the_user)
{
	pid_t user;

	set_max_sessions(1);
	user = fork();
	if (!user)
		attach_two(self->device);
	EXPECT_EQ(ENOSPC, wait_for(user));
}

/* As the program that the target executes, it uses some CPU time. */
int main(int argc, char **argv)
{
	if (argc < 2 || strcmp(argv[1], "burn"))
		return test_harness_run(argc, argv);
	burn(seconds_for(10, 100));
	return 0;
}
