/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the callers of sampled code, by the unwind information of its files and by the words that
 * the kernel has kept of the stack (struct profil_record_stack). It stops where it does not know
 * the caller, and says why; it never guesses.
 *
 * The files may be any user's. So a helper does this (bound.h).
 */
#ifndef PROFIL_UNWIND_H
#define PROFIL_UNWIND_H

#include <linux/profil.h>

#include "record/cfi.h"
#include "record/files.h"
#include "record/spaces.h"

/* Most frames; a stack has fewer, as each takes 8 bytes of 61,440 */
#define UNWIND_MOST	RESULT_MAX_DEPTH

/**
 * struct unwind_frame - code that is executed, or that has called the frame before
 * @file:    number of its file; UNWIND_NO_FILE: it is in none
 * @address: link-time address that tells the function: of the pc, or of the last byte of the call;
 *           in made code, 0. Without a file, RESULT_STACK_*
 */
struct unwind_frame {
	uint64_t address;
	uint32_t file;
	uint32_t unused;
};

#define UNWIND_NO_FILE	RESULT_NO_OBJECT

/**
 * struct unwind_place - what is known of a pc
 * @space: identity of the mappings in which it is; NULL: nothing is known
 */
struct unwind_place {
	const void *space;
	uint64_t pc;
	struct unwind_frame frame;
	const struct cfi_row *row;
};

/* The sampled code of a process has some hundred frames; 192 KiB */
#define UNWIND_PLACES_BITS	12

/**
 * struct unwinder - what has been read of files
 * @cfi:       of each file that was needed, by its number
 * @nr:        number of files
 * @places:    the last ones, by their pcs
 * @positions: of the kept words in the stack that is being unwound
 * @kept:      for each word of the stack, the index that it has if it is at that position
 * @frames:    of the last unwind(), from the innermost one
 */
struct unwinder {
	const struct files *files;
	struct cfi **cfi;
	size_t nr;
	struct unwind_place places[1 << UNWIND_PLACES_BITS];
	uint16_t positions[PROFIL_STACK_BYTES_MAX / 8];
	uint16_t kept[PROFIL_STACK_BYTES_MAX / 8];
	struct unwind_frame frames[UNWIND_MOST];
	size_t nr_frames;
};

/* Prepare to unwind code of these files, which must outlive it. Return: NULL: no memory. */
struct unwinder *unwinder_new(const struct files *files);

/* Free all that was read. */
void unwinder_free(struct unwinder *unwinder);

/**
 * unwind - find the callers of a sample
 * @space: the mappings of its process; NULL: it must not be sampled
 * @stack: of the sample; checked by log_record_check()
 *
 * Sets @unwinder->frames, at least one. The last one has no file, and says why the stack is not
 * complete, unless it is.
 *
 * Return: 0 or -ENOMEM.
 */
int unwind(struct unwinder *unwinder, struct space *space, const struct profil_record_stack *stack);

/* The same for a sample without a stack; no file is read. @space: NULL: no mapping is known */
void unwind_none(struct unwinder *unwinder, struct space *space, uint64_t pc);

#endif /* PROFIL_UNWIND_H */
