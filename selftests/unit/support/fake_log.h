/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A log of records as the kernel writes it, in a pipe.
 */
#ifndef FAKE_LOG_H
#define FAKE_LOG_H

#include <stddef.h>
#include <stdint.h>

#include <linux/profil.h>

/* Process IDs that no process has: process IDs are given in ascending order. */
#define FAKE_PID	4194000

/**
 * struct fake_log - the pipe
 * @read:  descriptor to read the records from, with O_NONBLOCK
 * @write: descriptor to write records to; -1: all processes have ended
 */
struct fake_log {
	int read;
	int write;
};

/* Make a pipe, in which nothing is yet. */
void fake_log_open(struct fake_log *log);

/* Let the reader know that all processes have ended. */
void fake_log_end(struct fake_log *log);

void fake_log_close(struct fake_log *log);

/* Write any bytes. */
void fake_log_bytes(struct fake_log *log, const void *bytes, size_t nr);

/* A thread */
struct fake_thread {
	int pid;
	int tid;
};

/* Write a record. fake_log_sample() is of the main thread, in user mode. */
void fake_log_user(struct fake_log *log, const struct fake_thread *thread, uint64_t pc,
		   uint32_t samples);
void fake_log_kernel(struct fake_log *log, const struct fake_thread *thread, uint64_t pc,
		     uint32_t samples);
void fake_log_thread(struct fake_log *log, const struct fake_thread *thread, uint64_t cpu_ns,
		     const char *name);
void fake_log_sample(struct fake_log *log, int pid, uint64_t pc, uint32_t samples);
/* @stack: has its words, but no sample, which is made of the other parameters */
void fake_log_stack(struct fake_log *log, const struct fake_thread *thread, uint64_t pc,
		    struct profil_record_stack *stack);
void fake_log_fork(struct fake_log *log, int pid, int parent);
void fake_log_fork_sharing(struct fake_log *log, int pid, int parent);
void fake_log_fork_denied(struct fake_log *log, int pid, int parent);
void fake_log_exec(struct fake_log *log, int pid, uint64_t cpu_ns, uint32_t flags,
		   const char *comm);
void fake_log_run(struct fake_log *log, int pid);
void fake_log_run_from(struct fake_log *log, int pid, uint64_t cpu_ns);
void fake_log_exit(struct fake_log *log, int pid, uint64_t cpu_ns);
void fake_log_lost(struct fake_log *log, uint64_t samples, uint64_t records);

/**
 * fake_log_args - write the record of a command line
 * @log:       the log
 * @pid:       process ID
 * @args:      the arguments, each terminated by a 0
 * @bytes:     size of @args
 * @all_bytes: size of the whole command line
 */
void fake_log_args(struct fake_log *log, int pid, const char *args, size_t bytes,
		   uint32_t all_bytes);

/**
 * fake_log_map - write the record of a mapping
 * @log: the log
 * @pid: process ID
 * @map: all fields except @head and @path
 * @path: the path
 */
void fake_log_map(struct fake_log *log, int pid, const struct profil_record_map *map,
		  const char *path);

/**
 * fake_log_map_file - write the record of a mapping of a file
 * @log:    the log
 * @pid:    process ID
 * @start:  address
 * @bytes:  size
 * @offset: of @start in the file
 * @path:   the file; if there is none, it gets inode 1
 * @flags:  PROFIL_MAP_*
 */
void fake_log_map_file(struct fake_log *log, int pid, uint64_t start, uint64_t bytes,
		       uint64_t offset, const char *path, uint32_t flags);

#endif /* FAKE_LOG_H */
