// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding R7. A security module writes an audit record when a process is asked for a
 * capability that it has not. So an ordinary profile must not ask for CAP_PERFMON, nor, as
 * perfmon_capable() does then, for CAP_SYS_ADMIN: only a rate above max_rate is a reason
 * to. What is asked for is seen by a probe on the function that answers, cap_capable().
 */
#include <linux/capability.h>
#include <sys/mount.h>

#include "kselftest_harness.h"
#include "../child.h"
#include "../common.h"
#include "../files.h"
#include "../memory.h"

#define TRACING		"/sys/kernel/tracing/"
#define PROBES		TRACING "kprobe_events"
#define PROBE		TRACING "events/kprobes/profil_asked/"
#define ASKER		7777001
#define CAP_PERFMON_NR	38
#define NO_AUDIT	2	/* the kernel's CAP_OPT_NOAUDIT */

/* What a process without rights does. */
struct calls {
	unsigned int rate;	/* of a start; 0: INFO instead */
	int error;
};

static int run_calls(int fd, const struct calls *calls)
{
	static struct profil_region region;
	static struct profil_start start;
	struct profil_info info = { .size = sizeof(info) };

	if (become_user(ASKER, 16))
		return -1;
	if (!calls->rate)
		return call(fd, PROFIL_IOC_INFO, &info) || info.max_rate == 20000;
	count_all(&start, &region, map_memory(PAGE), 64, calls->rate);
	return call(fd, PROFIL_IOC_START, &start) != calls->error;
}

FIXTURE(asked) {
	int fd;
};

FIXTURE_SETUP(asked)
{
	REQUIRE_DEVICE(self->fd);
	if (geteuid())
		SKIP(return, "needs root");
	if (access(PROBES, F_OK))
		mkdir(TRACING, 0700), mount("none", TRACING, "tracefs", 0, NULL);
	if (write_text(PROBES, "p:profil_asked cap_capable cap=$arg3:s32 options=$arg4:u32"))
		SKIP(return, "this kernel has no probes with arguments");
}

FIXTURE_TEARDOWN(asked)
{
	write_text(PROBE "enable", "0");
	write_text(PROBES, "-:profil_asked");
	close(self->fd);
}

/* How often a child was asked, with an audit, for one of the two. -1 if it failed. */
static int asked(int fd, const struct calls *calls)
{
	char line[512];
	int end[2], pid, nr = 0;
	FILE *trace;

	if (pipe(end))
		return -1;
	pid = fork();
	if (!pid) {
		await_pass(end[0]);
		_exit(run_calls(fd, calls));
	}
	write_text(TRACING "trace", "");
	truncate(TRACING "trace", 0);
	write_text(PROBE "enable", "1");
	pass(end[1]);
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

TEST_F(asked, for_nothing_to_be_informed)
{
	struct calls info = { 0, 0 };
	int nr = asked(self->fd, &info);

	TH_LOG("INFO asks %d times", nr);
	EXPECT_EQ(0, nr);
}

TEST_F(asked, for_nothing_to_start_within_the_limit)
{
	struct calls start = { 100, 0 };
	int nr = asked(self->fd, &start);

	TH_LOG("START asks %d times", nr);
	EXPECT_EQ(0, nr);
}

/* The control: this is what an administrator wants to see, and that the probe does. */
TEST_F(asked, for_a_rate_above_the_limit)
{
	struct calls start = { 20000, EPERM };

	EXPECT_LT(0, asked(self->fd, &start));
}

TEST_HARNESS_MAIN
