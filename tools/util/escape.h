/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names and paths may contain any bytes except 0. These functions turn them into text that is
 * valid in an output format.
 */
#ifndef PROFIL_ESCAPE_H
#define PROFIL_ESCAPE_H

#include <stdint.h>
#include <stdio.h>

/*
 * Copy text as valid UTF-8. Return: the copy, to be freed with free(), with U+FFFD in place of each
 * invalid byte; NULL: no memory.
 */
char *escape_utf8(const char *text);

/*
 * Count the characters that need no decoding. Most names have no others, and a table has many
 * names. Return: number of bytes at the start of @text that are printed unchanged, a column each.
 */
size_t escape_plain(const char *text);

/*
 * Print text without control characters. Control characters, characters that change the direction
 * of text, those in @also, and bytes that are not valid UTF-8 are printed as a backslash and three
 * octal digits. (A reader that expects UTF-8 may stop at the first invalid byte.)
 */
void escape_octal(FILE *out, const char *text, const char *also);

/*
 * Copy text as escape_octal() prints it. Return: the copy, to be freed with free(); NULL: no
 * memory.
 */
char *escape_line(const char *text);

/*
 * The width of the next character that escape_octal() prints; @text, not empty, is advanced past
 * it. Return: columns: 0 for combining characters, 2 for wide ones, 4 for each byte in octal.
 */
int escape_columns(const char **text);

/* Print any bytes as a JSON string, with quotes; U+FFFD replaces invalid ones. */
void escape_json(FILE *out, const char *text);

#endif /* PROFIL_ESCAPE_H */
