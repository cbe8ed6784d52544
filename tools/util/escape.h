/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names and paths are bytes: any but 0, as who made the file liked them. Here they
 * become text that a format can hold.
 */
#ifndef PROFIL_ESCAPE_H
#define PROFIL_ESCAPE_H

#include <stdint.h>
#include <stdio.h>

/**
 * escape_utf8 - a copy that is valid UTF-8
 * @text: any bytes
 *
 * Return: to be given to free(), with U+FFFD for each byte that belongs to no
 * character; NULL: no memory.
 */
char *escape_utf8(const char *text);

/**
 * escape_octal - print a text into a line
 * @out:  where to
 * @text: any bytes
 * @also: further characters that mean something there
 *
 * Control characters, those that change the direction of text, @also, and bytes that
 * belong to no character come as a backslash and three octal digits; all else as it is.
 * (Readers that expect UTF-8 may stop at the first byte that is none.)
 */
void escape_octal(FILE *out, const char *text, const char *also);

/**
 * escape_line - a copy as escape_octal() prints it
 * @text: any bytes
 *
 * Return: to be given to free(); NULL: no memory.
 */
char *escape_line(const char *text);

/**
 * escape_columns - how wide the next character of a text is, as escape_octal() prints it
 * @text: moved past it; not at its end
 *
 * Return: columns of a terminal: 0 of what combines with the character before, 2 of wide
 * ones, 4 for each byte in octal.
 */
int escape_columns(const char **text);

/**
 * escape_json - print a string of JSON, with its quotes
 * @out:  where to
 * @text: any bytes; U+FFFD comes for each that belongs to no character
 */
void escape_json(FILE *out, const char *text);

/**
 * escape_xml - print text or the value of an attribute of XML, without quotes
 * @out:  where to
 * @text: any bytes; U+FFFD comes for each that belongs to no character
 * @most: characters that are printed: of a longer text the last is an ellipsis; 0: all
 *
 * XML has no way to say control characters: their pictures (U+2400 and on) stand for
 * them, and U+FFFD for those that have none, U+0080 to U+009F.
 */
void escape_xml(FILE *out, const char *text, unsigned int most);

#endif /* PROFIL_ESCAPE_H */
