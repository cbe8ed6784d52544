// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turning any bytes into text that is valid in an output format.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "util/escape.h"

#define REPLACEMENT	0xfffd	/* Unicode's replacement character */

#define DEL		0x7f

#define OCTAL_COLUMNS	4	/* \033 */

/* Terminals interpret U+0080 to U+009F, two bytes each in UTF-8, as ESC and a letter. */
static bool is_control(uint32_t c)
{
	return c < ' ' || (c >= DEL && c < 0xa0);
}

/*
 * Characters that change the direction of the text after them (Unicode's annex 9): with them, a
 * line could display a different name.
 */
static bool is_direction(uint32_t c)
{
	return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

/*
 * Whether a character is printed unchanged. A U+FFFD of one byte stands for an invalid byte; the
 * character itself has three bytes.
 */
static bool is_shown(uint32_t c, size_t bytes)
{
	return !is_control(c) && !is_direction(c) && (c != REPLACEMENT || bytes > 1);
}

/* Return: length of a character by its first byte; 0: invalid. */
static unsigned int sequence_length(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first < 0xe0)
		return 2;
	if (first >= 0xe0 && first < 0xf0)
		return 3;
	if (first >= 0xf0 && first < 0xf5)
		return 4;
	return 0;
}

/* Overlong encodings, UTF-16 surrogates, and values beyond the last code point are invalid. */
static bool is_invalid(uint32_t c, unsigned int length)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	return c < least[length] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff;
}

/* Decode the next character, and advance @text. Return: code point; U+FFFD: invalid byte. */
static uint32_t next_character(const char **text)
{
	const unsigned char *bytes = (const unsigned char *)*text;
	unsigned int length = sequence_length(bytes[0]), i;
	uint32_t c = bytes[0];

	(*text)++;
	if (length == 1)
		return c;
	if (!length)
		return REPLACEMENT;
	c &= 0xffu >> (length + 1);
	/* this also stops at the terminating 0 */
	for (i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return REPLACEMENT;
		c = c << 6 | (bytes[i] & 0x3f);
	}
	if (is_invalid(c, length))
		return REPLACEMENT;
	*text += length - 1;
	return c;
}

/* Return: number of bytes written to @bytes. */
static size_t encode(uint32_t c, char bytes[4])
{
	if (c < 0x80) {
		bytes[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		bytes[0] = (char)(0xc0 | c >> 6);
		bytes[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		bytes[0] = (char)(0xe0 | c >> 12);
		bytes[1] = (char)(0x80 | (c >> 6 & 0x3f));
		bytes[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	bytes[0] = (char)(0xf0 | c >> 18);
	bytes[1] = (char)(0x80 | (c >> 12 & 0x3f));
	bytes[2] = (char)(0x80 | (c >> 6 & 0x3f));
	bytes[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static void print_character(FILE *out, uint32_t c)
{
	char bytes[4] = { 0 };

	fwrite(bytes, 1, encode(c, bytes), out);
}

char *escape_utf8(const char *text)
{
	/* an invalid byte becomes U+FFFD, three bytes */
	char *copy = malloc(3 * strlen(text) + 1), *end = copy;

	if (!copy)
		return NULL;
	while (*text) {
		char bytes[4];
		size_t length = encode(next_character(&text), bytes);

		memcpy(end, bytes, length);
		end += length;
	}
	*end = '\0';
	return copy;
}

size_t escape_plain(const char *text)
{
	size_t bytes = 0;

	while (text[bytes] >= ' ' && text[bytes] < DEL)
		bytes++;
	return bytes;
}

void escape_octal(FILE *out, const char *text, const char *also)
{
	while (*text) {
		const size_t plain = *also ? 0 : escape_plain(text);
		const char *from = text;
		uint32_t c;

		if (plain) {
			fwrite(text, 1, plain, out);
			text += plain;
			continue;
		}
		c = next_character(&text);

		if (is_shown(c, (size_t)(text - from)) && !strchr(also, *from)) {
			fwrite(from, 1, (size_t)(text - from), out);
			continue;
		}
		for (; from < text; from++)
			fprintf(out, "\\%03o", (unsigned char)*from);
	}
}

char *escape_line(const char *text)
{
	char *line = NULL;
	size_t length;
	FILE *out = open_memstream(&line, &length);

	if (!out)
		return NULL;
	escape_octal(out, text, "");
	if (!fclose(out))
		return line;
	free(line);
	return NULL;
}

/* Compute a character's width with wcwidth(), which needs a UTF-8 locale. */
static int find_width(uint32_t c)
{
	static locale_t utf8;
	locale_t before;
	int width;

	if (c < DEL)
		return 1;
	if (!utf8)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (!utf8)
		return 1;
	before = uselocale(utf8);
	width = wcwidth((wchar_t)c);
	uselocale(before);
	return width < 0 ? 1 : width;
}

int escape_columns(const char **text)
{
	const char *from = *text;
	uint32_t c = next_character(text);
	size_t bytes = (size_t)(*text - from);

	return is_shown(c, bytes) ? find_width(c) : (int)bytes * OCTAL_COLUMNS;
}

void escape_json(FILE *out, const char *text)
{
	putc('"', out);
	while (*text) {
		uint32_t c = next_character(&text);

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", (char)c);
		else if (is_control(c))
			fprintf(out, "\\u%04" PRIx32, c);
		else
			print_character(out, c);
	}
	putc('"', out);
}
