/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs of the fuzzer: short lists of operations with values, which are made
 * at random, varied, and written one operation a line, as in
 *
 *	spread w16 s2 3
 *	set rate 0x4e20
 *	start 0 arg
 *	burn 8
 *	unmap s2 1 4
 *
 * A blank line ends a program; what begins with a # is a comment.
 */
#ifndef FUZZ_PROGRAM_H
#define FUZZ_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define MAX_OPERATIONS	40
#define MAX_VALUES	4

/* A line as text, the longest: a name and four values of 30 characters. */
#define MAX_LINE	160

/* Places in a process that runs programs: so many, of so many pages, to count in */
#define NR_SLOTS	6
#define SLOT_PAGES	8

/* What a value is counted from: see base_names[] for what is written. */
enum base {
	BASE_NUMBER,
	BASE_SLOT,				/* the first of NR_SLOTS */
	BASE_STACK = BASE_SLOT + NR_SLOTS,	/* an array on the stack */
	BASE_DATA,				/* an array in .bss */
	BASE_TEXT,				/* program text */
	BASE_TOP,				/* the end of user memory */
	BASE_ARG,				/* the struct as it should be */
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
	OP_START, OP_STOP, OP_STATUS, OP_INFO, OP_IOCTL,
	OP_BURN, OP_THREAD, OP_FORK, OP_VFORK, OP_SPAWN, OP_CLONE, OP_EXEC,
	OP_USER, OP_OPEN, OP_DUP, OP_CLOSE, OP_PASS,
	NR_KINDS,
};

/* Words that stand for the values of one kind, in this order. */
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

/* Which values an operation takes */
enum type_name {
	TYPE_NONE, TYPE_ANY, TYPE_SLOT, TYPE_PAGES, TYPE_FD, TYPE_MILLISECONDS,
	TYPE_INDEX, TYPE_REGIONS, TYPE_MAP_KIND, TYPE_WIDTH, TYPE_PROTECTION,
	TYPE_ADVICE, TYPE_REMAP, TYPE_FIELD, TYPE_REGION,
	NR_TYPES,
};

/*
 * What a value may be: one of some words; else a number below a limit; else, with
 * the limit 0, anything.
 */
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

/* Random numbers, the same for a seed. */
void random_seed(uint64_t seed);
uint64_t random_below(uint64_t limit);

/* How often it is put into programs */
unsigned int operation_weight(enum operation_kind kind);

/* Of its value number @i; NULL: it has no more. */
const struct type *operation_type(enum operation_kind kind, unsigned int i);
bool type_is(const struct type *type, enum type_name name);

/* Make one from nothing: mostly one that gets a profile going. */
void program_make(struct program *program);

/* Change one a little; @other: one to take operations from. */
void program_vary(struct program *program, const struct program *other);

void program_print(FILE *out, const struct program *program, unsigned int from,
		   const char *before);

/*
 * Read the next one. Return: 1; 0: there is none; -1: a line is none, which
 * stderr has been told.
 */
int program_read(FILE *in, struct program *program);

#endif /* FUZZ_PROGRAM_H */
