// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the records of a log, and finds some of them.
 */
#include "attach/records.h"
#include "kernel/version.h"

const struct profil_record *next_record(const struct records *records,
					const struct profil_record *from)
{
	size_t at = from ? (size_t)((const char *)from - records->bytes) + from->bytes : 0;

	return at < records->used ? (const void *)(records->bytes + at) : NULL;
}

static bool map_is_valid(const struct profil_record_map *map)
{
	size_t room = map->head.bytes - sizeof(*map), length = strnlen(map->path, room), i;

	if (length == room || map->start >= map->end || map->flags & ~PROFIL_MAP_PROGRAM ||
	    map->reserved)
		return false;
	for (i = length; i < room; i++)
		if (map->path[i])
			return false;
	return true;
}

/* The command line that was kept, and less than 8 bytes of padding */
static bool args_are_valid(const struct profil_record_args *args)
{
	size_t room = args->head.bytes - sizeof(*args), i;

	if (room > PROFIL_ARGS_MAX || args->reserved || room >= args->args_bytes + 8UL)
		return false;
	for (i = args->args_bytes; i < room; i++)
		if (args->args[i])
			return false;
	return true;
}

/* Words are in the part of the stack that was looked at. Without a stack, nothing is known. */
static bool stack_is_valid(const struct profil_record_stack *stack)
{
	const __u32 none = PROFIL_STACK_DENIED | PROFIL_STACK_NO_MEMORY | PROFIL_STACK_LEGACY;
	const __u32 known = none | PROFIL_STACK_IN_KERNEL | PROFIL_STACK_CUT | PROFIL_STACK_ABSENT;
	unsigned int i, used = 0, at = 0;

	for (i = 0; i < stack->nr_words; i++, at++)
		at += PROFIL_STACK_SKIPPED(stack->words[i]);
	for (i = 0; i < PROFIL_STACK_REGS; i++)
		used += !!stack->regs[i];
	return stack->sample.samples && !(stack->flags & ~known) && !(stack->seen_bytes % 8) &&
	       at * 8 <= stack->seen_bytes && stack->seen_bytes <= PROFIL_STACK_BYTES_MAX &&
	       stack->nr_words <= PROFIL_STACK_WORDS_MAX &&
	       (!(stack->flags & none) ||
		(!used && !stack->seen_bytes &&
		 !(stack->flags & (PROFIL_STACK_CUT | PROFIL_STACK_ABSENT))));
}

/* @left: bytes from this record to the end of what was read */
static bool record_is_valid(const struct profil_record *record, size_t left)
{
	static const size_t bytes[] = {
		[PROFIL_RECORD_SAMPLE] = sizeof(struct profil_record_sample),
		[PROFIL_RECORD_FORK] = sizeof(struct profil_record_fork),
		[PROFIL_RECORD_EXEC] = sizeof(struct profil_record_exec),
		[PROFIL_RECORD_EXIT] = sizeof(struct profil_record_exit),
		[PROFIL_RECORD_LOST] = sizeof(struct profil_record_lost),
		[PROFIL_RECORD_RUN] = sizeof(struct profil_record_run),
		[PROFIL_RECORD_KERNEL_SAMPLE] = sizeof(struct profil_record_sample),
		[PROFIL_RECORD_THREAD] = sizeof(struct profil_record_thread),
	};
	const struct profil_record_exec *exec = (const void *)record;
	const struct profil_record_thread *thread = (const void *)record;
	const struct profil_record_stack *stack = (const void *)record;

	if (left < sizeof(*record) || record->bytes > left || record->bytes % 8 ||
	    record->bytes > (record->type == PROFIL_RECORD_STACK ? PROFIL_RECORD_STACK_MAX :
								     PROFIL_RECORD_MAX))
		return false;
	switch (record->type) {
	case PROFIL_RECORD_MAP:
		return record->bytes > sizeof(struct profil_record_map) &&
		       map_is_valid((const void *)record);
	case PROFIL_RECORD_ARGS:
		return record->bytes >= sizeof(struct profil_record_args) &&
		       args_are_valid((const void *)record);
	case PROFIL_RECORD_SAMPLE:
	case PROFIL_RECORD_KERNEL_SAMPLE:
		return record->bytes == bytes[record->type] &&
		       ((const struct profil_record_sample *)record)->samples;
	case PROFIL_RECORD_STACK:
		return record->bytes >= sizeof(*stack) &&
		       record->bytes == sizeof(*stack) + stack->nr_words * 8UL &&
		       stack_is_valid(stack);
	case PROFIL_RECORD_FORK:
		return record->bytes == bytes[record->type] &&
		       !(((const struct profil_record_fork *)record)->flags &
			 ~(PROFIL_FORK_SHARES_MEMORY | PROFIL_FORK_DENIED));
	case PROFIL_RECORD_EXEC:
		return record->bytes == bytes[record->type] && !exec->reserved &&
		       !(exec->flags & ~(PROFIL_EXEC_DENIED | PROFIL_EXEC_LEFT)) &&
		       memchr(exec->comm, 0, sizeof(exec->comm));
	case PROFIL_RECORD_EXIT:
	case PROFIL_RECORD_RUN:
		return record->bytes == bytes[record->type];
	case PROFIL_RECORD_THREAD:
		return record->bytes == bytes[record->type] && !thread->reserved &&
		       memchr(thread->comm, 0, sizeof(thread->comm));
	case PROFIL_RECORD_LOST:
		return record->bytes == bytes[record->type] && !record->pid;
	default:
		return false;
	}
}

ssize_t read_some(struct records *records, int device, size_t bytes)
{
	ssize_t nr;
	size_t at;

	if (records->room < records->used + bytes) {
		records->room = 2 * (records->used + bytes);
		records->bytes = realloc(records->bytes, records->room);
		if (!records->bytes)
			abort();
	}
	nr = read(device, records->bytes + records->used, bytes);
	if (nr <= 0)
		return nr ? -errno : 0;
	if ((size_t)nr > bytes)
		return -EPROTO;
	at = records->used;
	records->used += (size_t)nr;
	while (at < records->used) {
		const struct profil_record *record = (const void *)(records->bytes + at);

		if (!record_is_valid(record, records->used - at))
			return -EPROTO;
		at += record->bytes;
	}
	return nr;
}

int read_all(struct records *records, int device)
{
	ssize_t nr;

	do {
		nr = read_some(records, device, 1 << 16);
	} while (nr > 0);
	return (int)-nr;
}

const void *find_record(const struct records *records, unsigned int type, pid_t pid,
			unsigned int nr)
{
	EACH_RECORD(record, records)
		if (record->type == type && (pid == ANY || record->pid == pid) && !nr--)
			return record;
	return NULL;
}

unsigned int count_records(const struct records *records, unsigned int type, pid_t pid)
{
	unsigned int nr = 0;

	EACH_RECORD(record, records)
		nr += record->type == type && (pid == ANY || record->pid == pid);
	return nr;
}

const struct profil_record_map *find_map(const struct records *records, pid_t pid, uint64_t address)
{
	const struct profil_record_map *found = NULL;

	EACH_RECORD(record, records) {
		const struct profil_record_map *map = (const void *)record;

		if (record->type == PROFIL_RECORD_MAP && record->pid == pid &&
		    map->start <= address && address < map->end)
			found = map;
	}
	return found;
}

bool is_sample(const struct profil_record *record)
{
	return record->type == PROFIL_RECORD_SAMPLE ||
	       record->type == PROFIL_RECORD_KERNEL_SAMPLE || record->type == PROFIL_RECORD_STACK;
}

uint64_t samples_of_type(const struct records *records, unsigned int type, pid_t pid)
{
	uint64_t sum = 0;

	EACH_RECORD(record, records)
		if (record->type == type && (pid == ANY || record->pid == pid))
			sum += ((const struct profil_record_sample *)record)->samples;
	return sum;
}

/* @pid and @tid may be ANY. */
static uint64_t sum_samples(const struct records *records, pid_t pid, pid_t tid, uint64_t start,
			    uint64_t end)
{
	uint64_t sum = 0;

	EACH_RECORD(record, records) {
		const struct profil_record_sample *sample = (const void *)record;

		if (is_sample(record) && (pid == ANY || record->pid == pid) &&
		    (tid == ANY || sample->tid == tid) && start <= sample->pc && sample->pc <= end)
			sum += sample->samples;
	}
	return sum;
}

const char *logged_path(const char *path)
{
	return kernel_is_realtime() && path[0] == '/' ? "" : path;
}

uint64_t samples_of(const struct records *records, pid_t pid)
{
	return sum_samples(records, pid, ANY, 0, UINT64_MAX);
}

uint64_t samples_of_thread(const struct records *records, pid_t tid)
{
	return sum_samples(records, ANY, tid, 0, UINT64_MAX);
}

uint64_t samples_between(const struct records *records, pid_t pid, const void *start,
			 const void *end)
{
	return sum_samples(records, pid, ANY, (uintptr_t)start, (uintptr_t)end - 1);
}

struct profil_record_lost sum_lost(const struct records *records)
{
	struct profil_record_lost sum = { 0 };

	EACH_RECORD(record, records) {
		const struct profil_record_lost *lost = (const void *)record;

		if (record->type == PROFIL_RECORD_LOST) {
			sum.samples += lost->samples;
			sum.records += lost->records;
		}
	}
	return sum;
}

void free_records(struct records *records)
{
	free(records->bytes);
	*records = (struct records) { 0 };
}
