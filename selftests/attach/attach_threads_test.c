// SPDX-License-Identifier: GPL-2.0-only
/*
 * THREAD records: each thread of a sampled process has one at its end, before the EXIT of the
 * process.
 */
#include <sys/prctl.h>

#include "kselftest_harness.h"
#include "attach/target.h"
#include "kernel/version.h"

#define THREADS	8

struct thread {
	pid_t tid;
	uint64_t cpu_ns;	/* by its own clock, at its end */
	char name[16];
	int number;
};

/* What a target and the program that it executes report, in a memory file */
struct report {
	struct thread threads[THREADS];
	struct thread first;
	struct thread next;	/* the thread of the next program */
};

FIXTURE(threads) {
	int device;
	struct target target;
	struct records records;
	int file;
	struct report *report;
	double total_ns;	/* CPU time of the target, when it has ended */
};

static struct report *report_in(int file)
{
	return mmap(NULL, sizeof(struct report), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

FIXTURE_SETUP(threads)
{
	REQUIRE_ATTACH(self->device);
	self->target.pid = -1;
	self->records = (struct records) { 0 };
	self->file = memfd_create("report", 0);
	ASSERT_LE(0, self->file);
	ASSERT_EQ(0, ftruncate(self->file, sizeof(struct report)));
	self->report = report_in(self->file);
	ASSERT_NE(MAP_FAILED, self->report);
}

FIXTURE_TEARDOWN(threads)
{
	kill_target(&self->target);
	free_records(&self->records);
	close(self->device);
}

/*
 * Runs a target from its release to its end. Nothing is lost, and EXIT is the last record of each.
 */
static void follow(struct __test_metadata *_metadata, struct _test_data_threads *self,
		   void (*run)(void *arg), __u32 flags)
{
	struct end end;

	ASSERT_EQ(0, start_target(&self->target, self->device, run, self));
	ASSERT_EQ(0, attach_target(self->device, &self->target, flags));
	release(&self->target);
	EXPECT_EQ(0, read_all(&self->records, self->device));
	end = await_end(&self->target);
	EXPECT_EQ(0, end.status);
	self->total_ns = end.total * 1e9;
	EXPECT_EQ(0, count_records(&self->records, PROFIL_RECORD_LOST, ANY));
	EACH_RECORD(record, &self->records) {
		const struct profil_record *later = record;

		while (record->type == PROFIL_RECORD_EXIT &&
		       (later = next_record(&self->records, later)))
			EXPECT_NE(record->pid, later->pid);
	}
}

/* Returns the THREAD record number @nr of a thread, or NULL. */
static const struct profil_record_thread *end_of(const struct records *records, pid_t tid, int nr)
{
	EACH_RECORD(record, records) {
		const struct profil_record_thread *thread = (const void *)record;

		if (record->type == PROFIL_RECORD_THREAD && thread->tid == tid && !nr--)
			return thread;
	}
	return NULL;
}

static uint64_t tick_ns(int device)
{
	return 1000000000ULL / get_info(device).tick_hz;
}

/*
 * The end of a thread, after @nr others with its ID. It has used at least the time that its own
 * clock showed, and at most the CPU time of the process, less @others_ns: what the clocks of the
 * other threads showed. All threads but the first one reap themselves, in exit: of these, the CPU
 * time of the process has what they used up to their last tick.
 */
static void expect_end(struct __test_metadata *_metadata, const struct _test_data_threads *self,
		       const struct thread *thread, int nr, double others_ns)
{
	const struct profil_record_thread *record = end_of(&self->records, thread->tid, nr);
	double most_ns = self->total_ns - others_ns;

	if (thread->tid != self->report->first.tid)
		most_ns += (double)tick_ns(self->device);
	ASSERT_NE(NULL, record);
	EXPECT_STREQ(thread->name, record->comm);
	EXPECT_LE(thread->cpu_ns, record->cpu_ns);
	EXPECT_GE(most_ns, (double)record->cpu_ns);
	EXPECT_EQ(NULL, end_of(&self->records, thread->tid, nr + 1));
}

/* The last thing that a thread does */
static void report_end(struct thread *thread)
{
	prctl(PR_SET_NAME, thread->name);
	thread->tid = gettid();
	thread->cpu_ns = (uint64_t)(thread_seconds() * 1e9);
}

static void *burn_in_thread(void *data)
{
	struct thread *thread = data;

	snprintf(thread->name, sizeof(thread->name), "thread-%d", thread->number);
	burn(0.003 * (thread->number + 1));
	report_end(thread);
	return NULL;
}

static void burn_in_threads(void *data)
{
	struct report *report = ((struct _test_data_threads *)data)->report;
	pthread_t threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++) {
		report->threads[i].number = i;
		pthread_create(&threads[i], NULL, burn_in_thread, &report->threads[i]);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	strcpy(report->first.name, "the first one!!");
	report_end(&report->first);
	_exit(0);
}

TEST_F(threads, names_and_times)
{
	const struct profil_record_exit *exit;
	const struct report *report = self->report;
	uint64_t sum = 0;
	double own_ns;
	int i;

	follow(_metadata, self, burn_in_threads, 0);
	own_ns = (double)report->first.cpu_ns;
	for (i = 0; i < THREADS; i++)
		own_ns += (double)report->threads[i].cpu_ns;
	for (i = 0; i < THREADS; i++)
		expect_end(_metadata, self, &report->threads[i], 0,
			   own_ns - (double)report->threads[i].cpu_ns);
	expect_end(_metadata, self, &report->first, 0, own_ns - (double)report->first.cpu_ns);
	EXPECT_EQ(THREADS + 1,
		  count_records(&self->records, PROFIL_RECORD_THREAD, report->first.tid));
	EXPECT_EQ(THREADS + 1, count_records(&self->records, PROFIL_RECORD_THREAD, ANY));
	/* that is all the time of the process */
	exit = find_record(&self->records, PROFIL_RECORD_EXIT, ANY, 0);
	ASSERT_NE(NULL, exit);
	EACH_RECORD(record, &self->records)
		if (record->type == PROFIL_RECORD_THREAD)
			sum += ((const struct profil_record_thread *)record)->cpu_ns;
	/* EXIT has all threads but the first one up to their last tick: expect_end() */
	EXPECT_LE(sum, exit->cpu_ns + THREADS * tick_ns(self->device));
	EXPECT_LE(own_ns, (double)exit->cpu_ns);
	EXPECT_GE(self->total_ns, (double)exit->cpu_ns);
}

static void *wait_in_thread(void *ready)
{
	pthread_barrier_wait(ready);
	pause();
	return NULL;
}

static void __attribute__((noreturn)) end_all_at_once(void)
{
	pthread_barrier_t ready;
	pthread_t thread;
	int i;

	pthread_barrier_init(&ready, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, wait_in_thread, &ready);
	pthread_barrier_wait(&ready);
	_exit(0);
}

#define PROCESSES	30

static void fork_threaded(void *data)
{
	pid_t pid;
	int i;

	(void)data;
	for (i = 0; i < PROCESSES; i++) {
		pid = fork();
		if (!pid)
			end_all_at_once();
		wait_for(pid);
	}
}

/* Several threads go through exit at the same time. EXIT waits for the last one. */
TEST_F(threads, exit_is_after_all_of_them)
{
	unsigned int processes = 0;

	follow(_metadata, self, fork_threaded, 0);
	EACH_RECORD(record, &self->records) {
		if (record->type != PROFIL_RECORD_FORK)
			continue;
		EXPECT_EQ(THREADS + 1, count_records(&self->records, PROFIL_RECORD_THREAD,
						     record->pid));
		EXPECT_EQ(1, count_records(&self->records, PROFIL_RECORD_EXIT, record->pid));
		processes++;
	}
	EXPECT_EQ(PROCESSES, processes);
}

static void *outlive_the_first(void *data)
{
	struct report *report = ((struct _test_data_threads *)data)->report;

	burn(0.05);
	strcpy(report->threads[0].name, "survivor");
	report_end(&report->threads[0]);
	_exit(0);
}

static void end_the_first(void *data)
{
	struct report *report = ((struct _test_data_threads *)data)->report;
	pthread_t thread;

	pthread_create(&thread, NULL, outlive_the_first, data);
	strcpy(report->first.name, "first");
	report_end(&report->first);
	syscall(SYS_exit, 0);
}

TEST_F(threads, first_thread_ends_first)
{
	follow(_metadata, self, end_the_first, 0);
	expect_end(_metadata, self, &self->report->first, 0,
		   (double)self->report->threads[0].cpu_ns);
	expect_end(_metadata, self, &self->report->threads[0], 0,
		   (double)self->report->first.cpu_ns);
	EXPECT_LT(end_of(&self->records, self->report->first.tid, 0),
		  end_of(&self->records, self->report->threads[0].tid, 0));
	EXPECT_EQ(2, count_records(&self->records, PROFIL_RECORD_THREAD, ANY));
	EXPECT_EQ(1, count_records(&self->records, PROFIL_RECORD_EXIT, ANY));
}

/* Executes this program again, which carries out do_task(). */
static void execute(const struct _test_data_threads *self)
{
	char file[16];

	snprintf(file, sizeof(file), "%d", self->file);
	execl("/proc/self/exe", "program", "task", file, NULL);
	_exit(99);
}

static void *execute_in_thread(void *data)
{
	struct _test_data_threads *self = data;

	burn(0.05);
	report_end(&self->report->threads[0]);
	execute(self);
	return NULL;
}

static void execute_beside_the_first(void *data)
{
	struct report *report = ((struct _test_data_threads *)data)->report;
	pthread_t thread;

	strcpy(report->threads[0].name, "executor");
	strcpy(report->first.name, "first");
	report_end(&report->first);
	pthread_create(&thread, NULL, execute_in_thread, data);
	for (;;)
		pause();
}

/* The thread that executes takes the ID of the first one, and keeps its time. */
TEST_F(threads, exec_by_another_thread)
{
	const struct profil_record_exec *exec;
	struct report *report = self->report;
	const struct records *records = &self->records;

	follow(_metadata, self, execute_beside_the_first, 0);
	exec = find_record(records, PROFIL_RECORD_EXEC, report->first.tid, 0);
	ASSERT_NE(NULL, exec);
	ASSERT_NE(NULL, end_of(records, report->first.tid, 0));
	EXPECT_STREQ("first", end_of(records, report->first.tid, 0)->comm);
	EXPECT_GT(&exec->head, &end_of(records, report->first.tid, 0)->head);
	EXPECT_EQ(report->first.tid, report->next.tid);
	expect_end(_metadata, self, &report->next, 1, 0);
	EXPECT_LT(&exec->head, &end_of(records, report->next.tid, 1)->head);
	EXPECT_LT(report->threads[0].cpu_ns + 20000000,
		  end_of(records, report->next.tid, 1)->cpu_ns);
	EXPECT_EQ(NULL, end_of(records, report->threads[0].tid, 0));
	EXPECT_EQ(2, count_records(records, PROFIL_RECORD_THREAD, ANY));
}

static void end_a_thread_and_execute(void *data)
{
	struct _test_data_threads *self = data;
	pthread_t thread;

	pthread_create(&thread, NULL, burn_in_thread, &self->report->threads[0]);
	pthread_join(thread, NULL);
	execute(self);
}

/* Before it is sampled, a process has no records of threads. */
TEST_F(threads, from_exec_on)
{
	follow(_metadata, self, end_a_thread_and_execute, PROFIL_FROM_EXEC);
	expect_end(_metadata, self, &self->report->next, 0, 0);
	EXPECT_EQ(1, count_records(&self->records, PROFIL_RECORD_THREAD, ANY));
}

/* This program, executed by a target: `program task FILE` */
static int do_task(int file)
{
	struct thread *next = &report_in(file)->next;

	burn(0.02);
	strcpy(next->name, "next program");
	report_end(next);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "task"))
		return do_task(atoi(argv[2]));
	return test_harness_run(argc, argv);
}
