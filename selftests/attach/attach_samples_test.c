// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of other processes, compared with the CPU time that the kernel accounted to them. From
 * its release to its end, a target on one CPU has one stretch (lib/profile/expect_count.h), and one
 * more whenever a kernel thread preempts it.
 */
#include "kselftest_harness.h"
#include "attach/target.h"
#include "load/loops.h"
#include "profile/expect_count.h"
#include "profile/process.h"

/* What a target reports, in a memory file that the programs that it executes map too */
struct result {
	uintptr_t code;		/* of the loop */
	double in_loop;		/* CPU time there */
	double in_kernel;	/* in long system calls */
	double at;		/* of the process, at its last report */
	double user;		/* of it, in user mode, as getrusage(2) tells */
	double system;		/* of it, in the kernel */
	pid_t tid;
	int error;
};

FIXTURE(samples) {
	int device;
	unsigned int hz;
	struct target target;
	struct records records;
	int file;
	struct result *result;
};

static struct result *result_of(int file)
{
	return mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

/* Counts are exact only without the module's protection against samples that take too long. */
FIXTURE_SETUP(samples)
{
	REQUIRE_ATTACH(self->device);
	set_throttle(false);
	self->hz = get_info(self->device).tick_hz;
	self->target.pid = -1;
	self->records = (struct records) { 0 };
	self->file = memfd_create("result", 0);
	ASSERT_LE(0, self->file);
	ASSERT_EQ(0, ftruncate(self->file, (off_t)PAGE));
	self->result = result_of(self->file);
	ASSERT_NE(MAP_FAILED, self->result);
}

FIXTURE_TEARDOWN(samples)
{
	kill_target(&self->target);
	free_records(&self->records);
	close(self->device);
	set_throttle(true);
}

static int last_cpu(void)
{
	return (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
}

/* Starts the target on the last CPU, and attaches to it. */
static void prepare(struct __test_metadata *_metadata, struct _test_data_samples *self,
		    void (*run)(void *arg), __u32 flags)
{
	ASSERT_EQ(0, start_target(&self->target, self->device, run, self));
	ASSERT_EQ(0, put_on_cpu(self->target.pid, last_cpu()));
	self->target.base = seconds_of(self->target.pid);
	ASSERT_EQ(0, attach_target(self->device, &self->target, flags));
}

/* Lets the target run to its end, and reads all its records. */
static struct end finish(struct __test_metadata *_metadata, struct _test_data_samples *self)
{
	struct profil_status status;
	struct end end;

	release(&self->target);
	EXPECT_EQ(0, read_all(&self->records, self->device));
	end = await_end(&self->target);
	EXPECT_EQ(0, end.status);
	status = log_status(self->device);
	EXPECT_EQ(PROFIL_STATE_OFF, status.state);
	EXPECT_EQ(samples_of(&self->records, ANY), status.samples);
	EXPECT_EQ(0, status.lost);
	EXPECT_EQ(0, status.error);
	return end;
}

static void spin(struct result *result, double seconds)
{
	char *code = map_loops(1);

	result->code = (uintptr_t)code;
	result->tid = gettid();
	result->in_loop = thread_seconds();
	stay_in_loop(code, 0, seconds);
	result->in_loop = thread_seconds() - result->in_loop;
}

static uint64_t samples_in_loop(const struct _test_data_samples *self)
{
	return samples_between(&self->records, ANY, (char *)self->result->code,
			       (char *)self->result->code + LOOP_BYTES);
}

static void spin_a_while(void *data)
{
	struct result *result = ((struct _test_data_samples *)data)->result;

	spin(result, 0.3);
	result->at = process_seconds();
}

/*
 * The target's CPU time from its release to its record EXIT. The module takes no samples after
 * that, but the kernel still closes files and tells the parent. From Linux 6.16 on, it also frees
 * the memory then.
 */
static double sampled_seconds(const struct _test_data_samples *self, pid_t pid,
			      const struct end *end)
{
	const struct profil_record_exit *exit =
		find_record(&self->records, PROFIL_RECORD_EXIT, pid, 0);

	return exit ? (double)exit->cpu_ns / 1e9 - (end->total - end->used) : end->used;
}

/* All samples of a target */
#define EXPECT_SAMPLES(self, pid, rate, end, allowance)			\
	EXPECT_COUNT_IN(samples_of(&(self)->records, pid),		\
			(rate) * sampled_seconds(self, pid, &(end)),	\
			(rate) * (end).used, allowance)

/*
 * The samples of the loop. stay_in_loop() reads the clock in three places, each of less than 4,000
 * instructions, or 32 us, and a sample there is not in the loop. At 4,000 Hz, each place has one or
 * none; at 250 Hz, two of the three have one in fewer than 2 of 10,000 tests.
 */
#define EXPECT_IN_LOOP(self, rate, allowance)				\
	EXPECT_COUNT(samples_in_loop(self), (rate) * (self)->result->in_loop,	\
		     (allowance) + ((rate) > (self)->hz ? 3 : 1))

/* Each clock, at rates below, at and above that of the tick */
static const struct {
	unsigned int clock;
	unsigned int rate;	/* 0: of the tick */
	unsigned int chosen;	/* clock */
} speeds[] = {
	{ PROFIL_CLOCK_AUTO, 0, PROFIL_CLOCK_TICK },
	{ PROFIL_CLOCK_TICK, 50, PROFIL_CLOCK_TICK },
	{ PROFIL_CLOCK_TICK, 7, PROFIL_CLOCK_TICK },
	{ PROFIL_CLOCK_TIMER, 97, PROFIL_CLOCK_TIMER },
	{ PROFIL_CLOCK_TIMER, 4000, PROFIL_CLOCK_TIMER },
	{ PROFIL_CLOCK_RANDOM, 97, PROFIL_CLOCK_RANDOM },
	{ PROFIL_CLOCK_AUTO, 1000, PROFIL_CLOCK_RANDOM },
};

/*
 * Ticks are off by less than one tick, and thinned ones by less than one more sample. An even timer
 * is off by less than one sample, and a random one by less than one at each end. A thread's CPU
 * time begins when the scheduler reads the clock, and the timer starts when it has decided: up to
 * 4,000 instructions later, at 8 ns.
 */
#define SWITCH_SECONDS	(32 / 1e6)

static double stretch_allowance(unsigned int clock, double rate, double hz, long preempted)
{
	if (clock == PROFIL_CLOCK_TICK)
		return rate / hz + (rate < hz) + preemption_allowance(preempted);
	return (clock == PROFIL_CLOCK_RANDOM ? 2 : 1) + rate * SWITCH_SECONDS +
	       preemption_allowance(preempted);
}

TEST_F(samples, rates)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(speeds); i++) {
		unsigned int rate = speeds[i].rate ? speeds[i].rate : self->hz;
		struct profil_attach attach;
		struct profil_status status;
		double allowance;
		struct end end;

		ASSERT_EQ(0, start_target(&self->target, self->device, spin_a_while, self));
		ASSERT_EQ(0, put_on_cpu(self->target.pid, last_cpu()));
		self->target.base = seconds_of(self->target.pid);
		attach = attachment(self->device, &self->target);
		attach.clock = speeds[i].clock;
		attach.rate = rate;
		attach.log_bytes = 4 * LEAST_LOG;
		ASSERT_EQ(0, call(self->device, PROFIL_IOC_ATTACH, &attach));
		status = log_status(self->device);
		EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
		EXPECT_EQ(rate, status.rate);
		EXPECT_EQ(speeds[i].chosen, status.clock);
		EXPECT_EQ(PROFIL_FOLLOW_EXEC, status.flags);
		end = finish(_metadata, self);
		allowance = stretch_allowance(speeds[i].chosen, rate, self->hz, end.preempted);
		EXPECT_SAMPLES(self, ANY, rate, end, allowance);
		EXPECT_IN_LOOP(self, rate, allowance);
		EXPECT_EQ(samples_of(&self->records, ANY),
			  samples_of_thread(&self->records, self->result->tid));
		/* another log, for another clock */
		free_records(&self->records);
		close(self->device);
		self->device = open_device();
		ASSERT_LE(0, self->device);
	}
}

#define ZEROES	((size_t)8 << 20)

static double seconds_in(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* As much time in one loop as in long system calls */
static void spin_and_read(void *data)
{
	struct result *result = ((struct _test_data_samples *)data)->result;
	char *to_fill = map_memory(ZEROES);
	int zero = open("/dev/zero", O_RDONLY);
	struct rusage usage;
	double begin;

	memset(to_fill, 1, ZEROES);
	result->at = process_seconds();
	spin(result, 0.2);
	begin = thread_seconds();
	while (thread_seconds() < begin + 0.2)
		if (read(zero, to_fill, ZEROES) != (ssize_t)ZEROES)
			result->error = errno;
	result->in_kernel = thread_seconds() - begin;
	munmap(to_fill, ZEROES);
	close(zero);
	getrusage(RUSAGE_SELF, &usage);
	result->at = process_seconds();
	result->user = seconds_in(usage.ru_utime);
	result->system = seconds_in(usage.ru_stime);
}

/* Everything else is in both modes, mostly page faults. */
TEST_F(samples, of_user_mode_only)
{
	struct end end;

	prepare(_metadata, self, spin_and_read, PROFIL_USER_ONLY);
	end = finish(_metadata, self);
	EXPECT_EQ(0, self->result->error);
	EXPECT_EQ(PROFIL_FOLLOW_EXEC | PROFIL_USER_ONLY, log_status(self->device).flags);
	EXPECT_IN_LOOP(self, self->hz, 1 + preemption_allowance(end.preempted));
	EXPECT_COUNT_IN(samples_of(&self->records, ANY), self->hz * self->result->in_loop,
			self->hz * (end.used - self->result->in_kernel),
			2 + preemption_allowance(end.preempted));
}

/*
 * The loop is in the kernel only while an interrupt interrupts it, or another thread preempts it. A
 * tick that comes just then is a sample of the kernel. Without its mode, each tick in the loop
 * would be.
 */
static uint64_t most_kernel_samples_in_loop(const struct end *end)
{
	return 1 + (uint64_t)end->preempted;
}

TEST_F(samples, of_kernel_mode_only)
{
	struct end end;

	prepare(_metadata, self, spin_and_read, PROFIL_KERNEL_ONLY);
	end = finish(_metadata, self);
	EXPECT_EQ(0, self->result->error);
	EXPECT_GE(most_kernel_samples_in_loop(&end), samples_in_loop(self));
	EXPECT_COUNT_IN(samples_of(&self->records, ANY), self->hz * self->result->in_kernel,
			self->hz * (end.used - self->result->in_loop),
			2 + preemption_allowance(end.preempted));
}

/*
 * Each sample tells its mode: the loop is one stretch in user mode, and the calls are one in the
 * kernel. (thread_seconds() in between takes far less than a tick.)
 *
 * The kernel's own count, too: it counts the same ticks by the same mode, and divides the exact
 * time in that proportion. So each share of n ticks in N is off by n / N of what the sum is off:
 * less than one tick for each stretch. Ticks before the release have not been sampled, but are in
 * its share.
 */
TEST_F(samples, of_both_modes)
{
	uint64_t user, kernel, in_loop = 0;
	double before, after, allowance;
	struct end end;

	prepare(_metadata, self, spin_and_read, 0);
	before = self->hz * self->target.base + 1;
	end = finish(_metadata, self);
	after = self->hz * (end.total - self->result->at);
	allowance = 2 + preemption_allowance(end.preempted);
	user = samples_of_type(&self->records, PROFIL_RECORD_SAMPLE, ANY);
	kernel = samples_of_type(&self->records, PROFIL_RECORD_KERNEL_SAMPLE, ANY);
	EXPECT_EQ(0, self->result->error);
	EXPECT_EQ(samples_of(&self->records, ANY), user + kernel);
	EXPECT_COUNT_IN(user, self->hz * self->result->in_loop,
			self->hz * (end.used - self->result->in_kernel), allowance);
	EXPECT_COUNT_IN(kernel, self->hz * self->result->in_kernel,
			self->hz * (end.used - self->result->in_loop), allowance);
	EXPECT_COUNT_IN(user, self->hz * self->result->user - before,
			self->hz * self->result->user, allowance);
	EXPECT_COUNT_IN(kernel, self->hz * self->result->system - before,
			self->hz * self->result->system + after, allowance);
	EACH_RECORD(record, &self->records) {
		const struct profil_record_sample *sample = (const void *)record;
		uintptr_t code = self->result->code;

		if (record->type == PROFIL_RECORD_KERNEL_SAMPLE &&
		    code <= sample->pc && sample->pc < code + LOOP_BYTES)
			in_loop += sample->samples;
	}
	EXPECT_GE(most_kernel_samples_in_loop(&end), in_loop);
}

#define MAX_CPUS	8

struct burner {
	pthread_t thread;
	int cpu;
	pid_t tid;
	double seconds;
	long preempted;
};

static void *burn_on_cpu(void *data)
{
	struct burner *burner = data;
	struct rusage usage;

	put_on_cpu(0, burner->cpu);
	burner->tid = gettid();
	loop(loops_per_second * (0.1 + 0.05 * burner->cpu));
	burner->seconds = thread_seconds();
	getrusage(RUSAGE_THREAD, &usage);
	burner->preempted = usage.ru_nivcsw;
	return NULL;
}

/* A thread on each CPU. The result page has room for the burners after the result. */
static void burn_in_threads(void *data)
{
	struct burner *burners = (void *)(((struct _test_data_samples *)data)->result + 1);
	int i, nr = last_cpu() + 1 < MAX_CPUS ? last_cpu() + 1 : MAX_CPUS;

	for (i = 0; i < nr; i++) {
		burners[i].cpu = i;
		pthread_create(&burners[i].thread, NULL, burn_on_cpu, &burners[i]);
	}
	for (i = 0; i < nr; i++)
		pthread_join(burners[i].thread, NULL);
}

static void measure_loops(void)
{
	double begin = thread_seconds();

	loop(1e6);
	loops_per_second = 1e6 / (thread_seconds() - begin);
}

/*
 * Each thread has two stretches: before and after it moves to its CPU. The time that it then takes
 * to end is far below a tick.
 */
TEST_F(samples, of_threads)
{
	struct burner *burners = (void *)(self->result + 1);
	struct end end;
	int i;

	measure_loops();
	ASSERT_EQ(0, start_target(&self->target, self->device, burn_in_threads, self));
	self->target.base = seconds_of(self->target.pid);
	ASSERT_EQ(0, attach_target(self->device, &self->target, 0));
	end = finish(_metadata, self);
	for (i = 0; i < MAX_CPUS && burners[i].tid; i++)
		EXPECT_COUNT(samples_of_thread(&self->records, burners[i].tid),
			     self->hz * burners[i].seconds,
			     2 + preemption_allowance(burners[i].preempted));
	EXPECT_EQ(last_cpu() < MAX_CPUS ? last_cpu() + 1 : MAX_CPUS, i);
	EXPECT_SAMPLES(self, ANY, self->hz, end, 2 * i + 2 + preemption_allowance(end.preempted));
	EXPECT_EQ(0, count_records(&self->records, PROFIL_RECORD_FORK, ANY));
}

static void *spin_in_thread(void *data)
{
	spin_a_while(data);
	return NULL;
}

static void leave_to_a_thread(void *data)
{
	pthread_t thread;

	pthread_create(&thread, NULL, spin_in_thread, data);
	pthread_exit(NULL);
}

/* The process is the same after its first thread has ended. */
TEST_F(samples, after_the_end_of_the_first_thread)
{
	struct end end;

	prepare(_metadata, self, leave_to_a_thread, 0);
	end = finish(_metadata, self);
	EXPECT_COUNT(samples_of(&self->records, self->result->tid), 0, 0);
	EXPECT_COUNT(samples_of_thread(&self->records, self->result->tid),
		     self->hz * self->result->in_loop, 1 + preemption_allowance(end.preempted));
	EXPECT_EQ(1, count_records(&self->records, PROFIL_RECORD_EXIT, ANY));
}

static void loop_long(void *data)
{
	(void)data;
	loop(loops_per_second * 0.2);
}

static void loop_short(void *data)
{
	(void)data;
	loop(loops_per_second * 0.1);
}

/* Two processes share a log, and a CPU. Each of their turns is a stretch. */
TEST_F(samples, of_two_targets)
{
	struct target other;
	struct end ends[2];
	pid_t pids[2];
	int i;

	measure_loops();
	prepare(_metadata, self, loop_long, 0);
	ASSERT_EQ(0, start_target(&other, self->device, loop_short, self));
	ASSERT_EQ(0, put_on_cpu(other.pid, last_cpu()));
	other.base = seconds_of(other.pid);
	ASSERT_EQ(0, attach_target(self->device, &other, 0));
	pids[0] = self->target.pid;
	pids[1] = other.pid;
	release(&other);
	ends[0] = finish(_metadata, self);
	ends[1] = await_end(&other);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, ends[i].status);
		EXPECT_SAMPLES(self, pids[i], self->hz, ends[i],
			       1 + CHANCE_ALLOWANCE(((double)ends[i].preempted + 1) / 4));
		EXPECT_EQ(1, count_records(&self->records, PROFIL_RECORD_EXIT, pids[i]));
	}
}

/* Executes this program again, which then carries out a task. */
static void execute(const struct _test_data_samples *self, const char *task)
{
	char file[16];

	snprintf(file, sizeof(file), "%d", self->file);
	execl("/proc/self/exe", "program", "task", task, file, NULL);
	_exit(99);
}

static void spin_and_execute(void *data)
{
	struct _test_data_samples *self = data;

	stay_in_loop(map_loops(1), 0, 0.1);
	execute(self, "spin");
}

/*
 * With PROFIL_FROM_EXEC, the only stretch begins when the program is about to run: mapping it may
 * take milliseconds. Without the flag, exec does not interrupt the stretch.
 */
static void expect_program(struct __test_metadata *_metadata, struct _test_data_samples *self,
			   __u32 flags)
{
	const struct profil_record_exec *exec;
	const struct profil_record_run *run;
	double before;
	struct end end;

	prepare(_metadata, self, spin_and_execute, flags);
	end = finish(_metadata, self);
	exec = find_record(&self->records, PROFIL_RECORD_EXEC, ANY, 0);
	run = find_record(&self->records, PROFIL_RECORD_RUN, ANY, 0);
	ASSERT_NE(NULL, exec);
	ASSERT_NE(NULL, run);
	before = (double)exec->cpu_ns / 1e9 - (end.total - end.used);
	EXPECT_LE(0.1, before);
	if (flags) {
		EXPECT_EQ(&exec->head, next_record(&self->records, NULL));
		EXPECT_LT(exec->cpu_ns, run->cpu_ns);
		end.used = end.total - (double)run->cpu_ns / 1e9;
	} else {
		EXPECT_EQ(0, run->cpu_ns);
	}
	EXPECT_SAMPLES(self, ANY, self->hz, end, 1 + preemption_allowance(end.preempted));
	EXPECT_IN_LOOP(self, self->hz, 1 + preemption_allowance(end.preempted));
}

TEST_F(samples, of_the_next_program)
{
	expect_program(_metadata, self, 0);
}

TEST_F(samples, from_exec_on)
{
	expect_program(_metadata, self, PROFIL_FROM_EXEC);
}

/* A process that never executes a program is not sampled. */
TEST_F(samples, not_without_exec)
{
	prepare(_metadata, self, spin_a_while, PROFIL_FROM_EXEC);
	finish(_metadata, self);
	EXPECT_EQ(0, samples_of(&self->records, ANY));
}

/* Both profiles of a process are exact. */
static void profile_itself(void *data)
{
	struct _test_data_samples *self = data;
	struct result *result = self->result;
	struct profil_region region;
	struct profil_start start;
	int device = open_device();

	count_all(&start, &region, map_memory(PAGE), 64, self->hz);
	result->error = call(device, PROFIL_IOC_START, &start);
	result->at = process_seconds();
	spin(result, 0.2);
	result->at = process_seconds() - result->at;
	*(struct profil_status *)(result + 1) = stop(device);
}

TEST_F(samples, beside_a_profile_of_its_own)
{
	struct profil_status *status = (void *)(self->result + 1);
	struct end end;

	prepare(_metadata, self, profile_itself, 0);
	end = finish(_metadata, self);
	EXPECT_EQ(0, self->result->error);
	EXPECT_EQ(PROFIL_STATE_RUNNING, status->state);
	EXPECT_EQ(status->samples, status->counted);
	EXPECT_COUNT(status->samples, self->hz * self->result->at,
		     1 + preemption_allowance(end.preempted));
	/* the start sleeps, and the worker may take the CPU */
	EXPECT_SAMPLES(self, ANY, self->hz, end, 3 + preemption_allowance(end.preempted));
	EXPECT_IN_LOOP(self, self->hz, 1 + preemption_allowance(end.preempted));
}

#define MANY_PAGES	((size_t)128 << 20)

/* Memory that takes many ticks to free: at 200 instructions a page and 4 ns each, 26 ms */
static void use_memory(void)
{
	char *memory = map_memory(MANY_PAGES);
	size_t at;

	madvise(memory, MANY_PAGES, MADV_NOHUGEPAGE);
	for (at = 0; at < MANY_PAGES; at += PAGE)
		memory[at] = 1;
}

static void use_memory_and_exit(void *data)
{
	struct result *result = ((struct _test_data_samples *)data)->result;

	use_memory();
	result->at = process_seconds();
}

static void use_memory_and_execute(void *data)
{
	struct _test_data_samples *self = data;

	use_memory();
	self->result->in_kernel = process_seconds();
	execute(self, "report");
}

/* A process has no memory any more while its memory is freed. Older kernels still sample it. */
TEST_F(samples, during_exit)
{
	struct end end;

	prepare(_metadata, self, use_memory_and_exit, 0);
	end = finish(_metadata, self);
	EXPECT_LT(3, self->hz * (end.total - self->result->at));
	EXPECT_SAMPLES(self, ANY, self->hz, end, 1 + preemption_allowance(end.preempted));
}

TEST_F(samples, during_exec)
{
	struct end end;

	prepare(_metadata, self, use_memory_and_execute, 0);
	end = finish(_metadata, self);
	EXPECT_LT(3, self->hz * (self->result->at - self->result->in_kernel));
	EXPECT_SAMPLES(self, ANY, self->hz, end, 1 + preemption_allowance(end.preempted));
}

/* The child of vfork(2) is a process of its own, although it has its parent's memory. */
static pid_t __attribute__((noinline)) vfork_and_loop(char *code, double seconds)
{
	pid_t pid = vfork();

	if (!pid) {
		stay_in_loop(code, 0, seconds);
		_exit(0);
	}
	return pid;
}

static void loop_in_vfork(void *data)
{
	struct result *result = ((struct _test_data_samples *)data)->result;
	char *code = map_loops(1);

	result->code = (uintptr_t)code;
	result->tid = vfork_and_loop(code, 0.2);
	result->in_loop = children_seconds();
	wait_for(result->tid);
	result->in_loop = children_seconds() - result->in_loop;
}

TEST_F(samples, of_a_child_in_the_same_memory)
{
	struct end end;

	prepare(_metadata, self, loop_in_vfork, 0);
	end = finish(_metadata, self);
	EXPECT_COUNT(samples_of(&self->records, self->result->tid),
		     self->hz * self->result->in_loop, 2 + preemption_allowance(end.preempted));
	EXPECT_EQ(samples_of(&self->records, self->result->tid),
		  samples_of_thread(&self->records, self->result->tid));
	EXPECT_EQ(1, count_records(&self->records, PROFIL_RECORD_FORK, self->result->tid));
}

/* This program, executed by a target: `program task NAME FILE` */
static int do_task(const char *task, int file)
{
	struct result *result = result_of(file);

	if (!strcmp(task, "spin"))
		spin(result, 0.2);
	result->at = process_seconds();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "task"))
		return do_task(argv[2], atoi(argv[3]));
	return test_harness_run(argc, argv);
}
