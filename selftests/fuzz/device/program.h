/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs of the fuzzer: short lists of operations with values. They are generated at
 * random, mutated, and written with one operation per line:
 *
 *	spread w16 s2 3
 *	set rate 0x4e20
 *	start 0 arg
 *	burn 8
 *	unmap s2 1 4
 *
 * A blank line ends a program. Lines that begin with # are comments.
 */
#ifndef FUZZ_PROGRAM_H
#define FUZZ_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define MAX_OPERATIONS	40
#define MAX_VALUES	6

/* Longest line: a name and five values of 30 characters */
#define MAX_LINE	190

/* Places for counters in a process that runs a program, and pages in each */
#define NR_SLOTS	6
#define SLOT_PAGES	8

/* What a value is relative to; base_names[] has the text of each. */
enum base {
	BASE_NUMBER,
	BASE_SLOT,				/* the first of NR_SLOTS */
	BASE_STACK = BASE_SLOT + NR_SLOTS,	/* an array on the stack */
	BASE_DATA,				/* an array in .bss */
	BASE_TEXT,				/* program text */
	BASE_TOP,				/* the end of user memory */
	BASE_ARG,				/* a valid argument of a command */
	BASE_REGIONS,				/* the array of regions */
	NR_BASES,
};

struct value {
	enum base base;
	uint64_t offset;
};

enum operation_kind {
	OP_MAP, OP_UNMAP, OP_PROTECT, OP_ADVISE, OP_REMAP, OP_TRUNCATE, OP_WP,
	OP_TOUCH,
	OP_COUNT, OP_SPREAD, OP_TIGHT, OP_LOG, OP_SET, OP_REGION, OP_TAIL,
	OP_START, OP_STOP, OP_STATUS, OP_INFO, OP_LOG_STATUS, OP_IOCTL, OP_ATTACH, OP_READ,
	OP_BURN, OP_THREAD, OP_FORK, OP_VFORK, OP_SPAWN, OP_CLONE, OP_EXEC,
	OP_USER, OP_OPEN, OP_DUP, OP_CLOSE, OP_PASS,
	NR_KINDS,
};

/* Values that are written as words, in the order of the words in program.c */
enum map_kind {
	KIND_ANON, KIND_SHARED, KIND_MEMFD, KIND_HUGE, KIND_FILE_PRIVATE,
	KIND_FILE_SHARED, KIND_NONE, KIND_READ, KIND_DOWN, KIND_SECRET, KIND_LOCKED,
	NR_MAP_KINDS,
};

enum start_field {
	FIELD_SIZE, FIELD_FLAGS, FIELD_RATE, FIELD_WIDTH, FIELD_OVERFLOW,
	FIELD_NR_REGIONS, FIELD_REGIONS, FIELD_LIMIT, FIELD_CATCH_ALL, FIELD_LOG,
	FIELD_LOG_BYTES, FIELD_CLOCK, FIELD_RESERVED,
	NR_FIELDS,
};

enum region_field {
	REGION_START, REGION_END, REGION_OFFSET, REGION_BUF, REGION_BYTES,
	REGION_SCALE, REGION_ROUNDING,
	NR_REGION_FIELDS,
};

/*
 * What ATTACH gets: this process and its memory; the process ID of the parent; or instead of
 * the memory: /dev/null, a descriptor by O_PATH, one that is not open
 */
enum process {
	PROCESS_SELF, PROCESS_PARENT, PROCESS_NULL, PROCESS_PATH, PROCESS_CLOSED,
	NR_PROCESSES,
};

/* Which values an operation takes */
enum type_name {
	TYPE_NONE, TYPE_ANY, TYPE_SLOT, TYPE_PAGES, TYPE_FD, TYPE_MILLISECONDS,
	TYPE_INDEX, TYPE_REGIONS, TYPE_MAP_KIND, TYPE_WIDTH, TYPE_PROTECTION,
	TYPE_ADVICE, TYPE_REMAP, TYPE_FIELD, TYPE_REGION, TYPE_PROCESS,
	NR_TYPES,
};

/* Valid values: one of @words, if there are any; a number below @limit; 0: any number. */
struct type {
	const char *const *words;
	unsigned int limit;
	bool is_slot;
};

struct operation {
	enum operation_kind kind;
	struct value values[MAX_VALUES];
};

struct program {
	unsigned int nr;
	struct operation operations[MAX_OPERATIONS];
};

/* Pseudo-random numbers, determined by the seed */
void random_seed(uint64_t seed);
uint64_t random_below(uint64_t limit);

/* Relative frequency in random programs */
unsigned int operation_weight(enum operation_kind kind);

/* Type of value number @i; NULL: there are no more values. */
const struct type *operation_type(enum operation_kind kind, unsigned int i);
bool type_is(const struct type *type, enum type_name name);

/* Generate a program, usually one that starts a profile. */
void program_make(struct program *program);

/* Mutate a program; some operations are taken from @other. */
void program_vary(struct program *program, const struct program *other);

void program_print(FILE *out, const struct program *program, unsigned int from, const char *before);

/* Read the next program. Return: 1; 0: end of file; -1: invalid line, reported on stderr. */
int program_read(FILE *in, struct program *program);

#endif /* FUZZ_PROGRAM_H */
