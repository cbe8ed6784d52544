// SPDX-License-Identifier: GPL-2.0-only
/*
 * A security module writes an audit record when the kernel checks a capability that the
 * process does not have. So an ordinary profile must not check CAP_PERFMON, nor
 * CAP_SYS_ADMIN, which perfmon_capable() checks next. Only a rate above max_rate may check
 * them. A probe on cap_capable() counts the checks.
 */
#include <linux/capability.h>
#include <sys/mount.h>

#include "kselftest_harness.h"
#include "child.h"
#include "common.h"
#include "files.h"
#include "kernel/pinned_pages.h"

#define TRACING		"/sys/kernel/tracing/"
#define PROBES		TRACING "kprobe_events"
#define PROBE		TRACING "events/kprobes/profil_asked/"
#define ASKER		7777001
#define CAP_PERFMON_NR	38
#define NO_AUDIT	2	/* CAP_OPT_NOAUDIT in the kernel */

/* The ioctl of a process without capabilities. */
struct calls {
	unsigned int rate;	/* of START; 0: call INFO instead */
	int error;
};

static int run_calls(int fd, const struct calls *calls)
{
	struct profil_info info = { .size = sizeof(info) };

	if (become_user(ASKER, 16))
		return -1;
	if (!calls->rate)
		return call(fd, PROFIL_IOC_INFO, &info) || info.max_rate == 20000;
	return start_counting(fd, map_memory(PAGE), calls->rate, 0) != calls->error;
}

FIXTURE(capability) {
	int fd;
};

FIXTURE_SETUP(capability)
{
	REQUIRE_DEVICE(self->fd);
	if (geteuid())
		SKIP(return, "needs root");
	if (access(PROBES, F_OK))
		mkdir(TRACING, 0700), mount("none", TRACING, "tracefs", 0, NULL);
	if (write_text(PROBES, "p:profil_asked cap_capable cap=$arg3:s32 options=$arg4:u32"))
		SKIP(return, "the kernel has no kprobe events with arguments");
}

FIXTURE_TEARDOWN(capability)
{
	write_text(PROBE "enable", "0");
	write_text(PROBES, "-:profil_asked");
	close(self->fd);
}

/* Counts the audited checks of both capabilities for a child. Returns -1 if the child fails. */
static int audited_checks(int fd, const struct calls *calls)
{
	char line[512];
	int end[2], pid, nr = 0;
	FILE *trace;

	if (pipe(end))
		return -1;
	pid = fork();
	if (!pid) {
		receive_byte(end[0]);
		_exit(run_calls(fd, calls));
	}
	write_text(TRACING "trace", "");
	truncate(TRACING "trace", 0);
	write_text(PROBE "enable", "1");
	send_byte(end[1]);
	if (wait_for(pid))
		nr = -1;
	write_text(PROBE "enable", "0");
	trace = fopen(TRACING "trace", "re");
	while (nr >= 0 && trace && fgets(line, sizeof(line), trace)) {
		const char *found = strstr(line, " cap=");
		unsigned int options;
		int cap, from;

		if (!found || !strchr(line, '-') ||
		    sscanf(strchr(line, '-'), "-%d", &from) != 1 || from != pid ||
		    sscanf(found, " cap=%d options=%u", &cap, &options) != 2)
			continue;
		nr += (cap == CAP_PERFMON_NR || cap == CAP_SYS_ADMIN) &&
		      !(options & NO_AUDIT);
	}
	if (trace)
		fclose(trace);
	close(end[0]);
	close(end[1]);
	return nr;
}

TEST_F(capability, not_checked_by_info)
{
	struct calls info = { 0, 0 };
	int nr = audited_checks(self->fd, &info);

	TH_LOG("INFO checks %d times", nr);
	EXPECT_EQ(0, nr);
}

TEST_F(capability, not_checked_by_start_within_max_rate)
{
	struct calls start = { 100, 0 };
	int nr = audited_checks(self->fd, &start);

	TH_LOG("START checks %d times", nr);
	EXPECT_EQ(0, nr);
}

/* The control: the probe sees a check, and the administrator gets the audit record. */
TEST_F(capability, checked_above_max_rate)
{
	struct calls start = { 20000, EPERM };

	EXPECT_LT(0, audited_checks(self->fd, &start));
}

TEST_HARNESS_MAIN
