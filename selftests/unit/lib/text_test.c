// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text of messages: text.h, as callers use it, with memory that was used before.
 */
#define _GNU_SOURCE
#include "lib/text.h"
#include "support/test.h"

/* Leaves no 0 where the next function has its variables. */
static void __attribute__((noinline)) fill_stack(void)
{
	volatile char bytes[4096];
	size_t i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = 'x';
}

static void __attribute__((noinline)) append_number(char to[64], unsigned int number)
{
	char text[64] = "/proc/self/fd/", digits[PROFIL_DIGITS];

	profil_text_append(text, sizeof(text), profil_text_number(digits, number, 10));
	memcpy(to, text, sizeof(text));
}

TEST(number_is_appended)
{
	char text[64];

	fill_stack();
	append_number(text, 3);
	assert_string_equal(text, "/proc/self/fd/3");
	fill_stack();
	append_number(text, UINT32_MAX);
	assert_string_equal(text, "/proc/self/fd/4294967295");
}

TEST(what_does_not_fit_is_left_out)
{
	char text[8] = "ab";

	profil_text_append(text, sizeof(text), "cdefghij");
	assert_string_equal(text, "abcdefg");
	profil_text_append(text, sizeof(text), "more");
	assert_string_equal(text, "abcdefg");
}

TEST(numbers)
{
	char digits[PROFIL_DIGITS];

	assert_string_equal(profil_text_number(digits, 0, 10), "0");
	assert_string_equal(profil_text_number(digits, UINT64_MAX, 10), "18446744073709551615");
	assert_string_equal(profil_text_number(digits, UINT64_MAX, 16), "ffffffffffffffff");
}
