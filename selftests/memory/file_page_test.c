// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters in private mappings of files, above all static arrays: .data, the page that .bss shares
 * with the file, and the rest of .bss. The program does not write them itself, and a forked child
 * shares their pages until a write. Each sample is in memory without any call of the program.
 */
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "child.h"
#include "files.h"
#include "kernel/slow_file.h"
#include "profile/one_counter.h"

#define ZRAM	"/sys/class/zram-control/"

/* the linker's: the end of .data in the file, where .bss starts */
extern char __bss_start;

FIXTURE(file_page) {
	struct one_counter r;
	long zram;		/* number of a block device; or -1 */
};

FIXTURE_VARIANT(file_page) {
	/* a page whose first bytes are zero, or NULL with @why */
	char *(*map)(struct _test_data_file_page *self, const char **why);
};

FIXTURE_SETUP(file_page)
{
	REQUIRE_DEVICE(self->r.fd);
	one_counter_init(&self->r);
	self->zram = -1;
}

FIXTURE_TEARDOWN(file_page)
{
	char number[16];

	stop(self->r.fd);
	EXPECT_EQ(0, pinned_kib());
	if (self->zram >= 0) {
		close(self->r.file);
		munmap((char *)self->r.counter, PAGE);
		snprintf(number, sizeof(number), "%ld", self->zram);
		EXPECT_EQ(0, write_text(ZRAM "hot_remove", number));
	}
}

static char *page_after(void *at)
{
	return (char *)(((uintptr_t)at + PAGE - 1) & ~(PAGE - 1));
}

static char data[4 << 16] = { [sizeof(data) - 1] = 1 };
static char bss[4 << 16];

static char *in_data(struct _test_data_file_page *self, const char **why)
{
	(void)self;
	(void)why;
	return page_after(data);
}

/* The test's largest array reaches into that page, unless the file ends at a page boundary. */
static char *at_start_of_bss(struct _test_data_file_page *self, const char **why)
{
	char *end = page_after(&__bss_start), *at = bss + (-(uintptr_t)bss & 7);

	(void)self;
	if (at >= &__bss_start && at + sizeof(uint64_t) <= end)
		return at;
	*why = ".bss has no page with .data here";
	return NULL;
}

static char *in_bss(struct _test_data_file_page *self, const char **why)
{
	(void)self;
	(void)why;
	return page_after(bss + sizeof(bss) / 2);
}

/* A file of the root file system */
static char *in_file(struct _test_data_file_page *self, const char **why)
{
	char path[] = "profil-page-XXXXXX";
	char *at;

	self->r.file = mkstemp(path);
	*why = "no writable file system here";
	if (self->r.file < 0)
		return NULL;
	unlink(path);
	if (ftruncate(self->r.file, (off_t)PAGE))
		return NULL;
	at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, self->r.file, 0);
	return at == MAP_FAILED ? NULL : at;
}

/* A page of a block device, which nothing has read yet */
static char *on_disk(struct _test_data_file_page *self, const char **why)
{
	char path[64];
	char *at;

	*why = "no zram";
	if (!access(ZRAM "hot_add", F_OK) || !system("modprobe -q zram"))
		self->zram = (long)read_number(ZRAM "hot_add", "");
	if (self->zram < 0)
		return NULL;
	snprintf(path, sizeof(path), "/sys/block/zram%ld/disksize", self->zram);
	write_text(path, "1M");
	snprintf(path, sizeof(path), "/dev/zram%ld", self->zram);
	self->r.file = open(path, O_RDWR | O_CLOEXEC);
	at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, self->r.file, 0x40000);
	return at == MAP_FAILED ? NULL : at;
}

FIXTURE_VARIANT_ADD(file_page, in_data) { in_data };
FIXTURE_VARIANT_ADD(file_page, start_of_bss) { at_start_of_bss };
FIXTURE_VARIANT_ADD(file_page, bss) { in_bss };
FIXTURE_VARIANT_ADD(file_page, file) { in_file };
FIXTURE_VARIANT_ADD(file_page, disk) { on_disk };

/* Takes samples, and expects all of them in the counter, before a call could bring them there. */
static void expect_without_call(struct __test_metadata *_metadata, struct one_counter *r)
{
	struct profil_status status;
	uint64_t seen;

	burn(one_counter_seconds(r, 8));
	/* The worker runs at once. No load before that: it would map the page. */
	usleep(100000);
	/*
	 * A stretch of eight ticks has seven at least. A migration takes one, and so does the
	 * worker if it has preempted the thread.
	 */
	seen = one_counter_value(r);
	EXPECT_LE(5, seen);
	status = get_status(r->fd);
	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	EXPECT_EQ(0, status.lost);
	/* a tick may come between the load and the call */
	EXPECT_GE(seen + 1, one_counter_value(r));
}

TEST_F(file_page, is_copied_for_a_sample)
{
	const char *why = NULL;
	char *at = variant->map(self, &why);

	if (!at)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, one_counter_start(&self->r, at, PROFIL_PIN_ON_HIT));
	expect_without_call(_metadata, &self->r);
}

/*
 * Each generation shares the page with the one before. None of them has a sample before its fork.
 */
TEST_F(file_page, is_copied_for_each_forked_child)
{
	static const uint32_t flags[] = { PROFIL_PIN_ON_HIT, 0 };
	enum { GENERATIONS = 3 };
	const char *why = NULL;
	char *at = variant->map(self, &why);
	pid_t pid = 0;
	size_t i;
	int k;

	if (!at)
		SKIP(return, "%s", why);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		ASSERT_EQ(0, one_counter_start(&self->r, at, flags[i]));
		for (k = 0; k < GENERATIONS; k++) {
			pid = fork();
			ASSERT_GE(pid, 0);
			if (pid)
				break;
		}
		if (pid)
			EXPECT_EQ(0, wait_for(pid));
		expect_without_call(_metadata, &self->r);
		if (k)
			_exit(_metadata->exit_code != KSFT_PASS);
	}
}

/*
 * The page is in memory, but of a user's file system: it could leave the page cache, and the worker
 * would wait for the user. The sample waits for a call.
 */
TEST(users_file_system_is_left_to_the_process)
{
	struct profil_region region;
	struct profil_start start;
	struct slow_file slow;
	const char *missing;
	volatile uint64_t *counter;
	int fd;

	REQUIRE_DEVICE(fd);
	missing = slow_file_begin(&slow);
	if (missing) {
		SKIP(return, "%s", missing);
	}
	counter = slow_file_map(&slow, 0);
	slow_file_answer(&slow);
	ASSERT_EQ(0, *counter);
	count_all(&start, &region, (void *)counter, 64, get_info(fd).tick_hz);
	start.flags = PROFIL_PIN_ON_HIT;
	ASSERT_EQ(0, call(fd, PROFIL_IOC_START, &start));
	burn(seconds_for(4, start.rate));
	EXPECT_EQ(0, *counter);
	EXPECT_LE(4, get_status(fd).counted);
	EXPECT_LE(4, *counter);
	slow_file_end(&slow);
}

TEST_HARNESS_MAIN
