// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which instructions of a section are shown.
 *
 * Instructions of x86 have any length, so they are read one after the other from the start of a
 * function. The result has exact addresses: an instruction begins at each of them. One that would
 * contain such an address is data, or was read from a wrong start, and is shown as bytes. So no
 * sample is moved to another instruction.
 */
#include <stddef.h>
#include <string.h>

#include "report/instructions.h"

/* Instructions without samples that are shown before and after those with samples */
#define CONTEXT		4

/* Code without samples that is longer is not read to find the instructions before a sample. */
#define MAX_GAP		((uint64_t)1 << 20)

/* The way through a section */
struct walk {
	const struct instructions *of;	/* what to show */
	uint64_t next;	/* address of the next instruction */
	uint64_t kept[CONTEXT];	/* addresses before it that were not shown, the last of them */
	size_t nr_kept;	/* number of @kept */
	size_t after;	/* so many are shown without samples */
	bool is_gap;	/* instructions were left out before @kept */
	bool is_begun;
	int error;	/* of a callback */
};

/* @instruction: NULL: the file has none there */
static void show(struct walk *walk, uint64_t address, uint64_t samples,
		 const struct instruction *instruction)
{
	const struct shown_instruction shown = {
		.address = address,
		.samples = samples,
		.instruction = instruction,
		.after_gap = walk->is_gap && walk->is_begun,
	};

	if (!walk->error)
		walk->error = walk->of->show(walk->of->data, &shown);
	walk->is_gap = false;
	walk->is_begun = true;
}

/* Show the instructions that were kept, before one with samples. */
static void show_kept(struct walk *walk, uint64_t end)
{
	size_t i;

	for (i = 0; i < walk->nr_kept; i++) {
		const uint64_t until = i + 1 < walk->nr_kept ? walk->kept[i + 1] : end;
		struct instruction instruction;

		if (disassembler_read(walk->of->disassembler, walk->kept[i], until, &instruction))
			show(walk, walk->kept[i], 0, &instruction);
	}
	walk->nr_kept = 0;
}

static void keep(struct walk *walk, uint64_t address)
{
	if (walk->nr_kept == CONTEXT) {
		memmove(&walk->kept[0], &walk->kept[1], (CONTEXT - 1) * sizeof(walk->kept[0]));
		walk->nr_kept--;
		walk->is_gap = true;
	}
	walk->kept[walk->nr_kept++] = address;
}

static bool is_wanted(struct walk *walk, uint64_t address)
{
	int found = walk->of->is_wanted ? walk->of->is_wanted(walk->of->data, address) : 1;

	if (found < 0)
		walk->error = found;
	return found > 0;
}

/*
 * Show or keep the next instruction, which has no samples. @end: what begins there is no part of
 * it. Return: false: the file has none, or there is an error.
 */
static bool step(struct walk *walk, uint64_t end)
{
	const uint64_t address = walk->next;
	struct instruction instruction;

	/* is_wanted() looks up other addresses, but reads no instruction */
	if (walk->error ||
	    !disassembler_read(walk->of->disassembler, address, end, &instruction))
		return false;
	walk->next += instruction.bytes;
	if (!is_wanted(walk, address)) {
		walk->nr_kept = 0;
		walk->is_gap = true;
	} else if (walk->after || walk->of->all) {
		show(walk, address, 0, &instruction);
		walk->after -= !!walk->after;
	} else {
		keep(walk, address);
	}
	return true;
}

/* Go on to an address with samples, with the instructions before it. */
static void pass(struct walk *walk, uint64_t end)
{
	if (!walk->of->all && end - walk->next > MAX_GAP) {
		walk->next = end;
		walk->is_gap = true;
		return;
	}
	while (walk->next < end && step(walk, end))
		;
	show_kept(walk, end);
}

/* Show an address with samples. @end: of what can be its instruction */
static void show_count(struct walk *walk, const struct result_count *count, uint64_t end)
{
	struct instruction instruction;
	bool has_instruction = false;

	if (walk->of->disassembler) {
		pass(walk, count->address);
		has_instruction = disassembler_read(walk->of->disassembler, count->address, end,
						    &instruction);
	}
	show(walk, count->address, count->samples, has_instruction ? &instruction : NULL);
	walk->next = count->address + (has_instruction ? instruction.bytes : 1);
	walk->after = CONTEXT;
}

int instructions_show(const struct instructions *instructions)
{
	const struct section *section = instructions->section;
	const uint64_t end = section->function.end;
	struct walk walk = { .of = instructions, .next = section->function.start };
	size_t i;

	for (i = 0; !walk.error && i < section->nr_counts; i++)
		show_count(&walk, &section->counts[i],
			   i + 1 < section->nr_counts ? section->counts[i + 1].address : end);
	while (instructions->disassembler && (walk.after || instructions->all) && walk.next < end &&
	       step(&walk, end))
		;
	return walk.error;
}
