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

static void only_suggestion(void **state)
{
	char *name;

	(void)state;
	name = only((const char *const[]){ "f(int)", "f(long)", NULL });
	assert_string_equal(name, "f");
	free(name);
	assert_null(only((const char *const[]){ "f(int)", "g(int)", NULL }));
	assert_null(only((const char *const[]){ NULL }));
}

static const char *const subcommands[] = { "run", "report", "diff", "export", "info", NULL };

static void mistyped_words_are_found(void **state)
{
	(void)state;
	/* two letters swapped, one replaced, one inserted, one missing */
	assert_suggested("rpeort", subcommands, "; did you mean report?");
	assert_suggested("dift", subcommands, "; did you mean diff?");
	assert_suggested("infos", subcommands, "; did you mean info?");
	assert_suggested("repor", subcommands, "; did you mean report?");
	/* the most similar one first, not the first offered */
	assert_suggested("abcdef", (const char *const[]){ "abcdxy", "abcdex", NULL },
			 "; did you mean abcdex or abcdxy?");
}

static void unrelated_words_are_not_found(void **state)
{
	(void)state;
	assert_suggested("make", subcommands, "");
	assert_suggested("rm", subcommands, "");
	assert_suggested("", subcommands, "");
	/* half of a short word differs */
	assert_suggested("ls", (const char *const[]){ "lz", "", NULL }, "");
}

static void names_that_contain_the_word_are_found(void **state)
{
	static const char *const names[] = {
		"main", "luaV_execute", "LUAv_lower", "luaW", "luaV_concat", "luaV_equalobj",
		"luaV_finishget", "luaV_lessthan", NULL
	};

	(void)state;
	/* after a name with one different letter, and only the first ones */
	assert_suggested("luaV", names,
			 "; did you mean luaW, luaV_execute, LUAv_lower or luaV_concat?");
}

/* C++ functions are suggested without parameters, and only once. */
static void parameters_are_omitted(void **state)
{
	static const char *const names[] = {
		"draw(int, char const*)", "draw(double)",
		"(anonymous namespace)::drav(std::string)", NULL
	};

	(void)state;
	assert_suggested("drow", names, "; did you mean draw?");
	assert_suggested("(anonymous namespace)::draw", names,
			 "; did you mean (anonymous namespace)::drav?");
}

/* Only the brackets of the parameters are omitted. */
static void other_brackets_are_kept(void **state)
{
	static const char *const names[] = {
		"pen::operator()(int) const", "pen::operator()",
		"a::(anonymous namespace)::line(f(int)*)", "rule()", NULL
	};

	(void)state;
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
static void long_names_are_not_compared_by_letters(void **state)
{
	char name[1001], word[1001];
	const char *const names[] = { name, NULL };

	(void)state;
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

static void names_cannot_control_the_terminal(void **state)
{
	static const char *const names[] = { "na\033me", NULL };

	(void)state;
	assert_suggested("name", names, "; did you mean na\\033me?");
}

static void each_name_has_the_prefix(void **state)
{
	struct suggest suggest;
	char *words;

	(void)state;
	suggest_begin(&suggest, "roots");
	suggest_offer(&suggest, "root");
	suggest_offer(&suggest, "rootz");
	suggest_offer(&suggest, "root");
	words = suggest_words(&suggest, "--");
	assert_string_equal(words, "; did you mean --root or --rootz?");
	free(words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_suggestion),
		cmocka_unit_test(mistyped_words_are_found),
		cmocka_unit_test(unrelated_words_are_not_found),
		cmocka_unit_test(names_that_contain_the_word_are_found),
		cmocka_unit_test(parameters_are_omitted),
		cmocka_unit_test(other_brackets_are_kept),
		cmocka_unit_test(long_names_are_not_compared_by_letters),
		cmocka_unit_test(names_cannot_control_the_terminal),
		cmocka_unit_test(each_name_has_the_prefix),
	};

	return cmocka_run_group_tests_name("suggest", tests, NULL, NULL);
}
