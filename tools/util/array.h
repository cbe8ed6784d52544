/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arrays that grow, and that are sorted.
 */
#ifndef PROFIL_ARRAY_H
#define PROFIL_ARRAY_H

#include <stdlib.h>

/* Return: the array with room for one more element, as a power of two is full; NULL: no memory. */
static inline void *array_with_room(void *array, size_t nr, size_t bytes)
{
	return nr & (nr - 1) ? array : reallocarray(array, nr ? 2 * nr : 1, bytes);
}

/**
 * array_append - append an element, which is not set
 * @array: pointer to the elements, which may move; NULL if there is none. Only this appends to it
 * @nr:    number of elements, which is 0 only if none is needed
 *
 * Return: the new element; NULL: no memory, and nothing has changed.
 */
#define array_append(array, nr) ({							\
	typeof(array) array_new = array_with_room((array), (nr), sizeof(*(array)));	\
	if (array_new)									\
		(array) = array_new;							\
	array_new ? &array_new[(nr)++] : NULL;						\
})

/*
 * Search a sorted array. @is_not, an expression of @i, is true up to some index, and false from
 * there on. Return: this index; @nr if it is true for all.
 */
#define array_first_not(nr, i, is_not) ({			\
	size_t array_low = 0, array_high = (nr);		\
	while (array_low < array_high) {			\
		const size_t i = array_low + (array_high - array_low) / 2;	\
		if (is_not)					\
			array_low = i + 1;			\
		else						\
			array_high = i;				\
	}							\
	array_low;						\
})

#endif /* PROFIL_ARRAY_H */
