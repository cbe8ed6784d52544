/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which of some names a mistyped word may mean.
 */
#ifndef PROFIL_SUGGEST_H
#define PROFIL_SUGGEST_H

#include <stddef.h>

#define SUGGEST_MOST	4	/* names */

/**
 * struct suggest - the names that are most like a word; private
 * @word:  the word
 * @names: the likest first
 * @nr:    number of them
 */
struct suggest {
	const char *word;
	struct {
		const char *name;
		size_t length;
		size_t rank;
	} names[SUGGEST_MOST];
	size_t nr;
};

/**
 * suggest_begin - look for a word
 * @suggest: filled in
 * @word:    must outlive @suggest
 */
void suggest_begin(struct suggest *suggest, const char *word);

/**
 * suggest_offer - one of the names that there are
 * @suggest: keeps the name if it is among those that are most like the word
 * @name:    must outlive @suggest. It ends before a (, where the parameters of a C++
 *           function begin
 *
 * A name is like the word if few letters differ or, less so, if it contains the word, in
 * upper or lower case. Of equals the one offered first is first.
 */
void suggest_offer(struct suggest *suggest, const char *name);

/**
 * suggest_words - the question whether one of the names was meant
 * @suggest: after all names were offered
 * @before:  what is in front of each, as "--"
 *
 * Return: "; did you mean A, B or C?", to free(). Without names, or without memory, "".
 */
char *suggest_words(const struct suggest *suggest, const char *before);

#endif /* PROFIL_SUGGEST_H */
