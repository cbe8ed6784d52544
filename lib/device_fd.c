// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The descriptor that stays open while a profile runs. To end a profile the library must
 * reach the device, and by then the program may have used up its descriptors, changed its
 * root directory or its user, or forbidden itself to open files.
 *
 * A command on the descriptor acts on the process that gives it, not on the one that opened
 * the device. So a forked child uses the descriptor that it inherits.
 *
 * The program owns its descriptors. It may close this one, and get another file at its
 * number. So each use looks first whether the number still has our file: the same device,
 * opened with a flag that means nothing to it and that nobody else asks for. If not, the
 * device is opened anew, and the number is the program's. (A program that closes our
 * descriptor in one thread, while another thread is in the library, is not protected.)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"
#include "device_fd.h"
#include "block_signals.h"

/* Tells our file from one that the program has opened at the same device */
#define MARK	O_NONBLOCK

/*
 * Out of the way of programs that expect the lowest number; and below 256, up to where the
 * kernel's table of descriptors is small
 */
#define LOWEST_NUMBER	200

static struct {
	int fd;		/* -1: none */
	dev_t device;
	pid_t process;	/* whose descriptors these are */
} own = { .fd = -1 };

/* Held over fork(), so that it is free in the child, and @own is whole. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(sigset_t *before)
{
	profil_block_signals(before);
	pthread_mutex_lock(&mutex);
}

static void unlock(const sigset_t *before)
{
	pthread_mutex_unlock(&mutex);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Of the thread that forks, which has the mutex */
static sigset_t forking;

static void before_fork(void)
{
	sigset_t before;

	lock(&before);
	forking = before;
}

static void after_fork(void)
{
	sigset_t before = forking;

	unlock(&before);
}

static void in_child(void)
{
	own.process = getpid();
	after_fork();
}

/* Before the constructors that have no number, which may start a profile */
static void __attribute__((constructor(101))) watch_forks(void)
{
	own.process = getpid();
	pthread_atfork(before_fork, after_fork, in_child);
}

/*
 * A child that shares our memory, but not our descriptors (vfork()), inherits them: it
 * may use the one that is kept, but @own says what its parent has open.
 */
static bool is_own_process(void)
{
	return own.process == getpid();
}

static bool is_ours(void)
{
	struct stat stat;
	int flags;

	if (own.fd < 0 || fstat(own.fd, &stat) || !S_ISCHR(stat.st_mode) ||
	    stat.st_rdev != own.device)
		return false;
	flags = fcntl(own.fd, F_GETFL);
	return flags >= 0 && (flags & MARK);
}

/* Return: the descriptor's new number; its old one if there is no other. */
static int move_away(int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, LOWEST_NUMBER);

	/* a program that has closed its standard streams opens others in their place */
	if (moved < 0 && fd <= STDERR_FILENO)
		moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (moved < 0)
		return fd;
	profil_device_close(fd);
	return moved;
}

static void keep(int fd)
{
	struct stat stat;
	int flags;

	fd = move_away(fd);
	flags = fcntl(fd, F_GETFL);
	if (fstat(fd, &stat) || flags < 0 || fcntl(fd, F_SETFL, flags | MARK)) {
		/* it could not be told from another file later */
		profil_device_close(fd);
		return;
	}
	own.device = stat.st_rdev;
	own.fd = fd;
}

int profil_device_fd_get(struct profil_device_fd *device)
{
	device->error = errno;
	lock(&device->signals);
	device->kept = is_ours();
	if (!device->kept && is_own_process())
		own.fd = -1;
	device->fd = device->kept ? own.fd : profil_device_open();
	return device->fd;
}

void profil_device_fd_put(struct profil_device_fd *device, bool keep_it)
{
	if (!is_own_process()) {
		if (device->fd >= 0 && !device->kept)
			profil_device_close(device->fd);
	} else if (device->fd >= 0 && !keep_it) {
		profil_device_close(device->fd);
		own.fd = -1;
	} else if (device->fd >= 0 && !device->kept) {
		keep(device->fd);
	}
	unlock(&device->signals);
	errno = device->error;
}
