/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result of a run: sample counts by address, processes, CPU times, the machine. It is
 * collected from the recording of the run (collect.h), and written to a file
 * (resultfile.h). Reports and exports read nothing else.
 *
 * All addresses are link-time addresses of the object's file. So the samples of several
 * processes add up, and another machine with the same objects can find the functions.
 */
#ifndef PROFIL_RESULT_H
#define PROFIL_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RESULT_MAX_BUILD_ID	64	/* in bytes; linkers make 20 */

/*
 * The limits of a run. A file that exceeds them is refused.
 */
#define RESULT_MAX_OBJECTS	4096
#define RESULT_MAX_UNPROFILED	1024
#define RESULT_MAX_PATH		4096	/* in bytes, with the terminating 0 */
#define RESULT_MAX_NAME		1024	/* of a function, in bytes, with the terminating 0 */

#define RESULT_OUTSIDE	"(outside all objects)"	/* name of the row for these samples */

/**
 * struct result_count - samples at an address
 * @address: link-time address of the instruction, the exact pc
 * @samples: at least 1
 */
struct result_count {
	uint64_t address;
	uint64_t samples;
};

/**
 * struct result_function - code that a program has made, with its name
 * @start: address of its first instruction
 * @end:   end of what was sampled of it, above @start
 * @name:  as the program's runtime calls it, not empty
 */
struct result_function {
	uint64_t start;
	uint64_t end;
	char *name;
};

/**
 * struct result_object - a file that code was loaded from, or a substitute
 * @path:           path that it was loaded from. A name in brackets is not a file: "[vdso]",
 *                  "[jit]"
 * @build_id:       build-id of the loaded file
 * @build_id_bytes: its length; 0: no build-id, or the file could not be read
 * @unread:         the file could not be read while it was mapped: it had been replaced or
 *                  removed, or is not readable. Addresses are offsets in the file
 * @file_bytes:     size of the loaded file; 0: unknown
 * @mtime_ns:       when it was last modified, in ns since 1970 UTC
 * @start:          link-time address of its first executable segment
 * @end:            link-time address of the end of its last executable segment
 * @bias:           load address minus link-time address, in the first process that loaded it
 * @counts:         in ascending order of addresses, which differ
 * @nr_counts:      number of counts
 * @samples:        sum over @counts
 * @functions:      of an object that is not a file: those that have names, in ascending order of
 *                  addresses; they do not overlap
 * @nr_functions:   number of functions
 */
struct result_object {
	char *path;
	unsigned char build_id[RESULT_MAX_BUILD_ID];
	size_t build_id_bytes;
	bool unread;
	uint64_t file_bytes;
	int64_t mtime_ns;
	uint64_t start;
	uint64_t end;
	uint64_t bias;
	struct result_count *counts;
	size_t nr_counts;
	uint64_t samples;
	struct result_function *functions;
	size_t nr_functions;
};

/**
 * struct result_process - one program in one process: from exec or fork to the next exec or
 * the exit
 * @pid:      process ID
 * @parent:   process ID of its parent; 0: unknown
 * @program:  path of the executed file; its name if only that is known; else "[unknown]"
 * @is_fork:  a child made by fork() that runs its parent's program
 * @has_ended: @cpu_ns is known: up to its end or an exec, or to the end of the run; else it is 0
 * @start_cpu_ns: CPU time used before its profile started, in ns
 * @cpu_ns:   CPU time from the start of its profile to its end, in ns
 * @samples:  samples that were counted
 */
struct result_process {
	int32_t pid;
	int32_t parent;
	char *program;
	bool is_fork;
	bool has_ended;
	uint64_t start_cpu_ns;
	uint64_t cpu_ns;
	uint64_t samples;
};

/**
 * struct result_unprofiled - a program that was not profiled, over all its processes
 * @program:   path of its file; the name of the process if that is unknown
 * @processes: number of processes that ran it
 * @cpu_ns:    CPU time of those that have ended, in ns
 */
struct result_unprofiled {
	char *program;
	uint64_t processes;
	uint64_t cpu_ns;
};

/**
 * struct result - a run
 * @argv:          the command and its arguments, terminated by NULL
 * @host:          host name of the machine
 * @kernel:        kernel release and machine (uname -r -m)
 * @start_time_ns: when the command was started, in ns since 1970 UTC
 * @elapsed_ns:    time until it ended, in ns
 * @status:        how it ended, as from wait(2)
 * @pid:           its process ID
 * @clock:         the sampling clock, PROFIL_CLOCK_*; PROFIL_CLOCK_AUTO: the kernel's choice
 * @rate:          rate at the end of the run, in Hz: the kernel may have lowered it
 * @requested_rate: rate that the user requested, in Hz
 * @mean_rate:     samples per second of profiled CPU time, if the kernel lowered the rate during
 *                 the run; 0: it was always @rate
 * @program_cpu_ns: CPU time of the command's own process, in ns
 * @children_cpu_ns: CPU time of all processes that it and its children waited for, in ns
 * @outside:       samples at addresses outside all objects
 * @lost:          samples that found no room in the log
 * @lost_records:  records of programs and mappings that found none: at least so many
 * @records_filled_log: when samples or records were lost, such records were most of the log
 * @skipped:       samples that were due but not taken, because the clock was late
 * @log_bytes:     size of the log; 0: unknown, in a result of an older version. Then
 *                 @lost_records, @skipped and @no_follow are unknown, too
 * @wanted_log_bytes: the size that it has without a limit of locked memory
 * @no_follow:     programs that the processes executed were not profiled
 * @fork_failures:  children that the kernel did not profile
 * @objects:       sorted by path, then build-id
 * @nr_objects:    number of objects
 * @processes:     in the order in which their profiles started; at least one
 * @nr_processes:  number of processes
 * @unlisted_processes: programs that are not in @processes. Their samples are those of no listed
 *                 process
 * @unlisted_ended: how many of these have a known CPU time
 * @unlisted_cpu_ns: CPU time of these, in ns
 * @unprofiled:    programs that the user may not trace, most CPU time first
 * @nr_unprofiled: number of such programs
 */
struct result {
	char **argv;
	char *host;
	char *kernel;
	uint64_t start_time_ns;
	uint64_t elapsed_ns;
	int32_t status;
	int32_t pid;
	uint32_t clock;
	uint32_t rate;
	uint32_t requested_rate;
	double mean_rate;
	uint64_t program_cpu_ns;
	uint64_t children_cpu_ns;
	uint64_t outside;
	uint64_t lost;
	uint64_t lost_records;
	bool records_filled_log;
	uint64_t skipped;
	uint64_t log_bytes;
	uint64_t wanted_log_bytes;
	bool no_follow;
	uint64_t fork_failures;
	struct result_object *objects;
	size_t nr_objects;
	struct result_process *processes;
	size_t nr_processes;
	uint64_t unlisted_processes;
	uint64_t unlisted_ended;
	uint64_t unlisted_cpu_ns;
	struct result_unprofiled *unprofiled;
	size_t nr_unprofiled;
};

/**
 * result_is_file - check whether an object is a file
 * @object: any object
 *
 * Return: false if it has a name in brackets.
 */
bool result_is_file(const struct result_object *object);

/**
 * result_find_function - find the function of an address
 * @object:  an object of a result that passes result_problem()
 * @address: any address
 *
 * Return: the function among @object->functions; NULL: there is none.
 */
const struct result_function *result_find_function(const struct result_object *object,
						   uint64_t address);

/**
 * result_compare_objects - compare objects by path, then by what tells their files apart: the
 * build-id; for files without one, size and time of the last change
 * @a: an object
 * @b: another one
 *
 * Return: less than, equal to or greater than 0, as strcmp(3).
 */
int result_compare_objects(const struct result_object *a, const struct result_object *b);

/**
 * result_samples - count all samples of a run
 * @result: any result
 *
 * Return: the sum over all objects, plus the samples outside.
 */
uint64_t result_samples(const struct result *result);

/**
 * result_unlisted_samples - count the samples of processes that are not listed
 * @result: any result
 *
 * Return: the samples of the run that are in no listed process; 0 if all processes are listed.
 */
uint64_t result_unlisted_samples(const struct result *result);

/**
 * result_find_mean_rate - compute @mean_rate
 * @result: passes result_problem()
 *
 * If the kernel lowered the rate, the mean rate of each process is computed from its samples and
 * its CPU time, and bounded by the last rate and the requested rate.
 */
void result_find_mean_rate(struct result *result);

/**
 * result_rate - determine how many samples correspond to one second of CPU time
 * @result: any result
 *
 * The rate at a sample is not known. If the kernel lowered the rate, all samples are converted by
 * the mean rate: the sum over all samples is right, but functions that ran mostly at the lower
 * rate get too few seconds.
 *
 * Return: @mean_rate if it is not 0, else @rate.
 */
double result_rate(const struct result *result);

/**
 * result_seconds - convert samples to CPU time
 * @result:  result of the samples
 * @samples: number of samples
 *
 * Return: CPU time in s, by result_rate().
 */
double result_seconds(const struct result *result, uint64_t samples);

/**
 * result_problem - validate a result
 * @result: all pointers are valid; all other values may be anything
 *
 * In a valid result, sums do not overflow, and what is documented as sorted is sorted.
 *
 * Return: NULL, or a description of what is wrong.
 */
const char *result_problem(const struct result *result);

/**
 * result_release_object - free the memory of an object
 * @object: may be all zero; set to zero
 */
void result_release_object(struct result_object *object);

/**
 * result_release - free the memory of a result
 * @result: may be all zero; set to zero
 */
void result_release(struct result *result);

#endif /* PROFIL_RESULT_H */
