/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks raw records of the log (<linux/profil.h>).
 */
#ifndef PROFIL_LOG_RECORD_H
#define PROFIL_LOG_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/profil.h>

#define LOG_RECORD_PIDS		(4 * 1024 * 1024)	/* the kernel's limit of process IDs */

/**
 * log_record_check - check the record at the beginning of some bytes
 * @bytes: aligned to 8 bytes
 * @nr:    number of bytes, at least 1
 *
 * All fields of a valid record are there, texts end with a 0, process IDs are from 0 to
 * LOG_RECORD_PIDS - 1, a sample counts at least once, and a mapping is not empty. A process is not
 * its own parent, a thread has an ID if its process has one, and what is lost is something, and of
 * no process. A record of a newer module may be longer, or of an unknown type.
 *
 * Return: the record; NULL: it is invalid.
 */
const struct profil_record *log_record_check(const void *bytes, size_t nr);

/* Check whether a record has samples. Return: whether it is a struct profil_record_sample. */
bool log_record_is_sample(const struct profil_record *record);

/* Check whether a sample is in the kernel. */
bool log_record_is_in_kernel(const struct profil_record_sample *sample);

/* Return: a copy of a sample, without its stack if it has one. */
struct profil_record_sample log_record_without_stack(const struct profil_record_sample *sample);

/*
 * Read a command line. If the record does not have all of it, the last argument is "...". Return:
 * the command and its arguments, terminated by NULL, for result_free_argv(); NULL: no memory.
 */
char **log_record_argv(const struct profil_record_args *record);

#endif /* PROFIL_LOG_RECORD_H */
