/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The shared memory of one run of the profil command: made by the command, filled by
 * libprofil-run.so inside each program that is profiled, counted into by the kernel, and
 * read by the command while they run and after they ended, however they ended.
 *
 * The command makes a memfd with the tables and nothing in them, names it to the program
 * in the environment (PROFIL_RUN=/proc/PID/fd/N), and preloads the library. That takes a
 * place in the table of processes, adds the files that code was loaded from to the table
 * of objects, and starts the profile. Programs that are executed from there on do the
 * same, if the run follows them: what several have loaded is one object, with counters
 * that all of their kernels' sessions share.
 *
 *	struct profil_run
 *	struct profil_run_object[PROFIL_RUN_OBJECTS]
 *	struct profil_run_process[PROFIL_RUN_PROCESSES]
 *	uint32_t, counts the pcs outside all objects
 *	counters of each object, from the start of a page on
 *
 * All offsets are in bytes from the start of the memory. It grows and does not shrink
 * (F_SEAL_SHRINK). Objects are added under a lock of the file, as F_OFD_SETLK takes it,
 * which the kernel takes back from who dies with it; an object counts from when
 * @nr_objects says so. Processes take their places by atomic addition, and each writes
 * its own only.
 *
 * Both sides come from one build; @version catches an old library found by an odd path.
 */
#ifndef PROFIL_RUN_H
#define PROFIL_RUN_H

#include <stdint.h>

#define PROFIL_RUN_MAGIC	0x006e7572666f7270ULL	/* "profrun" */
#define PROFIL_RUN_VERSION	4

#define PROFIL_RUN_OBJECTS	4096
#define PROFIL_RUN_PROCESSES	65536
#define PROFIL_RUN_BUILD_ID	64	/* bytes; today's linkers make 20 */
#define PROFIL_RUN_PATH		4096	/* bytes; no path can be longer */
#define PROFIL_RUN_TEXT_BYTES	4	/* of text per counter: as fine as functions begin */

/* Flags, in struct profil_run.flags */
#define PROFIL_RUN_FOLLOW	0x1	/* what the program executes is profiled too */

/**
 * struct profil_run - header
 * @magic:        PROFIL_RUN_MAGIC
 * @version:      PROFIL_RUN_VERSION; a library of another version writes its own
 * @flags:        PROFIL_RUN_*
 * @rate:         wanted rate in Hz; 0: the first program puts there what it chooses
 * @clock:        wanted clock, PROFIL_CLOCK_*
 * @owner:        process ID of the first program
 * @nr_objects:   number of objects that are there
 * @nr_processes: how many places were taken; more than the table has, if there are
 *                processes that are not in it
 * @error:        errno of the first failure, or 0
 * @end:          first byte behind what was added last, the end of a page
 * @message:      what failed first and what to do about it, if @error is not 0
 */
struct profil_run {
	uint64_t magic;
	uint32_t version;
	uint32_t flags;
	uint32_t rate;
	uint32_t clock;
	int32_t owner;
	uint32_t nr_objects;
	uint32_t nr_processes;
	int32_t error;
	uint64_t end;
	char message[512];
};

/**
 * struct profil_run_object - an executable segment of a file, or what stands for one
 * @start:       link-time address of its first byte
 * @end:         first link-time address behind it
 * @bias:        what was added to these where it was loaded first
 * @counters:    offset of uint32_t counters[nr_counters], the start of a page; counter
 *               i stands for the addresses from start + i * PROFIL_RUN_TEXT_BYTES on
 * @nr_counters: number of them
 * @build_id:    as it was loaded
 * @build_id_bytes: 0: it has none
 * @reserved:    0
 * @path:        the file's, ended by a 0; "[vdso]" for the kernel's code, "[jit]" for
 *               code that the program made
 */
struct profil_run_object {
	uint64_t start;
	uint64_t end;
	uint64_t bias;
	uint64_t counters;
	uint64_t nr_counters;
	uint8_t build_id[PROFIL_RUN_BUILD_ID];
	uint32_t build_id_bytes;
	uint32_t reserved;
	char path[PROFIL_RUN_PATH];
};

/* Flags, in struct profil_run_process.flags */
#define PROFIL_RUN_FORKED	0x1	/* made by fork(), it goes on with its parent's program */
#define PROFIL_RUN_TOLD		0x2	/* what its profile came to, from @samples on, is there */

/* How far a process came, in struct profil_run_process.state */
enum profil_run_state {
	PROFIL_RUN_TAKEN,	/* nothing has been said yet */
	PROFIL_RUN_FAILED,	/* no profile: see error */
	PROFIL_RUN_STARTED,	/* counting since then, or ended without a word */
	PROFIL_RUN_ENDED,	/* by exit(), _exit(), or executing another program */
};

/**
 * struct profil_run_process - a program in a process, until it executes another, or ends
 * @pid:          process ID
 * @parent:       its parent's
 * @state:        enum profil_run_state, written last
 * @flags:        PROFIL_RUN_FORKED, PROFIL_RUN_TOLD
 * @program:      index of the object that it executed, or UINT32_MAX
 * @rate:         true rate in Hz; if the kernel lowers it meanwhile, the last
 * @requested_rate:   the rate that was asked for
 * @error:        errno of the failure; or why samples were lost or the profile ended
 * @start_cpu_ns: CPU time that it had used when the profile started, in ns
 * @end_cpu_ns:   and when it ended
 * @samples:      that its profile counted
 * @lost:         that it could not count
 * @fork_failures: children that the kernel did not profile
 */
struct profil_run_process {
	int32_t pid;
	int32_t parent;
	uint32_t state;
	uint32_t flags;
	uint32_t program;
	uint32_t rate;
	uint32_t requested_rate;
	int32_t error;
	uint64_t start_cpu_ns;
	uint64_t end_cpu_ns;
	uint64_t samples;
	uint64_t lost;
	uint64_t fork_failures;
};

/* Where all that is, with pages of up to 64 KiB */
#define PROFIL_RUN_OBJECTS_AT	4096
#define PROFIL_RUN_PROCESSES_AT						\
	(PROFIL_RUN_OBJECTS_AT +					\
	 PROFIL_RUN_OBJECTS * sizeof(struct profil_run_object))
#define PROFIL_RUN_PAGE		((uint64_t)65536)
#define PROFIL_RUN_OUTSIDE_AT						\
	((PROFIL_RUN_PROCESSES_AT +					\
	  PROFIL_RUN_PROCESSES * sizeof(struct profil_run_process) +	\
	  PROFIL_RUN_PAGE - 1) / PROFIL_RUN_PAGE * PROFIL_RUN_PAGE)
#define PROFIL_RUN_COUNTERS_AT	(PROFIL_RUN_OUTSIDE_AT + PROFIL_RUN_PAGE)

#endif /* PROFIL_RUN_H */
