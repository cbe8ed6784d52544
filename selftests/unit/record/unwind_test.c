// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unwinding of a stopped child, from the words that the kernel would keep of its stack. The child
 * says what the frames are: by backtrace(3), or by what it does.
 */
#define _GNU_SOURCE
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <record/unwind.h>

#include "support/mapped.h"
#include "support/recurse.h"
#include "support/test.h"

/* the address sanitizer has a backtrace(3) of its own, with other addresses */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)

#define MOST	512	/* frames of a child */

/* What a child says: shared memory */
struct said {
	void *pcs[MOST];
	int nr;
};

/* What is known of a child */
struct seen {
	struct mapped mapped;
	struct unwinder *unwinder;
	union sieve_record record;
};

static struct said *said;
static struct seen seen;

FIXTURE(set_up)
{
	said = mmap(NULL, sizeof(*said), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(&seen, 0, sizeof(seen));
	files_init(&seen.mapped.files);
	seen.mapped.space = space_new();
	return said == MAP_FAILED;
}

FIXTURE(tear_down)
{
	unwinder_free(seen.unwinder);
	space_put(seen.mapped.space);
	files_release(&seen.mapped.files);
	munmap(said, sizeof(*said));
	return 0;
}

/* Read the registers and the stack of a stopped child. */
static void look(pid_t pid)
{
	static uint64_t words[PROFIL_STACK_BYTES_MAX / 8];
	struct user_regs_struct user;
	char path[32];
	ssize_t bytes;
	int fd;

	assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, &user), 0);
	{
		const uint64_t regs[17] = {
			[3] = user.rbx, [6] = user.rbp, [7] = user.rsp, [12] = user.r12, user.r13,
			user.r14, user.r15, user.rip,
		};

		snprintf(path, sizeof(path), "/proc/%d/mem", pid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		assert_true(fd >= 0);
		bytes = pread(fd, words, sizeof(words), (off_t)user.rsp);
		close(fd);
		assert_true(bytes > 0);
		/* nothing is mapped after the first stop */
		if (!seen.unwinder)
			assert_int_equal(procmaps_read(pid, mapped_add, &seen.mapped), 0);
		sieve_fill(&seen.record, &seen.mapped.text, regs, words, (size_t)bytes / 8);
	}
}

/* Run a function in a child until it stops, and unwind it. Return: the child, to be ended. */
static pid_t stop(void (*function)(void))
{
	const pid_t pid = fork();
	int status;

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		function();
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	/* others have handlers */
	while (WIFSTOPPED(status) && WSTOPSIG(status) != SIGSTOP) {
		ptrace(PTRACE_CONT, pid, NULL, WSTOPSIG(status));
		assert_int_equal(waitpid(pid, &status, 0), pid);
	}
	assert_true(WIFSTOPPED(status));
	look(pid);
	seen.unwinder = unwinder_new(&seen.mapped.files);
	assert_non_null(seen.unwinder);
	assert_int_equal(unwind(seen.unwinder, seen.mapped.space, &seen.record.stack), 0);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/*
 * Check a frame. @pc: as from backtrace(), behind a call; or where a signal has interrupted. Return:
 * whether it is that.
 */
static bool check_frame(const struct unwind_frame *frame, const void *pc)
{
	const uint64_t address = (uint64_t)(uintptr_t)pc;
	const struct mapping *mapping = space_find(seen.mapped.space, address);
	uint64_t exact;

	assert_non_null(mapping);
	exact = file_address(mapping->file, mapping->offset + (address - mapping->start));
	assert_int_equal(frame->file, mapping->file->number);
	if (frame->address != exact)
		assert_int_equal(frame->address, exact - 1);
	return frame->address == exact;
}

/*
 * The outermost frames are those that the child has listed, but for the one that listed them: it
 * has gone on to stop(). @interrupted: how many of them have called nothing
 */
static void assert_as_said(int interrupted)
{
	const struct unwind_frame *frames = seen.unwinder->frames;
	size_t nr = seen.unwinder->nr_frames;
	int i;

	assert_true(said->nr > 1 && (size_t)said->nr <= nr);
	for (i = said->nr - 1; i > 0; i--)
		interrupted -= check_frame(&frames[--nr], said->pcs[i]);
	assert_int_equal(interrupted, 0);
}

static void assert_complete(void)
{
	const struct unwind_frame *last = &seen.unwinder->frames[seen.unwinder->nr_frames - 1];

	assert_int_not_equal(last->file, UNWIND_NO_FILE);
}

static void assert_ends(enum result_stack why)
{
	const struct unwind_frame *last = &seen.unwinder->frames[seen.unwinder->nr_frames - 1];

	assert_int_equal(last->file, UNWIND_NO_FILE);
	assert_int_equal(last->address, why);
}

static void __attribute__((noinline)) list_and_stop(void)
{
	said->nr = backtrace(said->pcs, MOST);
	raise(SIGSTOP);
	sink++;
}

static int __attribute__((noinline)) compare(const void *a, const void *b)
{
	if (!said->nr)
		list_and_stop();
	return *(const int *)a - *(const int *)b;
}

static void shallow(void)
{
	recurse(3, list_and_stop);
}

static void deep(void)
{
	recurse(200, list_and_stop);
}

static void callback(void)
{
	int numbers[] = { 3, 1, 2 };

	qsort(numbers, ARRAY_SIZE(numbers), sizeof(numbers[0]), compare);
	sink += numbers[0];
}

static void handle(int number)
{
	sink += number;
	list_and_stop();
}

static void handler(void)
{
	signal(SIGUSR1, handle);
	raise(SIGUSR1);
	sink++;
}

static void *in_thread(void *arg)
{
	recurse(5, list_and_stop);
	return arg;
}

static void alternate(void)
{
	const struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK };
	const stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	sink++;
}

/* The frame of list_and_stop() is at another pc now, and raise() is above it. */
TEST_F(frames_are_those_of_backtrace)
{
	const pid_t pid = stop(shallow);

	assert_as_said(0);
	assert_complete();
	end(pid);
}

TEST_F(deep_stacks_are_complete)
{
	const pid_t pid = stop(deep);

	assert_true(said->nr > 200);
	assert_as_said(0);
	assert_complete();
	end(pid);
}

TEST_F(functions_of_libraries_call_back)
{
	const pid_t pid = stop(callback);

	assert_as_said(0);
	assert_complete();
	end(pid);
}

TEST_F(signal_handlers_have_interrupted_their_callers)
{
	const pid_t pid = stop(handler);

	assert_as_said(1);
	assert_complete();
	end(pid);
}

/* The other stack is not looked at. */
TEST_F(another_stack_is_said_to_be_one)
{
	const pid_t pid = stop(alternate);

	assert_ends(RESULT_STACK_OTHER);
	end(pid);
}

TEST_F(what_was_not_looked_at_is_said_to_be_missing)
{
	const pid_t pid = stop(deep);

	seen.record.stack.seen_bytes = 2048;
	seen.record.stack.flags = PROFIL_STACK_CUT;
	assert_int_equal(unwind(seen.unwinder, seen.mapped.space, &seen.record.stack), 0);
	assert_ends(RESULT_STACK_CUT);
	seen.record.stack.flags = PROFIL_STACK_ABSENT;
	assert_int_equal(unwind(seen.unwinder, seen.mapped.space, &seen.record.stack), 0);
	assert_ends(RESULT_STACK_ABSENT);
	end(pid);
}

TEST_F(without_a_stack_there_is_the_pc)
{
	const pid_t pid = stop(shallow);
	const uint64_t pc = seen.record.stack.sample.pc;
	const struct unwind_frame innermost = seen.unwinder->frames[0];

	memset(seen.record.stack.regs, 0, sizeof(seen.record.stack.regs));
	assert_int_equal(unwind(seen.unwinder, seen.mapped.space, &seen.record.stack), 0);
	assert_int_equal(seen.unwinder->nr_frames, 2);
	assert_memory_equal(&seen.unwinder->frames[0], &innermost, sizeof(innermost));
	assert_ends(RESULT_STACK_NONE);
	/* nothing is known of the process */
	unwind_none(seen.unwinder, NULL, pc);
	assert_int_equal(seen.unwinder->frames[0].address, RESULT_STACK_OUTSIDE);
	assert_ends(RESULT_STACK_NONE);
	end(pid);
}

/* Go makes the frame of goexit(), as if its first byte had called the function. */
TEST_F(a_stack_ends_where_nothing_has_called)
{
	const pid_t pid = stop(shallow);
	struct profil_record_stack *stack = &seen.record.stack;

	stack->sample.pc = (uintptr_t)recurse;
	stack->words[0] = (uintptr_t)recurse + 1;
	/* what happens to be there */
	stack->words[1] = (uintptr_t)said->pcs[1];
	stack->nr_words = 2;
	assert_int_equal(unwind(seen.unwinder, seen.mapped.space, stack), 0);
	assert_int_equal(seen.unwinder->nr_frames, 2);
	assert_complete();
	assert_true(check_frame(&seen.unwinder->frames[1], recurse));
	end(pid);
}

/* A thread begins in the C library, not in main(). */
static void thread(void)
{
	pthread_t id;

	pthread_create(&id, NULL, in_thread, NULL);
	pthread_join(id, NULL);
}

TEST_F(threads_begin_elsewhere)
{
	const pid_t pid = fork();
	int status;
	pid_t tid;

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		thread();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACECLONE), 0);
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	/* the clone, the start of the thread, and its signal */
	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		if (said->nr && tid != pid && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP)
			break;
		ptrace(PTRACE_CONT, tid, NULL, NULL);
	}
	assert_true(tid > 0);
	look(tid);
	seen.unwinder = unwinder_new(&seen.mapped.files);
	assert_int_equal(unwind(seen.unwinder, seen.mapped.space, &seen.record.stack), 0);
	assert_as_said(0);
	assert_complete();
	kill(pid, SIGKILL);
	while (waitpid(-1, &status, __WALL) > 0)
		;
}

/* Calls through the PLT, some of them for the first time, and functions of libraries */
static void steps(void)
{
	int numbers[] = { 3, 1, 2, 9, 7 };
	char text[64];

	list_and_stop();
	sink += snprintf(text, sizeof(text), "%d %s", numbers[1], "text");
	qsort(numbers, ARRAY_SIZE(numbers), sizeof(numbers[0]), compare);
	sink += (int)strtol(text, NULL, 10);
	recurse(0, list_and_stop);
}

/*
 * Each instruction, so also those between which a frame is half made, is below the same callers.
 * Those of steps() itself are all that the child has listed, but for two: list_and_stop() and steps().
 */
TEST_F(stacks_are_complete_at_each_instruction)
{
	const pid_t pid = stop(steps);
	const struct unwinder *unwinder = seen.unwinder;
	const size_t nr = (size_t)said->nr - 2;
	struct unwind_frame callers[MOST];
	int status, i;

	assert_as_said(0);
	memcpy(callers, &unwinder->frames[unwinder->nr_frames - nr], nr * sizeof(*callers));
	for (i = 0; i < 5000; i++) {
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		/* the next stop is that of recurse() */
		if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
			break;
		look(pid);
		assert_int_equal(unwind(seen.unwinder, seen.mapped.space, &seen.record.stack), 0);
		assert_complete();
		assert_true(unwinder->nr_frames > nr);
		assert_memory_equal(&unwinder->frames[unwinder->nr_frames - nr], callers,
				    nr * sizeof(*callers));
	}
	assert_true(i > 1000);
	end(pid);
}

#endif /* __x86_64__, without the sanitizer */
