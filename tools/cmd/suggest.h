/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_SUGGEST_H
#define PROFIL_SUGGEST_H

#include <stddef.h>

#define SUGGEST_MAX	4	/* number of suggestions */

/* The names that are most similar to a word; private */
struct suggest {
	const char *word;
	struct {
		const char *name;
		size_t length;
		size_t rank;
	} names[SUGGEST_MAX];	/* most similar first */
	size_t nr;
};

/*
 * Find where the parameters of a C++ function begin. Return: the length of the name without its
 * parameters, which are in the last brackets: "f", "operator()", "(anonymous namespace)::f".
 */
size_t suggest_name_length(const char *name);

/* Start to search for names that are similar to a word, which must outlive @suggest. */
void suggest_begin(struct suggest *suggest, const char *word);

/*
 * Offer a valid name, which must outlive @suggest; the parameters of a C++ function are ignored.
 * Similar names are ranked by edit distance, then by containing the word, ignoring case. Equally
 * similar ones stay in the order of the offers.
 */
void suggest_offer(struct suggest *suggest, const char *name);

/* Offer a valid name that is similar for another reason; it is kept if there is room. */
void suggest_keep(struct suggest *suggest, const char *name);

/*
 * The only suggestion, after all names were offered: without the parameters of a C++ function, to
 * be freed with free(). NULL: there is none, there are several, or there is no memory.
 */
char *suggest_only(const struct suggest *suggest);

/*
 * The suggestions, after all names were offered, each after @before, such as "--": "; did you mean
 * A, B or C?", to be freed with free(). "" if there are none, or there is no memory.
 */
char *suggest_words(const struct suggest *suggest, const char *before);

#endif /* PROFIL_SUGGEST_H */
