// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding R1. When ftrace finds something wrong, it turns itself off for good
 * (ftrace_kill()). From then on it refuses to take its calls out of the kernel's text, and
 * those go on: unloading the module would free code that is called at every tick.
 * selftests/late turns ftrace off.
 *
 * It stays off, so that nothing can be profiled afterwards, and the module cannot be
 * loaded anew: each of the two tests wants a guest of its own. The second one in a guest is
 * skipped.
 */
#include <signal.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "../child.h"
#include "../common.h"
#include "../files.h"
#include "../late.h"
#include "../memory.h"

/* Attach the hook, and let it be unused. */
static int start_and_stop(int fd)
{
	static struct profil_region region;
	static struct profil_start start;
	int error;

	count_all(&start, &region, map_memory(PAGE), 64, get_info(fd).tick_hz);
	error = call(fd, PROFIL_IOC_START, &start);
	stop(fd);
	return error;
}

/* 0 or errno. */
static int unload(void)
{
	return syscall(SYS_delete_module, "profil", O_NONBLOCK) ? errno : 0;
}

FIXTURE(dead_ftrace) {
	int fd;
};

FIXTURE_SETUP(dead_ftrace)
{
	REQUIRE_DEVICE(self->fd);
	if (!getenv("PROFIL_LATE"))
		SKIP(return, "sealed guests only");
	ASSERT_EQ(0, load_late());
	if (start_and_stop(self->fd) == EOPNOTSUPP)
		SKIP(return, "ftrace is off already: wants a guest of its own");
	if (write_text(LATE "dead_ftrace", "1"))
		SKIP(return, "this kernel does not tell where ftrace_kill() is");
}

FIXTURE_TEARDOWN(dead_ftrace)
{
	close(self->fd);
}

/* The hook was to go, a second after its last user, and could not. */
TEST_F(dead_ftrace, and_unloaded_later)
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
	/* some ticks of all CPUs, in code that is still there */
	burn(10.0 / info.tick_hz);
	self->fd = open_device();
	EXPECT_LE(0, self->fd);
}

/* It is still attached: then only the module's end is there to see to it. */
TEST_F(dead_ftrace, and_unloaded_at_once)
{
	pid_t pid;
	int i;

	close(self->fd);
	self->fd = -1;
	pid = fork();
	if (!pid) {
		/* nobody should wait for it to close what it will never close */
		close_range(0, ~0U, 0);
		_exit(unload() ? 1 : 0);
	}
	for (i = 0; i < 200; i++) {
		int status;

		usleep(10000);
		ASSERT_EQ(0, waitpid(pid, &status, WNOHANG));
	}
	/* it never returns, and its code is called on */
	TH_LOG("not unloaded in 2 s");
}

TEST_HARNESS_MAIN
