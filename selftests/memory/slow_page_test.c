// SPDX-License-Identifier: GPL-2.0-only
/*
 * If a user's file system does not provide a page for counters, other users are not delayed.
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>

#include "kselftest_harness.h"
#include "child.h"
#include "common.h"
#include "files.h"
#include "kernel/fuse.h"
#include "eventually.h"

#define SLOW_USER	7501	/* not used by other tests */
#define OTHER_USER	7502
#define CHILDREN	300	/* more than the workers of a queue, up to Linux 6.14 */

FIXTURE(slow_page) {
	int device;
	char directory[32];
	pid_t server;
	long long sessions;
};

FIXTURE_SETUP(slow_page)
{
	int fd;

	REQUIRE_DEVICE(self->device);
	if (geteuid())
		SKIP(return, "needs root");
	strcpy(self->directory, "/tmp/profil-fuse-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->directory));
	/* the mount vanishes with the test */
	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	ASSERT_EQ(0, mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	if (access("/dev/fuse", F_OK) && system("modprobe -q fuse"))
		SKIP(return, "no fuse");
	fd = fuse_mount(self->directory);
	if (fd < 0)
		SKIP(return, "no fuse: %s", strerror(errno));
	self->server = fork();
	if (!self->server)
		fuse_serve(fd);
	close(fd);
	self->sessions = settled_figure("sessions");
}

FIXTURE_TEARDOWN(slow_page)
{
	if (self->server > 0) {
		/* processes that wait for pages get an error */
		kill(self->server, SIGKILL);
		wait_for(self->server);
	}
	umount2(self->directory, MNT_DETACH);
	rmdir(self->directory);
	close(self->device);
}

static int begin_on_hit(int device, void *counter)
{
	return start_counting(device, counter, 0, PROFIL_PIN_ON_HIT);
}

/*
 * Many processes, each with a sample that waits for a page. (They are forked before, since fork()
 * and munmap() would wait for it too.)
 */
static void be_slow(struct _test_data_slow_page *self, int ready)
{
	double enough = seconds_for(1, get_info(self->device).tick_hz);
	int hit[2];
	char name[64];
	char *at;
	int fd, i;

	setpgid(0, 0);
	snprintf(name, sizeof(name), "%s/file", self->directory);
	fd = open(name, O_RDWR | O_CLOEXEC);
	at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED || pipe(hit) || become_user(SLOW_USER, CHILDREN))
		_exit(1);
	for (i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();

		if (pid < 0)
			_exit(1);
		if (!pid) {
			if (begin_on_hit(self->device, at))
				_exit(1);
			burn(enough);
			send_byte(hit[1]);
			pause();
		}
	}
	for (i = 0; i < CHILDREN; i++)
		receive_byte(hit[0]);
	send_byte(ready);
	pause();
}

/* Checks that a pending sample is counted without a call of the process. */
static int count(struct _test_data_slow_page *self)
{
	volatile uint64_t *counter = map_memory(PAGE);

	if (become_user(OTHER_USER, 8) || begin_on_hit(self->device, (void *)counter))
		return 1;
	burn(seconds_for(1, get_info(self->device).tick_hz));
	return EVENTUALLY(*counter) ? 0 : 2;
}

TEST_F(slow_page, delays_only_its_user)
{
	pid_t slow, other;
	int pipes[2];

	ASSERT_EQ(0, pipe(pipes));
	slow = fork();
	if (!slow)
		be_slow(self, pipes[1]);
	close(pipes[1]);
	ASSERT_EQ(0, receive_byte(pipes[0]));
	EXPECT_EQ(self->sessions + CHILDREN, figure("sessions"));

	other = fork();
	if (!other)
		_exit(count(self));
	EXPECT_EQ(0, wait_for(other));

	/* the waiting processes can be killed, and leave nothing */
	kill(-slow, SIGKILL);
	EXPECT_EQ(128 + SIGKILL, wait_for(slow));
	kill(self->server, SIGKILL);
	wait_for(self->server);
	self->server = 0;
	EXPECT_EQ(self->sessions, await_figure("sessions", self->sessions));
	EXPECT_EQ(0, await_figure("pinned_bytes", 0));
}

TEST_HARNESS_MAIN
