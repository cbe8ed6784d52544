/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arrays that grow.
 */
#ifndef PROFIL_ARRAY_H
#define PROFIL_ARRAY_H

#include <stdlib.h>

#define ARRAY_FIRST_ROOM	64

/**
 * array_with_room - make room for one more element
 * @array: from this function, or NULL
 * @nr:    number of elements in use
 * @room:  number of elements that it has room for; doubled if it is full
 * @bytes: size of an element
 *
 * Return: the array, which may have moved; NULL: no memory, and @array and @room are as before.
 */
static inline void *array_with_room(void *array, size_t nr, size_t *room, size_t bytes)
{
	const size_t more = *room ? 2 * *room : ARRAY_FIRST_ROOM;
	void *larger;

	if (array && nr < *room)
		return array;
	larger = reallocarray(array, more, bytes);
	if (larger)
		*room = more;
	return larger;
}

#endif /* PROFIL_ARRAY_H */
