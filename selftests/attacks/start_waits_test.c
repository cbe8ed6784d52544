// SPDX-License-Identifier: GPL-2.0-only
/*
 * A start waits while the tick's hook is being detached. Detaching waits for an RCU-tasks grace
 * period, which each thread inside the kernel delays. The attacker stays inside: one system call
 * that never sleeps. A process that is killed while its start waits must exit at once, and not
 * when the attacker's call returns.
 */
#include <signal.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <sys/utsname.h>

#include "kselftest_harness.h"
#include "common.h"
#include "child.h"
#include "files.h"
#include "kernel/pinned_pages.h"

#define PIECE	(1024U * 1024)
#define PIECES	1024	/* the maximum of one call: 1 GiB */

/*
 * A random byte takes more than ten instructions, so one call takes more than 80 s in a guest of
 * 8 ns per instruction: longer than the test. A fast machine needs several calls. The kernel
 * notices user mode only at a tick, and no tick falls between two calls.
 */
static void stay_in_the_kernel(int ready)
{
	static struct iovec pieces[PIECES];
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	void *buffer = map_memory(PIECE);
	int i;

	/* the first call may sleep until the kernel has enough entropy */
	if (getrandom(buffer, 1, 0) != 1)
		_exit(2);
	memset(buffer, 1, PIECE);
	for (i = 0; i < PIECES; i++)
		pieces[i] = (struct iovec) { buffer, PIECE };
	send_byte(ready);
	while (readv(fd, pieces, PIECES) > 0)
		;
	_exit(1);
}

/* Polls for at most @ms. Returns whether the child has exited. */
static bool ends_within(pid_t pid, int ms)
{
	double end = clock_seconds(CLOCK_MONOTONIC) + ms / 1000.0;
	int status;

	do {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return true;
		usleep(10000);
	} while (clock_seconds(CLOCK_MONOTONIC) < end);
	return false;
}

/* Kernels without preemption detach without an RCU-tasks grace period. */
static bool is_preemptible(void)
{
	struct utsname name;

	return !uname(&name) && strstr(name.version, "PREEMPT");
}

TEST(waiting_start_can_be_killed)
{
	int go[2], ready[2], started[2], fd;
	pid_t attacker, victim;
	double killed;
	char byte;
	bool ended;

	REQUIRE_DEVICE(fd);
	if (!is_preemptible())
		SKIP(return, "a kernel without preemption");
	detach_hooks_early(true);
	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe2(started, O_NONBLOCK));
	ASSERT_EQ(0, pipe(go));
	attacker = fork();
	if (!attacker) {
		receive_byte(go[0]);
		stay_in_the_kernel(ready[1]);
	}
	/*
	 * The attacker may need more than the second after which an unused hook is detached. So
	 * the hook is in use until it is ready: another start would wait, too.
	 */
	ASSERT_EQ(0, start_counting(fd, map_memory(PAGE), 100, 0));
	send_byte(go[1]);
	ASSERT_EQ(0, receive_byte(ready[0]));
	stop(fd);
	/* detaching begins a second after the last profile */
	usleep(1500000);

	victim = fork();
	if (!victim) {
		start_counting(fd, map_memory(PAGE), 100, 0);
		send_byte(started[1]);
		pause();
		_exit(0);
	}
	usleep(500000);
	/* the victim must still wait in its start */
	EXPECT_EQ(-1, read(started[0], &byte, 1));
	kill(victim, SIGKILL);
	killed = clock_seconds(CLOCK_MONOTONIC);
	ended = ends_within(victim, 3000);
	TH_LOG("%s %.2f s after the kill", ended ? "exited" : "still there",
	       clock_seconds(CLOCK_MONOTONIC) - killed);
	EXPECT_TRUE(ended);
	kill(attacker, SIGKILL);
	wait_for(attacker);
	/* not before: it waits until the hooks are detached */
	detach_hooks_early(false);
	if (!ended)
		wait_for(victim);
	close(fd);
}

TEST_HARNESS_MAIN
