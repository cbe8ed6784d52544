/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes the bytes of mon.out files for any word size and byte order.
 */
#ifndef MADE_MONOUT_H
#define MADE_MONOUT_H

#include <stdlib.h>

#include <monout/monout.h>

/* A file to append to. Set @layout, and clear the rest. */
struct made_monout {
	struct monout_layout layout;
	unsigned char *bytes;	/* from malloc() */
	size_t nr;
};

static inline void put_number(struct made_monout *made, uint64_t number, unsigned int bytes)
{
	unsigned int i;

	made->bytes = realloc(made->bytes, made->nr + bytes);
	for (i = 0; i < bytes; i++)
		made->bytes[made->nr + (made->layout.is_big ? bytes - 1 - i : i)] =
			(unsigned char)(number >> 8 * i);
	made->nr += bytes;
}

static inline void put_words(struct made_monout *made, const uint64_t *words, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		put_number(made, words[i], made->layout.word_bytes);
}

static inline void put_counters(struct made_monout *made, const unsigned int *counters, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		put_number(made, counters[i], 2);
}

#endif /* MADE_MONOUT_H */
