// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suggestions for mistyped words: the most similar names, few of them, and no unrelated ones.
 */
#include <stdlib.h>
#include <string.h>

#include <cmd/suggest.h>

#include "support/test.h"

/* @names: terminated by NULL */
static void assert_suggested(const char *word, const char *const *names, const char *wanted)
{
	struct suggest suggest;
	char *words;

	suggest_begin(&suggest, word);
	while (*names)
		suggest_offer(&suggest, *names++);
	words = suggest_words(&suggest, "");
	assert_string_equal(words, wanted);
	free(words);
}

/* @names: all are kept. Return: as suggest_only(). */
static char *only(const char *const *names)
{
	struct suggest suggest;

	suggest_begin(&suggest, "");
	while (*names)
		suggest_keep(&suggest, *names++);
	return suggest_only(&suggest);
}

TEST(only_suggestion)
{
	char *name;

	name = only((const char *const[]){ "f(int)", "f(long)", NULL });
	assert_string_equal(name, "f");
	free(name);
	assert_null(only((const char *const[]){ "f(int)", "g(int)", NULL }));
	assert_null(only((const char *const[]){ NULL }));
}

static const char *const subcommands[] = { "run", "report", "diff", "export", "info", NULL };

TEST(mistyped_words_are_found)
{
	/* two letters swapped, one replaced, one inserted, one missing */
	assert_suggested("rpeort", subcommands, "; did you mean report?");
	assert_suggested("dift", subcommands, "; did you mean diff?");
	assert_suggested("infos", subcommands, "; did you mean info?");
	assert_suggested("repor", subcommands, "; did you mean report?");
	/* the most similar one first, not the first offered */
	assert_suggested("abcdef", (const char *const[]){ "abcdxy", "abcdex", NULL },
			 "; did you mean abcdex or abcdxy?");
}

TEST(unrelated_words_are_not_found)
{
	assert_suggested("make", subcommands, "");
	assert_suggested("rm", subcommands, "");
	assert_suggested("", subcommands, "");
	/* half of a short word differs */
	assert_suggested("ls", (const char *const[]){ "lz", "", NULL }, "");
}

TEST(names_that_contain_the_word_are_found)
{
	static const char *const names[] = {
		"main", "luaV_execute", "LUAv_lower", "luaW", "luaV_concat", "luaV_equalobj",
		"luaV_finishget", "luaV_lessthan", NULL
	};

	/* after a name with one different letter, and only the first ones */
	assert_suggested("luaV", names,
			 "; did you mean luaW, luaV_execute, LUAv_lower or luaV_concat?");
}

/* C++ functions are suggested without parameters, and only once. */
TEST(parameters_are_omitted)
{
	static const char *const names[] = {
		"draw(int, char const*)", "draw(double)",
		"(anonymous namespace)::drav(std::string)", NULL
	};

	assert_suggested("drow", names, "; did you mean draw?");
	assert_suggested("(anonymous namespace)::draw", names,
			 "; did you mean (anonymous namespace)::drav?");
}

/* Only the brackets of the parameters are omitted. */
TEST(other_brackets_are_kept)
{
	static const char *const names[] = {
		"pen::operator()(int) const", "pen::operator()",
		"a::(anonymous namespace)::line(f(int)*)", "rule()", NULL
	};

	assert_suggested("pen::operatr()", names, "; did you mean pen::operator()?");
	assert_suggested("rile", names, "; did you mean rule?");
	assert_suggested("pen::operatr()", (const char *const[]){ "pen::operator()()", NULL },
			 "; did you mean pen::operator()?");
	assert_suggested("a::(anonymous namespace)::lime", names,
			 "; did you mean a::(anonymous namespace)::line?");
	assert_suggested("a::(anonymous namespace)::lime",
			 (const char *const[]){ "a::(anonymous namespace)::line", NULL },
			 "; did you mean a::(anonymous namespace)::line?");
}

/* Their distance would take too long to compute. */
TEST(long_names_are_not_compared_by_letters)
{
	char name[1001], word[1001];
	const char *const names[] = { name, NULL };

	memset(name, 'n', 1000);
	name[1000] = 0;
	memcpy(word, name, sizeof(word));
	word[0] = 'm';
	assert_suggested(word, names, "");
	/* the longest names that are, and one more letter */
	name[64] = 0;
	word[64] = 0;
	assert_suggested(word, names, "; did you mean "
		"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn?");
	name[64] = 'n';
	name[65] = 0;
	assert_suggested(word, names, "");
}

TEST(names_cannot_control_the_terminal)
{
	static const char *const names[] = { "na\033me", NULL };

	assert_suggested("name", names, "; did you mean na\\033me?");
}

TEST(each_name_has_the_prefix)
{
	struct suggest suggest;
	char *words;

	suggest_begin(&suggest, "roots");
	suggest_offer(&suggest, "root");
	suggest_offer(&suggest, "rootz");
	suggest_offer(&suggest, "root");
	words = suggest_words(&suggest, "--");
	assert_string_equal(words, "; did you mean --root or --rootz?");
	free(words);
}

/* A name of C++ may fill a screen. */
TEST(long_names_are_shortened)
{
	static const char *const names[] = {
		"std::pair<std::_Rb_tree_iterator<std::pair<std::string const, int> >, bool> "
		"std::_Rb_tree<std::string, int>::_M_insert_<int>(int&&)", NULL,
	};

	assert_suggested("M_insert", names,
			 "; did you mean std::_Rb_tree<std::string, int>::_M_insert_<int>?");
}
