// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process is killed, or a page of counters fails. Everything is unpinned and uncharged, in
 * sysfs and in the kernel's own counts.
 */
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "eventually.h"
#include "child.h"
#include "profile/four_pages.h"

FIXTURE(killed) {
	struct four_pages m;
	long long sessions, pinned;
};

FIXTURE_SETUP(killed)
{
	REQUIRE_DEVICE(self->m.fd);
	ASSERT_EQ(0, four_pages_init(&self->m));
	/* wait for the cleanup of earlier tests */
	await_figure("sessions", 0);
	self->sessions = figure("sessions");
	self->pinned = figure("pinned_bytes");
	ASSERT_LE(0, self->sessions);
	ASSERT_LE(0, self->pinned);
}

FIXTURE_TEARDOWN(killed)
{
	stop(self->m.fd);
	EXPECT_EQ(self->sessions, await_figure("sessions", self->sessions));
	EXPECT_EQ(self->pinned, await_figure("pinned_bytes", self->pinned));
	EXPECT_TRUE(pins_return_to(self->m.pins));
	close(self->m.fd);
}

/*
 * In a child: uses threads that are sampled, and memory, so that its exit takes some time. Sends a
 * byte when it is running; never returns.
 */
static void be_busy(struct four_pages *m, uint32_t flags, size_t bytes, int ready)
{
	struct one_pc threads[PAGES];
	int i;

	m->start.flags = flags;
	if (map_counters(m, ANON) || call(m->fd, PROFIL_IOC_START, &m->start))
		_exit(1);
	for (i = 0; i < PAGES; i++)
		if (enter_pc(&threads[i], m->code + i * APART))
			_exit(2);
	memset(map_memory(bytes), 1, bytes);
	burn(four_pages_seconds(m, 2));
	if (write(ready, "", 1) != 1)
		_exit(3);
	for (;;)
		burn(1);
}

TEST_F(killed, by_signal)
{
	int i, ready[2];
	pid_t pid;
	char byte;

	ASSERT_EQ(0, pipe(ready));
	for (i = 0; i < RACES; i++) {
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid)
			be_busy(&self->m, i % 2 ? PROFIL_PIN_ON_HIT : 0, PAGE, ready[1]);
		ASSERT_EQ(1, read(ready[0], &byte, 1));
		EXPECT_LT(self->sessions, figure("sessions"));
		EXPECT_EVENTUALLY(self->pinned < figure("pinned_bytes"));
		kill(pid, SIGKILL);
		EXPECT_EQ(128 + SIGKILL, wait_for(pid));
	}
}

/*
 * process_mrelease(2) frees the memory of a process that is being killed, by the same code as the
 * OOM reaper: the module's callback must not sleep.
 */
TEST_F(killed, and_reaped)
{
	int i, ready[2], pidfd, reaped = 0;
	bool unknown = false;
	pid_t pid;
	char byte;

	ASSERT_EQ(0, pipe(ready));
	for (i = 0; i < RACES; i++) {
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid)
			be_busy(&self->m, i % 2 ? PROFIL_PIN_ON_HIT : 0, 8 << 20, ready[1]);
		pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
		ASSERT_EQ(1, read(ready[0], &byte, 1));
		kill(pid, SIGKILL);
		ASSERT_LE(0, pidfd);
		/* the process may have exited already */
		if (!release_memory(pidfd))
			reaped++;
		else
			unknown |= errno == ENOSYS;
		close(pidfd);
		EXPECT_EQ(128 + SIGKILL, wait_for(pid));
	}
	if (unknown)
		SKIP(return, "no process_mrelease()");
	EXPECT_LT(0, reaped);
}

#define CGROUP	"/sys/fs/cgroup"
#define GROUP	CGROUP "/profil-killed-test"

/* In a child with a profile: uses more memory than its cgroup may have. */
static void use_up_memory(struct four_pages *m, uint32_t flags)
{
	struct one_pc threads[PAGES];
	size_t chunk = 1 << 20;
	int i;

	write_text("/proc/self/oom_score_adj", "1000");
	m->start.flags = flags;
	if (write_text(GROUP "/cgroup.procs", "0") || map_counters(m, ANON) ||
	    call(m->fd, PROFIL_IOC_START, &m->start))
		_exit(1);
	for (i = 0; i < PAGES; i++)
		if (enter_pc(&threads[i], m->code + i * APART))
			_exit(2);
	for (;;)
		memset(map_memory(chunk), 1, chunk);
}

/* The time-out is for a debug kernel. */
TEST_F_TIMEOUT(killed, out_of_memory, 240)
{
	pid_t pid;
	int i;

	if (!in_virtual_machine())
		SKIP(return, "fills the kernel's log: in virtual machines only");
	write_text(CGROUP "/cgroup.subtree_control", "+memory");
	if (mkdir(GROUP, 0755) || write_text(GROUP "/memory.max", "33554432"))
		SKIP(return, "no memory controller in " CGROUP);
	write_text(GROUP "/memory.swap.max", "0");
	for (i = 0; i < 2; i++) {
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid)
			use_up_memory(&self->m, i % 2 ? PROFIL_PIN_ON_HIT : 0);
		EXPECT_EQ(128 + SIGKILL, wait_for(pid));
	}
	EXPECT_EQ(2, read_number(GROUP "/memory.events", "oom_kill "));
	EXPECT_EQ(0, rmdir(GROUP));
}

static void ignore_bus_error(int signal)
{
	(void)signal;
}

/* A page of counters has a memory error. It is lost until the next boot. */
TEST_F(killed, page_is_poisoned)
{
	static const uint32_t flags[] = { 0, PROFIL_PIN_ON_HIT };
	struct four_pages *m = &self->m;
	struct profil_status status, later;
	size_t i;

	if (!in_virtual_machine())
		SKIP(return, "loses a page: in virtual machines only");
	signal(SIGBUS, ignore_bus_error);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		m->start.flags = flags[i];
		ASSERT_EQ(0, map_counters(m, ANON));
		ASSERT_EQ(0, call(m->fd, PROFIL_IOC_START, &m->start));
		hit_all_pages(m);
		if (madvise(m->counters + PAGE, PAGE, MADV_HWPOISON) &&
		    (errno == EINVAL || errno == EPERM))
			SKIP(return, "no MADV_HWPOISON");
		/* detected at once, or when a sample needs the page */
		ASSERT_EQ(0, stay_at_pc(m->code + APART, four_pages_seconds(m, 2)));
		status = get_status(m->fd);
		EXPECT_EQ(PROFIL_STATE_FAULT, status.state);
		EXPECT_NE(0, status.error);
		EXPECT_EQ(0, status.pinned_bytes);
		burn(four_pages_seconds(m, 5));
		later = stop(m->fd);
		EXPECT_EQ(status.samples, later.samples);
		EXPECT_EQ(0, pinned_kib());
		unmap_counters(m);
	}
}

TEST_HARNESS_MAIN
