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

/*
 * So much waits at most. A helper has to read the files anew, which takes some milliseconds, and to
 * unwind: some 900 instructions a frame, 60 million for 3,300 stacks of cc1, a tenth of a second in
 * which the log is not read. It has room for a second.
 */
#define STACKS_WAIT_BYTES	((size_t)4 << 20)

struct late_stack;

/**
 * struct stacks - stacks; all zero if empty
 * @is_used: records have stacks, so each sample has a node
 * @tree:    those that were unwound
 * @first:   those that wait, in the order in which they came
 * @end:     where the next one goes
 * @nr:      how many wait
 * @bytes:   memory that they take
 */
struct stacks {
	bool is_used;
	struct stack_tree tree;
	struct late_stack *first;
	struct late_stack **end;
	size_t nr;
	size_t bytes;
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
 * stacks_settle - unwind all that waits
 * @files: where the code is
 *
 * Without a helper, the stacks are as if the kernel had none of them.
 *
 * Return: 0 or -ENOMEM.
 */
int stacks_settle(struct stacks *stacks, const struct files *files);

void stacks_release(struct stacks *stacks);

#endif /* PROFIL_STACKS_H */
