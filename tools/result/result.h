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

/*
 * The structures. profil.proto describes each member that has the name of a field there: meaning
 * and unit. Texts are terminated by 0. Lists are arrays, and "nr_" is their length. Unless a
 * function says otherwise, a structure owns all it points to, each as memory of its own.
 */

/**
 * struct result_count - samples at an address
 * @address: link-time address of the instruction, the exact pc
 * @samples: at least 1
 */
struct result_count {
	uint64_t address;
	uint64_t samples;
};

/* Code that a program has made: from @start up to @end, which is above it. @name is not empty. */
struct result_function {
	uint64_t start;
	uint64_t end;
	char *name;
};

/* A file that code was loaded from, or a substitute */
struct result_object {
	char *path;
	unsigned char build_id[RESULT_MAX_BUILD_ID];
	size_t build_id_bytes;		/* 0: none */
	bool unread;
	uint64_t file_bytes;
	int64_t mtime_ns;
	uint64_t start;
	uint64_t end;
	uint64_t bias;
	struct result_count *counts;	/* in ascending order of addresses, which differ */
	size_t nr_counts;
	uint64_t samples;		/* sum over @counts */
	struct result_function *functions;
	size_t nr_functions;
};

/* One program in one process */
struct result_process {
	int32_t pid;
	int32_t parent;
	char *program;
	bool is_fork;
	bool has_ended;
	uint64_t start_cpu_ns;
	uint64_t cpu_ns;		/* 0 unless @has_ended */
	uint64_t samples;
};

/* A program that was not profiled, over all its processes */
struct result_unprofiled {
	char *program;
	uint64_t processes;
	uint64_t cpu_ns;
};

/* A run */
struct result {
	char **argv;			/* terminated by NULL */
	char *host;
	char *kernel;
	uint64_t start_time_ns;
	uint64_t elapsed_ns;
	int32_t status;
	int32_t pid;
	uint32_t clock;
	uint32_t rate;
	uint32_t requested_rate;
	/*
	 * Samples per second of profiled CPU time, if the kernel lowered the rate during the run;
	 * 0: it was always @rate. Computed by result_find_mean_rate(), not in a file
	 */
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
	struct result_process *processes;	/* at least one */
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
