// SPDX-License-Identifier: GPL-2.0-only
/*
 * ATTACH of the process itself, and reads of the log. Each open file is known by its number,
 * which copies of its descriptor share, also in other processes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

#define VSYSCALL	0xffffffffff600000ULL

/* The open files to which this process, or the one that forked it, has attached itself */
static bool own_files[MAX_FILES];

/* Whether the program has created no other process */
static bool is_alone(void)
{
	return !__atomic_load_n(&shared->processes, __ATOMIC_ACQUIRE);
}

/* --- ATTACH ---------------------------------------------------------------- */

/* Errors that the process and the descriptor of its memory require */
static unsigned int rules_for_process(enum process process, unsigned int number)
{
	switch (process) {
	case PROCESS_SELF:
		return own_files[number] ? MAY_EBUSY : 0;
	case PROCESS_PARENT:
		return MAY_ESRCH;
	case PROCESS_NULL:
		return MAY_EINVAL;
	default:
		return MAY_EBADF;
	}
}

static int open_memory(enum process process)
{
	int fd = open(process == PROCESS_NULL ? "/dev/null" : "/proc/self/mem",
		      O_CLOEXEC | (process == PROCESS_PATH ? O_PATH : O_RDONLY));

	if (process == PROCESS_CLOSED)
		close(fd);
	return fd;
}

static int attach(int fd, unsigned int number, enum process process,
		  const struct profil_attach *argument)
{
	struct open_file *file = &shared->files[number];
	struct profil_info info = { .size = sizeof(info) };
	unsigned int may;
	int error;

	if (call_device(fd, PROFIL_IOC_INFO, (uintptr_t)&info))
		failure("INFO failed");
	may = rules_for_process(process, number) |
	      rules_for_attach(argument, file->attached ? &file->first : NULL, &info);
	may = (may ? may : MAY_SUCCEED) | MAY_ENOMEM | MAY_ENOSPC;
	/* another process may attach this one, or attach itself to the same file */
	if (!is_alone())
		may |= MAY_EBUSY | (file->attached ? 0 : MAY_EINVAL);
	/* a user may attach a process to a few files only */
	if (geteuid())
		may |= MAY_EBUSY;
	error = judge(_IOC_NR(PROFIL_IOC_ATTACH),
		      call_device(fd, PROFIL_IOC_ATTACH, (uintptr_t)argument), may);
	if (error)
		return error;
	own_files[number] = true;
	file->first = *argument;
	__atomic_store_n(&file->attached, 1, __ATOMIC_RELEASE);
	return 0;
}

int attach_do(int fd, unsigned int number, const struct operation *operation, uint32_t clock)
{
	const struct value *values = operation->values;
	enum process process = (enum process)values[1].offset;
	struct profil_attach argument = {
		.size = sizeof(argument),
		.flags = (uint32_t)address_of(&values[2]),
		.rate = (uint32_t)address_of(&values[3]),
		.clock = clock,
		.pid = process == PROCESS_PARENT ? getppid() : getpid(),
		.mem = open_memory(process),
		.log_bytes = address_of(&values[4]),
		.stack_bytes = (uint32_t)address_of(&values[5]),
		.stack_words = (uint32_t)(address_of(&values[5]) >> 32),
	};
	int error;

	/* all addresses of the user are code: more is kept */
	if (argument.stack_bytes)
		argument.text[1] = USER_TOP;

	if (argument.mem < 0)
		return errno;
	error = attach(fd, number, process, &argument);
	if (process != PROCESS_CLOSED)
		close(argument.mem);
	return error;
}

/* --- read ------------------------------------------------------------------ */

static void check_sample(const struct profil_record_sample *sample)
{
	/* a thread that exits may have no ID any more */
	if (!sample->samples || sample->tid < 0)
		failure("%u samples of thread %d", sample->samples, sample->tid);
	if (sample->pc >= USER_TOP && sample->pc / PAGE_BYTES != VSYSCALL / PAGE_BYTES)
		failure("pc %#llx is in the kernel", (unsigned long long)sample->pc);
}

static void check_stack(const struct profil_record_stack *stack)
{
	uint64_t sp = stack->regs[PROFIL_STACK_RSP], value;
	unsigned int i, at = 0;

	check_sample(&stack->sample);
	if (stack->nr_words * 8UL != stack->sample.head.bytes - sizeof(*stack))
		failure("%u words in a record of %u bytes", stack->nr_words,
			stack->sample.head.bytes);
	for (i = 0; i < stack->nr_words; i++, at++) {
		at += PROFIL_STACK_SKIPPED(stack->words[i]);
		value = PROFIL_STACK_VALUE(stack->words[i]);
		if (value >= USER_TOP && value - sp >= PROFIL_STACK_BYTES_MAX)
			failure("word %#llx of a stack", (unsigned long long)value);
	}
	if (at * 8 > stack->seen_bytes || stack->seen_bytes > PROFIL_STACK_BYTES_MAX)
		failure("%u words of %u bytes of a stack", at, stack->seen_bytes);
}

static void check_thread(const struct profil_record_thread *thread)
{
	if (thread->tid < 0 || thread->reserved || !memchr(thread->comm, 0, sizeof(thread->comm)))
		failure("end of thread %d, reserved %u", thread->tid, thread->reserved);
}

static void check_map(const struct profil_record_map *map)
{
	if (map->start >= map->end || map->flags & ~PROFIL_MAP_PROGRAM || map->reserved)
		failure("mapping from %#llx to %#llx, flags %#x",
			(unsigned long long)map->start, (unsigned long long)map->end,
			map->flags);
	/* the path is padded with at most 7 more bytes */
	if (((const char *)map)[map->head.bytes - 1])
		failure("the path of a mapping is not terminated");
}

static bool has_more(unsigned int type)
{
	return type == PROFIL_RECORD_MAP || type == PROFIL_RECORD_ARGS ||
	       type == PROFIL_RECORD_STACK;
}

static void check_args(const struct profil_record_args *args)
{
	size_t room = args->head.bytes - sizeof(*args);

	if (args->reserved || room > PROFIL_ARGS_MAX || room >= args->args_bytes + 8UL)
		failure("%zu bytes of %u of a command line, reserved %u", room, args->args_bytes,
			args->reserved);
}

/* Check the whole record. Return: number of its samples. */
static uint64_t check_record(const struct profil_record *record)
{
	static const size_t sizes[] = {
		[PROFIL_RECORD_SAMPLE] = sizeof(struct profil_record_sample),
		[PROFIL_RECORD_FORK] = sizeof(struct profil_record_fork),
		[PROFIL_RECORD_EXEC] = sizeof(struct profil_record_exec),
		[PROFIL_RECORD_MAP] = sizeof(struct profil_record_map) + 8,
		[PROFIL_RECORD_EXIT] = sizeof(struct profil_record_exit),
		[PROFIL_RECORD_LOST] = sizeof(struct profil_record_lost),
		[PROFIL_RECORD_RUN] = sizeof(struct profil_record_run),
		[PROFIL_RECORD_KERNEL_SAMPLE] = sizeof(struct profil_record_sample),
		[PROFIL_RECORD_THREAD] = sizeof(struct profil_record_thread),
		[PROFIL_RECORD_ARGS] = sizeof(struct profil_record_args),
		[PROFIL_RECORD_STACK] = sizeof(struct profil_record_stack),
	};
	const struct profil_record_lost *lost = (const void *)record;
	size_t known;

	if (!record->type || record->type > PROFIL_RECORD_STACK)
		failure("record of type %u", record->type);
	known = sizes[record->type];
	if (has_more(record->type) ? record->bytes < known : record->bytes != known)
		failure("record of type %u with %u bytes", record->type, record->bytes);
	if ((record->type == PROFIL_RECORD_LOST) != !record->pid || record->pid < 0)
		failure("record of type %u with process %d", record->type, record->pid);
	switch (record->type) {
	case PROFIL_RECORD_SAMPLE:
	case PROFIL_RECORD_KERNEL_SAMPLE:
		check_sample((const void *)record);
		return ((const struct profil_record_sample *)record)->samples;
	case PROFIL_RECORD_STACK:
		check_stack((const void *)record);
		return ((const struct profil_record_stack *)record)->sample.samples;
	case PROFIL_RECORD_ARGS:
		check_args((const void *)record);
		return 0;
	case PROFIL_RECORD_THREAD:
		check_thread((const void *)record);
		return 0;
	case PROFIL_RECORD_MAP:
		check_map((const void *)record);
		return 0;
	case PROFIL_RECORD_LOST:
		if (!lost->samples && !lost->records)
			failure("nothing is lost");
		return lost->samples;
	default:
		return 0;
	}
}

/* Return: number of samples. */
static uint64_t check_records(const char *at, size_t bytes)
{
	static char copy[ROOM_BYTES] __attribute__((aligned(8)));
	const struct profil_record *record;
	uint64_t samples = 0;
	size_t done;

	memcpy(copy, at, bytes);
	for (done = 0; done < bytes; done += record->bytes) {
		record = (const void *)(copy + done);
		if (bytes - done < sizeof(*record) || record->bytes % 8 ||
		    record->bytes > PROFIL_RECORD_STACK_MAX || record->bytes > bytes - done)
			failure("%zu bytes read do not end with a record", bytes);
		samples += check_record(record);
	}
	return samples;
}

static uint64_t samples_of_log(int fd)
{
	struct profil_status status = { .size = sizeof(status) };

	if (call_device(fd, PROFIL_IOC_LOG_STATUS, (uintptr_t)&status))
		failure("LOG_STATUS failed");
	return status.samples;
}

static unsigned int rules_for_read(bool attached, size_t bytes)
{
	unsigned int may = MAY_SUCCEED | MAY_EAGAIN;

	if (attached)
		return bytes < PROFIL_RECORD_STACK_MAX ? may | MAY_EINVAL : may;
	return is_alone() ? MAY_EINVAL : may | MAY_EINVAL;
}

int attach_read(int fd, unsigned int number, uint64_t bytes)
{
	struct open_file *file = &shared->files[number];
	bool attached = __atomic_load_n(&file->attached, __ATOMIC_ACQUIRE);
	uint64_t before = samples_of_log(fd), got_samples = 0, sum, after;
	char *at;
	ssize_t got;
	int error;

	bytes %= ROOM_BYTES + 1;
	at = place_room(bytes);
	got = read(fd, at, bytes);
	error = judge(COMMAND_READ, got < 0 ? errno : 0, rules_for_read(attached, bytes));
	check_margin(at);
	if (got > 0)
		got_samples = check_records(at, (size_t)got);
	__atomic_add_fetch(&shared->samples_read, got_samples, __ATOMIC_RELAXED);
	sum = __atomic_add_fetch(&file->samples, got_samples, __ATOMIC_SEQ_CST);
	after = samples_of_log(fd);
	if (sum > after)
		failure("%llu samples read, of %llu", (unsigned long long)sum,
			(unsigned long long)after);
	/* no other process has read them */
	if (got <= 0 && error != EINVAL && is_alone() && sum < before)
		failure("%llu samples read, %llu expected", (unsigned long long)sum,
			(unsigned long long)before);
	return error;
}
