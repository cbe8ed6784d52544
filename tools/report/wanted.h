/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_WANTED_H
#define PROFIL_WANTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/symbols.h"

/**
 * struct wanted - the functions that a user wants to see
 * @name:         their name, as the report shows it, whose parameters may be omitted; or an address
 *                in a function, in hexadecimal with 0x; or SYMBOLIZE_REST: code in no function
 * @keep_mangled: the demangled names of functions are not compared with it
 * @inlined:      also copies that are inlined into other functions
 * @bare:         the name may also lack what the compiler appended to that of a function
 *                (shorten_copy()), and anything in brackets (shorten_bare())
 * @names:        private: a tree of the names that were compared
 */
struct wanted {
	const char *name;
	bool keep_mangled;
	bool inlined;
	bool bare;
	void *names;
};

/* How an address belongs to the wanted functions */
enum belonging {
	BELONGS_NOT,
	BELONGS_OWN,		/* such a function has the code */
	BELONGS_INLINED,	/* it is inlined there */
};

/**
 * wanted_find - find the function at an address, and whether it is wanted
 * @wanted:   the members before @names are set, others are zero before the first call; must be
 *            released with wanted_release(), even on error
 * @symbols:  the symbols; the same in all calls
 * @function: filled in with the function that has the code; with the address alone if none is known
 *
 * Return: an enum belonging, or -ENOMEM.
 */
int wanted_find(struct wanted *wanted, struct symbols *symbols, size_t object, uint64_t address,
		struct function *function);

/*
 * Of the functions at an address where wanted ones are inlined (BELONGS_INLINED), count those that
 * are in the outermost of these, and itself. @frames: from symbols_frames(). Return: their number;
 * 0: it is not inlined; or -ENOMEM.
 */
int wanted_count_frames(struct wanted *wanted, const struct source_frame *frames, size_t nr);

/* Whether a symbol or its demangled name is wanted. */
bool wanted_is_named(const struct wanted *wanted, const char *symbol);

/* Free what was compared: the other members stay. */
void wanted_release(struct wanted *wanted);

#endif /* PROFIL_WANTED_H */
