/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks of a recording. Records of stacks wait with the mappings that their processes had,
 * until a helper unwinds all of them: a hostile file must not be read by this process (bound.h).
 */
#ifndef PROFIL_STACKS_H
#define PROFIL_STACKS_H

#include <stdbool.h>

#include <linux/profil.h>

#include "record/files.h"
#include "record/spaces.h"
#include "record/stack_tree.h"
#include "util/helper.h"

/*
 * So much waits before a helper is started. It has to read the files anew, which takes some
 * milliseconds, and to unwind: some 350 instructions a frame, 28 million for 3,300 stacks of cc1.
 * Meanwhile the log is read, unless so much more comes that memory would be short.
 */
#define STACKS_WAIT_BYTES	((size_t)4 << 20)
#define STACKS_MOST_BYTES	((size_t)64 << 20)

struct late_stack;

/**
 * struct late_stacks - stacks in the order in which they came; all zero if empty
 * @end:   where the next one goes
 * @nr:    number of stacks
 * @bytes: memory that they take
 */
struct late_stacks {
	struct late_stack *first;
	struct late_stack **end;
	size_t nr;
	size_t bytes;
};

/**
 * struct stacks - stacks; all zero if empty
 * @is_used: records have stacks, so each sample has a node
 * @tree:    those that were unwound
 * @waiting: those that wait
 * @batch:   those that a helper unwinds
 * @helper:  it
 * @found:   file in memory for what it finds; negative: none
 * @log:     descriptor that it must not keep open; 0: none
 */
struct stacks {
	bool is_used;
	struct stack_tree tree;
	struct late_stacks waiting;
	struct late_stacks batch;
	struct helper helper;
	int found;
	int log;
};

/**
 * stacks_add - add a sample that has been counted
 * @space:  the mappings of its process now; NULL: it must not be sampled
 * @sample: may be a struct profil_record_stack; else it has no stack
 * @part:   the samples and their thread
 *
 * Return: 0 or -ENOMEM.
 */
int stacks_add(struct stacks *stacks, struct space *space,
	       const struct profil_record_sample *sample, const struct result_part *part);

/**
 * stacks_settle - unwind what waits
 * @files: where the code is
 * @wait:  until all is unwound; else a helper is started if enough waits
 *
 * Without a helper, the stacks are as if the kernel had none of them.
 *
 * Return: 0 or -ENOMEM.
 */
int stacks_settle(struct stacks *stacks, const struct files *files, bool wait);

void stacks_release(struct stacks *stacks);

#endif /* PROFIL_STACKS_H */
