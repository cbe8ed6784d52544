// SPDX-License-Identifier: GPL-2.0-only
/*
 * The profil command's half inside the profiled program (lib/preload/), by itself: a run's
 * memory (lib/preload/run.h) as the command makes it, or as nobody should, and this program
 * executed with it. What the command makes of it: command_test.sh, follow_test.sh.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "kselftest_harness.h"
#include "files.h"
#include "profil.h"
#include "run_memory.h"
#include "eventually.h"

#define SOME_USER	7401	/* whom no other test charges */

#define HANDLED		50	/* signals whose handler forks */

/* The calls for other programs that the library hears of. */
static const char *const heard[] = { "execv", "execve", "execvp", "execvpe",
				     "fexecve" };

static int set_preload(unsigned long other)
{
	return other ? setenv("LD_PRELOAD", "libm.so.6", 1) :
		       unsetenv("LD_PRELOAD");
}

/* Of the environment it takes out what the command put there, and no more. */
TEST_F(run, environment)
{
	unsigned long other;

	for (other = 0; other < 2; other++) {
		self->run.owner = 0;
		self->run.nr_processes = 0;
		EXPECT_EQ(RAN, RUN(other ? "other" : "none", set_preload,
				   other));
		EXPECT_EQ(1, self->run.nr_processes);
		EXPECT_EQ(PROFIL_RUN_ENDED, self->process.state);
	}
}

/* What it executes shall find the run too: it stays. */
TEST_F(run, environment_that_is_followed)
{
	self->run.flags = PROFIL_RUN_FOLLOW;
	EXPECT_EQ(RAN, RUN("followed", set_preload, 0));
	EXPECT_EQ(PROFIL_RUN_ENDED, self->process.state);
}

/*
 * Each program has its place, in the order of their starts, and tells its own: also
 * those that execute another, or could not.
 */
TEST_F(run, executed_programs)
{
	struct profil_run_process next;
	size_t i;

	self->run.flags = PROFIL_RUN_FOLLOW;
	for (i = 0; i < ARRAY_SIZE(heard); i++) {
		self->run.owner = 0;
		self->run.nr_processes = 0;
		EXPECT_EQ(RAN, RUN(heard[i], NULL, 0)) {
			TH_LOG("%s", heard[i]);
		}
		EXPECT_EQ(2, self->run.nr_processes);
		next = process(self->memory, 1);
		EXPECT_EQ(self->process.pid, next.pid);
		EXPECT_EQ(0, next.flags & PROFIL_RUN_FORKED);
		EXPECT_EQ(PROFIL_RUN_ENDED, self->process.state);
		EXPECT_EQ(PROFIL_RUN_TOLD, self->process.flags);
		EXPECT_EQ(PROFIL_RUN_ENDED, next.state);
		EXPECT_EQ(PROFIL_RUN_TOLD, next.flags);
		EXPECT_LE(self->process.end_cpu_ns, next.start_cpu_ns);
		EXPECT_EQ(self->process.program, next.program);
	}
}

/* One that could not is as it was: killed then, it has told nothing. */
TEST_F(run, executed_in_vain)
{
	EXPECT_EQ(128 + SIGKILL, RUN("in vain", NULL, 0));
	EXPECT_EQ(PROFIL_RUN_STARTED, self->process.state);
	EXPECT_EQ(0, self->process.flags);
}

/* By a call that the library does not hear of: the next program tells when it was. */
TEST_F(run, unheard_exec)
{
	self->run.flags = PROFIL_RUN_FOLLOW;
	EXPECT_EQ(RAN, RUN("execl", NULL, 0));
	EXPECT_EQ(2, self->run.nr_processes);
	EXPECT_EQ(PROFIL_RUN_ENDED, self->process.state);
	EXPECT_EQ(0, self->process.flags);
	EXPECT_LT(self->process.start_cpu_ns, self->process.end_cpu_ns);
}

TEST_F(run, executed_programs_that_are_not_followed)
{
	EXPECT_EQ(RAN, RUN("execv", NULL, 0));
	EXPECT_EQ(1, self->run.nr_processes);
	EXPECT_EQ(PROFIL_RUN_TOLD, self->process.flags);
}

/* A child of vfork() has its parent's memory: it tells nothing for it. */
TEST_F(run, child_in_its_parents_memory)
{
	self->run.flags = PROFIL_RUN_FOLLOW;
	EXPECT_EQ(RAN, RUN("vfork", NULL, 0));
	EXPECT_EQ(1, self->run.nr_processes);
	EXPECT_EQ(PROFIL_RUN_ENDED, self->process.state);
	EXPECT_EQ(PROFIL_RUN_TOLD, self->process.flags);
	EXPECT_LT(self->process.start_cpu_ns + 100000000, self->process.end_cpu_ns);
}

/* CPU time that has more than five samples: the tick has 100 Hz at least */
#define MANY_TICKS	seconds_for(6, 100)

/* By _exit() too */
TEST_F(run, forked_child)
{
	struct profil_run_process child;

	EXPECT_EQ(RAN, RUN("fork", NULL, 0));
	EXPECT_EQ(2, self->run.nr_processes);
	child = process(self->memory, 1);
	EXPECT_EQ(self->process.pid, child.parent);
	EXPECT_EQ(PROFIL_RUN_ENDED, child.state);
	EXPECT_EQ(PROFIL_RUN_FORKED | PROFIL_RUN_TOLD, child.flags);
	EXPECT_EQ(self->process.program, child.program);
	EXPECT_LT(MANY_TICKS * 1e9, child.end_cpu_ns);
}

/* Objects are added by one process at a time. */
TEST_F(run, waits_for_others)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char name[64];
	pid_t pid;
	int other;

	snprintf(name, sizeof(name), "/proc/%d/fd/%d", getpid(), self->memory);
	other = open(name, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, fcntl(other, F_OFD_SETLK, &whole));
	ASSERT_EQ((ssize_t)sizeof(self->run),
		  pwrite(self->memory, &self->run, sizeof(self->run), 0));
	pid = fork();
	if (!pid) {
		/* or it would have the lock too */
		close(other);
		_exit(run_program(name, "none", NULL, 0));
	}
	do {
		usleep(10000);
		pread(self->memory, &self->run, sizeof(self->run), 0);
	} while (!self->run.nr_processes);
	/* it has come so far, and has time to go on */
	usleep(500000);
	pread(self->memory, &self->run, sizeof(self->run), 0);
	EXPECT_EQ(0, self->run.nr_objects);
	close(other);
	EXPECT_EQ(RAN, wait_for(pid));
	pread(self->memory, &self->run, sizeof(self->run), 0);
	EXPECT_LT(3, self->run.nr_objects);
}

/* Not until it ends: what it has mapped holds no lock. */
TEST_F(run, others_do_not_wait_for_its_end)
{
	self->run.flags = PROFIL_RUN_FOLLOW;
	EXPECT_EQ(RAN, RUN("lock", NULL, 0));
	EXPECT_LT(3, self->run.nr_objects);
}

/* Who has none in the table is counted like all others, and nothing is written behind it. */
TEST_F(run, no_place)
{
	uint32_t behind = 1;

	self->run.flags = PROFIL_RUN_FOLLOW;
	self->run.nr_processes = PROFIL_RUN_PROCESSES;
	EXPECT_EQ(RAN, RUN("fork", NULL, 0));
	EXPECT_EQ(PROFIL_RUN_PROCESSES + 2, self->run.nr_processes);
	EXPECT_LT(5, samples_of_run(self->memory, &self->run));
	EXPECT_EQ((ssize_t)sizeof(behind),
		  pread(self->memory, &behind, sizeof(behind),
			PROFIL_RUN_PROCESSES_AT + PROFIL_RUN_PROCESSES *
			(off_t)sizeof(struct profil_run_process)));
	EXPECT_EQ(0, behind);
}

/* What is not there, or is no memory, or nobody's run: the program knows nothing. */
TEST_F(run, no_run)
{
	struct profil_run before;

	EXPECT_EQ(RAN, run_program("/nonexistent", "none", NULL, 0));
	EXPECT_EQ(RAN, run_program("/", "none", NULL, 0));
	EXPECT_EQ(RAN, run_program("/dev/null", "none", NULL, 0));
	self->run.magic++;
	before = self->run;
	EXPECT_EQ(RAN, RUN("none", NULL, 0));
	EXPECT_EQ(0, memcmp(&before, &self->run, sizeof(before)));
}

TEST_F(run, another_version)
{
	self->run.version++;
	EXPECT_EQ(RAN, RUN("none", NULL, 0));
	EXPECT_EQ(PROFIL_RUN_VERSION, self->run.version);
	EXPECT_EQ(0, self->run.nr_processes);
}

/* The first program has it, if it is not to be followed: the second leaves it alone. */
TEST_F(run, taken)
{
	self->run.owner = 1;
	EXPECT_EQ(RAN, RUN("none", NULL, 0));
	EXPECT_EQ(128 + SIGKILL, RUN("in vain", NULL, 0));
	EXPECT_EQ(0, self->run.nr_processes);
	EXPECT_EQ(0, self->run.nr_objects);
}

TEST_F(run, memory_that_does_not_grow)
{
	ASSERT_EQ(0, fcntl(self->memory, F_ADD_SEALS, F_SEAL_GROW));
	EXPECT_EQ(RAN, RUN("none", NULL, 0));
	EXPECT_EQ(PROFIL_RUN_FAILED, self->process.state);
	EXPECT_EQ(EPERM, self->run.error);
	EXPECT_NE(NULL, strstr(self->run.message, "no memory for the counters"));
}

static int set_limit(int resource, unsigned long bytes)
{
	struct rlimit limit = { bytes, bytes };

	return setrlimit(resource, &limit);
}

static int set_address_space(unsigned long bytes)
{
	return set_limit(RLIMIT_AS, bytes);
}

/* How far it comes with so much address space: the more, the further. */
enum stage { UNTOUCHED, NO_LIST, NO_COUNTERS, STARTED };

static enum stage stage_of(const struct profil_run *run)
{
	if (run->error != ENOMEM)
		return run->nr_processes ? STARTED : UNTOUCHED;
	return strstr(run->message, "to list the program") ? NO_LIST :
							     NO_COUNTERS;
}

/*
 * It is told what there was no memory for. What becomes of the program is no matter
 * here: the harness's own constructors, which come next, do not look at what they get.
 */
TEST_F(run, little_address_space)
{
	const struct profil_run fresh = self->run;
	unsigned long low, high;
	enum stage wanted;

	for (wanted = NO_LIST; wanted <= NO_COUNTERS; wanted++) {
		/* the least that it comes so far with, in pages */
		low = 0;
		high = 1 << 16;
		while (high - low > 1) {
			unsigned long pages = low + (high - low) / 2;

			self->run = fresh;
			RUN("none", set_address_space, pages * PAGE);
			if (stage_of(&self->run) < wanted)
				low = pages;
			else
				high = pages;
		}
		self->run = fresh;
		RUN("none", set_address_space, high * PAGE);
		EXPECT_EQ(wanted, stage_of(&self->run));
	}
}

static int set_file_size(unsigned long bytes)
{
	return set_limit(RLIMIT_FSIZE, bytes);
}

/* It is not killed for a file that it knows nothing of. */
TEST_F(run, limit_of_file_sizes)
{
	EXPECT_EQ(RAN, RUN("none", set_file_size, PAGE));
	EXPECT_EQ(PROFIL_RUN_FAILED, self->process.state);
	EXPECT_EQ(EFBIG, self->run.error);
	EXPECT_NE(NULL, strstr(self->run.message, "ulimit -f"));
}

/* Signals come in the middle of fork(), and what handles them forks too. */
TEST_F(run, forks_in_signal_handlers)
{
	self->run.flags = PROFIL_RUN_FOLLOW;
	EXPECT_EQ(RAN, RUN("handler", NULL, 0));
	EXPECT_LT(HANDLED, self->run.nr_processes);
}

TEST_F(run, rate_that_is_not_to_be_had)
{
	self->run.rate = 1000000;
	EXPECT_EQ(RAN, RUN("none", NULL, 0));
	EXPECT_EQ(PROFIL_RUN_FAILED, self->process.state);
	EXPECT_EQ(EINVAL, self->run.error);
	EXPECT_NE(NULL, strstr(self->run.message, "the kernel offers 1 to"));
	/* nothing of it is left, and the program runs on as it would */
	EXPECT_EQ(0, self->process.flags);
	EXPECT_EQ(0, self->process.end_cpu_ns);
}

static int set_rate(unsigned long rate)
{
	char text[32];

	snprintf(text, sizeof(text), "%lu", rate);
	return setenv("PROFIL_RATE", text, 1);
}

/* Unless the command has chosen it, the first program does so for all of the run. */
TEST_F(run, rate_of_all)
{
	self->run.flags = PROFIL_RUN_FOLLOW;
	self->run.rate = 0;
	EXPECT_EQ(RAN, RUN("last", set_rate, 50));
	EXPECT_EQ(50, self->run.rate);
	EXPECT_EQ(50, self->process.requested_rate);
	EXPECT_EQ(RAN, RUN("last", set_rate, 20));
	EXPECT_EQ(50, self->run.rate);
	EXPECT_EQ(50, process(self->memory, 1).requested_rate);
	EXPECT_EQ(50, process(self->memory, 1).rate);
	self->run.rate = 25;
	EXPECT_EQ(RAN, RUN("last", set_rate, 20));
	EXPECT_EQ(25, process(self->memory, 2).requested_rate);
}

/* Only the first failure of a run is told in words. */
TEST_F(run, second_failure)
{
	self->run.rate = 1000000;
	self->run.error = EIO;
	strcpy(self->run.message, "the first");
	EXPECT_EQ(RAN, RUN("none", NULL, 0));
	EXPECT_EQ(PROFIL_RUN_FAILED, self->process.state);
	EXPECT_EQ(EINVAL, self->process.error);
	EXPECT_EQ(EIO, self->run.error);
	EXPECT_EQ(0, strcmp("the first", self->run.message));
}

static int without_rights(unsigned long arg)
{
	(void)arg;
	return become_user(SOME_USER, 8);
}

/* Refused for no reason that is the command's. */
TEST_F(run, user_without_sessions)
{
	static const char parameter[] = PARAMETERS "max_user_sessions";
	long long before = read_number(parameter, "");
	char text[32];

	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, write_text(parameter, "0"));
	EXPECT_EQ(RAN, RUN("none", without_rights, 0));
	snprintf(text, sizeof(text), "%lld", before);
	ASSERT_EQ(0, write_text(parameter, text));
	EXPECT_EQ(PROFIL_RUN_FAILED, self->process.state);
	EXPECT_EQ(ENOSPC, self->run.error);
	EXPECT_NE(NULL, strstr(self->run.message, "start: "));
	/* the kernel does not tell which of the two it is */
	EXPECT_NE(NULL, strstr(self->run.message, "max_user_sessions"));
	EXPECT_NE(NULL, strstr(self->run.message, "max_user_regions"));
}

/* Without ftrace the kernel has no clock, and it is told how to have one. */
TEST_F(run, tick_that_cannot_be_hooked)
{
	static const char parameter[] = "/proc/sys/kernel/ftrace_enabled";

	if (access(parameter, W_OK))
		SKIP(return, "needs root, and a kernel with ftrace");
	/* the hook of the last profile goes a second later */
	EXPECT_EVENTUALLY(!write_text(parameter, "0"));
	EXPECT_EQ(RAN, RUN("none", NULL, 0));
	ASSERT_EQ(0, write_text(parameter, "1"));
	EXPECT_EQ(EOPNOTSUPP, self->run.error);
	EXPECT_NE(NULL, strstr(self->run.message, "sysctl kernel.ftrace_enabled=1"));
}

/* So that after the call for another program so many are left, besides those it has. */
static int set_descriptors(unsigned long left)
{
	int lowest = 0, flags;

	do {
		flags = fcntl(lowest++, F_GETFD);
	} while (flags >= 0 && !(flags & FD_CLOEXEC));
	return set_limit(RLIMIT_NOFILE, (unsigned long)lowest - 1 + left);
}

/* One is for the device, and the counters' memory wants another. */
TEST_F(run, one_descriptor)
{
	EXPECT_EQ(RAN, RUN("none", set_descriptors, 1));
	EXPECT_EQ(PROFIL_RUN_FAILED, self->process.state);
	EXPECT_EQ(EMFILE, self->run.error);
	EXPECT_NE(NULL, strstr(self->run.message, "the counters' memory"));
	EXPECT_NE(NULL, strstr(self->run.message, "ulimit -n"));
	EXPECT_EQ(NULL, strstr(self->run.message, "no memory"));
}

static void run_and_end(struct __test_metadata *_metadata,
			struct _test_data_run *self, const char *how,
			uint32_t flags)
{
	EXPECT_EQ(RAN, RUN(how, NULL, 0));
	EXPECT_EQ(PROFIL_RUN_ENDED, self->process.state);
	EXPECT_EQ(flags, self->process.flags);
	EXPECT_LT(self->process.start_cpu_ns, self->process.end_cpu_ns);
}

/* What it came to is told at the end, if the device can be asked, */
TEST_F(run, end)
{
	run_and_end(_metadata, self, "none", PROFIL_RUN_TOLD);
}

/* with the rate that it had in the end, */
TEST_F(run, end_at_another_rate)
{
	int status;

	if (access(PARAMETERS "max_cpu_percent", W_OK))
		SKIP(return, "needs root, to have rates lowered");
	self->run.rate = get_info(self->device).tick_hz + 1000;
	self->run.clock = PROFIL_CLOCK_TIMER;
	set_throttle(false);
	status = RUN("lowered", NULL, 0);
	set_throttle(true);
	EXPECT_EQ(RAN, status);
	EXPECT_EQ(PROFIL_RUN_TOLD, self->process.flags);
	EXPECT_EQ(get_info(self->device).tick_hz + 1000, self->process.requested_rate);
	EXPECT_EQ(get_info(self->device).tick_hz, self->process.rate);
}

TEST_F(run, end_without_handlers)
{
	run_and_end(_metadata, self, "_Exit", PROFIL_RUN_TOLD);
}

TEST_F(run, end_without_descriptors)
{
	run_and_end(_metadata, self, "descriptors", 0);
}

/* and if it was this profile's: not that of the program's own. */
TEST_F(run, end_of_another_profile)
{
	run_and_end(_metadata, self, "another", 0);
	self->run.owner = 0;
	self->run.nr_processes = 0;
	run_and_end(_metadata, self, "log", 0);
}

static void execute(const char *how, const char *path, char *const argv[])
{
	if (!strcmp(how, "execv"))
		execv(path, argv);
	else if (!strcmp(how, "execve"))
		execve(path, argv, environ);
	else if (!strcmp(how, "execvp"))
		execvp(path, argv);
	else if (!strcmp(how, "execvpe"))
		execvpe(path, argv, environ);
	else if (!strcmp(how, "fexecve"))
		fexecve(open(path, O_RDONLY | O_CLOEXEC), argv, environ);
	else
		execl(path, argv[0], argv[1], argv[2], NULL);
}

/* This program once more, to end at once */
static char *const again[] = { "autostart_test", "run", "last", NULL };

/* Execute it, when that has been in vain once. */
static int run_again(const char *how)
{
	burn(0.1);
	execute(how, "/nonexistent", again);
	execute(how, "/proc/self/exe", again);
	return 7;
}

static int run_child(pid_t pid)
{
	if (!pid)
		_exit(RAN);
	return wait_for(pid);
}

static volatile sig_atomic_t handled;

/* Stops the timer itself: fork() fails and is repeated as long as signals come. */
static void fork_in_handler(int number)
{
	(void)number;
	run_child(fork());
	if (++handled == HANDLED)
		setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
}

/* Until so many signals have come, most of them while a fork had them wait */
static int fork_and_be_interrupted(void)
{
	const struct sigaction action = { .sa_handler = fork_in_handler,
					  .sa_flags = SA_RESTART };
	const struct itimerval often = { { 0, 5000 }, { 0, 5000 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (handled < HANDLED)
		if (run_child(fork()) != RAN)
			return 9;
	return RAN;
}

/* Have the run's memory alone, as who adds objects. */
static int lock_run(void)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(getenv("PROFIL_RUN"), O_RDWR);

	return fd < 0 || fcntl(fd, F_OFD_SETLK, &whole) ? 8 : RAN;
}

/* As run_memory.h has it. */
int program(const char *how)
{
	static unsigned short counters[256];
	static uintptr_t log[8];
	struct profil_status first;
	struct rlimit none = { 0, 0 };
	const char *preload = getenv("LD_PRELOAD");
	pid_t pid;

	if (!strcmp(how, "followed"))
		return getenv("PROFIL_RUN") ? RAN : 3;
	if (!strcmp(how, "last"))
		return RAN;
	if (!strcmp(how, "lock"))
		return lock_run();
	if (strstr(how, "exec"))
		return run_again(how);
	if (!strcmp(how, "in vain")) {
		execute("execve", "/nonexistent", again);
		raise(SIGKILL);
	}
	if (!strcmp(how, "fork")) {
		pid = fork();
		if (!pid)
			burn(MANY_TICKS);
		return run_child(pid);
	}
	if (!strcmp(how, "handler"))
		return fork_and_be_interrupted();
	if (!strcmp(how, "vfork")) {
		/* this is what it is for: nothing before the parent's return is its */
		int status = run_child(vfork());

		burn(0.1);
		return status;
	}
	if (getenv("PROFIL_RUN"))
		return 3;
	if (!strcmp(how, "other") ? !preload || strcmp(preload, "libm.so.6") :
				    !!preload)
		return 4;
	if (!strcmp(how, "descriptors") && setrlimit(RLIMIT_NOFILE, &none))
		return 5;
	if (!strcmp(how, "lowered")) {
		if (profil_status(&first))
			return 11;
		write_text(PARAMETERS "max_cpu_percent", "0");
		/* the guard measures each 16th sample */
		burn(seconds_for(16, first.rate));
	}
	if (!strcmp(how, "another") &&
	    profil(counters, sizeof(counters), (size_t)program, 0x10000))
		return 6;
	if (!strcmp(how, "_Exit"))
		_Exit(RAN);
	if (!strcmp(how, "log") && pcsample(log, 8))
		return 10;
	return RAN;
}
