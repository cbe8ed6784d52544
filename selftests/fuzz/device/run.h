/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The process that runs a program, and the memory that it shares with the fuzzer.
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

/* Descriptor of struct shared; it stays open across exec. */
#define SHARED_FD	90

/* PROFIL_IOC_* by number, and others */
#define COMMAND_UNKNOWN	6
#define COMMAND_READ	7
#define NR_COMMANDS	8

#define MAX_FILES	320	/* see open_device() */
#define MAX_ALLOWED	128
#define MAX_ERROR	134	/* errnos */

struct range {
	uint64_t start;
	uint64_t end;
};

/**
 * struct open_file - an open file of the device
 * @samples:  samples that were read from its log
 * @attached: a process was attached to it
 * @first:    how
 */
struct open_file {
	uint64_t samples;
	uint32_t attached;
	struct profil_attach first;
};

/**
 * struct shared - memory of the fuzzer and of all processes of all programs
 * @results:   how often each command returned each result
 * @skipped:   starts skipped because they might overwrite the fuzzer's memory
 * @samples:   samples of stopped profiles
 * @samples_read: samples read from logs
 * @after:     whether an operation has failed with an error after another operation
 * @failure:   text of the first failure
 *
 * Since the start of the program:
 *
 * @processes: processes created
 * @signals:   a profile with PROFIL_FAULT_SIGNAL was started
 * @anything:  @allowed is full: counters may be anywhere
 * @nr_allowed: number of ranges
 * @allowed:   where counters may have been written
 * @nr_files:  number of open files
 * @files:     open files
 */
struct shared {
	uint64_t results[NR_COMMANDS][NR_RESULTS];
	uint64_t skipped;
	uint64_t samples;
	uint64_t samples_read;
	uint8_t after[NR_KINDS][NR_KINDS][MAX_ERROR];
	char failure[256];
	uint32_t processes;
	uint32_t signals;
	uint32_t anything;
	uint32_t nr_allowed;
	struct range allowed[MAX_ALLOWED];
	uint32_t nr_files;
	struct open_file files[MAX_FILES];
};

extern struct shared *shared;

/* Record the first failure, and exit. */
void failure(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

/* Block or unblock SIGSEGV: it is blocked across exec, until the new program handles it. */
void hold_fault_signal(bool held);

/* Run a program from operation @from on, and exit: with status 0, or 1 after a failure. */
void run(const struct program *program, unsigned int from)
	__attribute__((noreturn));

/* --- arena.c: memory for counters ------------------------------------------ */

/* Map the slots: anonymous memory, all 0. */
void arena_init(void);

/* Run an operation from OP_MAP to OP_TOUCH. Return: 0 or an errno. */
int arena_do(const struct operation *operation);

uint64_t arena_slot(unsigned int slot);

/* The program's text, which must not be written */
uint64_t arena_text(void);
uint64_t arena_text_end(void);

/* Allow counters in a range. */
void arena_allow(uint64_t addr, uint64_t bytes);

/* Whether counters in a range cannot overwrite the fuzzer's own memory */
bool arena_is_ours(uint64_t addr, uint64_t bytes);

/* Copy a range of at most 16 pages, as far as it is readable. Return: bytes copied. */
size_t arena_read(void *to, uint64_t from, size_t bytes);

/* Check that all bytes where no counter may be are 0. */
void arena_check(void);

uint64_t address_of(const struct value *value);

extern char data_pages[], *stack_pages;
#define OWN_BYTES	(4 * PAGE_BYTES)	/* of data and stack */

/* --- calls.c: the device --------------------------------------------------- */

void calls_init(void);

/* Run an operation from OP_COUNT to OP_READ. Return: 0 or an errno. */
int calls_do(const struct operation *operation);

/* Stop the profile, and check its status. */
void calls_stop(void);

/* Check and count the result of a command. @may: set of allowed results. Return: @error */
int judge(unsigned int command, int error, unsigned int may);

/* Return: 0 or an errno. */
int call_device(int fd, unsigned long command, uint64_t argument);

/*
 * Room for an argument, all 0, at the end of a mapping. check_margin(): nothing was written
 * before it.
 */
#define ROOM_BYTES	(16 * PAGE_BYTES)
char *place_room(size_t bytes);
void check_margin(const char *at);

/* --- attach.c: ATTACH and read --------------------------------------------- */

/* @number: of the open file. Return: 0 or an errno. */
int attach_do(int fd, unsigned int number, const struct operation *operation, uint32_t clock);
int attach_read(int fd, unsigned int number, uint64_t bytes);

/* --- processes.c: threads, processes and descriptors ----------------------- */

#define NR_FDS	4
extern int fds[NR_FDS];		/* -1: closed */
extern unsigned int opened[NR_FDS];	/* numbers of their open files */

/* Open the first descriptor. */
void processes_init(void);

/* Run operation @at of @program, from OP_BURN to OP_PASS. Return: 0 or an errno. */
int processes_do(const struct program *program, unsigned int at);

/* Wait for the threads and children. */
void processes_end(void);

/* --- kcov.c: coverage ------------------------------------------------------ */

/* Return: whether the kernel has kcov. */
bool kcov_init(void);

/* Trace the calling thread until it exits. */
void kcov_begin(void);

/* Return: number of places covered for the first time since the last call. */
unsigned int kcov_new(void);
void kcov_forget(void);

/* Return: number of places covered since kcov_forget(). */
unsigned int kcov_places(void);

#endif /* FUZZ_RUN_H */
