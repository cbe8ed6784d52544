// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unwinds a stack of this process a hundred times, for ../host/cost_test.sh, which counts the
 * instructions of step_unwind(). Prints how many frames that are.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <record/unwind.h>

#include "support/mapped.h"
#include "support/recurse.h"

#define DEPTH	20	/* of a compiler's stacks */
#define ABOVE	512	/* bytes above the frame of main() that its callers have */
#define STACKS	100

static union sieve_record record;
static struct mapped mapped;
static const char *end;

void step_unwind(struct unwinder *unwinder);

/* Make the record of this stack. */
static void __attribute__((noinline)) take(void)
{
	/* by the numbers of DWARF */
	static const int order[17] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};
	static uint64_t words[PROFIL_STACK_BYTES_MAX / 8];
	ucontext_t context;
	uint64_t regs[17];
	size_t bytes, i;

	getcontext(&context);
	for (i = 0; i < 17; i++)
		regs[i] = (uint64_t)context.uc_mcontext.gregs[order[i]];
	bytes = (size_t)((uintptr_t)end - regs[7]);
	if (bytes > sizeof(words))
		bytes = sizeof(words);
	memcpy(words, (const void *)(uintptr_t)regs[7], bytes);
	sieve_fill(&record, &mapped.text, regs, words, bytes / 8);
	sink++;
}

void __attribute__((noinline)) step_unwind(struct unwinder *unwinder)
{
	int i;

	for (i = 0; i < STACKS; i++)
		if (unwind(unwinder, mapped.space, &record.stack))
			errx(1, "no memory");
}

int main(void)
{
	struct unwinder *unwinder;

	files_init(&mapped.files);
	mapped.space = space_new();
	if (!mapped.space || procmaps_read(getpid(), mapped_add, &mapped))
		errx(1, "no mappings");
	end = (const char *)__builtin_frame_address(0) + ABOVE;
	recurse(DEPTH, take);
	unwinder = unwinder_new(&mapped.files);
	/* reads the files */
	if (!unwinder || unwind(unwinder, mapped.space, &record.stack) ||
	    unwinder->frames[unwinder->nr_frames - 1].file == UNWIND_NO_FILE)
		errx(1, "the stack is not complete");
	step_unwind(unwinder);
	printf("%zu\n", unwinder->nr_frames * STACKS);
	unwinder_free(unwinder);
	space_put(mapped.space);
	files_release(&mapped.files);
	return 0;
}
