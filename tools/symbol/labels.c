// SPDX-License-Identifier: GPL-2.0-only
/*
 * Symbols without a size.
 *
 * Authors of assembler code often omit .size, and name the targets of jumps so that they remain
 * in the symbol table. A sample in a loop should then count for the function, not for a piece
 * of it.
 */
#include <stdbool.h>
#include <string.h>

#include "symbol/labels.h"
#include "symbol/symtab.h"

/*
 * The longest code after a label of which nothing else tells the end. A library without a symbol
 * table may have the code of a whole directory of assembler files after its one exported symbol.
 */
#define MAX_UNSIZED	4096

static bool starts_at(const struct range *range, uint64_t start)
{
	return range && range->start == start;
}

/* Whether a label belongs to the function that a frame describes */
static bool is_in_named_frame(const struct range *label, const struct range *frame,
			      const struct ranges *sized, const struct ranges *labels)
{
	if (!frame || frame->start == label->start || label->rank == SYMTAB_FUNCTION)
		return false;
	return starts_at(ranges_below(sized, frame->start), frame->start) ||
	       starts_at(ranges_below(labels, frame->start), frame->start);
}

/* Whether a local label belongs to @before, the function before it that has no known end */
static bool is_part_of(const struct range *label, const struct range *before)
{
	if (!label->local || label->rank != SYMTAB_LABEL)
		return false;
	/* the C runtime has local functions without a size, and the program's code follows */
	if (before->local && before->number != label->number)
		return false;
	if (before->rank != SYMTAB_LABEL)
		return true;
	return label->length > before->length && label->name[before->length] == '.' &&
	       !memcmp(label->name, before->name, (size_t)before->length);
}

static void end_at(struct range *label, uint64_t end)
{
	if (end < label->end)
		label->end = end;
}

/* @last: the last label that belongs to @label, or its start */
static void limit_unsized(struct range *label, uint64_t last)
{
	if (label->end > last && label->end - last > MAX_UNSIZED)
		label->end = last + MAX_UNSIZED;
}

/* End a label where another function begins, or where its unwind information ends. */
static void limit(struct range *label, const struct range *frame, const struct ranges *sized,
		  const struct ehframe *frames)
{
	const struct range *next;
	uint64_t start;

	next = ranges_above(sized, label->start);
	if (next)
		end_at(label, next->start);
	if (ehframe_above(frames, label->start, &start))
		end_at(label, start);
	if (frame)
		end_at(label, frame->end);
}

void labels_finish(struct ranges *labels, const struct ranges *sized,
		   const struct ehframe *frames)
{
	struct ranges kept = *labels;
	struct range *before = NULL;
	uint64_t last = 0;	/* of @before: as for limit_unsized() */
	size_t i;

	ranges_finish(labels);
	kept = *labels;
	kept.nr = 0;
	for (i = 0; i < labels->nr; i++) {
		struct range label = labels->range[i], around;
		const struct range *frame;

		if (ranges_covering(sized, label.start))
			continue;
		frame = ehframe_covering(frames, label.start, &around) ? &around : NULL;
		/* the names of frames are among the labels that were kept */
		if (is_in_named_frame(&label, frame, sized, &kept))
			continue;
		if (before && before->end > label.start) {
			if (is_part_of(&label, before)) {
				last = label.start;
				continue;
			}
			before->end = label.start;
		}
		if (before)
			limit_unsized(before, last);
		limit(&label, frame, sized, frames);
		last = label.start;
		before = &kept.range[kept.nr++];
		*before = label;
	}
	if (before)
		limit_unsized(before, last);
	*labels = kept;
	ranges_finish(labels);
}
