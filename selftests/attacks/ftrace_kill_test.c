// SPDX-License-Identifier: GPL-2.0-only
/*
 * When ftrace finds a fault in the kernel, it turns itself off for good (ftrace_kill()). It
 * then refuses to remove its calls from the kernel's text, and the calls continue. Unloading
 * the module would free code that each tick calls. selftests/late calls ftrace_kill().
 *
 * ftrace stays off: no session can start afterwards, and the module cannot be reloaded. So
 * each of the two tests needs a guest of its own. The second test in a guest skips.
 */
#include <signal.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "child.h"
#include "common.h"
#include "files.h"
#include "kernel/late.h"
#include "kernel/pinned_pages.h"

/* Attaches the hook and leaves it without a user. */
static int start_and_stop(int fd)
{
	int error = start_counting(fd, map_memory(PAGE), 0, 0);

	stop(fd);
	return error;
}

/* Returns 0 or an errno. */
static int unload(void)
{
	return syscall(SYS_delete_module, "profil", O_NONBLOCK) ? errno : 0;
}

FIXTURE(ftrace_kill) {
	int fd;
};

FIXTURE_SETUP(ftrace_kill)
{
	REQUIRE_DEVICE(self->fd);
	if (!getenv("PROFIL_LATE"))
		SKIP(return, "sealed guests only");
	ASSERT_EQ(0, load_late());
	if (start_and_stop(self->fd) == EOPNOTSUPP)
		SKIP(return, "ftrace is off already: needs a guest of its own");
	if (write_text(LATE "ftrace_kill", "1"))
		SKIP(return, "kallsyms does not have ftrace_kill()");
}

FIXTURE_TEARDOWN(ftrace_kill)
{
	close(self->fd);
}

/* One second after its last user, the module tries to detach the hook, and fails. */
TEST_F(ftrace_kill, unload_later_is_refused)
{
	struct profil_info info;
	int error;

	usleep(2500000);
	info = get_info(self->fd);
	EXPECT_EQ(EOPNOTSUPP, start_and_stop(self->fd));
	close(self->fd);
	error = unload();
	TH_LOG("unloading: %s", error ? strerror(error) : "done");
	EXPECT_EQ(EWOULDBLOCK, error);
	/* ticks on all CPUs call code that must still exist */
	burn(10.0 / info.tick_hz);
	self->fd = open_device();
	EXPECT_LE(0, self->fd);
}

/* The hook is still attached: only the module's exit can detach it. */
TEST_F(ftrace_kill, unload_at_once_never_frees_the_code)
{
	pid_t pid;
	int i;

	close(self->fd);
	self->fd = -1;
	pid = fork();
	if (!pid) {
		/* the child never returns: close the pipes that others wait for */
		close_range(0, ~0U, 0);
		_exit(unload() ? 1 : 0);
	}
	for (i = 0; i < 200; i++) {
		int status;

		usleep(10000);
		ASSERT_EQ(0, waitpid(pid, &status, WNOHANG));
	}
	/* the unload never returns, and the module's code stays */
	TH_LOG("not unloaded after 2 s");
}

TEST_HARNESS_MAIN
