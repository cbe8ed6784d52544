// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process is attached and detached thousands of times while its threads compute, fork, execute
 * programs, sleep, and get signals, also from a timer. It must notice nothing, and nothing may be
 * left behind. CYCLES: how often (default: 10,000).
 *
 * Everything that the program does has a result that it knows.
 */
#include <signal.h>
#include <sys/resource.h>

#include "kselftest_harness.h"
#include "attach/target.h"
#include "files.h"

#define THREADS		64
#define EXECUTORS	2	/* threads that execute programs and send signals */
#define SLEEPERS	8
#define PERIOD		0.005	/* of the timer, in seconds */
#define STEPS		20000	/* of a checksum */

#define SIGNAL_SENT	SIGRTMIN
#define SIGNAL_TIMER	(SIGRTMIN + 1)

/* What the program has done, in shared memory */
struct work {
	int stop;
	unsigned int checksum;	/* the right one */
	unsigned long sums;	/* checksums computed, by threads and by executed programs */
	unsigned long wrong;	/* of these */
	unsigned long programs;	/* executed */
	unsigned long sleeps;
	unsigned long cut_short;	/* of these */
	unsigned long sent, received;	/* signals carry numbers: their sums */
	unsigned long expired;	/* how often the timer has */
	double seconds;		/* since it was set */
};

static struct work *work;

static void count(unsigned long *number, unsigned long by)
{
	__atomic_fetch_add(number, by, __ATOMIC_RELAXED);
}

static bool goes_on(void)
{
	return !__atomic_load_n(&work->stop, __ATOMIC_RELAXED);
}

static unsigned int compute(void)
{
	unsigned int i, sum = 1;

	for (i = 0; i < STEPS; i++)
		sum = sum * 1664525 + 1013904223 + (sum >> 16);
	return sum;
}

static void check_sum(unsigned int sum)
{
	count(&work->sums, 1);
	count(&work->wrong, sum != work->checksum);
}

static void *compute_again(void *unused)
{
	while (goes_on())
		check_sum(compute());
	return unused;
}

static void *sleep_again(void *unused)
{
	const struct timespec time = { .tv_nsec = 1000000 };

	while (goes_on()) {
		count(&work->sleeps, 1);
		count(&work->cut_short, nanosleep(&time, NULL) != 0);
	}
	return unused;
}

/* Executes this program again, to compute the checksum. Returns what it prints, or 0. */
static unsigned int sum_of_program(void)
{
	unsigned int sum;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return 0;
	pid = fork();
	if (!pid) {
		dup2(ends[1], 1);
		execl("/proc/self/exe", "program", "task", NULL);
		_exit(1);
	}
	if (read(ends[0], &sum, sizeof(sum)) != sizeof(sum) || wait_for(pid))
		sum = 0;
	close(ends[0]);
	close(ends[1]);
	return sum;
}

static void *execute_again(void *unused)
{
	union sigval value = { 0 };

	while (goes_on()) {
		check_sum(sum_of_program());
		count(&work->programs, 1);
		value.sival_int++;
		/* fails if the queue is full */
		if (!sigqueue(getpid(), SIGNAL_SENT, value))
			count(&work->sent, (unsigned long)value.sival_int);
	}
	return unused;
}

/* Receives what was sent. Each expiration of the timer is a signal, or an overrun of one. */
static void *receive_again(void *signals)
{
	siginfo_t info;
	int signal;

	for (;;) {
		signal = sigwaitinfo(signals, &info);
		if (signal == SIGNAL_SENT)
			count(&work->received, (unsigned long)info.si_value.sival_int);
		if (signal == SIGNAL_TIMER)
			count(&work->expired, 1 + (unsigned long)info.si_overrun);
	}
	return NULL;
}

static void run_program(void *unused)
{
	const long period_ns = (long)(PERIOD * 1e9);
	struct itimerspec period = { { 0, period_ns }, { 0, period_ns } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGNAL_TIMER };
	pthread_t threads[THREADS], receiver;
	sigset_t signals;
	timer_t timer;
	double begin;
	int i;

	(void)unused;
	sigemptyset(&signals);
	sigaddset(&signals, SIGNAL_SENT);
	sigaddset(&signals, SIGNAL_TIMER);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    pthread_create(&receiver, NULL, receive_again, &signals))
		_exit(1);
	timer_settime(timer, 0, &period, NULL);
	begin = clock_seconds(CLOCK_MONOTONIC);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, i < EXECUTORS ? execute_again :
			       i < EXECUTORS + SLEEPERS ? sleep_again : compute_again, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	/* nothing else runs: the receiver receives the rest */
	usleep(100000);
	work->seconds = clock_seconds(CLOCK_MONOTONIC) - begin;
}

FIXTURE(cycles) {
	int device;
	int cycles;
	pid_t holder;		/* keeps the hooks, which take long to attach */
};

FIXTURE_SETUP(cycles)
{
	const char *cycles = getenv("CYCLES");

	REQUIRE_ATTACH(self->device);
	if (geteuid())
		SKIP(return, "needs root");
	self->cycles = cycles ? atoi(cycles) : 10000;
	/* the program has many threads, and this one must get its turn */
	ASSERT_EQ(0, setpriority(PRIO_PROCESS, 0, -20));
	work = map_shared(PAGE);
	ASSERT_NE(MAP_FAILED, work);
	self->holder = hold_hooks(self->device);
	ASSERT_LT(0, self->holder);
}

FIXTURE_TEARDOWN(cycles)
{
	kill(self->holder, SIGKILL);
	wait_for(self->holder);
	close(self->device);
}

static int open_descriptors(void)
{
	int fd, nr = 0;

	for (fd = 0; fd < 256; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

/* Each kind of attachment in turn */
static int attach_and_detach(const struct target *target, int number)
{
	int device = open_device();
	struct profil_attach attach = attachment(device, target);
	struct records records = { 0 };
	int error;

	attach.clock = (unsigned int)number % 4;
	attach.rate = attach.clock > PROFIL_CLOCK_TICK ? 1000 : attach.rate;
	attach.flags = (number & 4 ? PROFIL_FOLLOW_EXEC : 0) | (number & 8 ? PROFIL_FROM_EXEC : 0);
	error = call(device, PROFIL_IOC_ATTACH, &attach);
	/* some stay for a while */
	if (number % 16 == 15)
		usleep(2000);
	fcntl(device, F_SETFL, O_NONBLOCK);
	if (!error && read_all(&records, device) != EAGAIN)
		error = EPROTO;
	free_records(&records);
	close(device);
	return error;
}

/* Runs the program, and returns its results. */
static void run(struct __test_metadata *_metadata, struct _test_data_cycles *self, int cycles)
{
	struct target target;
	double periods;
	int i, error = 0;

	*work = (struct work) { .checksum = compute() };
	ASSERT_EQ(0, start_target(&target, self->device, run_program, NULL));
	setpriority(PRIO_PROCESS, (id_t)target.pid, 0);
	release(&target);
	for (i = 0; i < cycles && !error; i++)
		error = attach_and_detach(&target, i);
	EXPECT_EQ(0, error);
	/* each thread has done something meanwhile, or does it afterwards */
	while (__atomic_load_n(&work->programs, __ATOMIC_RELAXED) < 2 * EXECUTORS ||
	       __atomic_load_n(&work->sums, __ATOMIC_RELAXED) < 2 * THREADS)
		usleep(10000);
	work->stop = 1;
	EXPECT_EQ(0, await_end(&target).status);
	periods = work->seconds / PERIOD;
	ksft_print_msg("%d cycles in %.1f s: %lu checksums, %lu by programs\n", i,
		       work->seconds, work->sums, work->programs);
	ksft_print_msg("%lu sleeps, %lu expirations\n", work->sleeps, work->expired);
	EXPECT_EQ(0, work->wrong);
	EXPECT_LT(SLEEPERS, work->sleeps);
	EXPECT_EQ(0, work->cut_short);
	EXPECT_EQ(work->sent, work->received);
	/* the last period may not be over, or the next one just so */
	EXPECT_LE(periods - 2, work->expired);
	EXPECT_GE(periods + 1, work->expired);
}

/* The control */
TEST_F(cycles, none)
{
	run(_metadata, self, 0);
}

/*
 * The first run leaves memory in the kernel's caches. In the second one, the smallest object of the
 * module, of 192 bytes or more, would add as much for each cycle, and a log would add 64 KiB.
 */
TEST_F_TIMEOUT(cycles, many, 1200)
{
	long long sessions = settled_figure("sessions"), pinned = figure("pinned_bytes");
	long long slab, free, percpu;
	int open_before = open_descriptors();

	run(_metadata, self, self->cycles / 2);
	EXPECT_EQ(sessions, await_figure("sessions", sessions));
	usleep(500000);
	slab = read_number("/proc/meminfo", "SUnreclaim:");
	free = read_number("/proc/meminfo", "MemFree:");
	percpu = read_number("/proc/meminfo", "Percpu:");
	run(_metadata, self, self->cycles / 2);
	EXPECT_EQ(sessions, await_figure("sessions", sessions));
	EXPECT_EQ(pinned, await_figure("pinned_bytes", pinned));
	EXPECT_EQ(open_before, open_descriptors());
	usleep(500000);
	slab = read_number("/proc/meminfo", "SUnreclaim:") - slab;
	free -= read_number("/proc/meminfo", "MemFree:");
	percpu = read_number("/proc/meminfo", "Percpu:") - percpu;
	ksft_print_msg("growth in KiB: slab %lld, memory %lld, per CPU %lld\n", slab, free, percpu);
	/* with few cycles, what others allocate is as much */
	if (self->cycles >= 10000)
		EXPECT_GT(self->cycles / 2 * 192 / 1024, slab);
	EXPECT_GT(self->cycles / 2 * 64, free);
	/*
	 * A log's slots have 128 bytes for each CPU. The kernel counts pages, and keeps those
	 * that it has filled at once: 48 KiB were seen.
	 */
	EXPECT_GT(self->cycles / 2 * 64 / 1024, percpu);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "task")) {
		unsigned int sum = compute();

		return write(1, &sum, sizeof(sum)) != sizeof(sum);
	}
	return test_harness_run(argc, argv);
}
