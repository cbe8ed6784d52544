// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests libprofil-run.so (lib/preload/) without the profil command: makes a run's shared memory
 * (lib/preload/run.h) as the command does, or a wrong one, executes this program with it, and
 * checks what the library has written there. command_test.sh and follow_test.sh test the command.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "kselftest_harness.h"
#include "files.h"
#include "profil.h"
#include "profile/run_memory.h"
#include "eventually.h"

#define SOME_USER	7401	/* a uid that no other test charges */

#define HANDLED		50	/* signals whose handler forks */

/* The exec functions that the library interposes */
static const char *const interposed[] = { "execv", "execve", "execvp", "execvpe",
					  "fexecve" };

static int set_preload(unsigned long other)
{
	return other ? setenv("LD_PRELOAD", "libm.so.6", 1) :
		       unsetenv("LD_PRELOAD");
}

/* The library removes what the command added to the environment, and nothing else. */
TEST_F(run, environment_is_restored)
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

/* Executed programs need it. */
TEST_F(run, environment_stays_if_the_run_follows)
{
	self->run.flags = PROFIL_RUN_FOLLOW;
	EXPECT_EQ(RAN, RUN("followed", set_preload, 0));
	EXPECT_EQ(PROFIL_RUN_ENDED, self->process.state);
}

/*
 * Each program has an entry, in the order of their starts. A program that executes another
 * reports its status first, even if an earlier exec failed.
 */
TEST_F(run, executed_programs_have_entries)
{
	struct profil_run_process next;
	size_t i;

	self->run.flags = PROFIL_RUN_FOLLOW;
	for (i = 0; i < ARRAY_SIZE(interposed); i++) {
		self->run.owner = 0;
		self->run.nr_processes = 0;
		EXPECT_EQ(RAN, RUN(interposed[i], NULL, 0)) {
			TH_LOG("%s", interposed[i]);
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

/* A failed exec sets the entry back to running. The program is then killed. */
TEST_F(run, failed_exec)
{
	EXPECT_EQ(128 + SIGKILL, RUN("killed", NULL, 0));
	EXPECT_EQ(PROFIL_RUN_STARTED, self->process.state);
	EXPECT_EQ(0, self->process.flags);
}

/* The executed program sets the end of the previous one, whose status is unknown. */
TEST_F(run, exec_by_a_function_that_is_not_interposed)
{
	self->run.flags = PROFIL_RUN_FOLLOW;
	EXPECT_EQ(RAN, RUN("execl", NULL, 0));
	EXPECT_EQ(2, self->run.nr_processes);
	EXPECT_EQ(PROFIL_RUN_ENDED, self->process.state);
	EXPECT_EQ(0, self->process.flags);
	EXPECT_LT(self->process.start_cpu_ns, self->process.end_cpu_ns);
}

TEST_F(run, executed_programs_have_no_entry_without_follow)
{
	EXPECT_EQ(RAN, RUN("execv", NULL, 0));
	EXPECT_EQ(1, self->run.nr_processes);
	EXPECT_EQ(PROFIL_RUN_TOLD, self->process.flags);
}

/* A child of vfork() shares its parent's memory, so it must not write the parent's entry. */
TEST_F(run, vfork_child_does_not_end_its_parent)
{
	self->run.flags = PROFIL_RUN_FOLLOW;
	EXPECT_EQ(RAN, RUN("vfork", NULL, 0));
	EXPECT_EQ(1, self->run.nr_processes);
	EXPECT_EQ(PROFIL_RUN_ENDED, self->process.state);
	EXPECT_EQ(PROFIL_RUN_TOLD, self->process.flags);
	EXPECT_LT(self->process.start_cpu_ns + 100000000, self->process.end_cpu_ns);
}

/* CPU time of more than five samples: the tick has at least 100 Hz */
#define SAMPLED_SECONDS	seconds_for(6, 100)

/* The child ends by _exit(). */
TEST_F(run, forked_child_has_an_entry)
{
	struct profil_run_process child;

	EXPECT_EQ(RAN, RUN("fork", NULL, 0));
	EXPECT_EQ(2, self->run.nr_processes);
	child = process(self->memory, 1);
	EXPECT_EQ(self->process.pid, child.parent);
	EXPECT_EQ(PROFIL_RUN_ENDED, child.state);
	EXPECT_EQ(PROFIL_RUN_FORKED | PROFIL_RUN_TOLD, child.flags);
	EXPECT_EQ(self->process.program, child.program);
	EXPECT_LT(SAMPLED_SECONDS * 1e9, child.end_cpu_ns);
}

/* Only one process at a time adds objects. */
TEST_F(run, waits_for_the_lock)
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
		/* otherwise the child would inherit the lock */
		close(other);
		_exit(run_program(name, "none", NULL, 0));
	}
	do {
		usleep(10000);
		pread(self->memory, &self->run, sizeof(self->run), 0);
	} while (!self->run.nr_processes);
	/* the program has started, and has time to add objects */
	usleep(500000);
	pread(self->memory, &self->run, sizeof(self->run), 0);
	EXPECT_EQ(0, self->run.nr_objects);
	close(other);
	EXPECT_EQ(RAN, wait_for(pid));
	pread(self->memory, &self->run, sizeof(self->run), 0);
	EXPECT_LT(3, self->run.nr_objects);
}

/* The mapping of the memory must not keep the lock. */
TEST_F(run, lock_is_free_while_the_program_runs)
{
	self->run.flags = PROFIL_RUN_FOLLOW;
	EXPECT_EQ(RAN, RUN("lock", NULL, 0));
	EXPECT_LT(3, self->run.nr_objects);
}

/* Processes without an entry are counted too, and nothing is written after the table. */
TEST_F(run, full_process_table)
{
	uint32_t after = 1;

	self->run.flags = PROFIL_RUN_FOLLOW;
	self->run.nr_processes = PROFIL_RUN_PROCESSES;
	EXPECT_EQ(RAN, RUN("fork", NULL, 0));
	EXPECT_EQ(PROFIL_RUN_PROCESSES + 2, self->run.nr_processes);
	EXPECT_LT(5, samples_of_run(self->memory, &self->run));
	EXPECT_EQ((ssize_t)sizeof(after),
		  pread(self->memory, &after, sizeof(after),
			PROFIL_RUN_PROCESSES_AT + PROFIL_RUN_PROCESSES *
			(off_t)sizeof(struct profil_run_process)));
	EXPECT_EQ(0, after);
}

/* The program runs normally if PROFIL_RUN does not name a run's memory. */
TEST_F(run, not_a_run)
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

TEST_F(run, other_version)
{
	self->run.version++;
	EXPECT_EQ(RAN, RUN("none", NULL, 0));
	EXPECT_EQ(PROFIL_RUN_VERSION, self->run.version);
	EXPECT_EQ(0, self->run.nr_processes);
}

/* Without PROFIL_RUN_FOLLOW, only the first program uses the memory. */
TEST_F(run, other_owner)
{
	self->run.owner = 1;
	EXPECT_EQ(RAN, RUN("none", NULL, 0));
	EXPECT_EQ(128 + SIGKILL, RUN("killed", NULL, 0));
	EXPECT_EQ(0, self->run.nr_processes);
	EXPECT_EQ(0, self->run.nr_objects);
}

TEST_F(run, memory_cannot_grow)
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

/* How far the library comes. More address space never leads to an earlier stage. */
enum stage { UNTOUCHED, NO_LIST, NO_COUNTERS, STARTED };

static enum stage stage_of(const struct profil_run *run)
{
	if (run->error != ENOMEM)
		return run->nr_processes ? STARTED : UNTOUCHED;
	return strstr(run->message, "to list the program") ? NO_LIST :
							     NO_COUNTERS;
}

/*
 * The message names what could not be allocated. The program's exit status is ignored: the
 * harness's constructors run next, and do not check their allocations.
 */
TEST_F(run, too_little_address_space)
{
	const struct profil_run fresh = self->run;
	unsigned long low, high;
	enum stage wanted;

	for (wanted = NO_LIST; wanted <= NO_COUNTERS; wanted++) {
		/* bisects for the fewest pages that lead to this stage */
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

/* The run's memory is a file. It does not grow, and SIGXFSZ must not kill the program. */
TEST_F(run, file_size_limit)
{
	EXPECT_EQ(RAN, RUN("none", set_file_size, PAGE));
	EXPECT_EQ(PROFIL_RUN_FAILED, self->process.state);
	EXPECT_EQ(EFBIG, self->run.error);
	EXPECT_NE(NULL, strstr(self->run.message, "ulimit -f"));
}

/* Signals interrupt fork(), and their handler forks too. */
TEST_F(run, forks_in_signal_handlers)
{
	self->run.flags = PROFIL_RUN_FOLLOW;
	EXPECT_EQ(RAN, RUN("handler", NULL, 0));
	EXPECT_LT(HANDLED, self->run.nr_processes);
}

TEST_F(run, unsupported_rate)
{
	self->run.rate = 1000000;
	EXPECT_EQ(RAN, RUN("none", NULL, 0));
	EXPECT_EQ(PROFIL_RUN_FAILED, self->process.state);
	EXPECT_EQ(EINVAL, self->run.error);
	EXPECT_NE(NULL, strstr(self->run.message, "the kernel offers 1 to"));
	/* the program runs without a profile, and reports nothing at its end */
	EXPECT_EQ(0, self->process.flags);
	EXPECT_EQ(0, self->process.end_cpu_ns);
}

static int set_rate(unsigned long rate)
{
	char text[32];

	snprintf(text, sizeof(text), "%lu", rate);
	return setenv("PROFIL_RATE", text, 1);
}

/* If the command has not chosen a rate, the first program chooses it for the whole run. */
TEST_F(run, first_program_chooses_the_rate)
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

/* A run has room for one message. */
TEST_F(run, first_failure_has_the_message)
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

TEST_F(run, max_user_sessions_is_0)
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
	/* ENOSPC has two possible reasons */
	EXPECT_NE(NULL, strstr(self->run.message, "max_user_sessions"));
	EXPECT_NE(NULL, strstr(self->run.message, "max_user_regions"));
}

/* The tick cannot be hooked. The message has the remedy. */
TEST_F(run, ftrace_is_disabled)
{
	static const char parameter[] = "/proc/sys/kernel/ftrace_enabled";

	if (access(parameter, W_OK))
		SKIP(return, "needs root, and a kernel with ftrace");
	/* the hook is removed one second after the last profile */
	EXPECT_EVENTUALLY(!write_text(parameter, "0"));
	EXPECT_EQ(RAN, RUN("none", NULL, 0));
	ASSERT_EQ(0, write_text(parameter, "1"));
	EXPECT_EQ(EOPNOTSUPP, self->run.error);
	EXPECT_NE(NULL, strstr(self->run.message, "sysctl kernel.ftrace_enabled=1"));
}

/* Limits descriptors so that @left are free after exec. */
static int set_descriptors(unsigned long left)
{
	int lowest = 0, flags;

	do {
		flags = fcntl(lowest++, F_GETFD);
	} while (flags >= 0 && !(flags & FD_CLOEXEC));
	return set_limit(RLIMIT_NOFILE, (unsigned long)lowest - 1 + left);
}

/* It is used for the device, and the counters' memory needs another. */
TEST_F(run, one_free_descriptor)
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

TEST_F(run, exit_reports_the_status)
{
	run_and_end(_metadata, self, "none", PROFIL_RUN_TOLD);
}

TEST_F(run, exit_reports_a_lowered_rate)
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

TEST_F(run, exit_without_handlers_reports_the_status)
{
	run_and_end(_metadata, self, "_Exit", PROFIL_RUN_TOLD);
}

/* The device cannot be opened to read the status. */
TEST_F(run, exit_without_free_descriptors)
{
	run_and_end(_metadata, self, "descriptors", 0);
}

/* The program has replaced the profile with its own, whose status is not reported. */
TEST_F(run, exit_with_a_profile_of_the_program)
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

/* Arguments for this program, to exit at once */
static char *const again[] = { "autostart_test", "run", "last", NULL };

/* Executes this program, after a failed exec. */
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

/* Stops the timer after HANDLED signals: an interrupted fork() restarts as long as they come. */
static void fork_in_handler(int number)
{
	(void)number;
	run_child(fork());
	if (++handled == HANDLED)
		setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
}

/* Forks until HANDLED signals have come, most of them during a fork. */
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

/* Takes the lock of the run's memory, as the library does when it adds objects. */
static int lock_run(void)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(getenv("PROFIL_RUN"), O_RDWR);

	return fd < 0 || fcntl(fd, F_OFD_SETLK, &whole) ? 8 : RAN;
}

/* Called by run_memory.h in the executed program */
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
	if (!strcmp(how, "killed")) {
		execute("execve", "/nonexistent", again);
		raise(SIGKILL);
	}
	if (!strcmp(how, "fork")) {
		pid = fork();
		if (!pid)
			burn(SAMPLED_SECONDS);
		return run_child(pid);
	}
	if (!strcmp(how, "handler"))
		return fork_and_be_interrupted();
	if (!strcmp(how, "vfork")) {
		/* the child only exits, as vfork() requires */
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
		/* the throttle measures each 16th sample */
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
