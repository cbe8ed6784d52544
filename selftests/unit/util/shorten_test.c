// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shortening of names: what is shortened first, and that different names stay different.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <util/shorten.h>
#include <util/terminal.h>

#include "support/test.h"

TEST(brackets_of_functions_are_shortened_first)
{
	static const struct {
		const char *name;
		int most;
		const char *shortened;
	} cases[] = {
		{ "f(int, char)", 12, "f(int, char)" },
		{ "std::map<int, long>::at(int const&) const", 40,
		  "std::map<int, long>::at(...) const" },
		{ "std::_Rb_tree<int, long, less<int> >::_M_insert_(node*, node*)", 40,
		  "std::_Rb_tree<...>::_M_insert_(...)" },
		{ "std::_Rb_tree<int, long, less<int> >::_M_insert_(node*, node*)", 30,
		  "std::_Rb_tree::_M_insert_" },
		/* types in front */
		{ "int App.collatz(long)", 20, "App.collatz(long)" },
		{ "java.lang.Object java.util.HashMap.put(java.lang.Object, java.lang.Object)", 40,
		  "java.util.HashMap.put(...)" },
		{ "unsigned long long scale<int>(int)", 20, "scale<int>(int)" },
		{ "std::map<int, long> make<long>(long)", 20, "make<long>(long)" },
		{ "decltype (f(1)) call<int>(int)", 20, "call<int>(int)" },
		{ "non-virtual thunk to shape::area(int)", 36, "non-virtual thunk to shape::area" },
		{ "operator new(unsigned long)", 20, "operator new(...)" },
		{ "text::operator std::string() const", 30, "text::operator std::string" },
		{ "StubRoutines (initial stubs)", 24, "StubRou...initial stubs)" },
		/* the number of a line stays */
		{ "hashtable_policy.h:1234 (std::_Map_base<int, long>::operator[](int&&))", 60,
		  "hashtable_policy.h:1234 (std::_Map_base::operator[])" },
		{ "hashtable_policy.h:1234 (std::_Map_base<int>::operator[](int&&))", 40,
		  "hashtable_policy.h:1234 (operator[])" },
		{ "hashtable_policy.h:1234 (std::_Map_base<int>::operator[](int&&))", 30,
		  "hashtable_policy.h:1234" },
		{ "hashtable_policy.h:1234 (std::_Map_base<int>::operator[](int&&))", 15,
		  "...olicy.h:1234" },
		{ "map_faststr.go:? (runtime.mapassign_faststr)", 36,
		  "map_faststr.go:? (runt...gn_faststr)" },
		{ "std::_Rb_tree<int, long, less<int> >::_M_insert_(node*, node*)", 20,
		  "..._tree::_M_insert_" },
		{ "a::b::Reducer<int>::Reduce(int)", 24, "a::b::Reducer::Reduce" },
		/* as many of the last names as fit */
		{ "v8::compiler::Reducer<int>::Reduce(int)", 23, "...::Reducer::Reduce" },
		{ "it<pair<int> > std::tree<int>::insert(int)", 19, "std::tree::insert" },
		{ "v8::compiler::Reducer<int>::Reduce(int)", 15, "...ucer::Reduce" },
		{ "example.com/a/b/pkg.(*Type).Method", 25, ".../b/pkg.(*Type).Method" },
		/* but not of a path that is not part of the name */
		{ "JS:*hotFunction /home/user/n.js:1:21", 24, "*hotFunction n.js:1:21" },
		{ "LazyCompile:~work file:///srv/app/lib/queue.js:3:18", 40,
		  "LazyCompile:~work queue.js:3:18" },
		/* copies that the compiler made */
		{ "f(int) [clone .isra.0]", 20, "f(int)" },
		{ "f(int) [clone .constprop.0] [clone .cold] (inlined)", 20, "f(int) (inlined)" },
		{ "a_function.constprop.0.isra.12", 20, "a_function" },
		{ "a_function.part.0.cold (inlined)", 20, "a_function (inlined)" },
		{ "f(int) [clone .__uniq.12345.llvm.67890]", 20, "f(int)" },
		{ "a_function.__uniq.123.llvm.9911738147604602001", 20, "a_function" },
		{ "a_function.cold.12 and more", 20, "a_function and more" },
		{ "_ZN4core3fmt5write17h0123456789abcdefE", 20, "_ZN4core3fmt5writeE" },
		{ "inner_function.1234", 18, "inner_function" },
		/* other functions */
		{ "f() [clone ._omp_fn.0]", 21, "f [clone ._omp_fn.0]" },
		{ "main.main.func1.2", 16, "main...n.func1.2" },
		{ "main.part.llvm", 13, "mai...rt.llvm" },
		{ "main.coldStart(int, int)", 20, "main.coldStart(...)" },
		{ "f [cl...that is none", 20, "f [cl...that is none" },
		/* brackets that are not lists */
		{ "(anonymous namespace)::work(std::string)", 37,
		  "(anonymous namespace)::work(...)" },
		{ "a::b::operator()(std::string, int) const", 30, "a::b::operator()(...) const" },
		{ "a::b::operator()(std::string, int) const", 17, "a::b::operator()" },
		{ "bool operator< <int, char>(a<int> const&, a<char> const&)", 40,
		  "operator< <int, char>(...)" },
		{ "bool operator< <int, char>(a<int> const&, a<char> const&)", 25,
		  "operator< <...>(...)" },
		{ "bool operator< <int, char>(a<int> const&, a<char> const&)", 15, "operator<" },
		{ "stream& operator<<(stream&, int)", 25, "operator<<(stream&, int)" },
		{ "smart<pointer>::operator->(int, int) const", 38,
		  "smart<pointer>::operator->(...) const" },
		{ "smart<pointer>::operator->(int, int) const", 36,
		  "smart<...>::operator->(...) const" },
		{ "<alloc::vec::Vec<u8, A> as core::fmt::Debug>::fmt", 48,
		  "<alloc::vec::Vec<...> as core::fmt::Debug>::fmt" },
		{ "main()::{lambda(int, long)#1}::operator()(int, long) const", 50,
		  "main()::{lambda(...)#1}::operator()(...) const" },
		{ "main()::{lambda(int, long)#1}::operator()(int, long) const", 28,
		  "main::{lambda#1}::operator()" },
		{ "main.(*Type).Method", 15, "main...).Method" },
		/* unbalanced brackets */
		{ "a<b<c<d<e<f<g<h", 10, "a<...f<g<h" },
		{ "f(a)b)c)d(e(", 10, "fb)c)d(e(" },
		{ "a_name_of_c_that_is_long", 13, "a_n...is_long" },
		/* characters are not split */
		{ "\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57", 9, "\u6f22...\u6f22\u5b57" },
		{ "ab\033cd\xffgh\033", 12, "ab...gh\033" },
		{ "", 8, "" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		char *shortened = shorten_function(cases[i].name, cases[i].most);

		assert_string_equal(shortened, cases[i].shortened);
		assert_true(terminal_columns(shortened) <= cases[i].most);
		free(shortened);
	}
}

TEST(paths_keep_their_end)
{
	char *shortened = shorten_path("/usr/lib/x86_64-linux-gnu/libc.so.6", 20);

	assert_string_equal(shortened, "...nux-gnu/libc.so.6");
	free(shortened);
	shortened = shorten_path("/bin/sh", 7);
	assert_string_equal(shortened, "/bin/sh");
	free(shortened);
}

TEST(ambiguous_names_are_numbered)
{
	struct shorten_name names[] = {
		{ .full = "f(char, short)" }, { .full = "g(char, short)" },
		{ .full = "f(long, short)" }, { .full = "f(char, short)" },
	};
	static const char *const shortened[] = { "f(...)~1", "g(...)", "f(...)~2", "f(...)~1" };
	size_t i;

	assert_int_equal(shorten_functions(names, ARRAY_SIZE(names), 13), 3);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		assert_string_equal(names[i].shortened, shortened[i]);
		free(names[i].shortened);
		names[i] = (struct shorten_name){ .full = names[i].full };
	}
	assert_int_equal(shorten_functions(names, ARRAY_SIZE(names), 14), 0);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		assert_string_equal(names[i].shortened, names[i].full);
		free(names[i].shortened);
	}
}

static unsigned int seed = 7;

/* Make a random name of parts that shortening treats specially, and of random bytes. */
static void draw_name(char name[256])
{
	static const char *const pieces[] = {
		"(", ")", "<", ">", "operator", "operator<<", "operator()", "->", " const", "::",
		"a", "bc", "std", "\u6f22", "a\u0308", "\033[2J", "\xc2", "\x9b", "\u202e", "~1",
		"()", "<int>", "(int, long)", "<a<b>, c>", "(anonymous namespace)", " ",
	};
	int parts = rand_r(&seed) % 30;

	name[0] = 0;
	while (parts--) {
		char any[2] = { (char)(1 + rand_r(&seed) % 255), 0 };
		size_t piece = (size_t)rand_r(&seed) % (ARRAY_SIZE(pieces) + 4);

		if (strlen(name) < 200)
			strcat(name, piece < ARRAY_SIZE(pieces) ? pieces[piece] : any);
	}
}

TEST(any_name_fits)
{
	char name[256];
	int i;

	for (i = 0; i < 20000; i++) {
		int most = SHORTEN_MIN + rand_r(&seed) % 100;
		char *function, *path;

		draw_name(name);
		function = shorten_function(name, most);
		path = shorten_path(name, most);
		assert_true(terminal_columns(function) <= most && terminal_columns(path) <= most);
		if (terminal_columns(name) <= most) {
			assert_string_equal(function, name);
			assert_string_equal(path, name);
		}
		free(function);
		free(path);
	}
}

/* Even in few columns, no two of the shortened names are equal. */
TEST(different_names_stay_different)
{
	static char names[64][256];
	int round;

	for (round = 0; round < 300; round++) {
		struct shorten_name list[64] = { 0 };
		int most = 20 + rand_r(&seed) % 10;
		size_t i, j;

		for (i = 0; i < ARRAY_SIZE(names); i++) {
			/* half of the names have the same long head and tail */
			draw_name(names[i]);
			if (i % 2 && strlen(names[i]) < 100) {
				memmove(names[i] + 40, names[i], strlen(names[i]) + 1);
				memset(names[i], 'h', 40);
				strcat(names[i], "_a_tail_of_the_name_that_is_long");
			}
			list[i].full = names[i];
		}
		assert_true(shorten_functions(list, ARRAY_SIZE(list), most) >= 0);
		for (i = 0; i < ARRAY_SIZE(names); i++) {
			assert_true(terminal_columns(list[i].shortened) <= most);
			for (j = 0; j < i; j++)
				assert_int_equal(!strcmp(names[i], names[j]),
						 !strcmp(list[i].shortened, list[j].shortened));
		}
		for (i = 0; i < ARRAY_SIZE(names); i++)
			free(list[i].shortened);
	}
}

/* The time is linear in the length of the name, which may come from a hostile file. */
TEST(long_names_take_linear_time)
{
	const size_t length = 1000000;
	char *name = malloc(length + 1), *shortened;
	size_t i;

	assert_non_null(name);
	for (i = 0; i < length; i++)
		name[i] = "a<a("[i % 4];
	name[length] = 0;
	shortened = shorten_function(name, 40);
	assert_true(terminal_columns(shortened) <= 40);
	free(shortened);
	free(name);
}

TEST(bare_names_have_no_brackets)
{
	static const struct {
		const char *name, *bare;
	} names[] = {
		{ "f", "f" },
		{ "std::__cxx11::to_string[abi:cxx11](int)", "std::__cxx11::to_string" },
		{ "std::f[abi:a][abi:b]<int>(int) const", "std::f" },
		{ "std::map<K<int>, V, true>::operator[](K&&)", "std::map::operator[]" },
		{ "void std::sort<int*>(int*, int*) [clone .isra.0]", "void std::sort" },
		{ "(anonymous namespace)::g(int)", "(anonymous namespace)::g" },
		{ "int App.collatz(long)", "int App.collatz" },
		{ "walk.__uniq.123.llvm.456", "walk" },
		{ "f[abi:x", "f[abi:x" },
		{ "bool operator< <int>(A, B)", "bool operator<" },
		{ "a::f(int), b::g<int>()", "a::f, b::g" },
		/* what is left of folded functions may be the same */
		{ "a::f<int>(), b, a::f<char>(), b::b, a::f<long>()", "a::f, b, b::b" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char *bare = shorten_bare(names[i].name);

		assert_string_equal(bare, names[i].bare);
		free(bare);
	}
}

/* What a build adds to the names of copies and parts, as symbols and demangled */
TEST(copies_have_the_name_of_the_function)
{
	static const struct {
		const char *name, *copy;
	} names[] = {
		{ "f.cold", "f" },
		{ "f.cold.12", "f" },
		{ "f.part.3", "f" },
		{ "f.isra.0.constprop.1", "f" },
		{ "f.isra.0.part.2.cold", "f" },
		{ "f.llvm.9911738147604602001", "f" },
		{ "f.__uniq.111222333.llvm.1", "f" },
		{ "f.lto_priv.0", "f" },
		{ "f.lto.7", "f" },
		{ "f.1234", "f" },
		{ "_ZL1gv.llvm.44", "_ZL1gv" },
		{ "g() [clone .llvm.44]", "g()" },
		{ "g() [clone .isra.0] [clone .cold]", "g()" },
		{ "_ZN1a1b17h0123456789abcdefE", "_ZN1a1bE" },
		{ "_ZN1a1b17h0123456789abcdefE.llvm.1", "_ZN1a1bE" },
		{ "_RNvCs1234abcd_7mycrate3foo", "_RNvC7mycrate3foo" },
		{ "_RINvNtCsAbC1_1a1b1cNtCsX_1d1eE", "_RINvNtC1a1b1cNtC1d1eE" },
		{ "f.isra.0, g.cold", "f, g" },
		/* other functions */
		{ "main.main.func1.2", "main.main.func1.2" },
		{ "f.avx2.0", "f.avx2.0" },
		{ "f._omp_fn.0", "f._omp_fn.0" },
		{ "f.cold_start", "f.cold_start" },
		{ "f.isra.x", "f.isra.x" },
		{ "_ZN1a1b17h0123456789abcdE", "_ZN1a1b17h0123456789abcdE" },
		{ "Cs1234_7f", "Cs1234_7f" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char *copy = shorten_copy(names[i].name);

		assert_string_equal(copy, names[i].copy);
		free(copy);
	}
}
