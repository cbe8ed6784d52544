// SPDX-License-Identifier: GPL-2.0-only
/*
 * Demangling of C++, Rust and D symbols.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <symbol/demangle.h>

#include "support/cpu_limit.h"
#include "support/test.h"

TEST(folded_functions_have_several_names)
{
	char *name = demangle("_ZN1a1bEv, work, _ZN1c1dEi@V1");

	assert_string_equal(name, "a::b(), work, c::d(int)@V1");
	free(name);
	name = demangle("work, _ZN1a1bEv");
	assert_string_equal(name, "work, a::b()");
	free(name);
	/* what differs is a hash */
	name = demangle("_ZN1a1b17h0123456789abcdefE, _ZN1a1b17hfedcba9876543210E, work");
	assert_string_equal(name, "a::b, work");
	free(name);
	assert_null(demangle("work, other"));
	assert_null(demangle("f(int, char), g"));
	assert_null(demangle(", "));
}

TEST(names_are_demangled)
{
	static const struct {
		const char *symbol;
		const char *name;	/* NULL: not mangled */
	} cases[] = {
		{ "_ZN3foo3barEv", "foo::bar()" },
		{ "_ZNKSt6vectorIiSaIiEE4sizeEv",
		  "std::vector<int, std::allocator<int> >::size() const" },
		{ "_ZN3foo3barEv@LIB_1.0", "foo::bar()@LIB_1.0" },
		{ "_ZN3foo3barEv.cold", "foo::bar() [clone .cold]" },
		{ "_ZNSt8ios_base4InitC1Ev", "std::ios_base::Init::Init()" },
		/* legacy Rust: the hash is removed, and escapes are decoded */
		{ "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write" },
		{ "_ZN60_$LT$alloc..string..String$u20$as$u20$core..clone..Clone$GT$5clone17h0123456789abcdefE",
		  "<alloc::string::String as core::clone::Clone>::clone" },
		{ "_ZN4test15$LT$u8$C$ub$GT$1f17h0123456789abcdefE", "test::<u8,ub>::f" },
		/* not a hash, which has 16 lower-case digits */
		{ "_ZN4core3fmt5write17h0123456789ABCDEFE",
		  "core::fmt::write::h0123456789ABCDEF" },
		/* a part that the compiler made from a function */
		{ "_ZN4core3fmt5write17h0123456789abcdefE.llvm.8888", "core::fmt::write" },
		/* Rust v0: examples of RFC 2603, and similar symbols made by rustc */
		{ "_RNvC6_123foo3bar", "123foo::bar" },
		{ "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar" },
		{ "_RNvNtCs1234_7mycrate3foo3bar.llvm.8888", "mycrate::foo::bar" },
		{ "_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>" },
		{ "_RNvMs0_C7mycrateNtB5_3Foo3new", "<mycrate::Foo>::new" },
		{ "_RNvXs_C7mycrateNtB4_3FooNtB4_3Bar3baz",
		  "<mycrate::Foo as mycrate::Bar>::baz" },
		{ "_RNCNvC4main4main0", "main::main::{closure#0}" },
		{ "_RNvMC0INtC8arrayvec8ArrayVechKj7b_E3new",
		  "<arrayvec::ArrayVec<u8, 123>>::new" },
		{ "_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
		  "utf8_idents::\u10e1\u10d0\u10ed\u10db\u10d4\u10da\u10d0\u10d3_\u10d2\u10d4\u10db\u10e0\u10d8\u10d4\u10da\u10d8_\u10e1\u10d0\u10d3\u10d8\u10da\u10d8" },
		/* D: compiled by GDC, and examples of its specification */
		{ "_D3t204workFlZl", "t20.work(long)" },
		{ "_Dmain", "D main" },
		{ "_D4main6strstrFAaAaZv", "main.strstr(char[], char[])" },
		{ "_D3std5stdio__T7writelnTAyaZQnFNfQjZv",
		  "std.stdio.writeln!(immutable(char)[]).writeln(immutable(char)[])" },
		{ "_D3t204workFlZl@LIB_1", "t20.work(long)@LIB_1" },
		/* C and other symbols that look like it */
		{ "_DYNAMIC", NULL },
		{ "_D", NULL },
		{ "_D4test", NULL },
		{ "_D_4main", NULL },
		{ "main", NULL },
		{ "", NULL },
		{ "_Z", NULL },
		{ "_Zzzz", NULL },
		{ "[.plt]", NULL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		char *name = demangle(cases[i].symbol);

		if (!cases[i].name) {
			assert_null(name);
			continue;
		}
		assert_non_null(name);
		assert_string_equal(name, cases[i].name);
		free(name);
	}
}

/* Each template has the one before it twice as argument, so the name doubles with each. */
TEST(exponential_names_are_refused)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char symbol[512] = "_Z1f1pIiiES_IS0_S0_E", part[16], *name;
	int i;

	for (i = 1; i < 36; i++) {
		snprintf(part, sizeof(part), "S_IS%c_S%c_E", digits[i], digits[i]);
		strcat(symbol, part);
		name = demangle(symbol);
		if (i < 10)
			assert_non_null(name);
		if (i > 11)
			assert_null(name);
		free(name);
	}
}

/* Found by fuzzing: libiberty would count the lifetimes for years. */
TEST(many_lifetimes_are_refused)
{
	char *name;

	assert_null(demangle("_RNvXs_NvXs_C7m7m_ZTVFFFFGFFFFFFFFs_C73mC7m7m_ZTVFFFFGFFFFFFFFs_C73mm"));
	assert_null(demangle("_RINvC1a1bDGzzzzzzzz_C1tL_E"));
	/* many more than in real programs, but accepted */
	name = demangle("_RINvC1a1bFGZZ_EuE");
	assert_non_null(name);
	free(name);
	/* a few, in the type of a function */
	name = demangle("_RINvC1a1bFG0_RL1_hRL0_tEuE");
	assert_non_null(name);
	assert_string_equal(name, "a::b::<for<'a, 'b> fn(&'a u8, &'b u16)>");
	free(name);
}

/* libiberty tries all lengths of nested symbols, so that the time is exponential. */
TEST(nested_d_templates_are_refused)
{
	char symbol[2048] = "1ai", outer[2048];
	int depth;

	for (depth = 0; depth < 40; depth++) {
		snprintf(outer, sizeof(outer), "__T1fS%zu%.*sZ1a", strlen(symbol), 1900, symbol);
		strcpy(symbol, outer);
	}
	snprintf(outer, sizeof(outer), "_D%.*s!", 1900, symbol);
	cpu_limit(10);
	assert_null(demangle(outer));
	/* lengths with many digits are as bad */
	assert_null(demangle("_D3t204workF000000000001aZl"));
	cpu_limit(0);
}

/* Each parameter is an array with the one before it as key and value, by references to it. */
TEST(exponential_d_names_are_refused)
{
	char symbol[512] = "_D1fFHaaHQeQg", whole[520], *name;
	int i;

	cpu_limit(10);
	for (i = 2; i < 40; i++) {
		snprintf(whole, sizeof(whole), "%sZv", symbol);
		name = demangle(whole);
		if (i < 10)
			assert_non_null(name);
		if (i > 12)
			assert_null(name);
		free(name);
		strcat(symbol, "HQgQi");
	}
	cpu_limit(0);
}

/* Symbols come from untrusted files. */
TEST(random_symbols)
{
	static const char alphabet[] = "_ZNSKIEiPRTtL0123456789$.u@hCDvsMXBc";
	static const char *const schemes[] = { "_ZN", "_R", "_ZN", "_D" };
	unsigned int seed = 9;
	char symbol[5000];
	int round;
	size_t i;

	for (round = 0; round < 20000; round++) {
		size_t length = 2 + (size_t)rand_r(&seed) % 60;
		size_t start = strlen(schemes[round % 4]);

		strcpy(symbol, schemes[round % 4]);
		for (i = start; i < start + length; i++)
			symbol[i] = alphabet[(size_t)rand_r(&seed) %
					     (sizeof(alphabet) - 1)];
		strcpy(symbol + i, round % 4 ? "" : "17h0123456789abcdefE");
		free(demangle(symbol));
	}
	memset(symbol, 'P', sizeof(symbol) - 1);
	memcpy(symbol, "_Z1f", 4);
	symbol[sizeof(symbol) - 1] = 0;
	assert_null(demangle(symbol));
	symbol[4096] = 0;
	free(demangle(symbol));
}
