/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of a profile for Firefox Profiler, as export_firefox.c prints them.
 */
#ifndef PROFIL_FIREFOX_H
#define PROFIL_FIREFOX_H

#include <stddef.h>
#include <stdint.h>

#include "profile/calls.h"

/* Of a frame; the first one is required */
enum firefox_category { FIREFOX_OTHER, FIREFOX_USER, FIREFOX_KERNEL };

/**
 * struct firefox_frame - an address in one mode
 * @function: index in @functions of the tables; behind them: what is in no function
 * @address:  link-time address
 * @line:     in the source file of the function; 0: unknown
 */
struct firefox_frame {
	size_t function;
	uint64_t address;
	int line;
	enum firefox_category category;
};

/* A frame of a stack, below its caller */
struct firefox_stack {
	size_t frame;	/* index of the frame */
	size_t caller;	/* index of the caller's stack; SIZE_MAX: none */
};

/* The samples of a thread in a stack */
struct firefox_sample {
	uint32_t thread;	/* index in result->threads, or RESULT_NO_THREAD */
	size_t stack;		/* index of the stack */
	uint64_t samples;	/* at least 1 */
};

/**
 * struct firefox_tables - the rows of the tables
 * @calls:       the stacks of the result, if it has any
 * @functions:   the functions of frames: those in stacks, if there are any
 * @nr_others:   number of others: what is outside all objects; with stacks, an enum result_stack
 * @stacks:      without stacks, one of each frame
 * @samples:     sorted by thread and stack
 * @names:       names of the source files
 * @of_function: index of the source file of each function, and of the others; SIZE_MAX: unknown
 * @sources:     private: a tree of the source files
 */
struct firefox_tables {
	struct calls calls;
	const struct symbolized *functions;
	size_t nr_others;
	struct firefox_frame *frames;
	size_t nr_frames;
	struct firefox_stack *stacks;
	size_t nr_stacks;
	struct firefox_sample *samples;
	size_t nr_samples;
	const char **names;
	size_t nr_names;
	size_t *of_function;
	void *sources;
};

/*
 * Make the tables, zero so far, of a result, which must outlive them; they must be released with
 * firefox_tables_release(), even on error. Return: 0 or -ENOMEM.
 */
int firefox_tables_make(struct firefox_tables *tables, const struct symbolized *symbolized);

/* Free the tables. */
void firefox_tables_release(struct firefox_tables *tables);

#endif /* PROFIL_FIREFOX_H */
