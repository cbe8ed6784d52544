// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turning any bytes into valid text of several formats.
 */
#include <stdlib.h>
#include <string.h>

#include <util/escape.h>

#include "support/test.h"

#define REPLACED	"\xef\xbf\xbd"	/* U+FFFD */

TEST(valid_utf8_is_unchanged)
{
	static const char *const texts[] = {
		"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
		"\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		char *copy = escape_utf8(texts[i]);

		assert_string_equal(copy, texts[i]);
		free(copy);
	}
}

TEST(invalid_bytes_are_replaced)
{
	static const struct {
		const char *text, *valid;
	} cases[] = {
		{ "\x80", REPLACED },
		{ "a\xff" "b", "a" REPLACED "b" },
		/* overlong */
		{ "\xc0\x80", REPLACED REPLACED },
		{ "\xc1\xbf", REPLACED REPLACED },
		{ "\xe0\x9f\xbf", REPLACED REPLACED REPLACED },
		{ "\xf0\x8f\xbf\xbf", REPLACED REPLACED REPLACED REPLACED },
		/* a surrogate; beyond the last code point */
		{ "\xed\xa0\x80", REPLACED REPLACED REPLACED },
		{ "\xf4\x90\x80\x80", REPLACED REPLACED REPLACED REPLACED },
		{ "\xf5\x80\x80\x80", REPLACED REPLACED REPLACED REPLACED },
		/* truncated, by the end or by another character */
		{ "\xe2\x82", REPLACED REPLACED },
		{ "\xf0\x9f\x98", REPLACED REPLACED REPLACED },
		{ "\xe2\x82" "a", REPLACED REPLACED "a" },
		{ "\xc3\xc3\xa9", REPLACED "\xc3\xa9" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		char *copy = escape_utf8(cases[i].text);

		assert_string_equal(copy, cases[i].valid);
		free(copy);
	}
}

enum kind { OCTAL, JSON };

static void assert_escaped(enum kind kind, const char *text, const char *wanted)
{
	char *printed = NULL;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	assert_non_null(out);
	if (kind == OCTAL)
		escape_octal(out, text, ";");
	else
		escape_json(out, text);
	fclose(out);
	assert_string_equal(printed, wanted);
	free(printed);
}

TEST(control_characters_are_printed_in_octal)
{
	assert_escaped(OCTAL, "", "");
	assert_escaped(OCTAL, "a;b\n\t\x1f \x7f\\", "a\\073b\\012\\011\\037 \\177\\");
	assert_escaped(OCTAL, "\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0",
		       "\\302\\200\\302\\233\\302\\237\xc2\xa0");
}

TEST(invalid_bytes_are_printed_in_octal)
{
	assert_escaped(OCTAL, "\xc3\xa9" REPLACED, "\xc3\xa9" REPLACED);
	assert_escaped(OCTAL, "\xff\xed\xa0\x80\xc3", "\\377\\355\\240\\200\\303");
}

TEST(json_strings_are_valid)
{
	assert_escaped(JSON, "", "\"\"");
	assert_escaped(JSON, "\"\\/\n\x01\x7f\xc2\x9b\xc3\xa9\xff",
		       "\"\\\"\\\\/\\u000a\\u0001\\u007f\\u009b\xc3\xa9" REPLACED "\"");
}
