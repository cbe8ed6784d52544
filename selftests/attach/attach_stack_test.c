// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks of sampled processes: the words that are kept are those of the call chain, in its order
 * and at its places, and no other data. A stack that cannot be read, or may not, has none.
 *
 * The frames are of assembler, so that each word of them is known.
 */
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/prctl.h>

#include "kselftest_harness.h"
#include "attach/target.h"
#include "files.h"
#include "kernel/slow_file.h"
#include "kernel/version.h"

#ifdef __x86_64__

#define USER		61120	/* no other test uses it */
#define USER_PAGES	128	/* RLIMIT_MEMLOCK: a log */
#define SECRET		0x5ec2e75ec2e75ec2UL	/* what frames hold beside return addresses */
#define FRAME		5	/* words of a frame, below its return address */
#define MOST_FRAMES	200
#define RATE		1000

/* Whether the chain of calls should go on; a function of C, for the assembler. */
int more(void);

/*
 * Calls itself so many times, each with a frame of secrets. Then spins while more(): its call of
 * the kernel takes a hundredth of the time, also of a debug kernel. So one of 3 samples is in spin.
 */
void climb(unsigned int levels);

/* Stays at one place for so many rounds of two instructions, with another stack pointer. */
void dwell(uintptr_t sp, unsigned long rounds);

/* Places in them */
extern const char spin[], spun[], climbed[], descended[], dwelling[], dwelt[];

asm("	.pushsection .text\n"
	"climb:\n"
	"	push	%rbx\n"
	"	movabs	$0x5ec2e75ec2e75ec2, %rbx\n"
	"	call	descend\n"
	"climbed:\n"
	"	pop	%rbx\n"
	"	ret\n"
	"descend:\n"
	"	sub	$40, %rsp\n"
	"	mov	%rbx, (%rsp)\n"
	"	mov	%rbx, 8(%rsp)\n"
	"	mov	%rbx, 16(%rsp)\n"
	"	mov	%rbx, 24(%rsp)\n"
	"	mov	%rbx, 32(%rsp)\n"
	"	test	%edi, %edi\n"
	"	jz	1f\n"
	"	dec	%edi\n"
	"	call	descend\n"
	"descended:\n"
	"	jmp	2f\n"
	"1:	mov	$400000, %ecx\n"
	"spin:\n"
	"	dec	%ecx\n"
	"	jnz	spin\n"
	"spun:\n"
	"	call	more\n"
	"	test	%eax, %eax\n"
	"	jnz	1b\n"
	"2:	add	$40, %rsp\n"
	"	ret\n"
	"dwell:\n"
	"	push	%rbx\n"
	"	mov	%rsp, %rbx\n"
	"	mov	%rdi, %rsp\n"
	"dwelling:\n"
	"	dec	%rsi\n"
	"	jnz	dwelling\n"
	"dwelt:\n"
	"	mov	%rbx, %rsp\n"
	"	pop	%rbx\n"
	"	ret\n"
	"	.popsection\n");

static __thread double spin_until;

int more(void)
{
	return thread_seconds() < spin_until;
}

/* Spins below so many frames for so many samples, and up to one more. */
static void spin_below(unsigned int levels, unsigned int samples)
{
	spin_until = thread_seconds() + (samples + 1.0) / RATE;
	climb(levels);
}

/* Dwells for so many samples. */
static void dwell_at(uintptr_t sp, unsigned int samples)
{
	static double one;

	if (!one)
		one = instruction_seconds();
	dwell(sp, (unsigned long)((samples + 1.0) / RATE / (2 * one)) + 1);
}

FIXTURE(stack) {
	int device;
	struct target target;
	struct profil_attach attach;
	struct records records;
	uintptr_t *shared;
};

FIXTURE_SETUP(stack)
{
	REQUIRE_STACKS(self->device);
	self->target.pid = -1;
	self->records = (struct records) { 0 };
	self->shared = map_shared(PAGE);
	if (!geteuid())
		set_throttle(false);
}

FIXTURE_TEARDOWN(stack)
{
	if (!geteuid())
		set_throttle(true);
	kill_target(&self->target);
	free_records(&self->records);
	close(self->device);
}

/* Starts a target, and prepares its attachment. */
static void prepare(struct __test_metadata *_metadata, struct _test_data_stack *self,
		    void (*run)(void *data), unsigned int words)
{
	ASSERT_EQ(0, start_target(&self->target, self->device, run, self));
	self->attach = attachment(self->device, &self->target);
	self->attach.rate = RATE;
	self->attach.clock = PROFIL_CLOCK_RANDOM;
	ASSERT_EQ(0, ask_for_stacks(&self->attach, words));
}

/* Attaches, lets the target run to its end, and reads its records. */
static void run(struct __test_metadata *_metadata, struct _test_data_stack *self)
{
	struct profil_status status;

	ASSERT_EQ(0, call(self->device, PROFIL_IOC_ATTACH, &self->attach));
	release(&self->target);
	ASSERT_EQ(0, read_all(&self->records, self->device));
	status = log_status(self->device);
	EXPECT_EQ(status.samples, samples_of(&self->records, ANY) +
				  sum_lost(&self->records).samples);
	EXPECT_EQ(0, await_end(&self->target).status);
}

#define EACH_STACK(stack, records)					\
	EACH_RECORD(record_, records)					\
		for (const struct profil_record_stack *stack = (const void *)record_;	\
		     stack && record_->type == PROFIL_RECORD_STACK; stack = NULL)

static bool is_at(const struct profil_record_stack *stack, const char *start, const char *end)
{
	return stack->sample.pc >= (uintptr_t)start && stack->sample.pc < (uintptr_t)end;
}

static bool is_word(const struct profil_record_stack *stack, unsigned int nr, unsigned int skipped,
		    const char *value)
{
	return nr < stack->nr_words && PROFIL_STACK_SKIPPED(stack->words[nr]) == skipped &&
	       PROFIL_STACK_VALUE(stack->words[nr]) == (uintptr_t)value;
}

/* Returns how many frames are below climb() while it spins; -1: the words are not its chain. */
static int levels_of(const struct profil_record_stack *stack)
{
	unsigned int levels = 0;

	while (is_word(stack, levels, FRAME, descended))
		levels++;
	return is_word(stack, levels, FRAME, climbed) ? (int)levels : -1;
}

/* Whether a word may be kept: it is an address of code or of the stack. */
static bool is_kept(const struct profil_attach *attach, const struct profil_record_stack *stack,
		    uint64_t value)
{
	uint64_t sp = stack->regs[PROFIL_STACK_RSP];

	return (value >= attach->text[0] && value < attach->text[1]) ||
	       (value >= attach->text[2] && value < attach->text[3]) ||
	       (value >= sp && value < sp + attach->stack_bytes);
}

/* No data but addresses is in any record: neither in words nor in registers. */
static void expect_only_addresses(struct __test_metadata *_metadata, struct _test_data_stack *self)
{
	unsigned int words = 0, registers = 0, i;

	EACH_STACK(stack, &self->records) {
		uint64_t sp = stack->regs[PROFIL_STACK_RSP];

		for (i = 0; i < stack->nr_words; i++)
			words += !is_kept(&self->attach, stack,
					  PROFIL_STACK_VALUE(stack->words[i]));
		for (i = 0; i < PROFIL_STACK_REGS; i++)
			registers += stack->regs[i] &&
				     stack->regs[i] - sp >= self->attach.stack_bytes;
	}
	EXPECT_EQ(0, words);
	EXPECT_EQ(0, registers);
}

/* --- exact ------------------------------------------------------------------------------- */

static void climb_higher_and_higher(void *unused)
{
	unsigned int levels;

	(void)unused;
	for (levels = 0; levels < MOST_FRAMES; levels++)
		spin_below(levels, 2);
}

/* 1 to 200 frames of descend(): each record has all of them, and the end of the stack is known. */
TEST_F(stack, exact_chains)
{
	unsigned int seen[MOST_FRAMES] = { 0 }, i;
	int levels;

	prepare(_metadata, self, climb_higher_and_higher, 1024);
	run(_metadata, self);
	EACH_STACK(stack, &self->records) {
		if (!is_at(stack, spin, spun))
			continue;
		ASSERT_EQ(0, stack->flags & ~PROFIL_STACK_IN_KERNEL);
		ASSERT_EQ(0, stack->regs[PROFIL_STACK_RBX]);
		levels = levels_of(stack);
		ASSERT_LE(0, levels);
		ASSERT_GT(MOST_FRAMES, levels);
		seen[levels]++;
	}
	expect_only_addresses(_metadata, self);
	if (late_ticks() > 0)
		SKIP(return, "late ticks: a CPU stood still for %.1f ms", late_ticks() * 1e3);
	for (i = 0; i < MOST_FRAMES; i++) {
		EXPECT_LT(0, seen[i]) {
			TH_LOG("no sample below %u frames", i + 1);
		}
	}
}

static void *climb_in_thread(void *data)
{
	spin_below(20, 20);
	return data;
}

static void start_thread(void *unused)
{
	pthread_t thread;

	(void)unused;
	pthread_create(&thread, NULL, climb_in_thread, NULL);
	pthread_join(thread, NULL);
}

/* The end of a thread's stack is known by the C library's data above it. */
TEST_F(stack, of_a_thread)
{
	unsigned int nr = 0;

	prepare(_metadata, self, start_thread, 1024);
	run(_metadata, self);
	EACH_STACK(stack, &self->records) {
		if (!is_at(stack, spin, spun))
			continue;
		nr++;
		EXPECT_EQ(20, levels_of(stack));
		EXPECT_EQ(0, stack->flags & ~PROFIL_STACK_IN_KERNEL);
		/* 21 frames, and what the C library needs to start a thread */
		EXPECT_GT(8192, stack->seen_bytes);
	}
	EXPECT_LT(0, nr);
	expect_only_addresses(_metadata, self);
}

#define THREADS		8
#define SAMPLES		100	/* of each */

static void *climb_for_long(void *data)
{
	spin_below(20, SAMPLES);
	return data;
}

static void start_threads(void *unused)
{
	pthread_t threads[THREADS];
	int i;

	(void)unused;
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, climb_for_long, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/*
 * More threads than CPUs, each of which is sampled all the time that it runs: the log is read in
 * time, although the reader waits for a CPU, too. It has the size that the command asks for.
 */
TEST_F(stack, of_busy_threads)
{
	unsigned int nr = 0, bytes = 0;

	prepare(_metadata, self, start_threads, 1024);
	self->attach.log_bytes = (uint64_t)4 << 20;
	run(_metadata, self);
	EACH_STACK(stack, &self->records) {
		if (!is_at(stack, spin, spun))
			continue;
		nr++;
		bytes += record_->bytes;
		EXPECT_EQ(20, levels_of(stack));
	}
	EXPECT_EQ(0, sum_lost(&self->records).samples);
	ASSERT_LT(0, nr);
	ksft_print_msg("%u stacks of %u threads, of %u bytes\n", nr, THREADS, bytes / nr);
}

static void climb_far(void *unused)
{
	(void)unused;
	spin_below(100, 10);
}

/* At the limit of words, and at that of bytes */
TEST_F(stack, cut)
{
	unsigned int nr = 0;

	prepare(_metadata, self, climb_far, 10);
	run(_metadata, self);
	EACH_STACK(stack, &self->records) {
		if (!is_at(stack, spin, spun))
			continue;
		nr++;
		EXPECT_EQ(10, stack->nr_words);
		EXPECT_EQ(PROFIL_STACK_CUT, stack->flags & ~PROFIL_STACK_IN_KERNEL);
		/* up to the next word that would be kept */
		EXPECT_EQ(8 * (10 * (FRAME + 1) + FRAME), stack->seen_bytes);
		EXPECT_TRUE(is_word(stack, 9, FRAME, descended));
	}
	EXPECT_LT(0, nr);
	free_records(&self->records);
	close(self->device);
	self->device = open_device();
	nr = 0;
	prepare(_metadata, self, climb_far, 10);
	self->attach.stack_bytes = 8 * (FRAME + 1);
	run(_metadata, self);
	EACH_STACK(stack, &self->records) {
		if (!is_at(stack, spin, spun))
			continue;
		nr++;
		EXPECT_EQ(1, stack->nr_words);
		EXPECT_EQ(PROFIL_STACK_CUT, stack->flags & ~PROFIL_STACK_IN_KERNEL);
		EXPECT_EQ(8 * (FRAME + 1), stack->seen_bytes);
	}
	EXPECT_LT(0, nr);
}

static void execute_task(void *unused)
{
	(void)unused;
	execl("/proc/self/exe", "program", "task", NULL);
	_exit(99);
}

/* Returns how many words in a row are equal, each FRAME words after the one before. */
static unsigned int equal_words(const struct profil_record_stack *stack)
{
	unsigned int i, run = 0, longest = 0;

	for (i = 0; i < stack->nr_words; i++) {
		bool goes_on = i && PROFIL_STACK_SKIPPED(stack->words[i]) == FRAME &&
			       PROFIL_STACK_VALUE(stack->words[i]) ==
			       PROFIL_STACK_VALUE(stack->words[i - 1]);

		run = goes_on ? run + 1 : 1;
		longest = run > longest ? run : longest;
	}
	return longest;
}

/* Where a new program has code is known by its mappings: its own, and those of the libraries. */
TEST_F(stack, of_a_new_program)
{
	unsigned int nr = 0, complete = 0, libraries = 0;
	bool runs = false;
	int i;

	prepare(_metadata, self, execute_task, 1024);
	self->attach.flags |= PROFIL_FROM_EXEC;
	memset(self->attach.text, 0, sizeof(self->attach.text));
	run(_metadata, self);
	EACH_RECORD(record, &self->records) {
		const struct profil_record_stack *stack = (const void *)record;

		runs |= record->type == PROFIL_RECORD_RUN;
		if (record->type != PROFIL_RECORD_STACK)
			continue;
		EXPECT_TRUE(runs);
		nr++;
		complete += equal_words(stack) == 20;
		for (i = 0; i < stack->nr_words; i++)
			libraries += find_map(&self->records, record->pid,
					      PROFIL_STACK_VALUE(stack->words[i])) &&
				     PROFIL_STACK_VALUE(stack->words[i]) >> 43 == 0xf;
	}
	EXPECT_LT(0, nr);
	/* 50 samples, and the start of the program */
	EXPECT_LE(40, complete);
	EXPECT_LE(complete, libraries);
}

/* --- stacks that cannot be read ---------------------------------------------------------- */

#define NO_MORE		(~0UL - 1)
/* Of the user's addresses. Without randomization, it is the end of the first stack: 0 */
#define LAST_WORD	((1UL << 47) - PAGE - 8)

static void dwell_at_all(void *data)
{
	struct _test_data_stack *self = data;
	int i;

	for (i = 0; self->shared[i] != NO_MORE; i++)
		dwell_at(self->shared[i], 4);
}

/* Returns the number of records with this stack pointer; 0 if one of them has a word. */
static unsigned int absent_at(const struct _test_data_stack *self, uintptr_t sp)
{
	unsigned int nr = 0;

	EACH_STACK(stack, &self->records) {
		if (!is_at(stack, dwelling, dwelt) || stack->regs[PROFIL_STACK_RSP] != sp)
			continue;
		if (stack->seen_bytes > (sp == LAST_WORD ? 8 : 0) || stack->nr_words ||
		    (stack->flags & ~PROFIL_STACK_IN_KERNEL) != PROFIL_STACK_ABSENT)
			return 0;
		nr++;
	}
	return nr;
}

/* Addresses where nothing can be read, of each kind that the kernel treats in another way */
TEST_F(stack, at_hostile_addresses)
{
	char *hole = map_memory(3 * PAGE), *none, *file;
	uintptr_t *at = self->shared;
	int descriptor, i, nr = 0;

	none = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	descriptor = memfd_create("empty", 0);
	file = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, descriptor, 0);
	ASSERT_NE(MAP_FAILED, hole);
	ASSERT_EQ(0, munmap(hole + PAGE, PAGE));
	at[nr++] = 0;
	at[nr++] = 8;
	at[nr++] = (uintptr_t)none;
	at[nr++] = (uintptr_t)none + 3;
	at[nr++] = (uintptr_t)hole + PAGE;
	at[nr++] = (uintptr_t)file;
	at[nr++] = LAST_WORD;
	at[nr++] = (1UL << 47) - PAGE;
	at[nr++] = (1UL << 47) - 8;
	at[nr++] = 1UL << 47;
	at[nr++] = 1UL << 48;
	at[nr++] = 1UL << 56;
	at[nr++] = (1UL << 63) - 8;
	at[nr++] = 1UL << 63;
	at[nr++] = 0xffff800000000000;
	at[nr++] = 0xffff888000000000;	/* the kernel's map of all memory */
	at[nr++] = 0xffffffff81000000;	/* its code */
	at[nr++] = 0xffffffffff600000;	/* vsyscall */
	at[nr++] = ~0UL - 7;
	at[nr++] = ~0UL;
	at[nr] = NO_MORE;
	prepare(_metadata, self, dwell_at_all, 64);
	run(_metadata, self);
	for (i = 0; i < nr; i++) {
		EXPECT_LT(0, absent_at(self, at[i])) {
			TH_LOG("at %#lx", (unsigned long)at[i]);
		}
	}
	close(descriptor);
}

static void dwell_before_a_hole(void *data)
{
	struct _test_data_stack *self = data;
	uintptr_t *words = (uintptr_t *)self->shared[0];

	words[0] = (uintptr_t)climbed;
	words[1] = SECRET;
	words[2] = (uintptr_t)descended;
	dwell_at((uintptr_t)words, 20);
	/* not aligned: the words are other ones */
	dwell_at((uintptr_t)words + 3, 20);
}

/* What is before the absent page is read. */
TEST_F(stack, before_a_hole)
{
	char *pages = map_memory(2 * PAGE);
	unsigned int nr = 0, odd = 0;
	uintptr_t sp = (uintptr_t)pages + PAGE - 24;

	ASSERT_EQ(0, munmap(pages + PAGE, PAGE));
	self->shared[0] = sp;
	prepare(_metadata, self, dwell_before_a_hole, 64);
	run(_metadata, self);
	EACH_STACK(stack, &self->records) {
		if (!is_at(stack, dwelling, dwelt))
			continue;
		EXPECT_EQ(PROFIL_STACK_ABSENT, stack->flags & ~PROFIL_STACK_IN_KERNEL);
		if (stack->regs[PROFIL_STACK_RSP] == sp) {
			nr++;
			EXPECT_EQ(24, stack->seen_bytes);
			EXPECT_EQ(2, stack->nr_words);
			EXPECT_TRUE(is_word(stack, 0, 0, climbed));
			EXPECT_TRUE(is_word(stack, 1, 1, descended));
		} else {
			odd++;
			EXPECT_EQ(16, stack->seen_bytes);
			EXPECT_EQ(0, stack->nr_words);
		}
	}
	EXPECT_LT(0, nr);
	EXPECT_LT(0, odd);
}

static void *change_mapping(void *data)
{
	char *page = data;

	for (;;) {
		mprotect(page, PAGE, PROT_NONE);
		mprotect(page, PAGE, PROT_READ | PROT_WRITE);
		*(volatile uintptr_t *)page = (uintptr_t)climbed;
		madvise(page, PAGE, MADV_DONTNEED);
		munmap(page, PAGE);
		mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		     -1, 0);
	}
	return NULL;
}

static void dwell_in_changes(void *data)
{
	struct _test_data_stack *self = data;
	pthread_t thread;

	if (pthread_create(&thread, NULL, change_mapping, (void *)self->shared[0]))
		_exit(1);
	dwell_at(self->shared[0], 300);
}

/* Another thread changes the page at the stack pointer all the time. */
TEST_F(stack, in_changing_memory)
{
	char *pages = map_memory(3 * PAGE);
	unsigned int nr = 0;

	self->shared[0] = (uintptr_t)pages + PAGE;
	prepare(_metadata, self, dwell_in_changes, 64);
	run(_metadata, self);
	EACH_STACK(stack, &self->records) {
		if (!is_at(stack, dwelling, dwelt))
			continue;
		nr++;
		EXPECT_TRUE(!stack->nr_words || is_word(stack, 0, 0, climbed));
		EXPECT_GE(2 * PAGE, stack->seen_bytes);
	}
	EXPECT_LT(0, nr);
	expect_only_addresses(_metadata, self);
}

/* --- pages for which one would wait ------------------------------------------------------- */

/* Exits with 1 without userfaultfd, and 2 if a sample has asked for the page. */
static void dwell_at_missing_page(void *data)
{
	struct _test_data_stack *self = data;
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { .start = self->shared[0], .len = PAGE },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	struct pollfd poll_fd = {
		.fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK),
		.events = POLLIN,
	};

	if (poll_fd.fd < 0 || ioctl(poll_fd.fd, UFFDIO_API, &api) ||
	    ioctl(poll_fd.fd, UFFDIO_REGISTER, &range))
		_exit(1);
	dwell_at(self->shared[0], 20);
	_exit(poll(&poll_fd, 1, 0) ? 2 : 0);
}

TEST_F(stack, never_waits_for_userfaultfd)
{
	struct end end;

	self->shared[0] = (uintptr_t)map_memory(PAGE);
	prepare(_metadata, self, dwell_at_missing_page, 64);
	ASSERT_EQ(0, call(self->device, PROFIL_IOC_ATTACH, &self->attach));
	release(&self->target);
	ASSERT_EQ(0, read_all(&self->records, self->device));
	end = await_end(&self->target);
	if (end.status == 1)
		SKIP(return, "no userfaultfd");
	EXPECT_EQ(0, end.status);
	EXPECT_LT(0, absent_at(self, self->shared[0]));
}

/* Nor for a user's own file system, which is not even asked. */
TEST_F(stack, never_waits_for_a_file)
{
	struct slow_file slow;
	const char *missing = slow_file_begin(&slow);

	if (missing)
		SKIP(return, "%s", missing);
	self->shared[0] = (uintptr_t)slow_file_map(&slow, 0);
	self->shared[1] = NO_MORE;
	prepare(_metadata, self, dwell_at_all, 64);
	run(_metadata, self);
	EXPECT_LT(0, absent_at(self, self->shared[0]));
	EXPECT_EQ(0, __atomic_load_n(&slow.order->reads, __ATOMIC_ACQUIRE));
	slow_file_end(&slow);
}

/* --- who may see it ----------------------------------------------------------------------- */

static void change_dumpable(void *unused)
{
	(void)unused;
	spin_below(10, 20);
	prctl(PR_SET_DUMPABLE, 0);
	spin_below(10, 20);
	prctl(PR_SET_DUMPABLE, 1);
	spin_below(10, 20);
}

/* In a process that is an unprivileged user */
static void profile_undumpable(struct __test_metadata *_metadata, struct _test_data_stack *self)
{
	unsigned int nr[3] = { 0 }, phase = 0;

	prepare(_metadata, self, change_dumpable, 64);
	run(_metadata, self);
	EACH_STACK(stack, &self->records) {
		bool denied = stack->flags & PROFIL_STACK_DENIED;

		if (!is_at(stack, spin, spun))
			continue;
		/* each phase begins with the call, and lasts to the next one */
		phase += phase < 2 && denied == !phase;
		EXPECT_EQ(phase == 1, denied);
		EXPECT_EQ(phase == 1, levels_of(stack) != 10);
		nr[phase]++;
	}
	EXPECT_LT(0, nr[0]);
	EXPECT_LT(0, nr[1]);
	EXPECT_LT(0, nr[2]);
}

/* As ptrace(2) decides: after PR_SET_DUMPABLE, no byte of the stack. The pcs are still known. */
TEST_F(stack, not_of_an_undumpable_process)
{
	pid_t pid;

	if (geteuid())
		SKIP(return, "needs root");
	pid = fork();
	if (!pid) {
		close(self->device);
		if (become_user(USER, USER_PAGES) || prctl(PR_SET_DUMPABLE, 1))
			_exit(97);
		self->device = open_device();
		profile_undumpable(_metadata, self);
		_exit(!__test_passed(_metadata));
	}
	EXPECT_EQ(0, wait_for(pid));
	/* root may trace it */
	prepare(_metadata, self, change_dumpable, 64);
	run(_metadata, self);
	EACH_STACK(stack, &self->records)
		EXPECT_EQ(0, stack->flags & PROFIL_STACK_DENIED);
}

static void end_in_exit(void *unused)
{
	size_t bytes = (size_t)64 << 20;

	(void)unused;
	/* whose release takes some samples: 16,384 pages of 100 instructions each */
	memset(map_memory(bytes), 1, bytes);
}

/* The memory has gone, or is another program's. */
TEST_F_TIMEOUT(stack, not_without_memory, 120)
{
	unsigned int nr = 0;

	if (!kernel_is_before(6, 16))
		SKIP(return, "samples end before the kernel frees the memory");
	prepare(_metadata, self, end_in_exit, 64);
	/* 6 periods, with a random point in each */
	self->attach.rate = 4 * RATE;
	run(_metadata, self);
	EACH_STACK(stack, &self->records)
		nr += !!(stack->flags & PROFIL_STACK_NO_MEMORY);
	EXPECT_LT(0, nr);
}

/* max_stack_bytes: for an ATTACH, and at each sample */
TEST_F(stack, as_the_administrator_permits)
{
	unsigned int nr = 0;

	if (geteuid())
		SKIP(return, "needs root");
	EXPECT_EQ(PROFIL_STACK_BYTES_MAX, get_info(self->device).max_stack_bytes);
	prepare(_metadata, self, climb_far, 64);
	EXPECT_EQ(0, write_text(PARAMETERS "max_stack_bytes", "1007"));
	EXPECT_EQ(1000, get_info(self->device).max_stack_bytes);
	EXPECT_EQ(EPERM, call(self->device, PROFIL_IOC_ATTACH, &self->attach));
	EXPECT_EQ(PROFIL_STATE_OFF, log_status(self->device).state);
	self->attach.stack_bytes = 1000;
	ASSERT_EQ(0, call(self->device, PROFIL_IOC_ATTACH, &self->attach));
	EXPECT_EQ(0, write_text(PARAMETERS "max_stack_bytes", "0"));
	EXPECT_EQ(0, get_info(self->device).max_stack_bytes);
	release(&self->target);
	EXPECT_EQ(0, read_all(&self->records, self->device));
	EXPECT_EQ(0, await_end(&self->target).status);
	EXPECT_EQ(0, write_text(PARAMETERS "max_stack_bytes", "61440"));
	EACH_STACK(stack, &self->records) {
		nr++;
		EXPECT_EQ(PROFIL_STACK_DENIED, stack->flags & ~PROFIL_STACK_IN_KERNEL);
	}
	EXPECT_LT(0, nr);
}

/* --- the log ------------------------------------------------------------------------------ */

/* Records of all sizes, more than fit: run() compares the sums. */
TEST_F(stack, full_log)
{
	prepare(_metadata, self, climb_higher_and_higher, 1024);
	self->attach.rate = 4 * RATE;
	ASSERT_EQ(0, call(self->device, PROFIL_IOC_ATTACH, &self->attach));
	release(&self->target);
	ASSERT_EQ(0, await_end(&self->target).status);
	EXPECT_EQ(0, read_all(&self->records, self->device));
	EXPECT_LT(0, sum_lost(&self->records).samples);
	EXPECT_EQ(log_status(self->device).samples,
		  samples_of(&self->records, ANY) + sum_lost(&self->records).samples);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "task")) {
		spin_below(20, 50);
		return 0;
	}
	return test_harness_run(argc, argv);
}

#else

TEST(stack)
{
	SKIP(return, "x86-64 only");
}

TEST_HARNESS_MAIN

#endif
