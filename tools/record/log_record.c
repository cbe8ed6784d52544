// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks the records of the log.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "record/log_record.h"
#include "result/result.h"

static bool is_pid(__s32 pid)
{
	return pid >= 0 && pid < LOG_RECORD_PIDS;
}

/* A process and its threads are in the same namespaces. */
static bool is_sample(const struct profil_record *record)
{
	const struct profil_record_sample *sample = (const void *)record;

	return record->bytes >= sizeof(*sample) && sample->samples && is_pid(sample->tid) &&
	       (record->pid || !sample->tid);
}

/* What it has looked at has room for all words that it has. */
static bool is_stack(const struct profil_record *record)
{
	const struct profil_record_stack *stack = (const void *)record;

	return is_sample(record) && record->bytes >= sizeof(*stack) &&
	       stack->nr_words <= (record->bytes - sizeof(*stack)) / sizeof(stack->words[0]) &&
	       stack->seen_bytes <= PROFIL_STACK_BYTES_MAX && !(stack->seen_bytes % 8);
}

/* Two processes that exist at the same time; both may be invisible. */
static bool is_fork(const struct profil_record *record)
{
	const struct profil_record_fork *fork = (const void *)record;

	return record->bytes >= sizeof(*fork) && is_pid(fork->parent) &&
	       (!record->pid || record->pid != fork->parent);
}

static bool is_exec(const struct profil_record *record)
{
	const struct profil_record_exec *exec = (const void *)record;

	return record->bytes >= sizeof(*exec) && memchr(exec->comm, 0, sizeof(exec->comm));
}

static bool is_map(const struct profil_record *record)
{
	const struct profil_record_map *map = (const void *)record;

	return record->bytes > sizeof(*map) && map->start < map->end &&
	       memchr(map->path, 0, record->bytes - sizeof(*map));
}

/* Written by the thread itself, which has its ID still. */
static bool is_thread(const struct profil_record *record)
{
	const struct profil_record_thread *thread = (const void *)record;

	return record->bytes >= sizeof(*thread) && is_pid(thread->tid) &&
	       !record->pid == !thread->tid && memchr(thread->comm, 0, sizeof(thread->comm));
}

/* Of the log, not of a process */
static bool is_lost(const struct profil_record *record)
{
	const struct profil_record_lost *lost = (const void *)record;

	return record->bytes >= sizeof(*lost) && !record->pid && (lost->samples || lost->records);
}

static bool is_valid(const struct profil_record *record)
{
	switch (record->type) {
	case PROFIL_RECORD_SAMPLE:
	case PROFIL_RECORD_KERNEL_SAMPLE:
		return is_sample(record);
	case PROFIL_RECORD_STACK:
		return is_stack(record);
	case PROFIL_RECORD_FORK:
		return is_fork(record);
	case PROFIL_RECORD_EXEC:
		return is_exec(record);
	case PROFIL_RECORD_MAP:
		return is_map(record);
	case PROFIL_RECORD_EXIT:
		return record->bytes >= sizeof(struct profil_record_exit);
	case PROFIL_RECORD_LOST:
		return is_lost(record);
	case PROFIL_RECORD_RUN:
		return record->bytes >= sizeof(struct profil_record_run);
	case PROFIL_RECORD_THREAD:
		return is_thread(record);
	case PROFIL_RECORD_ARGS:
		return record->bytes >= sizeof(struct profil_record_args);
	default:
		return true;
	}
}

bool log_record_is_sample(const struct profil_record *record)
{
	return record->type == PROFIL_RECORD_SAMPLE ||
	       record->type == PROFIL_RECORD_KERNEL_SAMPLE || record->type == PROFIL_RECORD_STACK;
}

bool log_record_is_in_kernel(const struct profil_record_sample *sample)
{
	const struct profil_record_stack *stack = (const void *)sample;

	if (sample->head.type == PROFIL_RECORD_STACK)
		return stack->flags & PROFIL_STACK_IN_KERNEL;
	return sample->head.type == PROFIL_RECORD_KERNEL_SAMPLE;
}

struct profil_record_sample log_record_without_stack(const struct profil_record_sample *sample)
{
	struct profil_record_sample flat = *sample;

	flat.head.type = log_record_is_in_kernel(sample) ? PROFIL_RECORD_KERNEL_SAMPLE :
							   PROFIL_RECORD_SAMPLE;
	return flat;
}

const struct profil_record *log_record_check(const void *bytes, size_t nr)
{
	const struct profil_record *record = bytes;

	/* sizes are multiples of 8, so the next record is aligned, too */
	if (nr < sizeof(*record) || record->bytes < sizeof(*record) || record->bytes > nr ||
	    record->bytes % 8)
		return NULL;
	return is_pid(record->pid) && is_valid(record) ? record : NULL;
}

char **log_record_argv(const struct profil_record_args *record)
{
	static char rest[] = "...";
	const size_t room = record->head.bytes - sizeof(*record);
	const bool is_cut = record->args_bytes > room;
	size_t bytes = is_cut ? room : record->args_bytes, nr = 0, at;
	char *text, **argv, **copy;

	/* padding is not an empty argument */
	while (is_cut && bytes && !record->args[bytes - 1])
		bytes--;
	text = calloc(bytes + 1, 1);
	/* each argument has a byte at least; "..." and NULL follow */
	argv = text ? calloc(bytes + 2, sizeof(*argv)) : NULL;
	if (!argv) {
		free(text);
		return NULL;
	}
	memcpy(text, record->args, bytes);
	for (at = 0; at < bytes; at += strlen(&text[at]) + 1)
		argv[nr++] = &text[at];
	if (is_cut)
		argv[nr++] = rest;
	copy = result_copy_argv(argv);
	free(argv);
	free(text);
	return copy;
}
