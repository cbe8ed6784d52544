/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Running a program of the fuzzer, in a process of its own and those that it
 * makes; what these tell the fuzzer; and the parts that this is made of.
 */
#ifndef FUZZ_RUN_H
#define FUZZ_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/profil.h>

#include "program.h"
#include "rules.h"

#define PAGE_BYTES	4096ULL

/* The descriptor of struct shared, which a program that executes keeps. */
#define SHARED_FD	90

#define NR_COMMANDS	5	/* PROFIL_IOC_* by number, and unknown ones */
#define MAX_ALLOWED	128
#define MAX_ERROR	134	/* errnos */

struct range {
	uint64_t start;
	uint64_t end;
};

/*
 * What all processes of all programs share with the fuzzer
 * @results:   of each command, how often it returned what
 * @skipped:   starts that would have counted into the fuzzer itself
 * @samples:   that stopped profiles have had
 * @after:     whether an operation ever had an error behind a certain other one
 * @failure:   what broke a promise first, in words
 * From here on, since the program began:
 * @processes: how many it has made
 * @signals:   a profile with PROFIL_FAULT_SIGNAL was started
 * @anything:  there is no room for more ranges
 * @allowed:   where counters may have been written
 */
struct shared {
	uint64_t results[NR_COMMANDS][NR_RESULTS];
	uint64_t skipped;
	uint64_t samples;
	uint8_t after[NR_KINDS][NR_KINDS][MAX_ERROR];
	char failure[256];
	uint32_t processes;
	uint32_t signals;
	uint32_t anything;
	uint32_t nr_allowed;
	struct range allowed[MAX_ALLOWED];
};

extern struct shared *shared;

/* Tell what broke a promise, and end this process. */
void failure(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

/*
 * Have the signal of a profile that ends wait for this thread, or not: from before it
 * executes a program until that catches it.
 */
void hold_fault_signal(bool held);

/*
 * Run a program from an operation on, in this process, which ends with it: with
 * status 0, or 1 after a failure.
 */
void run(const struct program *program, unsigned int from)
	__attribute__((noreturn));

/* --- arena.c: memory to count in ------------------------------------------- */

/* Slots as they are at the beginning: anonymous memory, all 0 */
void arena_init(void);

/* An OP_MAP to OP_TOUCH. 0 or errno. */
int arena_do(const struct operation *operation);

uint64_t arena_slot(unsigned int slot);

/* The program's own text, which is not to be written */
uint64_t arena_text(void);
uint64_t arena_text_end(void);

/* From here on, counts may be in these bytes. */
void arena_allow(uint64_t addr, uint64_t bytes);

/* Whether all of a range may be counted in: no part of the fuzzer would be hit. */
bool arena_is_ours(uint64_t addr, uint64_t bytes);

/* Copy as much as can be read of a range of at most 16 pages. Return: how much. */
size_t arena_read(void *to, uint64_t from, size_t bytes);

/* All bytes that may not have been counted in must be 0. */
void arena_check(void);

uint64_t address_of(const struct value *value);

extern char data_pages[], *stack_pages;
#define OWN_BYTES	(4 * PAGE_BYTES)	/* of data and stack */

/* --- calls.c: the device --------------------------------------------------- */

void calls_init(void);

/* An OP_COUNT to OP_IOCTL. 0 or errno. */
int calls_do(const struct operation *operation);

/* End the profile, and check its figures. */
void calls_stop(void);

/* --- processes.c: threads, processes and descriptors ----------------------- */

#define NR_FDS	4
extern int fds[NR_FDS];		/* -1: closed */

/* Open the first descriptor. */
void processes_init(void);

/* An OP_BURN to OP_PASS. 0 or errno. @at: the operation, of @program. */
int processes_do(const struct program *program, unsigned int at);

/* Wait for the threads and children. */
void processes_end(void);

/* --- kcov.c: coverage ------------------------------------------------------ */

/* Whether the kernel can tell what it runs. */
bool kcov_init(void);

/* From here on, of this thread, until it ends */
void kcov_begin(void);

/* New places that were reached since the last call. */
unsigned int kcov_new(void);
void kcov_forget(void);

/* All places reached since kcov_forget(). */
unsigned int kcov_places(void);

#endif /* FUZZ_RUN_H */
