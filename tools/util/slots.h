/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hash tables of the elements of an array, which keep its order. The slots have indexes of the
 * array, at which the caller compares. Hashing is multiplicative, with linear probing; at least a
 * third of the slots is unused.
 */
#ifndef PROFIL_SLOTS_H
#define PROFIL_SLOTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SLOTS_FIRST_BITS	6
#define SLOTS_MOST_BITS		31	/* indexes have 32 bits */

/* The slots; all zero if empty */
struct slots {
	uint32_t *slots;	/* 1 plus an index of the array; 0: unused */
	unsigned int bits;	/* binary logarithm of their number */
};

/* Return: how many elements there is room for, in the slots and the array. */
static inline size_t slots_room(const struct slots *slots)
{
	return slots->slots ? ((size_t)1 << slots->bits) / 3 * 2 : 0;
}

/**
 * slots_find - find an element
 * @of:    the table, which has slots
 * @key:   the same for equal elements
 * @is_it: expression: whether the element with the index @i is equal
 *
 * Return: its slot, or the unused one that it can have.
 */
#define slots_find(of, key, i, is_it) ({						\
	const struct slots *slots_of = (of);						\
	const size_t slots_mask = ((size_t)1 << slots_of->bits) - 1;			\
	/* 2^64 divided by the golden ratio: neighbours get distant slots */		\
	size_t slots_at = (size_t)((key) * 0x9e3779b97f4a7c15 >> (64 - slots_of->bits));	\
	for (;; slots_at = (slots_at + 1) & slots_mask) {				\
		const size_t i = (size_t)slots_of->slots[slots_at] - 1;			\
		if (!slots_of->slots[slots_at] || (is_it))				\
			break;								\
	}										\
	&slots_of->slots[slots_at];							\
})

/*
 * Double the room. The slots are unused afterwards: the caller fills them. The array, in which
 * @slots_room() elements have room, may move. Return: whether there was memory; if not, all is as
 * before.
 */
static inline bool slots_grow(struct slots *slots, void **array, size_t bytes)
{
	struct slots larger = { .bits = slots->slots ? slots->bits + 1 : SLOTS_FIRST_BITS };
	void *more = NULL;

	if (larger.bits <= SLOTS_MOST_BITS)
		larger.slots = calloc((size_t)1 << larger.bits, sizeof(*larger.slots));
	if (larger.slots)
		more = reallocarray(*array, slots_room(&larger), bytes);
	if (!more) {
		free(larger.slots);
		return false;
	}
	free(slots->slots);
	*slots = larger;
	*array = more;
	return true;
}

/* Fill unused slots. @slot: expression: that of the element with the index @i, from slots_find() */
#define slots_fill(nr, i, slot) ({							\
	size_t i;									\
	for (i = 0; i < (nr); i++)							\
		*(slot) = (uint32_t)(i + 1);						\
})

/**
 * slots_make_room - make room for one more element
 * @of:    the table
 * @array: of @nr elements; may move
 * @slot:  as for slots_fill()
 *
 * Return: whether there was memory; if not, all is as before.
 */
#define slots_make_room(of, array, nr, i, slot) ({					\
	bool slots_has_room = (nr) < slots_room(of);					\
	if (!slots_has_room && slots_grow(of, (void **)&(array), sizeof(*(array)))) {	\
		slots_fill(nr, i, slot);						\
		slots_has_room = true;							\
	}										\
	slots_has_room;									\
})

#endif /* PROFIL_SLOTS_H */
