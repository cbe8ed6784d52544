/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_JSON_H
#define PROFIL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct json - a document that is being printed
 * @out:      where to
 * @is_first: the next member or element is the first of its object or list
 */
struct json {
	FILE *out;
	bool is_first;
};

/* Start an element of a list, or a member. */
void json_next(struct json *json);

/**
 * json_enter - start an object or a list
 * @bracket: '{' or '['
 */
void json_enter(struct json *json, char bracket);

/**
 * json_leave - end an object or a list
 * @bracket: '}' or ']'
 */
void json_leave(struct json *json, char bracket);

/**
 * json_member - start a member
 * @name: its name, which is not escaped
 *
 * Return: where its value is to be printed.
 */
FILE *json_member(struct json *json, const char *name);

/**
 * json_string - print a member whose value is a text
 * @value: the text; NULL: null
 */
void json_string(struct json *json, const char *name, const char *value);

/**
 * json_texts - print a member whose value is a list of texts
 * @texts: the texts, terminated by NULL; NULL: none
 */
void json_texts(struct json *json, const char *name, char *const *texts);

/* Print a member whose value is a whole number. */
void json_number(struct json *json, const char *name, uint64_t value);

/**
 * json_real - print a member whose value is a number with a fraction
 * @value: the number, which is finite
 */
void json_real(struct json *json, const char *name, double value);

/* Print a member whose value is true or false. */
void json_bool(struct json *json, const char *name, bool value);

#endif /* PROFIL_JSON_H */
