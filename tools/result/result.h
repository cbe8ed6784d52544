/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What one run came to: which code was sampled how often, by which processes, and what
 * is known of the machine. Made of the run's shared memory when the command has ended
 * (collect.h), kept in a file (resultfile.h), and all that reports and exports know.
 *
 * Nothing in it is about where code lay in one process: addresses are those that the
 * object's file was linked at, so that processes add up and another machine that has the
 * objects can name the functions.
 */
#ifndef PROFIL_RESULT_H
#define PROFIL_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RESULT_MAX_BUILD_ID	64	/* bytes; 20 from today's linkers */

/*
 * No run makes more objects, nor longer paths: its memory has no place for them
 * (PROFIL_RUN_OBJECTS, PROFIL_RUN_PATH). A file that has them is refused.
 */
#define RESULT_MAX_OBJECTS	4096
#define RESULT_MAX_UNPROFILED	1024
#define RESULT_MAX_PATH		4096	/* bytes, with the 0 at the end */

#define RESULT_OUTSIDE	"(outside all objects)"	/* what reports call what has no object */

/**
 * struct result_count - samples of a piece of text
 * @address: link-time address of its first byte; it has result.text_bytes of them
 * @samples: at least 1
 */
struct result_count {
	uint64_t address;
	uint64_t samples;
};

/**
 * struct result_object - a file that code was loaded from, or what stands for one
 * @path:           as it was loaded; what is in brackets is no file: "[vdso]", "[jit]"
 * @build_id:       of the file when it was loaded
 * @build_id_bytes: 0: it has none, or the file could not be read
 * @start:          link-time address of its first executable segment
 * @end:            first link-time address behind its last executable segment
 * @bias:           what was added to link-time addresses in the first process that
 *                  had it
 * @counts:         ascending by address, none overlapping another
 * @nr_counts:      number of them
 * @samples:        sum over @counts
 */
struct result_object {
	char *path;
	unsigned char build_id[RESULT_MAX_BUILD_ID];
	size_t build_id_bytes;
	uint64_t start;
	uint64_t end;
	uint64_t bias;
	struct result_count *counts;
	size_t nr_counts;
	uint64_t samples;
};

/**
 * struct result_process - a program that a process executed, until it executed another
 * or came to its end
 * @pid:      process ID
 * @parent:   its parent's; 0: not known
 * @program:  path of what it executed, or what it was called by where no more is known;
 *            "[unknown]": not even that
 * @is_fork:  it is its parent's program, continued in a child made by fork()
 * @has_ended: it came to exit(), _exit(), or another program, and @cpu_ns is known; else
 *            that is 0
 * @has_status: it told of its samples too: @samples, @lost and @error are its own; else
 *            they are 0 and not known
 * @rate:     its sampling rate in Hz: if the kernel lowered it, the last
 * @start_cpu_ns: CPU time that it had used when its profile started, in ns
 * @cpu_ns:   CPU time from the start of its profile to its end, in ns
 * @samples:  that were counted
 * @lost:     that could not be counted
 * @error:    why samples were lost, or the profile ended: errno or 0
 */
struct result_process {
	int32_t pid;
	int32_t parent;
	char *program;
	bool is_fork;
	bool has_ended;
	bool has_status;
	uint32_t rate;
	uint64_t start_cpu_ns;
	uint64_t cpu_ns;
	uint64_t samples;
	uint64_t lost;
	int32_t error;
};

/**
 * struct result_unprofiled - a program that was not profiled, in all its processes
 * @program:   path of its file; where that is not known, the name of a process
 * @processes: in which it ran, as far as they were seen
 * @cpu_ns:    CPU time that it used, in ns, or a little less: it was seen now and then
 */
struct result_unprofiled {
	char *program;
	uint64_t processes;
	uint64_t cpu_ns;
};

/**
 * struct result - a run
 * @argv:          the command and its arguments, ended by NULL
 * @host:          name of the machine
 * @kernel:        its kernel, as uname -r and -m have it, with a space between
 * @start_time_ns: when the command was started, in ns since 1970 UTC
 * @elapsed_ns:    until its end, in ns
 * @status:        how it ended, as from wait(2)
 * @pid:           its process ID
 * @clock:         PROFIL_CLOCK_* that sampled; PROFIL_CLOCK_AUTO: the kernel's choice
 * @rate:          in Hz: the lowest of all processes
 * @requested_rate: that was asked for, in Hz
 * @mean_rate:     samples per second of profiled CPU time, where processes had different
 *                 rates because the kernel lowered some; 0: all had @rate
 * @text_bytes:    of text that a count stands for, in bytes; a power of two
 * @program_cpu_ns: CPU time of the command's own process up to its end, in ns
 * @children_cpu_ns: CPU time of all processes that it and its children waited for, in ns
 * @outside:       samples at addresses that belong to no object
 * @lost:          samples that could not be counted, of all processes that told
 * @lost_error:    why, or why the profile of one of them ended, last: errno or 0
 * @fork_failures:  children that the kernel did not profile
 * @objects:       sorted by path, then build-id
 * @nr_objects:    number of them
 * @processes:     in the order in which they started: at least one, first the program
 *                 that was profiled first
 * @nr_processes:  number of them
 * @damaged_entries: entries of the run's tables that made no sense, because a program wrote
 *                 into them: their samples or figures are lost
 * @unlisted_processes: processes of which nothing is known but their samples
 * @unprofiled:    programs into which libprofil-run.so was not loaded, most CPU time first
 * @nr_unprofiled: number of them
 * @start_failures: processes of which no profile could be started
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
	uint32_t text_bytes;
	uint64_t program_cpu_ns;
	uint64_t children_cpu_ns;
	uint64_t outside;
	uint64_t lost;
	int32_t lost_error;
	uint64_t fork_failures;
	struct result_object *objects;
	size_t nr_objects;
	struct result_process *processes;
	size_t nr_processes;
	uint64_t damaged_entries;
	uint64_t unlisted_processes;
	struct result_unprofiled *unprofiled;
	size_t nr_unprofiled;
	uint64_t start_failures;
};

/**
 * result_is_file - whether an object is a file
 * @object: in question
 *
 * Return: false for what its name in brackets stands for.
 */
bool result_is_file(const struct result_object *object);

/**
 * result_samples - all samples of a run
 * @result: in question
 *
 * Return: their sum, those outside all objects included.
 */
uint64_t result_samples(const struct result *result);

/**
 * result_find_mean_rate - fill in the mean rate
 * @result: without result_problem(); @mean_rate may be anything
 *
 * The rate of a process that the kernel lowered meanwhile is what its samples and CPU time
 * say, within its last rate and the one that was asked for.
 */
void result_find_mean_rate(struct result *result);

/**
 * result_rate - how many samples stand for a second of CPU time
 * @result: in question
 *
 * Which process a sample is of is not known. Where processes had different rates, all
 * samples count by the mean of these: the sum over all samples is right, but functions that
 * mostly ran at the lower rate have too few seconds.
 *
 * Return: @mean_rate, or else @rate.
 */
double result_rate(const struct result *result);

/**
 * result_seconds - CPU time that samples stand for
 * @result:  that they are of
 * @samples: number of them
 *
 * Return: in s, by result_rate().
 */
double result_seconds(const struct result *result, uint64_t samples);

/**
 * result_problem - what is wrong with a result
 * @result: all pointers are valid, all else may be anything
 *
 * Who has seen to it that nothing is wrong can add figures up without a thought to
 * overflow, and search what is said to be sorted.
 *
 * Return: in words, or NULL.
 */
const char *result_problem(const struct result *result);

/**
 * result_release - free what a result holds
 * @result: zero afterwards; may have been zero
 */
void result_release(struct result *result);

#endif /* PROFIL_RESULT_H */
