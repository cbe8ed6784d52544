// SPDX-License-Identifier: GPL-2.0-only
/*
 * One counter in each of 16 huge pages. A pin keeps all of a huge page in memory, even after
 * the process has unmapped the rest of it. So the module must charge the whole huge page to
 * RLIMIT_MEMLOCK, once for all its counters, and count it in pinned_bytes.
 */
#include <signal.h>

#include "kselftest_harness.h"
#include "child.h"
#include "common.h"
#include "files.h"
#include "load/loops.h"

#define HUGE		((size_t)2 << 20)
#define NR		16
#define ATTACKER	7604	/* a uid that no other test charges */
#define MOST_EACH	2	/* counters in a huge page */
#define USUAL_LIMIT	((size_t)8 << 20)	/* of RLIMIT_MEMLOCK */

#define RESERVE	"/proc/sys/vm/nr_hugepages"

FIXTURE(huge_pages) {
	int device;
	long long old_reserve;
};

FIXTURE_VARIANT(huge_pages) {
	bool reserved;	/* hugetlb */
};

FIXTURE_VARIANT_ADD(huge_pages, transparent) {
	.reserved = false,
};

FIXTURE_VARIANT_ADD(huge_pages, hugetlb) {
	.reserved = true,
};

static void set_reserve(long long nr)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", nr);
	write_text(RESERVE, text);
}

FIXTURE_SETUP(huge_pages)
{
	REQUIRE_DEVICE(self->device);
	self->old_reserve = read_number(RESERVE, "");
	if (geteuid())
		SKIP(return, "needs root");
	if (variant->reserved) {
		set_reserve(self->old_reserve + NR);
		if (read_number(RESERVE, "") < self->old_reserve + NR)
			SKIP(return, "no huge pages");
	}
}

FIXTURE_TEARDOWN(huge_pages)
{
	if (variant->reserved)
		set_reserve(self->old_reserve);
	close(self->device);
}

static long long huge_kib(void)
{
	return read_number("/proc/self/smaps_rollup", "AnonHugePages:");
}

/* Maps NR huge pages. Returns NULL if the kernel has none. */
static char *map_huge(bool reserved)
{
	long long before = huge_kib();
	char *memory;
	int i;

	if (reserved) {
		memory = mmap(NULL, NR * HUGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
		if (memory == MAP_FAILED)
			return NULL;
	} else {
		memory = map_memory((NR + 1) * HUGE);
		memory += -(uintptr_t)memory & (HUGE - 1);
		madvise(memory, NR * HUGE, MADV_HUGEPAGE);
	}
	for (i = 0; i < NR; i++)
		memory[(size_t)i * HUGE] = 1;
	if (!reserved && huge_kib() - before != (long long)(NR * HUGE >> 10))
		return NULL;
	return memory;
}

/*
 * Starts a profile with @each counters in each huge page. Each counter has a region, and each
 * region one of the NR * @each loops in @code.
 */
static int begin(int device, char *memory, char *code, int each, __u32 flags)
{
	static struct profil_region regions[NR * MOST_EACH];
	struct profil_start start = {
		.size = sizeof(start),
		.rate = get_info(device).tick_hz,
		.flags = flags,
		.width = 64,
		.nr_regions = (__u32)(NR * each),
		.regions = (uintptr_t)regions,
	};
	uintptr_t at = (uintptr_t)code;
	int i;

	for (i = 0; i < NR * each; i++, at += LOOP_BYTES)
		regions[i] = (struct profil_region) {
			.start = at,
			.end = at + LOOP_BYTES,
			.offset = at,
			.buf = (uintptr_t)memory + (size_t)(i / each) * HUGE +
			       (size_t)(i % each) * 2 * PAGE,
			.bytes = 8,
			.rounding = PROFIL_ROUND_FIRST,
		};
	return call(device, PROFIL_IOC_START, &start);
}

/* Becomes the attacker with huge pages and a limit of @bytes. Returns NULL without huge pages. */
static char *attacker(bool reserved, size_t bytes)
{
	char *memory = map_huge(reserved);

	return memory && !become_user(ATTACKER, bytes / PAGE) ? memory : NULL;
}

#define NO_HUGE_PAGES	4

/* The limit is a quarter of the huge pages. */
static int start_above_the_limit(int device, bool reserved)
{
	char *memory = attacker(reserved, USUAL_LIMIT);
	int error;

	if (!memory)
		return NO_HUGE_PAGES;
	error = begin(device, memory, map_loops(NR), 1, 0);
	ksft_print_msg("%zu MiB in huge pages, limit %zu MiB: %s, %llu KiB pinned\n",
		       NR * HUGE >> 20, USUAL_LIMIT >> 20, error ? strerror(error) : "started",
		       (unsigned long long)get_status(device).pinned_bytes >> 10);
	return error != ENOMEM;
}

/* The limit is less than one huge page. */
static int hit_above_the_limit(int device, bool reserved)
{
	char *memory = attacker(reserved, HUGE / 2), *code = map_loops(NR);
	struct profil_status status;

	if (!memory)
		return NO_HUGE_PAGES;
	if (begin(device, memory, code, 1, PROFIL_PIN_ON_HIT))
		return 1;
	stay_in_loop(code, 0, seconds_for(3, get_info(device).tick_hz));
	status = stop(device);
	ksft_print_msg("pinned on hits, limit %zu KiB: %llu samples counted, %llu lost\n",
		       HUGE >> 11, (unsigned long long)status.counted,
		       (unsigned long long)status.lost);
	return status.counted || !status.lost || status.error != ENOMEM;
}

/*
 * Forks another process of the same user. When it gets a byte, it tries to pin one more page. It
 * ends when nobody can send one any more. Fork it before the huge pages exist: fork makes the
 * kernel replace them.
 */
static pid_t fork_prober(int device, const int go[2])
{
	pid_t pid = fork();

	if (!pid) {
		struct profil_region region;
		struct profil_start start;

		close(go[1]);
		count_all(&start, &region, map_memory(PAGE), 64, 1);
		_exit(!become_user(ATTACKER, NR * HUGE / PAGE) && !receive_byte(go[0]) &&
		      call(device, PROFIL_IOC_START, &start) == ENOMEM);
	}
	return pid;
}

/* The limit is exactly the huge pages. */
static int start_at_the_limit(int device, bool reserved)
{
	unsigned long long pinned;
	int at_limit, go[2];
	char *memory;
	pid_t prober;

	if (pipe(go))
		return 1;
	prober = fork_prober(device, go);
	memory = attacker(reserved, NR * HUGE);
	if (!memory)
		return NO_HUGE_PAGES;
	if (begin(device, memory, map_loops(NR * MOST_EACH), MOST_EACH, 0))
		return 1;
	pinned = get_status(device).pinned_bytes;
	at_limit = send_byte(go[1]) ? 0 : wait_for(prober);
	ksft_print_msg("%d counters in each of %d huge pages: %llu KiB pinned\n", MOST_EACH, NR,
		       pinned >> 10);
	ksft_print_msg("one more page is %s\n", at_limit ? "refused" : "pinned");
	return pinned != NR * HUGE || !at_limit;
}

/* Unmaps all but one page of each, then samples hit it. Returns the pinned bytes, or 1. */
static unsigned long long unmap_the_rest(int device, char *memory)
{
	double one = seconds_for(1, get_info(device).tick_hz);
	char *code = map_loops(NR);
	int i;

	if (become_user(ATTACKER, NR * HUGE / PAGE) || begin(device, memory, code, 1, 0))
		return 1;
	for (i = 0; i < NR; i++) {
		munmap(memory + (size_t)i * HUGE + PAGE, HUGE - PAGE);
		stay_in_loop(code, (size_t)i, one);
	}
	return get_status(device).pinned_bytes;
}

/* Reads word @index of a file of 64-bit words. */
static uint64_t word_of(const char *path, uint64_t index)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t word = 0;

	if (pread(fd, &word, sizeof(word), (off_t)(index * sizeof(word))) != sizeof(word))
		word = 0;
	close(fd);
	return word;
}

/*
 * The memory that a process keeps of huge pages of which it maps the first page: the whole huge
 * page if the kernel could not split it. MemFree does not show it, because each CPU keeps some
 * free huge pages.
 */
static unsigned long long held_by(pid_t pid, const char *memory)
{
	const uint64_t compound = 3 << 15, frame = (1ULL << 55) - 1;
	unsigned long long held = 0;
	char path[64];
	size_t i;

	/* reclaim makes the kernel split the huge pages that it can split */
	write_text("/proc/sys/vm/drop_caches", "2");
	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
	for (i = 0; i < NR; i++) {
		uint64_t page = word_of(path, ((uintptr_t)memory + i * HUGE) / PAGE) & frame;

		held += word_of("/proc/kpageflags", page) & compound ? HUGE : PAGE;
	}
	return held;
}

#define EXPECT_DONE(what)						\
	do {								\
		pid_t pid = fork();					\
		int status;						\
									\
		if (!pid)						\
			_exit(what);					\
		status = wait_for(pid);					\
		if (status == NO_HUGE_PAGES)				\
			SKIP(return, "no huge pages");			\
		EXPECT_EQ(0, status);					\
	} while (0)

TEST_F(huge_pages, start_above_the_limit_is_refused)
{
	EXPECT_DONE(start_above_the_limit(self->device, variant->reserved));
}

TEST_F(huge_pages, hits_above_the_limit_are_lost)
{
	EXPECT_DONE(hit_above_the_limit(self->device, variant->reserved));
}

TEST_F(huge_pages, charged_once)
{
	EXPECT_DONE(start_at_the_limit(self->device, variant->reserved));
}

struct rest {
	unsigned long long pinned;
	char *memory;
};

TEST_F(huge_pages, unmapped_rest_is_charged)
{
	struct rest *rest = map_shared(PAGE);
	unsigned long long held;
	int pipes[2];
	pid_t pid;

	if (variant->reserved)
		SKIP(return, "a part of a hugetlb page cannot be unmapped");
	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	if (!pid) {
		rest->memory = map_huge(false);
		if (rest->memory)
			rest->pinned = unmap_the_rest(self->device, rest->memory);
		send_byte(pipes[1]);
		pause();
	}
	receive_byte(pipes[0]);
	held = held_by(pid, rest->memory);
	kill(pid, SIGKILL);
	wait_for(pid);
	if (!rest->memory)
		SKIP(return, "no huge pages");
	ksft_print_msg("all but one page of each unmapped: %llu KiB in memory, %llu KiB charged\n",
		       held >> 10, rest->pinned >> 10);
	/* a huge page may have been unpinned: then only its mapped page stays in memory */
	EXPECT_GE(rest->pinned + NR * PAGE, held);
}

TEST_HARNESS_MAIN
