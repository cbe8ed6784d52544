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
#define RESULT_MAX_NAME		1024	/* of made code or a thread, in bytes, with the final 0 */

#define RESULT_OUTSIDE	"(outside all objects)"	/* name of the row for these samples */

/*
 * Name of the object of code that a program has made; with several such programs, a blank and the
 * file name of one follow
 */
#define RESULT_JIT	"[jit]"

#define RESULT_UNKNOWN	"[unknown]"	/* name of what is not known */

#define RESULT_NO_THREAD	UINT32_MAX	/* of a process whose threads are not listed */
#define RESULT_NO_PROCESS	UINT32_MAX	/* one that is not listed */
#define RESULT_MAX_THREADS	((size_t)1 << 20)

/*
 * The structures. profil.proto describes each member that has the name of a field there: meaning
 * and unit. Texts are terminated by 0. Lists are arrays, and "nr_" is their length. Unless a
 * function says otherwise, a structure owns all it points to, each as memory of its own.
 */

/**
 * struct result_part - samples of one thread at an address
 * @address: link-time address of the instruction, the exact pc
 * @samples: at least 1
 * @system:  how many of these are in the kernel; then the thread returns to @address
 * @thread:  index in result->threads; RESULT_NO_THREAD: it is not listed
 */
struct result_part {
	uint64_t address;
	uint64_t samples;
	uint64_t system;
	uint32_t thread;
};

/* Samples of all threads at an address */
struct result_count {
	uint64_t address;	/* link-time address of the instruction, the exact pc */
	uint64_t samples;	/* at least 1 */
	uint64_t system;	/* how many of these are in the kernel */
};

/*
 * A function with samples, from @start up to @end, which is above it. The name is that in the file,
 * perhaps mangled. In code that a program has made, it is not empty.
 */
struct result_function {
	uint64_t start;
	uint64_t end;
	char *name;
	uint32_t file;
	uint32_t line;
};

/**
 * struct result_frame - a function at an address, perhaps inlined
 * @function: its name, perhaps mangled: index in result->strings; 0: unknown
 * @file:     source file: index in result->strings; 0: unknown
 * @line:     of the address in the innermost function, else of the call; 0: unknown
 */
struct result_frame {
	uint32_t function;
	uint32_t file;
	uint32_t line;
};

/**
 * struct result_place - what is at an address with samples
 * @function: index in the object's functions; RESULT_NO_FUNCTION: none
 * @frame:    index of the innermost function in the object's frames
 * @nr_frames: number of frames, each called by the next one; 0: no debug information
 */
struct result_place {
	uint64_t address;
	uint32_t function;
	uint32_t frame;
	uint32_t nr_frames;
};

#define RESULT_NO_FUNCTION	UINT32_MAX
#define RESULT_MAX_FRAMES	32	/* at an address */

/*
 * What a node without an object stands for. Up to the frames, why it is not known who has called
 * the nodes below it: it is at the root of the tree.
 */
enum result_stack {
	RESULT_STACK_COMPLETE,	/* of no node */
	RESULT_STACK_NONE,	/* the kernel has given no stack */
	RESULT_STACK_CUT,	/* the stack is deeper than what the kernel has looked at */
	RESULT_STACK_ABSENT,	/* it goes on in memory that was not present */
	RESULT_STACK_OTHER,	/* it goes on in the memory of another stack */
	RESULT_STACK_UNKNOWN,	/* code without unwind information */
	RESULT_STACK_MADE,	/* made code, without a frame pointer */
	RESULT_STACK_UNMAPPED,	/* the return address is in no mapping */
	RESULT_STACK_UNCLEAR,	/* the unwind information does not fit the stack */
	RESULT_STACK_FOLDED,	/* there were too many stacks */
	RESULT_STACK_FRAMES,
	RESULT_STACK_OUTSIDE = RESULT_STACK_FRAMES,	/* a frame outside all objects */
	RESULT_STACK_CODE,	/* a frame in code that a program has made */
	RESULT_NR_STACK
};

#define RESULT_MAX_DEPTH	8192	/* of a stack: views go through all its nodes */
#define RESULT_NO_NODE		UINT32_MAX
#define RESULT_NO_OBJECT	UINT32_MAX

/**
 * struct result_node - a frame of a stack, below all that have called it
 * @parent:  index of the node of its caller, which is lower; RESULT_NO_NODE: there is none
 * @object:  index in result->objects; RESULT_NO_OBJECT: @address is an enum result_stack
 * @address: link-time address that tells the function: that of the pc, or of the end of a call
 */
struct result_node {
	uint32_t parent;
	uint32_t object;
	uint64_t address;
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
	struct result_part *parts;	/* in the order of result_compare_parts(); they differ */
	size_t nr_parts;
	uint32_t index;			/* before objects are moved (result_stacks_mark()) */
	struct result_count *counts;	/* sums of @parts by address, in ascending order */
	size_t nr_counts;
	uint64_t samples;		/* sum over @counts */
	struct result_function *functions;	/* in ascending order of @start */
	size_t nr_functions;
	bool has_names;
	bool is_stripped;
	char *names_note;		/* NULL or "": none; and so is @lines_note */
	char *lines_note;
	struct result_place *places;	/* of all addresses, ascending; none without names */
	size_t nr_places;
	struct result_frame *frames;	/* in the order of the places, which have all of them */
	size_t nr_frames;
};

/* One program in one process */
struct result_process {
	int32_t pid;
	int32_t parent;
	char *program;
	char **argv;			/* terminated by NULL; NULL: unknown */
	bool is_fork;
	bool has_ended;
	uint64_t start_cpu_ns;
	uint64_t cpu_ns;		/* 0 unless @has_ended */
	uint64_t samples;		/* sum over its threads */
	uint64_t system;		/* how many of @samples are in the kernel */
};

/* A thread with samples, in one program */
struct result_thread {
	uint32_t process;		/* RESULT_NO_PROCESS: it is not listed */
	int32_t tid;
	char *name;			/* NULL or "": unknown */
	bool has_cpu_ns;
	uint64_t cpu_ns;		/* 0 unless @has_cpu_ns */
	uint64_t samples;		/* sum over the parts of the thread */
	uint64_t system;		/* how many of @samples are in the kernel */
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
	uint64_t outside;		/* sum over @outside_parts */
	uint64_t outside_system;	/* how many of these are in the kernel */
	struct result_part *outside_parts;	/* as those of an object, at the address 0 */
	size_t nr_outside_parts;
	struct result_node *nodes;	/* callers first */
	size_t nr_nodes;
	/*
	 * All samples by stack, if there are any: as parts of an object, with an index in @nodes in
	 * place of an address
	 */
	struct result_part *stack_parts;
	size_t nr_stack_parts;
	uint64_t lost;
	uint64_t lost_records;
	bool records_filled_log;
	uint64_t skipped;
	uint64_t log_bytes;
	uint64_t wanted_log_bytes;
	bool no_follow;
	char *cgroup;			/* NULL or "": none */
	uint64_t folded_threads;
	uint64_t folded_samples;
	uint64_t fork_failures;
	struct result_object *objects;
	size_t nr_objects;
	struct result_process *processes;	/* at least one */
	size_t nr_processes;
	struct result_thread *threads;
	size_t nr_threads;
	uint64_t unlisted_processes;
	uint64_t unlisted_ended;
	uint64_t unlisted_cpu_ns;
	struct result_unprofiled *unprofiled;
	size_t nr_unprofiled;
	char **strings;			/* terminated by NULL; NULL: none. The first one is "" */
	size_t nr_strings;
};

/* A text that is "" if it is not known, as it is in a file. Return: NULL for "" and NULL. */
static inline const char *result_text(const char *text)
{
	return text && *text ? text : NULL;
}

/* Check whether an object is a file. Return: false if it has a name in brackets. */
bool result_is_file(const struct result_object *object);

/*
 * The first part of an object whose address is not lower; the end of the parts if there is none.
 * The result passes result_problem(), as for the next two.
 */
const struct result_part *result_find_part(const struct result_object *object, uint64_t address);

/* What is known about an address; NULL: nothing. */
const struct result_place *result_find_place(const struct result_object *object, uint64_t address);

/* The function of an address in code that a program has made; NULL: there is none. */
const struct result_function *result_find_function(const struct result_object *object,
						   uint64_t address);

/*
 * Compare parts by address, then by thread. Return: less than, equal to or greater than 0, as
 * strcmp(3).
 */
int result_compare_parts(const struct result_part *a, const struct result_part *b);

/*
 * Compare objects by path, then by what tells their files apart: the build-id; for files without
 * one, size and time of the last change. Return: less than, equal to or greater than 0, as
 * strcmp(3).
 */
int result_compare_objects(const struct result_object *a, const struct result_object *b);

/* Sort the objects so. Return: 0; -ENOMEM: only with stacks. */
int result_sort_objects(struct result *result);

/* Count all samples of a run. Return: the sum over all objects, plus the samples outside. */
uint64_t result_samples(const struct result *result);

/*
 * Count the samples of an object that are in the kernel. Return: how many of @object->samples they
 * are.
 */
uint64_t result_object_system(const struct result_object *object);

/* Count the samples in the kernel. Return: how many of result_samples() they are. */
uint64_t result_system_samples(const struct result *result);

/*
 * Compute @mean_rate. If the kernel lowered the rate, the mean rate of each process is computed
 * from its samples and its CPU time, and bounded by the last rate and the requested rate.
 */
void result_find_mean_rate(struct result *result);

/*
 * Determine how many samples correspond to one second of CPU time. The rate at a sample is not
 * known. If the kernel lowered the rate, all samples are converted by the mean rate: the sum over
 * all samples is right, but functions that ran mostly at the lower rate get too few seconds.
 * Return: @mean_rate if it is not 0, else @rate.
 */
double result_rate(const struct result *result);

/* Convert samples to CPU time. Return: CPU time in s, by result_rate(). */
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

/*
 * Drop all command lines: a result, which passes result_problem(), is passed on. The command is
 * then the path of the first program: also argv[0] may be a text that the program has set. Return:
 * 0 or -ENOMEM.
 */
int result_drop_arguments(struct result *result);

/* Copy a command line, for result_free_argv(). Return: NULL: no memory. */
char **result_copy_argv(char *const argv[]);

/* Free a command line, or NULL. */
void result_free_argv(char **argv);

/* Free the names of an object, so that it has none. */
void result_release_names(struct result_object *object);

/* Free the memory of an object. */
void result_release_object(struct result_object *object);

/* Free the memory of a result. */
void result_release(struct result *result);

#endif /* PROFIL_RESULT_H */
