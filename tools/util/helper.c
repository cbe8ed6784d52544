// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starts helpers, and waits for them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/bound.h"
#include "util/failure.h"
#include "util/helper.h"
#include "util/priority.h"
#include "util/time_ns.h"

static void __attribute__((noreturn)) work_in_child(const struct helper_work *work, pid_t parent)
{
	sigset_t own;
	int error;

	/* its parent may have ended before the call */
	if (!work->outlives && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent))
		_exit(EXIT_FAILURE);
	priority_restore();
	if (work->closes)
		close(work->closes);
	sigemptyset(&own);
	sigaddset(&own, SIGALRM);
	sigaddset(&own, SIGPROF);
	if (work->seconds) {
		signal(SIGALRM, SIG_DFL);
		alarm(work->seconds);
	}
	if (work->is_bounded)
		bound_begin();
	sigprocmask(SIG_UNBLOCK, &own, NULL);
	error = work->run(work->data);
	/* it may be repeated, and nothing be written twice */
	if (!work->is_bounded || error != ENOMEM)
		fflush(NULL);
	_exit(error);
}

static int start(struct helper *helper, const struct helper_work *work, bool is_again)
{
	const pid_t parent = getpid();
	sigset_t blocked, mask;

	*helper = (struct helper){ .is_bounded = work->is_bounded };
	if (work->is_bounded)
		bound_prepare(is_again);
	sigemptyset(&blocked);
	/* a signal to the process group, as ^C, must not end it, nor be forwarded twice */
	if (work->is_beside)
		sigfillset(&blocked);
	sigprocmask(SIG_BLOCK, &blocked, &mask);
	/* otherwise the helper would write buffered text a second time */
	fflush(NULL);
	helper->pid = fork();
	if (!helper->pid)
		work_in_child(work, parent);
	if (helper->pid < 0) {
		helper->error = failure_errno();
		helper->pid = 0;
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return helper->error;
}

int helper_start(struct helper *helper, const struct helper_work *work)
{
	return start(helper, work, false);
}

bool helper_has_ended(struct helper *helper, bool wait)
{
	struct rusage usage = { 0 };
	const pid_t pid = helper->pid;
	pid_t waited;
	int status;

	if (!pid)
		return true;
	do {
		waited = wait4(pid, &status, wait ? 0 : WNOHANG, &usage);
	} while (waited < 0 && errno == EINTR);
	if (!waited)
		return false;
	helper->pid = 0;
	helper->cpu_ns = time_usage_ns(&usage);
	if (waited < 0)
		helper->error = -EIO;
	else if (WIFSIGNALED(status))
		helper->killer = WTERMSIG(status);
	else
		helper->error = -WEXITSTATUS(status);
	helper->is_to_repeat = helper->is_bounded &&
			       bound_refuse(pid, helper->killer, -helper->error);
	return true;
}

void helper_kill(struct helper *helper)
{
	if (!helper->pid)
		return;
	helper->is_bounded = false;
	kill(helper->pid, SIGKILL);
	helper_has_ended(helper, true);
}

/* Wait until it ends, or a signal of @ends is pending, which ends it and stays pending. */
static void wait_unless(struct helper *helper, const sigset_t *ends)
{
	struct pollfd polled[] = {
		{ .fd = (int)syscall(SYS_pidfd_open, helper->pid, 0), .events = POLLIN },
		{ .fd = signalfd(-1, ends, SFD_CLOEXEC), .events = POLLIN },
	};

	/* without a descriptor, no signal ends it */
	while (polled[0].fd >= 0 && poll(polled, 2, -1) < 0 && errno == EINTR)
		;
	if (polled[1].revents && !polled[0].revents) {
		helper_kill(helper);
		helper->killer = 0;
		helper->error = -EINTR;
	}
	helper_has_ended(helper, true);
	if (polled[0].fd >= 0)
		close(polled[0].fd);
	if (polled[1].fd >= 0)
		close(polled[1].fd);
}

int helper_run(struct helper *helper, const struct helper_work *work)
{
	const struct sigaction default_action = { .sa_handler = SIG_DFL };
	struct sigaction before;

	helper->is_to_repeat = false;
	/* while SIGCHLD is ignored, there is no zombie to wait for */
	sigaction(SIGCHLD, &default_action, &before);
	do {
		if (!start(helper, work, helper->is_to_repeat) && work->ends)
			wait_unless(helper, work->ends);
		else if (!helper->error)
			helper_has_ended(helper, true);
		else if (!work->seconds)
			helper->error = -work->run(work->data);
	} while (helper->is_to_repeat);
	sigaction(SIGCHLD, &before, NULL);
	if (helper->killer)
		return helper->killer == SIGALRM ? -ETIMEDOUT : -EPROTO;
	return helper->error;
}

void helper_explain(const struct helper *helper, char why[HELPER_WHY])
{
	if (helper->is_to_repeat)
		snprintf(why, HELPER_WHY, "a file of a program takes too much time or memory to read, or is damaged");
	else if (helper->killer == SIGBUS || helper->killer == SIGSEGV)
		snprintf(why, HELPER_WHY, "a file of the program is damaged, or changed while it was read (SIG%s)",
			 sigabbrev_np(helper->killer));
	else if (helper->killer == SIGKILL)
		snprintf(why, HELPER_WHY, "the process that reads the files was killed (SIGKILL), as the kernel does if memory is short");
	else if (helper->killer)
		snprintf(why, HELPER_WHY, "the process that reads the files was killed by SIG%s",
			 sigabbrev_np(helper->killer));
	else if (helper->error == -EINTR)
		snprintf(why, HELPER_WHY, "a signal came while the files were read");
	else
		snprintf(why, HELPER_WHY, "%s (%s): %s", strerror(-helper->error),
			 strerrorname_np(-helper->error), helper->error == -EAGAIN ?
			 "raise the limit of processes (ulimit -u)" : failure_remedy(-helper->error));
}

int helper_file(void)
{
	const int file = memfd_create("profil", MFD_CLOEXEC);

	return file < 0 ? failure_errno() : file;
}

unsigned char *helper_read(int file, size_t *bytes)
{
	unsigned char *contents;
	struct stat st;
	ssize_t length;

	if (fstat(file, &st))
		return NULL;
	contents = malloc((size_t)st.st_size + 1);
	if (!contents)
		return NULL;
	/* of this size, as it is in memory */
	length = pread(file, contents, (size_t)st.st_size, 0);
	*bytes = length > 0 ? (size_t)length : 0;
	contents[*bytes] = 0;
	return contents;
}
