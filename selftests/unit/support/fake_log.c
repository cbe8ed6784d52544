// SPDX-License-Identifier: GPL-2.0-only
/*
 * A log of records as the kernel writes it, in a pipe.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <util/time_ns.h>

#include "support/fake_log.h"
#include "support/test.h"

#define HEAD(record, kind, process)	\
	((struct profil_record){ .type = (kind), .bytes = sizeof(record), .pid = (process) })

void fake_log_open(struct fake_log *log)
{
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
	log->read = fds[0];
	log->write = fds[1];
}

void fake_log_end(struct fake_log *log)
{
	if (log->write >= 0)
		close(log->write);
	log->write = -1;
}

void fake_log_close(struct fake_log *log)
{
	fake_log_end(log);
	close(log->read);
}

void fake_log_bytes(struct fake_log *log, const void *bytes, size_t nr)
{
	assert_int_equal(write(log->write, bytes, nr), nr);
}

static void write_sample(struct fake_log *log, const struct fake_thread *thread, uint64_t pc,
			 uint32_t samples, uint16_t type)
{
	const struct profil_record_sample sample = {
		.head = HEAD(sample, type, thread->pid),
		.pc = pc, .samples = samples, .tid = thread->tid,
	};

	fake_log_bytes(log, &sample, sizeof(sample));
}

void fake_log_sample(struct fake_log *log, int pid, uint64_t pc, uint32_t samples)
{
	write_sample(log, &(struct fake_thread){ pid, pid }, pc, samples, PROFIL_RECORD_SAMPLE);
}

void fake_log_user(struct fake_log *log, const struct fake_thread *thread, uint64_t pc,
		   uint32_t samples)
{
	write_sample(log, thread, pc, samples, PROFIL_RECORD_SAMPLE);
}

void fake_log_kernel(struct fake_log *log, const struct fake_thread *thread, uint64_t pc,
		     uint32_t samples)
{
	write_sample(log, thread, pc, samples, PROFIL_RECORD_KERNEL_SAMPLE);
}

void fake_log_stack(struct fake_log *log, const struct fake_thread *thread, uint64_t pc,
		    struct profil_record_stack *stack)
{
	const size_t bytes = sizeof(*stack) + stack->nr_words * sizeof(stack->words[0]);

	stack->sample = (struct profil_record_sample){
		.head = HEAD(*stack, PROFIL_RECORD_STACK, thread->pid),
		.pc = pc, .samples = 1, .tid = thread->tid,
	};
	stack->sample.head.bytes = (uint16_t)bytes;
	fake_log_bytes(log, stack, bytes);
}

void fake_log_thread(struct fake_log *log, const struct fake_thread *thread, uint64_t cpu_ns,
		     const char *name)
{
	struct profil_record_thread end = {
		.head = HEAD(end, PROFIL_RECORD_THREAD, thread->pid),
		.tid = thread->tid, .cpu_ns = cpu_ns,
	};

	strncpy(end.comm, name, sizeof(end.comm) - 1);
	fake_log_bytes(log, &end, sizeof(end));
}

void fake_log_args(struct fake_log *log, int pid, const char *args, size_t bytes,
		   uint32_t all_bytes)
{
	union {
		struct profil_record_args args;
		char bytes[PROFIL_RECORD_MAX];
	} record = { .args.args_bytes = all_bytes };
	const size_t size = sizeof(record.args) + (bytes + 7) / 8 * 8;

	record.args.head = HEAD(record.args, PROFIL_RECORD_ARGS, pid);
	record.args.head.bytes = (uint16_t)size;
	memcpy(record.args.args, args, bytes);
	fake_log_bytes(log, &record, size);
}

static void write_fork(struct fake_log *log, int pid, int parent, uint32_t flags)
{
	const struct profil_record_fork fork = {
		.head = HEAD(fork, PROFIL_RECORD_FORK, pid), .parent = parent, .flags = flags,
	};

	fake_log_bytes(log, &fork, sizeof(fork));
}

void fake_log_fork(struct fake_log *log, int pid, int parent)
{
	write_fork(log, pid, parent, 0);
}

void fake_log_fork_sharing(struct fake_log *log, int pid, int parent)
{
	write_fork(log, pid, parent, PROFIL_FORK_SHARES_MEMORY);
}

void fake_log_fork_denied(struct fake_log *log, int pid, int parent)
{
	write_fork(log, pid, parent, PROFIL_FORK_DENIED);
}

void fake_log_exec(struct fake_log *log, int pid, uint64_t cpu_ns, uint32_t flags, const char *comm)
{
	struct profil_record_exec exec = {
		.head = HEAD(exec, PROFIL_RECORD_EXEC, pid), .cpu_ns = cpu_ns, .flags = flags,
	};

	assert_true(strlen(comm) < sizeof(exec.comm));
	strcpy(exec.comm, comm);
	fake_log_bytes(log, &exec, sizeof(exec));
}

void fake_log_run_from(struct fake_log *log, int pid, uint64_t cpu_ns)
{
	const struct profil_record_run run = {
		.head = HEAD(run, PROFIL_RECORD_RUN, pid), .cpu_ns = cpu_ns,
	};

	fake_log_bytes(log, &run, sizeof(run));
}

void fake_log_run(struct fake_log *log, int pid)
{
	fake_log_run_from(log, pid, 0);
}

void fake_log_exit(struct fake_log *log, int pid, uint64_t cpu_ns)
{
	const struct profil_record_exit end = {
		.head = HEAD(end, PROFIL_RECORD_EXIT, pid), .cpu_ns = cpu_ns,
	};

	fake_log_bytes(log, &end, sizeof(end));
}

void fake_log_lost(struct fake_log *log, uint64_t samples, uint64_t records)
{
	const struct profil_record_lost lost = {
		.head = HEAD(lost, PROFIL_RECORD_LOST, 0), .samples = samples, .records = records,
	};

	fake_log_bytes(log, &lost, sizeof(lost));
}

void fake_log_map(struct fake_log *log, int pid, const struct profil_record_map *map,
		  const char *path)
{
	union {
		struct profil_record_map map;
		char bytes[PROFIL_RECORD_MAX];
	} record = { .map = *map };
	size_t bytes = sizeof(*map) + (strlen(path) + 8) / 8 * 8;

	assert_true(bytes <= sizeof(record));
	record.map.head = (struct profil_record){
		.type = PROFIL_RECORD_MAP, .bytes = (__u16)bytes, .pid = pid,
	};
	strcpy(record.bytes + sizeof(*map), path);
	fake_log_bytes(log, &record, bytes);
}

void fake_log_map_file(struct fake_log *log, int pid, uint64_t start, uint64_t bytes,
		       uint64_t offset, const char *path, uint32_t flags)
{
	struct profil_record_map map = {
		.start = start, .end = start + bytes, .offset = offset, .inode = 1,
		.flags = flags,
	};
	struct stat state;

	if (!stat(path, &state)) {
		map.inode = state.st_ino;
		map.major = major(state.st_dev);
		map.minor = minor(state.st_dev);
		map.file_bytes = (__u64)state.st_size;
		map.mtime_ns = time_stat_ns(&state.st_mtim);
		map.ctime_ns = time_stat_ns(&state.st_ctim);
	}
	fake_log_map(log, pid, &map, path);
}
