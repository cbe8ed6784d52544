/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel keeps of a stack, made here of its bytes: a struct profil_record_stack.
 */
#ifndef SIEVE_H
#define SIEVE_H

#include <stdint.h>
#include <string.h>

#include <linux/profil.h>

/* Memory of a record of any size */
union sieve_record {
	struct profil_record_stack stack;
	unsigned char bytes[PROFIL_RECORD_STACK_MAX];
};

/* Ranges of addresses of code, as @text of struct profil_attach */
struct sieve_text {
	uint64_t bounds[4];
};

/* Widen the ranges by a mapping. */
static inline void sieve_map(struct sieve_text *text, uint64_t start, uint64_t end)
{
	uint64_t *bounds = &text->bounds[start >= 0x780000000000 ? 2 : 0];

	/* [vsyscall] */
	if (start >= 0x800000000000)
		return;
	if (!bounds[1] || start < bounds[0])
		bounds[0] = start;
	if (end > bounds[1])
		bounds[1] = end;
}

static inline int sieve_keeps(const struct sieve_text *text, uint64_t sp, uint64_t bytes,
			      uint64_t word)
{
	return word - sp < bytes || (word >= text->bounds[0] && word < text->bounds[1]) ||
	       (word >= text->bounds[2] && word < text->bounds[3]);
}

/**
 * sieve_fill - fill in a record
 * @regs:  by the numbers of DWARF: up to r15, and the pc
 * @words: the stack from its pointer on
 * @nr:    how many; the record has those that the kernel would look at
 */
static inline void sieve_fill(union sieve_record *record, const struct sieve_text *text,
			      const uint64_t regs[17], const uint64_t *words, size_t nr)
{
	static const unsigned int order[PROFIL_STACK_REGS] = { 3, 6, 7, 12, 13, 14, 15 };
	struct profil_record_stack *stack = &record->stack;
	const uint64_t sp = regs[7];
	size_t i, last = 0;

	memset(stack, 0, sizeof(*stack));
	if (nr > PROFIL_STACK_BYTES_MAX / 8) {
		nr = PROFIL_STACK_BYTES_MAX / 8;
		stack->flags |= PROFIL_STACK_CUT;
	}
	stack->sample = (struct profil_record_sample){ .samples = 1, .pc = regs[16] };
	stack->sample.head.type = PROFIL_RECORD_STACK;
	stack->seen_bytes = (uint16_t)(nr * 8);
	for (i = 0; i < PROFIL_STACK_REGS; i++)
		if (regs[order[i]] - sp < nr * 8)
			stack->regs[i] = regs[order[i]];
	stack->regs[PROFIL_STACK_RSP] = sp;
	for (i = 0; i < nr && stack->nr_words < PROFIL_STACK_WORDS_MAX; i++) {
		if (!sieve_keeps(text, sp, nr * 8, words[i]))
			continue;
		stack->words[stack->nr_words++] = words[i] | (uint64_t)(i - last) << 48;
		last = i + 1;
	}
	stack->sample.head.bytes = (uint16_t)(sizeof(*stack) + stack->nr_words * 8);
}

#endif /* SIEVE_H */
