// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which types of mappings may contain counters, and which are refused.
 */
#include <alloca.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "kselftest_harness.h"
#include "child.h"
#include "profile/one_counter_checks.h"

#ifndef SYS_memfd_secret
#define SYS_memfd_secret	447
#endif

/* Supported types of mappings */
FIXTURE(mapping) {
	struct one_counter r;
};

FIXTURE_VARIANT(mapping) {
	char *(*map)(struct one_counter *r);	/* two pages; NULL: on the stack */
	bool shared;
};

FIXTURE_SETUP(mapping)
{
	REQUIRE_DEVICE(self->r.fd);
	one_counter_init(&self->r);
}

ONE_COUNTER_TEARDOWN(mapping)

static char *or_none(void *at)
{
	return at == MAP_FAILED ? NULL : at;
}

static char *anonymous(struct one_counter *r)
{
	(void)r;
	return or_none(map_memory(2 * PAGE));
}

static char *shared_anonymous(struct one_counter *r)
{
	(void)r;
	return or_none(map_shared(2 * PAGE));
}

static char *memfd_shared(struct one_counter *r)
{
	return or_none(map_memfd(r, MAP_SHARED, 2 * PAGE));
}

static char *memfd_private(struct one_counter *r)
{
	return or_none(map_memfd(r, MAP_PRIVATE, 2 * PAGE));
}

static char *page_start(char *at)
{
	return at + (PAGE - (uintptr_t)at % PAGE) % PAGE;
}

static char *in_data(struct one_counter *r)
{
	static char data[3 << 16] = { 1 };

	(void)r;
	data[0] = 0;
	return page_start(data);
}

static char *in_bss(struct one_counter *r)
{
	static char bss[3 << 16];

	(void)r;
	return page_start(bss);
}

static char *system_v(struct one_counter *r)
{
	int id = shmget(IPC_PRIVATE, 2 * PAGE, IPC_CREAT | 0600);
	void *at = shmat(id, NULL, 0);

	(void)r;
	shmctl(id, IPC_RMID, NULL);
	return or_none(at);
}

static char *map_file(struct one_counter *r, const char *directory, int flags)
{
	char path[64];
	void *at = MAP_FAILED;

	snprintf(path, sizeof(path), "%s/profil-mapping-XXXXXX", directory);
	r->file = mkstemp(path);
	if (r->file < 0)
		return NULL;
	if (!ftruncate(r->file, 2 * (off_t)PAGE))
		at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, flags, r->file, 0);
	unlink(path);
	return or_none(at);
}

static char *tmpfs_private(struct one_counter *r)
{
	return map_file(r, "/dev/shm", MAP_PRIVATE);
}

static char *tmpfs_shared(struct one_counter *r)
{
	return map_file(r, "/dev/shm", MAP_SHARED);
}

static char *disk_private(struct one_counter *r)
{
	return map_file(r, ".", MAP_PRIVATE);
}

#define HUGE_PAGES	"/proc/sys/vm/nr_hugepages"

static char *map_huge(int flags)
{
	void *at = mmap(NULL, HUGE, PROT_READ | PROT_WRITE,
			flags | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

	if (at == MAP_FAILED) {
		write_text(HUGE_PAGES, "4");
		at = mmap(NULL, HUGE, PROT_READ | PROT_WRITE,
			  flags | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	}
	return or_none(at);
}

static char *huge_private(struct one_counter *r)
{
	(void)r;
	return map_huge(MAP_PRIVATE);
}

static char *huge_shared(struct one_counter *r)
{
	(void)r;
	return map_huge(MAP_SHARED);
}

FIXTURE_VARIANT_ADD(mapping, anonymous) { anonymous };
FIXTURE_VARIANT_ADD(mapping, shared_anonymous) { shared_anonymous, true };
FIXTURE_VARIANT_ADD(mapping, memfd_shared) { memfd_shared, true };
FIXTURE_VARIANT_ADD(mapping, memfd_private) { memfd_private };
FIXTURE_VARIANT_ADD(mapping, in_data) { in_data };
FIXTURE_VARIANT_ADD(mapping, in_bss) { in_bss };
FIXTURE_VARIANT_ADD(mapping, on_stack) { NULL };
FIXTURE_VARIANT_ADD(mapping, system_v) { system_v, true };
FIXTURE_VARIANT_ADD(mapping, tmpfs_private) { tmpfs_private };
FIXTURE_VARIANT_ADD(mapping, tmpfs_shared) { tmpfs_shared, true };
FIXTURE_VARIANT_ADD(mapping, disk_private) { disk_private };
FIXTURE_VARIANT_ADD(mapping, huge_private) { huge_private };
FIXTURE_VARIANT_ADD(mapping, huge_shared) { huge_shared, true };

/* Memory on the stack is valid until the caller returns. */
#define MEMORY_OF(variant, r)						\
	((variant)->map ? (variant)->map(r) : page_start(alloca(3 * PAGE)))

static uint64_t load(const char *at, unsigned int width)
{
	uint64_t value = 0;

	memcpy(&value, at, width / 8);
	return value;
}

/* The last counter of a page is increased, for each width, and no byte beside it. */
TEST_F(mapping, each_width)
{
	/* a huge page is pinned as a whole */
	size_t held = variant->map == huge_private || variant->map == huge_shared ?
		      HUGE : PAGE;
	struct one_counter *r = &self->r;
	char *memory = MEMORY_OF(variant, r);
	struct profil_status status;
	unsigned int width;
	size_t i, k, at;

	if (!memory)
		SKIP(return, "not supported here: %s", strerror(errno));
	for (width = 16; width <= 64; width *= 2) {
		for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
			at = PAGE - width / 8;
			memset(memory, 0, 2 * PAGE);
			r->start.width = width;
			r->region.bytes = width / 8;
			ASSERT_EQ(0, one_counter_start(r, memory + at, both_flags[i]));
			EXPECT_TRUE(still_counts(r->fd, 2));
			EXPECT_EQ(held, get_status(r->fd).pinned_bytes);
			status = stop(r->fd);
			EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
			EXPECT_EQ(0, status.lost);
			EXPECT_EQ(status.counted, load(memory + at, width));
			for (k = 0; k < 2 * PAGE; k++)
				if (k < at || k >= at + width / 8)
					ASSERT_EQ(0, memory[k]);
		}
	}
}

/* fork() copies private memory on write, and shares the rest. */
TEST_F(mapping, forked)
{
	struct one_counter *r = &self->r;
	char *memory = MEMORY_OF(variant, r);
	struct { uint64_t counted; double used, used_after; } *children;
	enum { CHILDREN = 4 };
	uint64_t ours;
	struct profil_status status;
	size_t i;
	pid_t pid;
	int k;

	if (!memory)
		SKIP(return, "not supported here: %s", strerror(errno));
	children = map_shared(PAGE);
	for (i = 0; i < ARRAY_SIZE(both_flags); i++) {
		memset(memory, 0, 2 * PAGE);
		ASSERT_EQ(0, one_counter_start(r, memory, both_flags[i]));
		memset(children, 0, sizeof(*children));
		for (k = 0; k < CHILDREN; k++) {
			burn(one_counter_seconds(r, 2));
			pid = fork();
			ASSERT_GE(pid, 0);
			if (!pid) {
				burn(one_counter_seconds(r, 4));
				/* stop may copy a huge page, which takes more than a tick */
				children->used += process_seconds();
				children->counted += stop(r->fd).counted;
				children->used_after += process_seconds();
				_exit(0);
			}
			burn(one_counter_seconds(r, 2));
			ASSERT_EQ(0, wait_for(pid));
		}
		expect_counting(_metadata, r);
		status = stop(r->fd);
		EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
		EXPECT_EQ(0, status.lost);
		EXPECT_EQ(CHILDREN, status.forks_followed);
		/* each may migrate, since the parent is busy too */
		EXPECT_COUNT_IN(children->counted, children->used * r->start.rate,
				children->used_after * r->start.rate, 2 * CHILDREN);
		ours = variant->shared ? children->counted : 0;
		EXPECT_EQ(status.counted + ours, one_counter_value(r));
	}
}

/* Memory that the program cannot write, or that cannot be written in interrupt context */
FIXTURE(refused) {
	struct one_counter r;
};

FIXTURE_SETUP(refused)
{
	REQUIRE_DEVICE(self->r.fd);
	one_counter_init(&self->r);
}

ONE_COUNTER_TEARDOWN(refused)

static int start_at(struct one_counter *r, void *at, size_t bytes, uint32_t flags)
{
	r->region.bytes = bytes;
	return one_counter_start(r, at, flags);
}

#define EXPECT_REFUSED(error, r, at, bytes)				\
	do {								\
		EXPECT_EQ(error, start_at(r, at, bytes, 0));		\
		EXPECT_EQ(error, start_at(r, at, bytes,			\
					  PROFIL_PIN_ON_HIT));		\
		EXPECT_EQ(0, pinned_kib());				\
		EXPECT_EQ(PROFIL_STATE_OFF, get_status((r)->fd).state);	\
	} while (0)

TEST_F(refused, not_writable)
{
	char *at = map_memory(4 * PAGE);

	ASSERT_EQ(0, mprotect(at + PAGE, PAGE, PROT_READ));
	ASSERT_EQ(0, mprotect(at + 2 * PAGE, PAGE, PROT_NONE));
	ASSERT_EQ(0, munmap(at + 3 * PAGE, PAGE));
	EXPECT_REFUSED(EFAULT, &self->r, at + PAGE, 8);
	EXPECT_REFUSED(EFAULT, &self->r, at + 2 * PAGE, 8);
	EXPECT_REFUSED(EFAULT, &self->r, at + 3 * PAGE, 8);
	/* also if only the end of the buffer is not writable */
	EXPECT_REFUSED(EFAULT, &self->r, at, PAGE + 8);
	ASSERT_EQ(0, mprotect(at, 3 * PAGE, PROT_READ | PROT_WRITE));
	EXPECT_REFUSED(EFAULT, &self->r, at, 3 * PAGE + 8);
	EXPECT_EQ(0, start_at(&self->r, at, 3 * PAGE, 0));
}

/* After the last page of a mapped file, a store causes SIGBUS. */
TEST_F(refused, after_the_end_of_a_file)
{
	char *at = map_memfd(&self->r, MAP_SHARED, 2 * PAGE);

	ASSERT_NE(MAP_FAILED, at);
	ASSERT_EQ(0, ftruncate(self->r.file, (off_t)PAGE / 2));
	EXPECT_REFUSED(EFAULT, &self->r, at + PAGE, 8);
	EXPECT_REFUSED(EFAULT, &self->r, at, 2 * PAGE);
	/* the rest of its last page is accepted */
	EXPECT_EQ(0, start_at(&self->r, at + PAGE - 8, 8, 0));
}

/* Returns the start of the mapping with that name; 0 if there is none. */
static uintptr_t start_of(const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long found = 0;
	char line[512];

	while (maps && !found && fgets(line, sizeof(line), maps))
		if (strstr(line, name))
			found = strtoul(line, NULL, 16);
	if (maps)
		fclose(maps);
	return found;
}

/* The stack must not grow by the check, either. */
TEST_F(refused, below_the_stack)
{
	uintptr_t stack = start_of("[stack]");

	ASSERT_NE(0, stack);
	EXPECT_REFUSED(EFAULT, &self->r, (void *)(stack - PAGE), 8);
	EXPECT_REFUSED(EFAULT, &self->r, (void *)(stack - 8), 16);
	EXPECT_EQ(stack, start_of("[stack]"));
}

TEST_F(refused, vdso_and_vvar)
{
	uintptr_t vdso = start_of("[vdso]"), vvar = start_of("[vvar]");

	if (!vdso)
		SKIP(return, "no vdso");
	EXPECT_REFUSED(EFAULT, &self->r, (void *)vdso, 8);
	if (vvar)
		EXPECT_REFUSED(EFAULT, &self->r, (void *)vvar, 8);
}

TEST_F(refused, secret_memory)
{
	int fd = (int)syscall(SYS_memfd_secret, O_CLOEXEC);
	char *at;

	if (fd < 0)
		SKIP(return, "no memfd_secret: boot with secretmem.enable=1");
	ASSERT_EQ(0, ftruncate(fd, (off_t)PAGE));
	at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, at);
	/* only the process itself may access it */
	EXPECT_REFUSED(EOPNOTSUPP, &self->r, at, 8);
}

TEST_F(refused, shared_file_on_disk)
{
	struct statfs fs;
	char *at = map_file(&self->r, ".", MAP_SHARED);

	if (!at)
		SKIP(return, "cannot map a file here: %s", strerror(errno));
	ASSERT_EQ(0, statfs(".", &fs));
	if (fs.f_type == TMPFS_MAGIC)
		SKIP(return, "this directory is not on a disk");
	EXPECT_REFUSED(EOPNOTSUPP, &self->r, at, 8);
	/* also if only the first half is on disk */
	ASSERT_EQ(at + PAGE, mmap(at + PAGE, PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
				  0));
	EXPECT_REFUSED(EOPNOTSUPP, &self->r, at, 2 * PAGE);
}

/* Pages of a block device are refused too, though the device node is in devtmpfs. */
#define ZRAM	"/sys/class/zram-control/"

TEST_F(refused, block_device)
{
	long number = -1;
	char path[64];
	char *at;
	int fd;

	if (!access(ZRAM "hot_add", F_OK) || !system("modprobe -q zram"))
		number = (long)read_number(ZRAM "hot_add", "");
	if (number < 0)
		SKIP(return, "no zram");
	snprintf(path, sizeof(path), "/sys/block/zram%ld/disksize", number);
	ASSERT_EQ(0, write_text(path, "1M"));
	snprintf(path, sizeof(path), "/dev/zram%ld", number);
	fd = open(path, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, at);
	EXPECT_REFUSED(EOPNOTSUPP, &self->r, at, 8);
	munmap(at, 2 * PAGE);
	/* a private mapping becomes an anonymous page when it is written */
	at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	ASSERT_NE(MAP_FAILED, at);
	EXPECT_EQ(0, start_at(&self->r, at, 8, 0));
	EXPECT_TRUE(still_counts(self->r.fd, 2));
	stop(self->r.fd);
	munmap(at, PAGE);
	close(fd);
	snprintf(path, sizeof(path), "%ld", number);
	EXPECT_EQ(0, write_text(ZRAM "hot_remove", path));
}

/* VGA text memory, which every PC has. Nothing is written there. */
TEST_F(refused, device_memory)
{
	int fd = open("/dev/mem", O_RDWR | O_CLOEXEC);
	char *at;

	if (fd < 0)
		SKIP(return, "no /dev/mem");
	at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0xb8000);
	if (at == MAP_FAILED)
		SKIP(return, "cannot map device memory");
	EXPECT_REFUSED(EOPNOTSUPP, &self->r, at, 8);
	close(fd);
}

/* Pages that the kernel shares with the program for its own use */
TEST_F(refused, perf_ring_buffer)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	char *at;

	if (fd < 0)
		SKIP(return, "no perf_event_open()");
	at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, at);
	EXPECT_REFUSED(EOPNOTSUPP, &self->r, at, 8);
	close(fd);
}

TEST_HARNESS_MAIN
