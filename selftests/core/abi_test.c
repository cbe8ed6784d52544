// SPDX-License-Identifier: GPL-2.0-only
/*
 * Invalid input: each call fails with the errno that <linux/profil.h> documents, and an earlier
 * session continues unaffected.
 */
#include <stdio.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "common.h"
#include "eventually.h"
#include "kselftest_harness.h"

FIXTURE(abi) {
	int fd;
	uint64_t counter;		/* of the earlier session */
	uint64_t *buffer;		/* for the call under test: a page, then PROT_NONE */
	struct profil_region regions[2];
	struct profil_start start;
};

FIXTURE_SETUP(abi)
{
	struct profil_region region;
	struct profil_start start;

	REQUIRE_DEVICE(self->fd);
	self->counter = 0;
	count_all(&start, &region, &self->counter, 64, 100);
	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &start));

	self->buffer = map_memory(2 * PAGE);
	ASSERT_NE(MAP_FAILED, self->buffer);
	ASSERT_EQ(0, mprotect((char *)self->buffer + PAGE, PAGE, PROT_NONE));
	self->regions[0] = (struct profil_region) {
		.start = 0x1000, .end = 0x2000, .offset = 0x1000,
		.buf = (uintptr_t)self->buffer, .bytes = 64,
		.scale = 0x10000,
	};
	self->regions[1] = (struct profil_region) {
		.start = 0x2000, .end = 0, .offset = 0x2000,
		.buf = (uintptr_t)self->buffer + 64, .bytes = 64,
		.scale = 0x10000, .rounding = PROFIL_ROUND_UP,
	};
	self->start = (struct profil_start) {
		.size = sizeof(self->start),
		.rate = 97,
		.width = 64,
		.nr_regions = 2,
		.regions = (uintptr_t)self->regions,
		.catch_all = (uintptr_t)self->buffer + 128,
	};
}

/* Returns whether the earlier session is running and still counts. */
static int still_runs(struct _test_data_abi *self)
{
	struct profil_status status = get_status(self->fd);
	uint64_t before = __atomic_load_n(&self->counter, __ATOMIC_RELAXED);

	return status.state == PROFIL_STATE_RUNNING && status.rate == 100 &&
	       WORK_UNTIL(burn(seconds_for(1, status.rate)),
			  __atomic_load_n(&self->counter, __ATOMIC_RELAXED) > before);
}

FIXTURE_TEARDOWN(abi)
{
	/* after all refused calls, the earlier session runs, counts, and stops */
	EXPECT_TRUE(still_runs(self));
	EXPECT_EQ(PROFIL_STATE_RUNNING, stop(self->fd).state);
	close(self->fd);
}

#define START_FAILS(error)						\
	EXPECT_EQ(error, call(self->fd, PROFIL_IOC_START, &self->start))

TEST_F(abi, good_start_is_accepted)
{
	/*
	 * the other tests change one field of this start; afterwards, restore the earlier session
	 */
	struct profil_region region;
	struct profil_start start;

	START_FAILS(0);
	EXPECT_EQ(97, get_status(self->fd).rate);
	count_all(&start, &region, &self->counter, 64, 100);
	EXPECT_EQ(0, call(self->fd, PROFIL_IOC_START, &start));
}

TEST_F(abi, unknown_commands)
{
	EXPECT_EQ(ENOTTY, call(self->fd, 0, &self->start));
	EXPECT_EQ(ENOTTY, call(self->fd, _IO(PROFIL_IOC_MAGIC, 6), &self->start));
	EXPECT_EQ(ENOTTY, call(self->fd, _IO(PROFIL_IOC_MAGIC + 1, 1), &self->start));
	EXPECT_EQ(ENOTTY,
		  call(self->fd, _IOW(PROFIL_IOC_MAGIC, 1, struct profil_start), &self->start));
}

TEST_F(abi, structure_sizes)
{
	struct {
		struct profil_start start;
		uint64_t tail;
	} longer = { .start = self->start };
	unsigned long commands[] = {
		PROFIL_IOC_INFO, PROFIL_IOC_START, PROFIL_IOC_STOP,
		PROFIL_IOC_STATUS, PROFIL_IOC_ATTACH, PROFIL_IOC_LOG_STATUS,
	};
	uint32_t bad[] = { 0, 1, 4, 32 };
	size_t i, j;

	for (i = 0; i < 4; i++) {
		for (j = 0; j < 4; j++) {
			self->start.size = bad[j];
			EXPECT_EQ(EINVAL, call(self->fd, commands[i], &self->start));
		}
		self->start.size = (uint32_t)PAGE + 8;
		EXPECT_EQ(E2BIG, call(self->fd, commands[i], &self->start));
		self->start.size = ~0U;
		EXPECT_EQ(E2BIG, call(self->fd, commands[i], &self->start));
	}
	longer.start.size = sizeof(longer);
	longer.tail = 1ULL << 63;
	EXPECT_EQ(E2BIG, call(self->fd, PROFIL_IOC_START, &longer));
	longer.tail = 0;
	longer.start.rate = 0;		/* the size is accepted, so the fields are checked */
	EXPECT_EQ(EINVAL, call(self->fd, PROFIL_IOC_START, &longer));
}

TEST_F(abi, all_outputs_are_written)
{
	struct {
		struct profil_status status;
		uint64_t tail;
	} longer;
	struct profil_info info;

	/* every output field is written, whatever its previous value */
	memset(&info, 0xcc, sizeof(info));
	info.size = sizeof(info);
	EXPECT_EQ(0, call(self->fd, PROFIL_IOC_INFO, &info));
	EXPECT_EQ(sizeof(info), info.size);
	EXPECT_EQ(PROFIL_ABI_VERSION, info.abi_version);
	EXPECT_GE(1000, info.tick_hz);
	EXPECT_LE(24, info.tick_hz);
	EXPECT_LE(info.tick_hz, info.max_rate);
	EXPECT_LE(1024, info.max_regions);
	EXPECT_EQ(0, info.reserved);
	EXPECT_LE(1 << 20, info.max_bytes);
	EXPECT_EQ(0, info.features & ~0x1ffULL);
	EXPECT_GE(PROFIL_STACK_BYTES_MAX, info.max_stack_bytes);
	EXPECT_EQ(0, info.reserved2);

	memset(&longer, 0xcc, sizeof(longer));
	longer.status.size = sizeof(longer);
	longer.tail = 0;
	EXPECT_EQ(0, call(self->fd, PROFIL_IOC_STATUS, &longer));
	EXPECT_EQ(sizeof(longer), longer.status.size);
	EXPECT_EQ(PROFIL_STATE_RUNNING, longer.status.state);
	EXPECT_EQ(100, longer.status.rate);
	EXPECT_EQ(0, longer.status.flags);
	EXPECT_GT(1000, longer.status.samples);
	EXPECT_EQ(0, longer.status.out_of_range);
	EXPECT_EQ(0, longer.status.pending);
	EXPECT_EQ(0, longer.status.lost);
	EXPECT_EQ(0, longer.status.pinned_bytes % PAGE);
	EXPECT_LE(PAGE, longer.status.pinned_bytes);
	EXPECT_EQ(0, longer.status.skipped);
	EXPECT_EQ(0, longer.tail);
}

TEST_F(abi, invalid_pointers)
{
	void *none = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *wild[] = {
		NULL, (void *)8, none, (void *)-4096L, (void *)-1L,
		(void *)(1UL << 63),
	};
	struct profil_status *status = none;
	size_t i;

	for (i = 0; i < sizeof(wild) / sizeof(*wild); i++) {
		EXPECT_EQ(EFAULT, call(self->fd, PROFIL_IOC_INFO, wild[i]));
		EXPECT_EQ(EFAULT, call(self->fd, PROFIL_IOC_START, wild[i]));
		EXPECT_EQ(EFAULT, call(self->fd, PROFIL_IOC_STATUS, wild[i]));
		self->start.regions = (uintptr_t)wild[i];
		START_FAILS(EFAULT);
	}
	/* readable, but the result cannot be written */
	ASSERT_EQ(0, mprotect(none, PAGE, PROT_READ | PROT_WRITE));
	status->size = sizeof(*status);
	ASSERT_EQ(0, mprotect(none, PAGE, PROT_READ));
	EXPECT_EQ(EFAULT, call(self->fd, PROFIL_IOC_STATUS, status));
	/* the session is not stopped either, as the teardown checks */
	EXPECT_EQ(EFAULT, call(self->fd, PROFIL_IOC_STOP, status));
}

TEST_F(abi, invalid_fields)
{
	struct profil_start good = self->start;

	self->start.flags = 0x80000000; START_FAILS(EINVAL);
	self->start.flags = 0x80; START_FAILS(EINVAL);
	self->start.flags = PROFIL_USER_ONLY | PROFIL_KERNEL_ONLY;
	START_FAILS(EINVAL);
	self->start = good;
	self->start.rate = 0; START_FAILS(EINVAL);
	self->start.rate = get_info(self->fd).max_rate + 1; START_FAILS(EINVAL);
	self->start.rate = ~0U; START_FAILS(EINVAL);
	self->start = good;
	self->start.width = 0; START_FAILS(EINVAL);
	self->start.width = 8; START_FAILS(EINVAL);
	self->start.width = 33; START_FAILS(EINVAL);
	self->start.width = ~0U; START_FAILS(EINVAL);
	self->start = good;
	self->start.overflow = 3; START_FAILS(EINVAL);
	self->start.overflow = ~0U; START_FAILS(EINVAL);
	self->start = good;
	self->start.limit = 1; START_FAILS(EINVAL);	/* counters wrap */
	self->start.overflow = PROFIL_OVERFLOW_STOP;
	self->start.width = 16;
	self->start.limit = 0x10000; START_FAILS(EINVAL);
	self->start = good;
	self->start.catch_all += 4; START_FAILS(EINVAL);
	self->start.catch_all = 8; START_FAILS(EFAULT);
	self->start.catch_all = -8ULL; START_FAILS(EFAULT);
	self->start = good;
	self->start.log = good.catch_all; START_FAILS(EINVAL);
	self->start = good;
	self->start.log_bytes = 64; START_FAILS(EINVAL);
	self->start = good;
	self->start.clock = PROFIL_CLOCK_RANDOM + 1; START_FAILS(EINVAL);
	self->start.clock = PROFIL_CLOCK_TICK;
	self->start.rate = get_info(self->fd).tick_hz + 1; START_FAILS(EINVAL);
	self->start = good;
	self->start.reserved = 1; START_FAILS(EINVAL);
}

TEST_F(abi, invalid_region_counts)
{
	self->start.nr_regions = 0; START_FAILS(EINVAL);
	self->start.nr_regions = ~0U; START_FAILS(E2BIG);
	self->start.nr_regions = get_info(self->fd).max_regions + 1;
	START_FAILS(E2BIG);
}

TEST_F(abi, invalid_region_order)
{
	struct profil_region *a = &self->regions[0], *b = &self->regions[1];
	struct profil_region swap = *a;

	*a = *b; *b = swap; START_FAILS(EINVAL);		/* unsorted */
	*b = *a; *a = swap;
	a->end = 0x2001; START_FAILS(EINVAL);			/* overlap */
	a->end = 0; START_FAILS(EINVAL);			/* no end */
	a->end = 0x1000; START_FAILS(EINVAL);			/* empty */
	a->end = 0xfff; START_FAILS(EINVAL);			/* wraps */
	a->end = 0x2000;
	b->end = 0x10; START_FAILS(EINVAL);
	b->end = 0;
	b->offset = 0x2001; START_FAILS(EINVAL);		/* above start */
	b->offset = 0x2000;
	b->rounding = 4; START_FAILS(EINVAL);
	b->rounding = ~0U; START_FAILS(EINVAL);
	b->rounding = PROFIL_ROUND_DOWN;
	b->scale = 0; START_FAILS(EINVAL);
	b->scale = 1;
	b->rounding = PROFIL_ROUND_FIRST; START_FAILS(EINVAL);
}

TEST_F(abi, invalid_buffer_addresses)
{
	struct profil_region *b = &self->regions[1];
	uint64_t good = b->buf;
	unsigned int width;

	for (width = 16; width <= 64; width *= 2) {
		self->start.width = width;
		b->buf = good + 1; START_FAILS(EINVAL);
		b->buf = good + width / 16; START_FAILS(EINVAL);
	}
	b->buf = 0; START_FAILS(EFAULT);
	b->buf = -64ULL; START_FAILS(EFAULT);		/* ends at 2^64 */
	b->buf = -32ULL; START_FAILS(EFAULT);		/* wraps */
	b->buf = 1ULL << 63; START_FAILS(EFAULT);
	b->buf = (uintptr_t)self->buffer + PAGE - 8; START_FAILS(EFAULT);
}

/* On architectures that ignore a pointer's top byte, it is not part of the address. */
TEST_F(abi, tagged_pointers)
{
	const uint64_t mark = 0x5aULL << 56;

#ifdef __aarch64__
	struct profil_region region;
	struct profil_start start;

	count_all(&start, &region, &self->counter, 64, 100);
	region.buf |= mark;
	start.catch_all = (uintptr_t)&self->counter | mark;
	EXPECT_EQ(0, call(self->fd, PROFIL_IOC_START, &start));
#else
	self->regions[1].buf |= mark;
	START_FAILS(EFAULT);
	self->regions[1].buf &= ~mark;
	self->start.catch_all |= mark;
	START_FAILS(EFAULT);
#endif
}

TEST_F(abi, invalid_buffer_sizes)
{
	struct profil_region *b = &self->regions[1];

	b->bytes = 0; START_FAILS(EINVAL);
	b->bytes = 1; START_FAILS(EINVAL);
	b->bytes = 7; START_FAILS(EINVAL);
	b->bytes = 1ULL << 63; START_FAILS(EFAULT);
	b->bytes = ~0ULL; START_FAILS(EFAULT);
	b->bytes = PAGE; START_FAILS(EFAULT);	/* ends in the page that is not writable */
	b->buf = PAGE * 16;
	b->bytes = 1ULL << 40; START_FAILS(E2BIG);
	b->bytes = get_info(self->fd).max_bytes; START_FAILS(E2BIG);
	b->bytes -= 3 * PAGE; START_FAILS(EFAULT);
}

TEST_F(abi, invalid_pc_logs)
{
	struct profil_start good = {
		.size = sizeof(good), .flags = PROFIL_PC_LOG, .rate = 100,
		.width = 64, .log = (uintptr_t)self->buffer, .log_bytes = 64,
	};

	self->start.flags = PROFIL_PC_LOG; START_FAILS(EINVAL);
	self->start = good;
	self->start.regions = 8; START_FAILS(EINVAL);
	self->start = good;
	self->start.width = 16; START_FAILS(EINVAL);
	self->start = good;
	self->start.overflow = PROFIL_OVERFLOW_SATURATE; START_FAILS(EINVAL);
	self->start = good;
	self->start.catch_all = good.log; START_FAILS(EINVAL);
	self->start = good;
	self->start.log += 4; START_FAILS(EINVAL);
	self->start.log = 0; START_FAILS(EFAULT);
	self->start = good;
	self->start.log_bytes = 0; START_FAILS(EINVAL);
	self->start.log_bytes = 7; START_FAILS(EINVAL);
	self->start.log_bytes = ~0ULL; START_FAILS(EFAULT);
}

/*
 * Opens a file that is not in shared memory: /tmp may be a tmpfs. Without the right to mount, it
 * is created in the current directory.
 */
static int open_file(void)
{
	char directory[] = "/tmp/profil-abi-XXXXXX", path[64] = "./profil-abi-XXXXXX";
	int file;

	if (!mkdtemp(directory))
		return -1;
	if (!mount("none", directory, "ramfs", 0, NULL))
		snprintf(path, sizeof(path), "%s/file-XXXXXX", directory);
	file = mkstemp(path);
	unlink(path);
	umount2(directory, MNT_DETACH);
	rmdir(directory);
	return file;
}

/* Memory that the process cannot write, or that cannot be pinned */
TEST_F(abi, unsupported_mappings)
{
	int file = open_file();
	int mem = open("/dev/mem", O_RDWR);
	struct profil_region *b = &self->regions[1];
	void *map;

	ASSERT_GE(file, 0);
	ASSERT_EQ(0, ftruncate(file, (off_t)PAGE));

#define BUFFER(address, error)						\
	do {								\
		b->buf = (uintptr_t)(address);				\
		START_FAILS(error);					\
	} while (0)

	map = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	BUFFER(map, EFAULT);
	ASSERT_EQ(0, mprotect(map, PAGE, PROT_NONE));
	BUFFER(map, EFAULT);
	/* program text: readable and executable, not writable */
	BUFFER((uintptr_t)&call & ~15UL, EFAULT);
	ASSERT_EQ(0, mprotect(map, PAGE, PROT_READ | PROT_EXEC));
	BUFFER(map, EFAULT);

	map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	ASSERT_NE(MAP_FAILED, map);
	BUFFER(map, EOPNOTSUPP);
	/* the counters would lie after the end of the file */
	map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
	BUFFER((char *)map + PAGE, EFAULT);

	if (mem >= 0) {
		map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, mem, 0xf0000);
		if (map != MAP_FAILED)
			BUFFER(map, EOPNOTSUPP);
		else
			TH_LOG("device mapping not tested: /dev/mem cannot be mapped");
	}
	/* the second page of a buffer is checked like the first */
	map = map_memory(2 * PAGE);
	ASSERT_EQ(0, mprotect((char *)map + PAGE, PAGE, PROT_READ));
	b->bytes = 2 * PAGE;
	BUFFER(map, EFAULT);
	ASSERT_EQ(0, munmap((char *)map + PAGE, PAGE));
	BUFFER(map, EFAULT);
	close(file);
	close(mem);
}

/* RLIMIT_MEMLOCK does not apply to root, so a child without capabilities tests it. */
TEST_F(abi, memlock_limit)
{
	struct rlimit limit = { .rlim_cur = 4 * PAGE, .rlim_max = 4 * PAGE };
	int status;
	pid_t pid = fork();

	ASSERT_GE(pid, 0);
	if (!pid) {
		struct profil_region *b = &self->regions[1];
		char *map = map_memory(64 * PAGE);

		if (setrlimit(RLIMIT_MEMLOCK, &limit) ||
		    setresgid(65534, 65534, 65534) ||
		    setresuid(65533, 65533, 65533))
			_exit(1);
		b->buf = (uintptr_t)map;
		b->bytes = 4 * PAGE;	/* with region 0's page: 5 */
		if (call(self->fd, PROFIL_IOC_START, &self->start) != ENOMEM)
			_exit(2);
		b->bytes = 3 * PAGE;
		if (call(self->fd, PROFIL_IOC_START, &self->start))
			_exit(3);
		if (get_status(self->fd).pinned_bytes != 4 * PAGE)
			_exit(4);
		/* both are charged while the new session replaces the old one */
		if (call(self->fd, PROFIL_IOC_START, &self->start) != ENOMEM)
			_exit(5);
		if (get_status(self->fd).state != PROFIL_STATE_RUNNING)
			_exit(6);
		stop(self->fd);
		/* everything was uncharged */
		if (call(self->fd, PROFIL_IOC_START, &self->start))
			_exit(7);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	if (geteuid())
		SKIP(return, "not root: cannot become another user");
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

TEST_HARNESS_MAIN
