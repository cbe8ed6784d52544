// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows of a profile by address.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <symbol/addresses.h>

#include "support/fake_result.h"
#include "support/test.h"

static struct result result;
static struct symbolized symbolized;
static struct addresses *addresses;

FIXTURE(set_up)
{
	fake_result(&result);
	addresses = addresses_new(fake_find, NULL, fake_demangle);
	return addresses ? 0 : -1;
}

FIXTURE(tear_down)
{
	symbolized_release(&symbolized);
	addresses_free(addresses);
	return 0;
}

TEST_F(each_address_is_a_row)
{
	static const struct {
		uint64_t address;
		const char *name;
		uint64_t samples;
	} wanted[] = {
		{ 0x1000, "0x1000 " ODD_NAME, 3 },
		/* a function without a name */
		{ 0x1010, "0x1010", 4 },
		{ 0x1ff3, "0x1ff3 " ODD_DEMANGLED, 5 },
		/* no function */
		{ 0x2000, "0x2000", 6 },
		{ 0x2ffc, "0x2ffc", 1 },
		{ 0x401000, "0x401000 (1) hot", 65535 },
		{ 0x401004, "0x401004 cold", 65536 },
		{ 0x401008, "0x401008 (1) hot", 9 },
	};
	size_t i;

	assert_int_equal(symbolize_result(&symbolized, &result, addresses_find, addresses, NULL),
			 0);
	assert_true(symbolized.nr_functions > ARRAY_SIZE(wanted));
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		const struct symbolized_function *function = &symbolized.functions[i];

		assert_int_equal(function->start, wanted[i].address);
		assert_string_equal(function->name, wanted[i].name);
		assert_int_equal(function->samples, wanted[i].samples);
		assert_false(function->is_rest);
	}
}

TEST_F(names_are_demangled)
{
	struct function function;

	assert_int_equal(addresses_find(addresses, ODD, 0x1ff4, &function), 1);
	assert_string_equal(function.name, "0x1ff4 " ODD_DEMANGLED);
	addresses_free(addresses);
	addresses = addresses_new(fake_find, NULL, NULL);
	assert_int_equal(addresses_find(addresses, ODD, 0x1ff4, &function), 1);
	assert_string_equal(function.name, "0x1ff4 " ODD_MANGLED);
}

static int find_fails(void *symbols, size_t object, uint64_t address, struct function *function)
{
	return -ENOMEM;
}

TEST_F(error_of_find_is_returned)
{
	struct function function;

	addresses_free(addresses);
	addresses = addresses_new(find_fails, NULL, NULL);
	assert_int_equal(addresses_find(addresses, ODD, 0x1000, &function), -ENOMEM);
}
