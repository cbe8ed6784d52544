/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The shared memory of one run of the profil command: made by the command,
 * filled by libprofil inside the profiled program, counted into by the kernel,
 * and read by the command while the program runs and after it ended, however it
 * ended.
 *
 * The command makes a memfd that holds only struct profil_run, names it to the
 * program in the environment (PROFIL_RUN=/proc/PID/fd/N), and preloads
 * libprofil. The library lists the executable segments of all objects, grows
 * the memory, starts the profile, and says in @state how that went.
 *
 * Children that the program forks, and theirs, share the memory: the kernel goes
 * on counting them there, and each of them tells here what it came to, by atomic
 * additions. That is told at exit() only: of a process that does not come there
 * no more is known than that it was forked.
 *
 *	struct profil_run
 *	struct profil_run_object[nr_objects]	sorted by start
 *	strings					paths, each ended by a 0
 *	(to the next page)
 *	uint32_t outside, then counters		what the kernel writes
 *
 * All offsets are in bytes from the start of the memory. Both sides come from
 * one build; @version catches an old library found by an odd path.
 */
#ifndef PROFIL_RUN_H
#define PROFIL_RUN_H

#include <stdint.h>

#define PROFIL_RUN_MAGIC	0x006e7572666f7270ULL	/* "profrun" */
#define PROFIL_RUN_VERSION	3

/* How far it came, in struct profil_run.state */
enum profil_run_state {
	PROFIL_RUN_EMPTY,	/* no libprofil has seen it */
	PROFIL_RUN_FAILED,	/* see error and message */
	PROFIL_RUN_STARTED,	/* counting since then */
};

/**
 * struct profil_run - header
 * @magic:        PROFIL_RUN_MAGIC
 * @version:      PROFIL_RUN_VERSION
 * @state:        enum profil_run_state, written last
 * @rate:         Hz: as wanted by the command, 0 for the default; from STARTED
 *                on, the true one; if the kernel lowers it meanwhile, the lowest
 *                that a process has seen that came to its end by exit()
 * @pid:          of the process whose run it is: the first to take it; 0: none
 * @error:        errno, if FAILED
 * @text_bytes:   text per counter in bytes. Fixed: 4, as fine as functions begin;
 *                here so that all a reader needs is in the memory itself
 * @start_cpu_ns: CPU time that the process had used when the profile started
 * @end_cpu_ns:   and when it came to its end by exit(); 0 if it did not. What
 *                it uses from there on, giving back its memory, has no pc
 * @forked_cpu_ns: CPU time, from fork to exit(), of the @nr_ended
 * @lost:         samples that the @nr_told could not have counted
 * @forks_denied: children of the @nr_told that are not profiled: the kernel's
 *                forks_denied
 * @lost_error:   why samples were lost, or the profile of one of these processes
 *                ended, last; 0: neither happened
 * @nr_forked:    children of the process, and of its children, so far. Not counted
 *                are those of vfork() and posix_spawn(), which execute another
 *                program before long, and of clone(2) and _Fork() that do not come
 *                to exit()
 * @nr_ended:     how many of them came to exit()
 * @nr_told:      processes, the program included, that came to exit() with the
 *                profile that they were started with, and told what it lost
 * @asked_rate:   the rate that was asked for, in Hz
 * @clock:        PROFIL_CLOCK_*, as wanted by the command
 * @objects:      offset of struct profil_run_object[]
 * @nr_objects:   number of them
 * @outside:      offset of the uint32_t that counts pcs outside all objects
 * @size:         of the whole memory in bytes
 * @message:      what failed and what to do about it, if FAILED
 */
struct profil_run {
	uint64_t magic;
	uint32_t version;
	uint32_t state;
	uint32_t rate;
	int32_t pid;
	int32_t error;
	uint32_t text_bytes;
	uint64_t start_cpu_ns;
	uint64_t end_cpu_ns;
	uint64_t forked_cpu_ns;
	uint64_t lost;
	uint64_t forks_denied;
	uint32_t lost_error;
	uint32_t nr_forked;
	uint32_t nr_ended;
	uint32_t nr_told;
	uint32_t asked_rate;
	uint32_t clock;
	uint64_t objects;
	uint64_t nr_objects;
	uint64_t outside;
	uint64_t size;
	char message[512];
};

/**
 * struct profil_run_object - an executable segment of the program or a library
 * @start:       first pc
 * @end:         first pc behind it
 * @bias:        what was added to the link-time addresses at load
 * @path:        offset of the file's path; "[vdso]" for the kernel's
 * @counters:    offset of uint32_t counters[nr_counters]; counter i stands for
 *               the pcs from start + i * text_bytes on
 * @nr_counters: number of them
 */
struct profil_run_object {
	uint64_t start;
	uint64_t end;
	uint64_t bias;
	uint64_t path;
	uint64_t counters;
	uint64_t nr_counters;
};

#endif /* PROFIL_RUN_H */
