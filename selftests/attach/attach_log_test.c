// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log of an open file: read(2), poll(2), overflow, and its end.
 *
 * Targets fill it with MAP records of anonymous memory, which have a known size. Such a target does
 * what the bytes say that it receives: 'm' maps once.
 */
#include <poll.h>
#include <sys/socket.h>

#include "kselftest_harness.h"
#include "attach/target.h"
#include "eventually.h"
#include "files.h"
#include "kernel/tasks.h"

/* The end of a process with one thread */
#define END_BYTES	(sizeof(struct profil_record_thread) + sizeof(struct profil_record_exit))
/* Of a MAP record with an empty path, padded to 8 bytes */
#define MAP_BYTES	(sizeof(struct profil_record_map) + 8)
/* Half of the log is for samples. A quarter of the other half is a reason to read. */
#define QUARTER_BYTES	(LEAST_LOG / 2 / 4)
#define QUARTER		((QUARTER_BYTES + MAP_BYTES - 1) / MAP_BYTES)
/* What fills the samples' half in less than three times 0.2 s */
#define FULL_HZ		4000

FIXTURE(log) {
	int device;
	unsigned int hz;
	struct target target;
	struct profil_attach attach;
	struct records records;
	int orders[2];		/* a socket: ours, and the target's */
	long long sessions;
};

static void obey(void *data)
{
	struct _test_data_log *self = data;
	char order;

	close(self->orders[0]);
	while (read(self->orders[1], &order, 1) == 1) {
		if (order == 'm')
			munmap(map_code(PAGE), PAGE);
		if (order == 'b')
			burn(0.2);
		if (order == 'f' && !fork())
			_exit(0);
		if (order == 'x')
			_exit(0);
		if (write(self->orders[1], &order, 1) != 1)
			break;
	}
}

static void start_obedient(struct __test_metadata *_metadata, struct _test_data_log *self)
{
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, self->orders));
	ASSERT_EQ(0, start_target(&self->target, self->device, obey, self));
	close(self->orders[1]);
	self->attach = attachment(self->device, &self->target);
	/* so that there are few samples */
	self->attach.rate = 1;
}

FIXTURE_SETUP(log)
{
	REQUIRE_ATTACH(self->device);
	self->sessions = settled_figure("sessions");
	self->hz = get_info(self->device).tick_hz;
	self->records = (struct records) { 0 };
	start_obedient(_metadata, self);
	release(&self->target);
}

FIXTURE_TEARDOWN(log)
{
	kill_target(&self->target);
	free_records(&self->records);
	close(self->orders[0]);
	close(self->device);
	if (!geteuid())
		EXPECT_EQ(self->sessions, await_figure("sessions", self->sessions));
}

#define ATTACH(error)							\
	ASSERT_EQ(error, call(self->device, PROFIL_IOC_ATTACH, &self->attach))

/* The target carries out an order @times times. Returns whether it has. */
static bool order(const struct _test_data_log *self, char what, size_t times)
{
	char answer;

	while (times--)
		if (write(self->orders[0], &what, 1) != 1 ||
		    read(self->orders[0], &answer, 1) != 1 || answer != what)
			return false;
	return true;
}

/* The target exits. Returns whether it has: its EXIT is in the log. */
static bool order_exit(struct _test_data_log *self)
{
	return write(self->orders[0], "x", 1) == 1 && !await_end(&self->target).status;
}

static void do_not_block(const struct _test_data_log *self)
{
	fcntl(self->device, F_SETFL, O_NONBLOCK);
}

/* poll(2) of the device: the events, 0 if there are none for 50 ms */
static short events(int device)
{
	struct pollfd poll_fd = { .fd = device, .events = POLLIN };

	return poll(&poll_fd, 1, 50) < 0 ? (short)-1 : poll_fd.revents;
}

TEST_F(log, nothing_is_attached)
{
	struct profil_status status = log_status(self->device);
	char buffer[PROFIL_RECORD_MAX];

	errno = 0;
	EXPECT_EQ(-1, read(self->device, buffer, sizeof(buffer)));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(PROFIL_STATE_OFF, status.state);
	EXPECT_EQ(0, status.rate);
	EXPECT_EQ(0, status.samples);
	EXPECT_EQ(0, status.clock);
}

TEST_F(log, read_returns_whole_records)
{
	size_t bytes[] = { 0, 1, 8, MAP_BYTES - 1 };
	size_t i;

	do_not_block(self);
	ATTACH(0);
	EXPECT_EQ(-EAGAIN, read_some(&self->records, self->device, PROFIL_RECORD_MAX));
	ASSERT_TRUE(order(self, 'm', 10));
	/* too short for one, which stays there */
	for (i = 1; i < ARRAY_SIZE(bytes); i++)
		EXPECT_EQ(-EINVAL, read_some(&self->records, self->device, bytes[i]));
	EXPECT_EQ(MAP_BYTES, read_some(&self->records, self->device, MAP_BYTES));
	EXPECT_EQ(MAP_BYTES, read_some(&self->records, self->device, 2 * MAP_BYTES - 1));
	EXPECT_EQ(2 * MAP_BYTES, read_some(&self->records, self->device, 2 * MAP_BYTES));
	EXPECT_EQ(6 * MAP_BYTES, read_some(&self->records, self->device, 1 << 16));
	EXPECT_EQ(-EAGAIN, read_some(&self->records, self->device, PROFIL_RECORD_MAX));
	ASSERT_TRUE(order_exit(self));
	EXPECT_EQ(END_BYTES, read_some(&self->records, self->device, PROFIL_RECORD_MAX));
	/* the end, however often it is read */
	EXPECT_EQ(0, read_some(&self->records, self->device, PROFIL_RECORD_MAX));
	EXPECT_EQ(0, read_some(&self->records, self->device, PROFIL_RECORD_MAX));
	EXPECT_EQ(10, count_records(&self->records, PROFIL_RECORD_MAP, ANY));
}

/* A bad buffer loses no record. */
TEST_F(log, read_to_a_bad_address)
{
	do_not_block(self);
	ATTACH(0);
	ASSERT_TRUE(order(self, 'm', 3));
	errno = 0;
	EXPECT_EQ(-1, read(self->device, mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
					      -1, 0), PAGE));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(3 * MAP_BYTES, read_some(&self->records, self->device, PAGE));
}

/* A reader in another thread */
struct reader {
	pthread_t thread;
	struct records records;
	int device;
	pid_t tid;
	ssize_t result;
	int error;
};

static void *read_once(void *data)
{
	struct reader *reader = data;

	__atomic_store_n(&reader->tid, gettid(), __ATOMIC_RELEASE);
	reader->result = read_some(&reader->records, reader->device, 1 << 16);
	return NULL;
}

static void start_reader(struct __test_metadata *_metadata, struct reader *reader, int device)
{
	*reader = (struct reader) { .device = device };
	ASSERT_EQ(0, pthread_create(&reader->thread, NULL, read_once, reader));
	ASSERT_TRUE(EVENTUALLY(__atomic_load_n(&reader->tid, __ATOMIC_ACQUIRE) &&
			       task_state(reader->tid) == 'S'));
}

/* Reads would be small and many otherwise. */
TEST_F(log, read_blocks_until_a_quarter)
{
	struct reader reader;

	ATTACH(0);
	start_reader(_metadata, &reader, self->device);
	ASSERT_TRUE(order(self, 'm', QUARTER / 2));
	EXPECT_EQ('S', task_state(reader.tid));
	ASSERT_TRUE(order(self, 'm', QUARTER - QUARTER / 2));
	pthread_join(reader.thread, NULL);
	/* on a slow machine, a few samples are among them */
	EXPECT_LE((ssize_t)QUARTER_BYTES, reader.result);
}

/* Samples wake the reader from the interrupt. */
TEST_F(log, read_blocks_until_samples)
{
	struct reader reader;

	set_throttle(false);
	self->attach.rate = 4000;
	ATTACH(0);
	start_reader(_metadata, &reader, self->device);
	ASSERT_TRUE(order(self, 'b', 1));
	pthread_join(reader.thread, NULL);
	EXPECT_LE((ssize_t)QUARTER_BYTES, reader.result);
	EXPECT_LE(QUARTER_BYTES / sizeof(struct profil_record_sample),
		  count_records(&reader.records, PROFIL_RECORD_SAMPLE, self->target.pid) +
		  count_records(&reader.records, PROFIL_RECORD_KERNEL_SAMPLE, self->target.pid));
	set_throttle(true);
}

TEST_F(log, read_blocks_until_the_end)
{
	struct reader reader;

	ATTACH(0);
	start_reader(_metadata, &reader, self->device);
	kill_target(&self->target);
	pthread_join(reader.thread, NULL);
	EXPECT_EQ(END_BYTES, reader.result);
	EXPECT_EQ(0, read_some(&reader.records, self->device, 1 << 16));
}

static void ignore(int signal)
{
	(void)signal;
}

TEST_F(log, blocked_read_is_interrupted)
{
	struct sigaction action = { .sa_handler = ignore };
	struct reader reader;

	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	ATTACH(0);
	start_reader(_metadata, &reader, self->device);
	ASSERT_EQ(0, pthread_kill(reader.thread, SIGUSR1));
	pthread_join(reader.thread, NULL);
	EXPECT_EQ(-EINTR, reader.result);
}

/* The alarm interrupts a read that waits: then the error is EINTR. */
TEST_F(log, read_does_not_wait_for_another_reader)
{
	struct sigaction action = { .sa_handler = ignore };
	struct reader reader;

	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	ATTACH(0);
	start_reader(_metadata, &reader, self->device);
	do_not_block(self);
	alarm(2);
	EXPECT_EQ(-EAGAIN, read_some(&self->records, self->device, 1 << 16));
	ASSERT_TRUE(order(self, 'm', 1));
	EXPECT_EQ(MAP_BYTES, read_some(&self->records, self->device, 1 << 16));
	alarm(0);
	/* what is left wakes the other reader */
	ASSERT_TRUE(order(self, 'm', QUARTER));
	pthread_join(reader.thread, NULL);
	EXPECT_LE((ssize_t)QUARTER_BYTES, reader.result);
}

TEST_F(log, poll)
{
	ATTACH(0);
	EXPECT_EQ(0, events(self->device));
	ASSERT_TRUE(order(self, 'm', QUARTER / 2));
	EXPECT_EQ(0, events(self->device));
	ASSERT_TRUE(order(self, 'm', QUARTER - QUARTER / 2));
	EXPECT_EQ(POLLIN, events(self->device));
	EXPECT_LT(0, read_some(&self->records, self->device, 1 << 16));
	EXPECT_EQ(0, events(self->device));
	ASSERT_TRUE(order_exit(self));
	EXPECT_EQ(POLLIN | POLLHUP, events(self->device));
	EXPECT_EQ(0, read_all(&self->records, self->device));
	EXPECT_EQ(POLLIN | POLLHUP, events(self->device));
}

struct poller {
	pthread_t thread;
	int device;
	pid_t tid;
	short events;
};

static void *poll_once(void *data)
{
	struct poller *poller = data;
	struct pollfd poll_fd = { .fd = poller->device, .events = POLLIN };

	__atomic_store_n(&poller->tid, gettid(), __ATOMIC_RELEASE);
	poll(&poll_fd, 1, -1);
	poller->events = poll_fd.revents;
	return NULL;
}

static void start_poller(struct __test_metadata *_metadata, struct poller *poller, int device)
{
	*poller = (struct poller) { .device = device };
	ASSERT_EQ(0, pthread_create(&poller->thread, NULL, poll_once, poller));
	ASSERT_TRUE(EVENTUALLY(__atomic_load_n(&poller->tid, __ATOMIC_ACQUIRE) &&
			       task_state(poller->tid) == 'S'));
}

TEST_F(log, poll_is_woken)
{
	struct poller poller;

	ATTACH(0);
	start_poller(_metadata, &poller, self->device);
	ASSERT_TRUE(order(self, 'm', QUARTER));
	pthread_join(poller.thread, NULL);
	EXPECT_EQ(POLLIN, poller.events);
	do_not_block(self);
	EXPECT_EQ(EAGAIN, read_all(&self->records, self->device));
	start_poller(_metadata, &poller, self->device);
	ASSERT_TRUE(order_exit(self));
	pthread_join(poller.thread, NULL);
	EXPECT_EQ(POLLIN | POLLHUP, poller.events);
}

/* What does not fit is lost, and its number is exact. Later records follow the LOST record. */
TEST_F(log, overflow)
{
	enum { MAPS = 2 * LEAST_LOG / MAP_BYTES };
	struct profil_record_lost lost;
	struct profil_status status;
	const struct profil_record *record;
	unsigned int maps, nr;

	do_not_block(self);
	set_throttle(false);
	self->attach.rate = FULL_HZ;
	ATTACH(0);
	ASSERT_TRUE(order(self, 'm', MAPS));
	ASSERT_TRUE(order(self, 'b', 3));
	EXPECT_EQ(EAGAIN, read_all(&self->records, self->device));
	maps = count_records(&self->records, PROFIL_RECORD_MAP, ANY);
	EXPECT_GT(MAPS, maps);
	/* half of the log */
	EXPECT_EQ(MAPS / 4, maps);
	ASSERT_TRUE(order(self, 'm', 1));
	ASSERT_TRUE(order_exit(self));
	EXPECT_EQ(0, read_all(&self->records, self->device));
	lost = sum_lost(&self->records);
	status = log_status(self->device);
	EXPECT_EQ(MAPS + 1, count_records(&self->records, PROFIL_RECORD_MAP, ANY) + lost.records);
	EXPECT_EQ(maps + 1, count_records(&self->records, PROFIL_RECORD_MAP, ANY));
	/* a stretch of 0.2 s has at most one point less; no more fit into half of the log */
	EXPECT_LE(3 * (0.2 * FULL_HZ - 1) - LEAST_LOG / 2 / sizeof(struct profil_record_sample),
		  lost.samples);
	EXPECT_EQ(status.samples, samples_of(&self->records, ANY) + lost.samples);
	EXPECT_EQ(status.lost, lost.samples);
	EXPECT_EQ(ENOBUFS, status.error);
	/* LOST is where the records are missing: between the last two MAPs */
	nr = count_records(&self->records, PROFIL_RECORD_LOST, ANY);
	ASSERT_LE(1, nr);
	record = find_record(&self->records, PROFIL_RECORD_LOST, ANY, nr - 1);
	EXPECT_LT(find_record(&self->records, PROFIL_RECORD_MAP, ANY, maps - 1), record);
	EXPECT_GT(find_record(&self->records, PROFIL_RECORD_MAP, ANY, maps), record);
	set_throttle(true);
}

/* If everything from some time on is lost, even the end, the sums are exact too. */
TEST_F(log, overflow_until_the_end)
{
	enum { MAPS = 2 * LEAST_LOG / MAP_BYTES };
	struct profil_record_lost lost;

	set_throttle(false);
	self->attach.rate = FULL_HZ;
	ATTACH(0);
	ASSERT_TRUE(order(self, 'm', MAPS));
	ASSERT_TRUE(order(self, 'b', 3));
	ASSERT_TRUE(order_exit(self));
	EXPECT_EQ(0, read_all(&self->records, self->device));
	lost = sum_lost(&self->records);
	EXPECT_EQ(MAPS + 2, count_records(&self->records, PROFIL_RECORD_MAP, ANY) +
			    count_records(&self->records, PROFIL_RECORD_THREAD, ANY) +
			    count_records(&self->records, PROFIL_RECORD_EXIT, ANY) + lost.records);
	EXPECT_EQ(log_status(self->device).samples, samples_of(&self->records, ANY) + lost.samples);
	EXPECT_EQ(log_status(self->device).lost, lost.samples);
	EXPECT_LT(0, lost.samples);
	set_throttle(true);
}

TEST_F(log, sizes)
{
	uint64_t bad[] = { 0, 1, LEAST_LOG / 2, LEAST_LOG - 1, LEAST_LOG + 1, LEAST_LOG * 3 / 2,
			   LARGEST_LOG + 1, LARGEST_LOG * 2, 1ULL << 32, 1ULL << 63, ~0ULL };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		self->attach.log_bytes = bad[i];
		ATTACH(EINVAL);
	}
	self->attach.log_bytes = LARGEST_LOG;
	ATTACH(0);
	/* more than fit into the smallest */
	ASSERT_TRUE(order(self, 'm', 2 * LEAST_LOG / MAP_BYTES));
	ASSERT_TRUE(order_exit(self));
	EXPECT_EQ(0, read_all(&self->records, self->device));
	EXPECT_EQ(2 * LEAST_LOG / MAP_BYTES, count_records(&self->records, PROFIL_RECORD_MAP, ANY));
}

/* All targets of a log are sampled alike, and only their starts may differ. */
TEST_F(log, further_targets)
{
	struct profil_attach good, *attach = &self->attach;
	struct target other;

	ASSERT_EQ(0, start_target(&other, self->device, wait_for_ever, NULL));
	ATTACH(0);
	ATTACH(EBUSY);
	attach->pid = other.pid;
	attach->mem = other.mem;
	good = *attach;
	attach->flags = 0; ATTACH(EINVAL);
	attach->flags = PROFIL_FOLLOW_EXEC | PROFIL_USER_ONLY; ATTACH(EINVAL);
	attach->flags = good.flags;
	attach->rate = 2; ATTACH(EINVAL);
	attach->rate = good.rate;
	attach->clock = PROFIL_CLOCK_TIMER; ATTACH(EINVAL);
	attach->clock = good.clock;
	attach->log_bytes = 2 * LEAST_LOG; ATTACH(EINVAL);
	*attach = good;
	if (get_info(self->device).features & PROFIL_FEATURE_STACKS) {
		attach->stack_bytes = 8;
		attach->stack_words = 1; ATTACH(EINVAL);
		*attach = good;
	}
	attach->flags |= PROFIL_FROM_EXEC;
	ATTACH(0);
	ATTACH(EBUSY);
	attach->flags &= ~PROFIL_FROM_EXEC;
	ATTACH(EBUSY);
	/* the end of one is not the end of the log */
	ASSERT_TRUE(order_exit(self));
	do_not_block(self);
	EXPECT_EQ(EAGAIN, read_all(&self->records, self->device));
	EXPECT_EQ(PROFIL_STATE_RUNNING, log_status(self->device).state);
	kill_target(&other);
	EXPECT_EQ(0, read_all(&self->records, self->device));
	EXPECT_EQ(PROFIL_STATE_OFF, log_status(self->device).state);
}

/* A log that has ended continues with another target. */
TEST_F(log, continues_after_its_end)
{
	struct target next;

	ATTACH(0);
	ASSERT_TRUE(order_exit(self));
	EXPECT_EQ(0, read_all(&self->records, self->device));
	ASSERT_EQ(0, start_target(&next, self->device, wait_for_ever, NULL));
	self->attach.pid = next.pid;
	self->attach.mem = next.mem;
	ATTACH(0);
	EXPECT_EQ(PROFIL_STATE_RUNNING, log_status(self->device).state);
	do_not_block(self);
	EXPECT_EQ(EAGAIN, read_all(&self->records, self->device));
	kill_target(&next);
	EXPECT_EQ(0, read_all(&self->records, self->device));
	EXPECT_EQ(2, count_records(&self->records, PROFIL_RECORD_EXIT, ANY));
}

/* A refused ATTACH leaves a log at its end. */
TEST_F(log, failed_attach_after_the_end)
{
	struct target busy;

	ATTACH(0);
	ASSERT_TRUE(order_exit(self));
	ASSERT_EQ(0, start_target(&busy, self->device, wait_for_ever, NULL));
	self->attach.pid = busy.pid;
	self->attach.mem = busy.mem;
	/* the memory of another process */
	self->attach.mem = open("/proc/self/mem", O_RDONLY);
	ATTACH(ESRCH);
	close(self->attach.mem);
	EXPECT_EQ(POLLIN | POLLHUP, events(self->device));
	do_not_block(self);
	EXPECT_EQ(0, read_all(&self->records, self->device));
	kill_target(&busy);
}

/* The end of one log of a process is not the end of another one. */
TEST_F(log, another_log_goes_on)
{
	int other = open_device();

	ASSERT_LE(0, other);
	ATTACH(0);
	ASSERT_EQ(0, call(other, PROFIL_IOC_ATTACH, &self->attach));
	close(self->device);
	self->device = other;
	ASSERT_TRUE(order(self, 'm', 1));
	do_not_block(self);
	EXPECT_EQ(MAP_BYTES, read_some(&self->records, other, 1 << 16));
	EXPECT_EQ(PROFIL_STATE_RUNNING, log_status(other).state);
}

/* Closing the file ends everything, and leaves nothing: the teardown checks the sessions. */
TEST_F(log, close_ends_everything)
{
	long long pinned = figure("pinned_bytes");

	if (geteuid())
		SKIP(return, "needs root to read statistics");
	ATTACH(0);
	ASSERT_TRUE(order(self, 'f', 3));
	ASSERT_TRUE(order(self, 'm', 1));
	EXPECT_LT(self->sessions, figure("sessions"));
	close(self->device);
	EXPECT_EQ(self->sessions, await_figure("sessions", self->sessions));
	EXPECT_EQ(pinned, await_figure("pinned_bytes", pinned));
	/* the target does not notice */
	EXPECT_TRUE(order(self, 'f', 3));
	EXPECT_TRUE(order(self, 'm', 1));
	EXPECT_EQ(self->sessions, figure("sessions"));
	EXPECT_TRUE(order_exit(self));
	self->device = open_device();
}

/*
 * A child of the reader has the same open file: both take records from one log, which lives until
 * both have closed it.
 */
TEST_F(log, shared_by_fork)
{
	int *result = map_shared(PAGE);
	int go[2];
	pid_t pid;

	do_not_block(self);
	ASSERT_EQ(0, pipe(go));
	ATTACH(0);
	ASSERT_TRUE(order(self, 'm', 2));
	pid = fork();
	if (!pid) {
		struct records records = { 0 };

		result[0] = (int)read_some(&records, self->device, MAP_BYTES);
		receive_byte(go[0]);
		result[1] = (int)read_some(&records, self->device, 1 << 16);
		_exit(0);
	}
	EXPECT_TRUE(EVENTUALLY(__atomic_load_n(result, __ATOMIC_ACQUIRE)));
	EXPECT_EQ(MAP_BYTES, read_some(&self->records, self->device, 1 << 16));
	EXPECT_EQ(-EAGAIN, read_some(&self->records, self->device, 1 << 16));
	close(self->device);
	ASSERT_TRUE(order(self, 'm', 4));
	send_byte(go[1]);
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_EQ(MAP_BYTES, result[0]);
	EXPECT_EQ(4 * MAP_BYTES, result[1]);
	self->device = open_device();
	if (!geteuid())
		EXPECT_EQ(self->sessions, await_figure("sessions", self->sessions));
}

/* PROFIL_IOC_START and STATUS are about the calling process, also with a log. */
TEST_F(log, profile_of_the_reader)
{
	uint64_t counter = 0;

	ATTACH(0);
	EXPECT_EQ(PROFIL_STATE_OFF, get_status(self->device).state);
	ASSERT_EQ(0, start_counting(self->device, &counter, self->hz, 0));
	burn(seconds_for(5, self->hz));
	EXPECT_LE(5, stop(self->device).counted);
	EXPECT_EQ(PROFIL_STATE_RUNNING, log_status(self->device).state);
	EXPECT_GE(1, log_status(self->device).samples);
}

TEST_HARNESS_MAIN
