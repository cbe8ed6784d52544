// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starts helpers, and waits for them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/failure.h"
#include "util/helper.h"
#include "util/time_ns.h"

static void __attribute__((noreturn)) work_in_child(const struct helper_work *work)
{
	sigset_t alarm_only;
	int error;

	if (work->closes)
		close(work->closes);
	if (work->seconds) {
		sigemptyset(&alarm_only);
		sigaddset(&alarm_only, SIGALRM);
		signal(SIGALRM, SIG_DFL);
		sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
		alarm(work->seconds);
	}
	error = work->run(work->data);
	fflush(NULL);
	_exit(error);
}

int helper_start(struct helper *helper, const struct helper_work *work)
{
	sigset_t blocked, mask;

	*helper = (struct helper){ 0 };
	sigemptyset(&blocked);
	/* a signal to the process group, as ^C, must not end it, nor be forwarded twice */
	if (work->is_beside)
		sigfillset(&blocked);
	sigprocmask(SIG_BLOCK, &blocked, &mask);
	/* otherwise the helper would write buffered text a second time */
	fflush(NULL);
	helper->pid = fork();
	if (!helper->pid)
		work_in_child(work);
	if (helper->pid < 0) {
		helper->error = failure_errno();
		helper->pid = 0;
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return helper->error;
}

bool helper_has_ended(struct helper *helper, bool wait)
{
	struct rusage usage = { 0 };
	pid_t waited;
	int status;

	if (!helper->pid)
		return true;
	do {
		waited = wait4(helper->pid, &status, wait ? 0 : WNOHANG, &usage);
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
	return true;
}

void helper_kill(struct helper *helper)
{
	if (!helper->pid)
		return;
	kill(helper->pid, SIGKILL);
	helper_has_ended(helper, true);
}

int helper_run(struct helper *helper, const struct helper_work *work)
{
	const struct sigaction default_action = { .sa_handler = SIG_DFL };
	struct sigaction before;

	/* while SIGCHLD is ignored, there is no zombie to wait for */
	sigaction(SIGCHLD, &default_action, &before);
	if (!helper_start(helper, work))
		helper_has_ended(helper, true);
	else if (!work->seconds)
		helper->error = -work->run(work->data);
	sigaction(SIGCHLD, &before, NULL);
	if (helper->killer)
		return helper->killer == SIGALRM ? -ETIMEDOUT : -EPROTO;
	return helper->error;
}

void helper_explain(const struct helper *helper, char why[HELPER_WHY])
{
	if (helper->killer == SIGBUS || helper->killer == SIGSEGV)
		snprintf(why, HELPER_WHY, "a file of the program is damaged, or changed while it was read (SIG%s)",
			 sigabbrev_np(helper->killer));
	else if (helper->killer)
		snprintf(why, HELPER_WHY, "the process that reads the files was killed by SIG%s",
			 sigabbrev_np(helper->killer));
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
