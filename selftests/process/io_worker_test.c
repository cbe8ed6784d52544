// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel workers do input and output in the process's memory (io_uring). They are not sampled as
 * the process, and their ticks are not counted for it afterwards.
 */
#include <linux/io_uring.h>
#include <signal.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "profile/expect_count.h"
#include "profile/process.h"

/* Ticks that the worker's read lasts, and half of them: it may be twice as fast as the process */
#define WORKER_TICKS	40
#define LEAST_TICKS	(WORKER_TICKS / 2)

FIXTURE_OF_PROFILE(io_worker)

/* Opens a ring whose workers run on @cpu. Returns a descriptor or -errno. */
static int open_ring(int cpu, struct io_uring_params *params)
{
	int ring = (int)syscall(SYS_io_uring_setup, 1, params);
	unsigned long cpus = 1UL << cpu;
	int error;

	if (ring < 0)
		return -errno;
	if (!syscall(SYS_io_uring_register, ring, IORING_REGISTER_IOWQ_AFF, &cpus, sizeof(cpus)))
		return ring;
	error = -errno;
	close(ring);
	return error;
}

/*
 * Returns how many bytes of /dev/urandom this process reads in @seconds of CPU time; 0 on error. A
 * fixed number takes another number of ticks on each machine: of one MB, 53 in a guest with 8 ns an
 * instruction, 13 with the 2 ns of PREEMPT_RT's, and half a tick on a real machine.
 */
static size_t bytes_read_in(double seconds, int file)
{
	static char sample[1 << 18];
	double used;
	int i;

	/* the first read may gather entropy, and maps the pages */
	for (i = 0; i < 2; i++) {
		used = thread_seconds();
		if (read(file, sample, sizeof(sample)) != sizeof(sample))
			return 0;
		used = thread_seconds() - used;
	}
	return (size_t)(seconds / used * sizeof(sample));
}

/* Makes a worker on @cpu read @bytes. Returns 0 or an errno. */
static int read_by_worker(int cpu, int file, void *into, size_t bytes)
{
	struct io_uring_params params = { 0 };
	int ring = open_ring(cpu, &params);
	struct io_uring_sqe *entry;
	unsigned int *tail;
	int error = 0;
	char *queue;

	if (ring < 0)
		return -ring;
	entry = mmap(NULL, sizeof(*entry), PROT_READ | PROT_WRITE, MAP_SHARED, ring,
		     IORING_OFF_SQES);
	queue = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	if (entry == MAP_FAILED || queue == MAP_FAILED) {
		error = errno;
		goto out;
	}
	*entry = (struct io_uring_sqe) {
		.opcode = IORING_OP_READ,
		.flags = IOSQE_ASYNC,
		.fd = file,
		.addr = (uintptr_t)into,
		.len = (unsigned int)bytes,
	};
	*(unsigned int *)(queue + params.sq_off.array) = 0;
	tail = (unsigned int *)(queue + params.sq_off.tail);
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		error = errno;
out:
	close(ring);
	return error;
}

static pid_t start_burning(void)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			;
	return pid;
}

/*
 * On one CPU that is never idle run the process, another process, a worker, and the process
 * again. The worker runs for many ticks.
 */
TEST_F(io_worker, is_not_sampled)
{
	int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC), cpu = sched_getcpu();
	int ring = open_ring(cpu, &(struct io_uring_params){ 0 });
	struct profile *profile = &self->profile;
	size_t bytes = bytes_read_in((double)WORKER_TICKS / profile->hz, file);
	char *into = map_memory(bytes);
	struct rusage usage;
	double used, by_worker, switches;
	pid_t pid;

	if (ring == -ENOSYS || ring == -EPERM)
		SKIP(return, "no io_uring");
	if (ring == -EINVAL)
		SKIP(return, "the CPU of workers cannot be set");
	ASSERT_LE(0, ring);
	close(ring);
	ASSERT_LT(0, bytes);
	ASSERT_EQ(0, put_on_cpu(0, cpu));
	pid = start_burning();
	ASSERT_LT(0, pid);
	ASSERT_EQ(0, start_profile(profile));
	getrusage(RUSAGE_THREAD, &usage);
	switches = -(double)(usage.ru_nivcsw + usage.ru_nvcsw);
	used = thread_seconds();
	/* without system calls, which could end the stretch before the tick */
	loop(0.1 * loops_per_second);
	usleep(200000);
	kill(pid, SIGKILL);
	wait_for(pid);
	by_worker = process_seconds();
	EXPECT_EQ(0, read_by_worker(cpu, file, into, bytes));
	by_worker = process_seconds() - by_worker;
	loop(0.1 * loops_per_second);
	used = thread_seconds() - used;
	ksft_print_msg("%.3f s of CPU time around the worker\n", by_worker);
	EXPECT_LT(LEAST_TICKS, by_worker * profile->hz);
	getrusage(RUSAGE_THREAD, &usage);
	switches += (double)(usage.ru_nivcsw + usage.ru_nvcsw);
	EXPECT_COUNT_BY_CHANCE(stop(profile->fd).samples, used * profile->hz, (switches + 1) / 4);
	close(file);
}

TEST_HARNESS_MAIN
