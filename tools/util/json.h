/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_JSON_H
#define PROFIL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A document that is being printed */
struct json {
	FILE *out;	/* where to */
	bool is_first;	/* the next member or element is the first of its object or list */
};

/* Start an element of a list, or a member. */
void json_next(struct json *json);

/* Start an object or a list: @bracket is '{' or '['. */
void json_enter(struct json *json, char bracket);

/* End it: @bracket is '}' or ']'. */
void json_leave(struct json *json, char bracket);

/* Start a member, whose name is not escaped. Return: where its value is to be printed. */
FILE *json_member(struct json *json, const char *name);

/* Print a member whose value is a text; NULL: null. */
void json_string(struct json *json, const char *name, const char *value);

/* Print a member whose value is a list of texts, terminated by NULL; NULL: none. */
void json_texts(struct json *json, const char *name, char *const *texts);

/* Print a member whose value is a whole number. */
void json_number(struct json *json, const char *name, uint64_t value);

/* Print a member whose value is a finite number with a fraction. */
void json_real(struct json *json, const char *name, double value);

/* Print a member whose value is true or false. */
void json_bool(struct json *json, const char *name, bool value);

#endif /* PROFIL_JSON_H */
