/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of a log, as read(2) returns them.
 */
#ifndef SELFTESTS_RECORDS_H
#define SELFTESTS_RECORDS_H

#include "common.h"

/* For @pid: records of all processes */
#define ANY	(-1)

/* All records that were read so far, in order. Empty if it is all 0. */
struct records {
	char *bytes;
	size_t used;
	size_t room;
};

/* @from is a record, or NULL for the first one. Returns NULL after the last one. */
const struct profil_record *next_record(const struct records *records,
					const struct profil_record *from);

#define EACH_RECORD(record, records)					\
	for (const struct profil_record *record = next_record(records, NULL); record; \
	     record = next_record(records, record))

/*
 * Reads once, and appends what was read. Returns its number of bytes; 0: all processes have ended;
 * or -errno: -EPROTO for records that are incomplete, or that violate <linux/profil.h>.
 */
ssize_t read_some(struct records *records, int device, size_t bytes);

/*
 * Reads until all processes have ended, or, if the descriptor does not block, until the log is
 * empty. Returns 0 or an errno, EAGAIN in the second case.
 */
int read_all(struct records *records, int device);

/* Returns the record number @nr, from 0, of a type and a process; NULL if there is none. */
const void *find_record(const struct records *records, unsigned int type, pid_t pid,
			unsigned int nr);

unsigned int count_records(const struct records *records, unsigned int type, pid_t pid);

/* Returns the last MAP record of a process that contains @address, or NULL. */
const struct profil_record_map *find_map(const struct records *records, pid_t pid,
					 uint64_t address);

/* Returns the path that a MAP record of a file should have: with PREEMPT_RT, none. */
const char *logged_path(const char *path);

/* Whether a record is a SAMPLE, a KERNEL_SAMPLE or a STACK. */
bool is_sample(const struct profil_record *record);

/* Returns the samples of a process in one mode: SAMPLE or KERNEL_SAMPLE. */
uint64_t samples_of_type(const struct records *records, unsigned int type, pid_t pid);

/* Returns those in both modes: of a process, of a thread, and with a pc in a range. */
uint64_t samples_of(const struct records *records, pid_t pid);

uint64_t samples_of_thread(const struct records *records, pid_t tid);

uint64_t samples_between(const struct records *records, pid_t pid, const void *start,
			 const void *end);

/* Returns the sums of all LOST records. */
struct profil_record_lost sum_lost(const struct records *records);

void free_records(struct records *records);

#endif /* SELFTESTS_RECORDS_H */
