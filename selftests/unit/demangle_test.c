// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names that compilers made, and what was written.
 */
#include <stdlib.h>
#include <string.h>

#include <demangle.h>

#include "test.h"

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
		{ "main", NULL },
		{ "", NULL },
		{ "_Z", NULL },
		{ "_Zzzz", NULL },
		{ "[.plt]", NULL },
		{ "_RNvC6_123foo3bar", NULL },
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

/* Names come from files, and files from anywhere. */
static void made_up_names_do_no_harm(void **state)
{
	static const char alphabet[] = "_ZNSKIEiPRTtL0123456789$.u@hCD";
	unsigned int seed = 9;
	char symbol[5000];
	int round;
	size_t i;

	(void)state;
	for (round = 0; round < 20000; round++) {
		size_t length = 2 + (size_t)rand_r(&seed) % 60;

		strcpy(symbol, "_ZN");
		for (i = 3; i < 3 + length; i++)
			symbol[i] = alphabet[(size_t)rand_r(&seed) %
					     (sizeof(alphabet) - 1)];
		strcpy(symbol + i, round % 2 ? "17h0123456789abcdefE" : "");
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
		cmocka_unit_test(made_up_names_do_no_harm),
	};

	return cmocka_run_group_tests_name("demangle", tests, NULL, NULL);
}
