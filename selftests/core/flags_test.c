// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start flags that handle missing memory as old systems did: PROFIL_CHECK_ON_HIT checks the memory
 * only when a sample needs it, PROFIL_FAULT_SIGNAL reports a fault by a signal.
 */
#include <sched.h>
#include <signal.h>

#include <sys/mount.h>

#include "kselftest_harness.h"
#include "load/loops.h"
#include "profile/scene.h"
#include "eventually.h"

#define LAZY	(PROFIL_PIN_ON_HIT | PROFIL_CHECK_ON_HIT)

FIXTURE(flags) {
	struct scene scene;
	struct profil_region region;
	struct profil_start start;
};

FIXTURE_SETUP(flags)
{
	struct scene *scene = &self->scene;
	uint64_t features;

	SET_SCENE(scene);
	features = get_info(scene->fd).features;
	ASSERT_TRUE(features & PROFIL_FEATURE_FAULT_SIGNAL);
	ASSERT_TRUE(features & PROFIL_FEATURE_CHECK_ON_HIT);
	count_scene(scene, &self->start, &self->region);
}

FIXTURE_TEARDOWN(flags)
{
	clear_scene(&self->scene);
}

/* Returns 0 or an errno. */
static int begin_with(struct _test_data_flags *self, uint32_t flags)
{
	self->start.flags = flags;
	return call(self->scene.fd, PROFIL_IOC_START, &self->start);
}

TEST_F(flags, check_on_hit_pins_on_hit)
{
	struct scene *scene = &self->scene;

	ASSERT_EQ(0, begin_with(self, 0));
	EXPECT_EQ(EINVAL, begin_with(self, PROFIL_CHECK_ON_HIT));
	EXPECT_EQ(EINVAL, begin_with(self, PROFIL_CHECK_ON_HIT | PROFIL_FAULT_SIGNAL));
	EXPECT_EQ(0, get_status(scene->fd).flags);
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	ASSERT_EQ(0, begin_with(self, LAZY));
	EXPECT_EQ(LAZY, get_status(scene->fd).flags);
	EXPECT_EQ(0, get_status(scene->fd).pinned_bytes);
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	EXPECT_EQ(PAGE, get_status(scene->fd).pinned_bytes);
}

/* Makes the second page of counters unwritable, in one of three ways. */
static void spoil_far(const struct scene *scene, int way)
{
	char *far = (char *)scene->counters + PAGE;

	switch (way) {
	case 0:
		take_away_far(scene);
		break;
	case 1:
		mprotect(far, PAGE, PROT_READ);
		break;
	case 2:
		mprotect(far, PAGE, PROT_NONE);
		break;
	}
}

static void restore_far(const struct scene *scene)
{
	mmap((char *)scene->counters + PAGE, PAGE, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

TEST_F(flags, check_on_hit)
{
	struct scene *scene = &self->scene;
	struct profil_status status;
	int way;

	for (way = 0; way < 3; way++) {
		spoil_far(scene, way);
		/* without PROFIL_CHECK_ON_HIT, the call checks */
		EXPECT_EQ(EFAULT, begin_with(self, 0));
		EXPECT_EQ(EFAULT, begin_with(self, PROFIL_PIN_ON_HIT));
		ASSERT_EQ(0, begin_with(self, LAZY));
		*scene_counter(scene, NEAR) = 0;
		EXPECT_TRUE(counts_at(scene, NEAR, 2));
		EXPECT_LE(2, *scene_counter(scene, NEAR));
		status = stay(scene, FAR, 1);
		EXPECT_EQ(PROFIL_STATE_FAULT, status.state) {
			TH_LOG("way %d", way);
		}
		EXPECT_EQ(EFAULT, status.error);
		EXPECT_LE(1, status.lost);
		EXPECT_EQ(status.counted, *scene_counter(scene, NEAR));
		EXPECT_EQ(0, status.pinned_bytes);
		EXPECT_TRUE(is_silent(scene));
		restore_far(scene);
		stop(scene->fd);
	}
	/*
	 * A kernel address is refused at once. It must differ from a user address in more than the
	 * top byte, which is not part of an address on arm64.
	 */
	self->region.buf = UINT64_MAX << 47;
	EXPECT_EQ(EFAULT, begin_with(self, LAZY));
}

/* Only the state of the memory at the hit matters, not at the call or in between. */
TEST_F(flags, check_on_hit_not_before)
{
	struct scene *scene = &self->scene;
	int way;

	for (way = 0; way < 3; way++) {
		spoil_far(scene, way);
		ASSERT_EQ(0, begin_with(self, LAZY));
		restore_far(scene);
		EXPECT_TRUE(counts_at(scene, FAR, 1));
		EXPECT_LE(1, *scene_counter(scene, FAR));
		/* the page is taken away while it is pinned, and comes back */
		spoil_far(scene, way);
		EXPECT_TRUE(counts_at(scene, NEAR, 1));
		EXPECT_EQ(PAGE, get_status(scene->fd).pinned_bytes);
		restore_far(scene);
		EXPECT_EQ(0, *scene_counter(scene, FAR));
		EXPECT_TRUE(counts_at(scene, FAR, 1));
		EXPECT_LE(1, *scene_counter(scene, FAR));
		EXPECT_TRUE(counts_at(scene, NEAR, 1));
		/* the page is taken away for good */
		spoil_far(scene, way);
		EXPECT_TRUE(counts_at(scene, NEAR, 1));
		EXPECT_EQ(PROFIL_STATE_FAULT, stay(scene, FAR, 1).state);
		restore_far(scene);
	}
}

/* Without PROFIL_CHECK_ON_HIT, lost memory ends the profile at once, needed or not. */
TEST_F(flags, checked_at_once_without_flag)
{
	struct scene *scene = &self->scene;
	uint32_t flags;

	for (flags = 0; flags <= PROFIL_PIN_ON_HIT;
	     flags += PROFIL_PIN_ON_HIT) {
		ASSERT_EQ(0, begin_with(self, flags));
		EXPECT_TRUE(counts_at(scene, NEAR, 1));
		take_away_far(scene);
		EXPECT_EQ(PROFIL_STATE_FAULT, scene_state(scene));
		restore_far(scene);
	}
}

/* CPU time that contains a tick */
static double tick(const struct scene *scene)
{
	return seconds_for(1, get_info(scene->fd).tick_hz);
}

static volatile sig_atomic_t signals, code;

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	signals += number == SIGSEGV;
	code = info->si_code;
}

static int handle(void)
{
	struct sigaction action = {
		.sa_sigaction = on_fault,
		.sa_flags = SA_SIGINFO,
	};

	return sigaction(SIGSEGV, &action, NULL);
}

TEST_F(flags, fault_signal)
{
	struct scene *scene = &self->scene;
	int way;

	ASSERT_EQ(0, handle());
	for (way = 0; way < 3; way++) {
		signals = 0;
		code = 0;
		spoil_far(scene, way);
		ASSERT_EQ(0, begin_with(self, LAZY | PROFIL_FAULT_SIGNAL));
		EXPECT_TRUE(counts_at(scene, NEAR, 1));
		EXPECT_EQ(0, signals);
		/* without a call that reads the status */
		EXPECT_TRUE(WORK_UNTIL(stay_at_pc(scene->text + FAR, tick(scene)),
				       EVENTUALLY(signals)));
		EXPECT_EQ(1, signals);
		EXPECT_EQ(SI_KERNEL, code);
		EXPECT_EQ(PROFIL_STATE_FAULT, scene_state(scene));
		ASSERT_EQ(0, stay_at_pc(scene->text + FAR, 0.05));
		EXPECT_EQ(1, signals);
		/* stop sends no second signal */
		EXPECT_EQ(PROFIL_STATE_FAULT, stop(scene->fd).state);
		EXPECT_EQ(1, signals);
		restore_far(scene);
	}
}

/* Memory is taken away while it is pinned. */
TEST_F(flags, fault_signal_at_once)
{
	struct scene *scene = &self->scene;

	ASSERT_EQ(0, handle());
	ASSERT_EQ(0, begin_with(self, PROFIL_FAULT_SIGNAL));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	take_away_far(scene);
	EXPECT_EVENTUALLY(signals);
	burn(0.05);
	EXPECT_EQ(1, signals);
	EXPECT_EQ(SI_KERNEL, code);
	EXPECT_EQ(PROFIL_STATE_FAULT, scene_state(scene));
}

/* The signal is sent to the process, and may stay pending until a thread takes it. */
TEST_F(flags, fault_signal_is_process_wide)
{
	struct scene *scene = &self->scene;
	struct timespec soon = { 1, 0 };	/* the module's worker runs at once */
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	ASSERT_EQ(0, sigprocmask(SIG_BLOCK, &set, NULL));
	take_away_far(scene);
	ASSERT_EQ(0, begin_with(self, LAZY | PROFIL_FAULT_SIGNAL));
	/* by a thread that ends */
	EXPECT_TRUE(WORK_UNTIL(stay_at_pc(scene->text + FAR, tick(scene)),
			       sigtimedwait(&set, &info, &soon) == SIGSEGV));
	EXPECT_EQ(SI_KERNEL, info.si_code);
}

/* There is no signal without the flag, or when the profile ends for another reason. */
TEST_F(flags, no_signal)
{
	struct scene *scene = &self->scene;

	ASSERT_EQ(0, handle());
	self->start.overflow = PROFIL_OVERFLOW_STOP;
	self->start.limit = 2;
	ASSERT_EQ(0, begin_with(self, LAZY | PROFIL_FAULT_SIGNAL));
	EXPECT_EQ(PROFIL_STATE_LIMIT, stay(scene, NEAR, 3).state);
	take_away_far(scene);
	burn(0.05);
	EXPECT_EQ(0, signals);
	ASSERT_EQ(0, begin_with(self, LAZY));
	EXPECT_EQ(PROFIL_STATE_FAULT, stay(scene, FAR, 1).state);
	burn(0.05);
	EXPECT_EQ(0, signals);
	ASSERT_EQ(0, begin_with(self, LAZY | PROFIL_FAULT_SIGNAL));
	EXPECT_EQ(PROFIL_STATE_RUNNING, stop(scene->fd).state);
	ASSERT_EQ(0, stay_at_pc(scene->text + FAR, 0.05));
	EXPECT_EQ(0, signals);
}

/* A fault in a child is signalled to the child only. */
static int fault(const struct scene *scene)
{
	if (!counts_at(scene, NEAR, 1))
		return 1;
	take_away_far(scene);
	stay_until_killed(scene);
	return 2;
}

TEST_F(flags, fault_signal_in_a_child)
{
	struct scene *scene = &self->scene;

	ASSERT_EQ(0, begin_with(self, LAZY | PROFIL_FAULT_SIGNAL));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	EXPECT_EQ(128 + SIGSEGV, in_child(fault, scene));
	EXPECT_TRUE(counts_at(scene, FAR, 1));
}

/*
 * A fault is not signalled to the program that the process has executed since. All CPUs are busy,
 * so that the worker, which finds the fault, runs after the exec. The program is executed from
 * memory and is static, so that exec does not sleep.
 */
static int load_program(const char *name)
{
	int to = memfd_create(name, MFD_CLOEXEC);
	char path[4096], part[4096];
	ssize_t bytes;
	int from;

	/* relative to the directory of this test */
	bytes = readlink("/proc/self/exe", path, sizeof(path) - 64);
	path[bytes > 0 ? bytes : 0] = '\0';
	strcpy(strrchr(path, '/') + 1, name);
	from = open(path, O_RDONLY | O_CLOEXEC);
	while ((bytes = read(from, part, sizeof(part))) > 0)
		if (write(to, part, (size_t)bytes) != bytes)
			break;
	return from < 0 || close(from) || bytes ? -1 : to;
}

/* Sets the real-time priority (0: none) and the CPU (-1: any). */
static int be_first(pid_t pid, int cpu, int priority)
{
	struct sched_param param = { .sched_priority = priority };

	if (cpu >= 0 && put_on_cpu(pid, cpu))
		return -1;
	return sched_setscheduler(pid, priority ? SCHED_FIFO : SCHED_OTHER, &param);
}

#define MOST_CPUS	64

static void take_other_cpus(pid_t *hogs)
{
	volatile bool *taken = map_shared(PAGE);
	int cpu;

	for (cpu = 1; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		hogs[cpu] = fork();
		if (!hogs[cpu]) {
			be_first(0, cpu, 1);
			taken[cpu] = true;
			burn(5);
			_exit(0);
		}
		while (!taken[cpu])
			usleep(1000);
	}
}

#define FAIR_SERVER	"/sys/kernel/debug/sched/fair_server"
#define THROTTLE	"/proc/sys/kernel/sched_rt_runtime_us"

/*
 * The kernel lets other threads run for 50 ms in each second that real-time threads would take: by
 * throttling these, and from Linux 6.12 on by a server for the others, which may begin at once.
 */
static void reserve_time_for_others(bool reserve)
{
	char path[64];
	int cpu;

	write_text(THROTTLE, reserve ? "950000" : "-1");
	/* fails if it is mounted */
	mount("none", "/sys/kernel/debug", "debugfs", 0, NULL);
	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		snprintf(path, sizeof(path), FAIR_SERVER "/cpu%d/runtime", cpu);
		write_text(path, reserve ? "50000000" : "0");
	}
}

/* A sample finds no memory for its counter; its worker runs when the program does. */
static void fault_and_execute(struct _test_data_flags *self, int program, bool inherits)
{
	char *const arguments[] = { "spin", "0.1", NULL };
	char *const environment[] = { NULL };

	if (be_first(0, 0, 2) || (!inherits && begin_with(self, LAZY | PROFIL_FAULT_SIGNAL)))
		_exit(1);
	stay_in_loop((char *)(uintptr_t)self->region.start, 0, tick(&self->scene));
	/* this closes the pipe */
	fexecve(program, arguments, environment);
	_exit(127);
}

static void execute_without_signal(struct __test_metadata *_metadata,
				   struct _test_data_flags *self, bool inherits)
{
	pid_t hogs[MOST_CPUS] = { 0 }, pid;
	int program = load_program("../programs/spin-static");
	int done[2], cpu;
	char byte;

	ASSERT_LE(0, program);
	if (sysconf(_SC_NPROCESSORS_ONLN) > MOST_CPUS || be_first(0, -1, 4))
		SKIP(return, "needs the right to use SCHED_FIFO");
	take_away_far(&self->scene);
	/* this process does not execute the loop, so only the child has samples */
	self->region.start = (uintptr_t)map_loops(1);
	self->region.end = self->region.start + LOOP_BYTES;
	self->region.offset = self->region.start;
	self->region.scale = 0;
	self->region.rounding = PROFIL_ROUND_FIRST;
	self->region.buf = (uintptr_t)self->scene.counters + PAGE;
	self->region.bytes = 2;
	if (inherits)
		ASSERT_EQ(0, begin_with(self, LAZY | PROFIL_FAULT_SIGNAL));
	reserve_time_for_others(false);
	take_other_cpus(hogs);
	ASSERT_EQ(0, pipe2(done, O_CLOEXEC));
	pid = fork();
	if (!pid)
		fault_and_execute(self, program, inherits);
	close(done[1]);
	EXPECT_EQ(0, read(done[0], &byte, 1));
	close(done[0]);
	EXPECT_EQ(0, be_first(pid, -1, 0));
	for (cpu = 1; cpu < MOST_CPUS; cpu++)
		if (hogs[cpu]) {
			kill(hogs[cpu], SIGKILL);
			wait_for(hogs[cpu]);
		}
	be_first(0, -1, 0);
	EXPECT_EQ(0, wait_for(pid));
	reserve_time_for_others(true);
}

/* The worker finds that the memory has ended. */
TEST_F(flags, no_signal_after_exec)
{
	execute_without_signal(_metadata, self, false);
}

/* The kick of a child's worker keeps the memory, so that this finds the fault after the exec. */
TEST_F(flags, no_signal_after_exec_of_a_child)
{
	execute_without_signal(_metadata, self, true);
}

TEST_HARNESS_MAIN
