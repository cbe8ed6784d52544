// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names that compilers made, and what was written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <symbol/demangle.h>

#include "support/test.h"

static void names_are_as_written(void **state)
{
	static const struct {
		const char *symbol;
		const char *name;	/* NULL: it is one */
	} cases[] = {
		{ "_ZN3foo3barEv", "foo::bar()" },
		{ "_ZNKSt6vectorIiSaIiEE4sizeEv",
		  "std::vector<int, std::allocator<int> >::size() const" },
		{ "_ZN3foo3barEv@LIB_1.0", "foo::bar()@LIB_1.0" },
		{ "_ZN3foo3barEv.cold", "foo::bar() [clone .cold]" },
		{ "_ZNSt8ios_base4InitC1Ev", "std::ios_base::Init::Init()" },
		/* Rust: hash, and what is spelled out */
		{ "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write" },
		{ "_ZN60_$LT$alloc..string..String$u20$as$u20$core..clone..Clone$GT$5clone17h0123456789abcdefE",
		  "<alloc::string::String as core::clone::Clone>::clone" },
		{ "_ZN4test15$LT$u8$C$ub$GT$1f17h0123456789abcdefE", "test::<u8,ub>::f" },
		/* a hash has 16 digits of lower case */
		{ "_ZN4core3fmt5write17h0123456789ABCDEFE",
		  "core::fmt::write::h0123456789ABCDEF" },
		/* of a part that the compiler made of it */
		{ "_ZN4core3fmt5write17h0123456789abcdefE.llvm.8888", "core::fmt::write" },
		/* its own scheme: examples of RFC 2603, and what rustc made of the like */
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
		{ "main", NULL },
		{ "", NULL },
		{ "_Z", NULL },
		{ "_Zzzz", NULL },
		{ "[.plt]", NULL },
	};
	size_t i;

	(void)state;
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

/* A type that is given twice to a template, and that again: 200 bytes may stand for any number */
static void a_name_that_doubles_has_an_end(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char symbol[512] = "_Z1f1pIiiES_IS0_S0_E", part[16], *name;
	int i;

	(void)state;
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

/* Found by fuzzing: libiberty would count for years */
static void lifetimes_are_not_counted(void **state)
{
	char *name;

	(void)state;
	assert_null(demangle("_RNvXs_NvXs_C7m7m_ZTVFFFFGFFFFFFFFs_C73mC7m7m_ZTVFFFFGFFFFFFFFs_C73mm"));
	assert_null(demangle("_RINvC1a1bDGzzzzzzzz_C1tL_E"));
	/* as many as have been seen, and many more */
	name = demangle("_RINvC1a1bFGZZ_EuE");
	assert_non_null(name);
	free(name);
	/* a few are, in types of functions and of traits */
	name = demangle("_RINvC1a1bFG0_RL1_hRL0_tEuE");
	assert_non_null(name);
	assert_string_equal(name, "a::b::<for<'a, 'b> fn(&'a u8, &'b u16)>");
	free(name);
}

/* Names come from files, and files from anywhere. */
static void made_up_names_do_no_harm(void **state)
{
	static const char alphabet[] = "_ZNSKIEiPRTtL0123456789$.u@hCDvsMXBc";
	static const char *const schemes[] = { "_ZN", "_R", "_ZN" };
	unsigned int seed = 9;
	char symbol[5000];
	int round;
	size_t i;

	(void)state;
	for (round = 0; round < 20000; round++) {
		size_t length = 2 + (size_t)rand_r(&seed) % 60;
		size_t start = strlen(schemes[round % 3]);

		strcpy(symbol, schemes[round % 3]);
		for (i = start; i < start + length; i++)
			symbol[i] = alphabet[(size_t)rand_r(&seed) %
					     (sizeof(alphabet) - 1)];
		strcpy(symbol + i, round % 3 ? "" : "17h0123456789abcdefE");
		free(demangle(symbol));
	}
	memset(symbol, 'P', sizeof(symbol) - 1);
	memcpy(symbol, "_Z1f", 4);
	symbol[sizeof(symbol) - 1] = 0;
	assert_null(demangle(symbol));
	symbol[4096] = 0;
	free(demangle(symbol));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_as_written),
		cmocka_unit_test(a_name_that_doubles_has_an_end),
		cmocka_unit_test(lifetimes_are_not_counted),
		cmocka_unit_test(made_up_names_do_no_harm),
	};

	return cmocka_run_group_tests_name("demangle", tests, NULL, NULL);
}
