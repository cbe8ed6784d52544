/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From an address to the function that it lies in, for all objects of a result.
 * Addresses are link-time ones. Files are read when asked for, and those used last stay
 * open: to ask object by object is fast. Debug files installed on this machine are used,
 * and such as are fetched, where that is allowed (debuginfod.h).
 */
#ifndef PROFIL_SYMBOLS_H
#define PROFIL_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "result/result.h"

struct symbols;

/**
 * struct function - where an address lies
 * @start:  address of the function's first instruction; with the name, what tells
 *          functions of one object apart
 * @end:    first address behind what is known of it
 * @name:   not ended by a 0; NULL: the file tells where it is but not its name.
 *          As long-lived as struct symbols
 * @length: of @name in bytes
 */
struct function {
	uint64_t start;
	uint64_t end;
	const char *name;
	int length;
};

/**
 * symbols_new - prepare for the objects of a result
 * @result: must outlive the symbols
 * @root:   directory that the objects' paths begin in, as in a copy of another
 *          machine's files; NULL: this machine's own
 *
 * Removes DEBUGINFOD_URLS from this process's environment, unless debuginfod_allow() was
 * called.
 *
 * Return: to be given to symbols_free(), or NULL: no memory.
 */
struct symbols *symbols_new(const struct result *result, const char *root);

/**
 * symbols_find_fn - how to find the function at an address
 *
 * symbols_find(), or a stand-in for it.
 */
typedef int symbols_find_fn(void *symbols, size_t object, uint64_t address,
			    struct function *function);

/**
 * symbols_find - the function at an address, as functions_find() finds it
 * @symbols:  from symbols_new()
 * @object:   index in result->objects
 * @address:  in that object
 * @function: filled in if there is one
 *
 * Return: 1 if there is a function, 0 if there is none, -ENOMEM.
 */
int symbols_find(void *symbols, size_t object, uint64_t address,
		 struct function *function);

/**
 * struct source_line - a line of a source file
 * @file: its path, as the compiler had it, absolute if it said where it ran; as long-lived as
 *        struct symbols
 * @line: its number, from 1 on
 */
struct source_line {
	const char *file;
	int line;
};

/**
 * symbols_line_fn - how to find the line at an address
 *
 * symbols_line(), or a stand-in for it.
 */
typedef int symbols_line_fn(void *symbols, size_t object, uint64_t address,
			    struct source_line *line);

/**
 * symbols_line - the line that an address was compiled from
 * @symbols: from symbols_new()
 * @object:  index in result->objects
 * @address: in that object
 * @line:    filled in if there is one
 *
 * By debug information (DWARF), in the file or in one installed for it. Of a function
 * that is inlined, it is its own line.
 *
 * Return: 1 if there is a line, 0 if there is none, -ENOMEM.
 */
int symbols_line(void *symbols, size_t object, uint64_t address,
		 struct source_line *line);

/**
 * symbols_problem - why an object has no symbols
 * @symbols: from symbols_new()
 * @object:  index in result->objects
 *
 * One reason is that the file has another build-id than the one that ran: its symbols
 * would be about other code. By which option another root can be named, the caller knows.
 *
 * Return: in words; NULL if its file could be read whenever it was, or was not asked for.
 */
const char *symbols_problem(const struct symbols *symbols, size_t object);

/**
 * symbols_explain - explain why an object has no function names
 * @symbols: from symbols_new()
 * @object:  index in result->objects
 * @option:  option by which the user can set another root directory; NULL: there is none
 *
 * Return: a line for the user, without a newline, to be given to free(); NULL: there is no
 * problem, or no memory.
 */
char *symbols_explain(const struct symbols *symbols, size_t object, const char *option);

/**
 * symbols_are_stripped - whether an object has names for exported functions only
 * @symbols: from symbols_new()
 * @object:  index in result->objects
 *
 * So it is if neither its file nor a debug file has a symbol table.
 *
 * Return: 1: it is so, or the file cannot be read (symbols_problem()); 0; -ENOMEM.
 */
int symbols_are_stripped(struct symbols *symbols, size_t object);

/**
 * symbols_free - close all files, and give back all names
 * @symbols: from symbols_new(), or NULL
 */
void symbols_free(struct symbols *symbols);

#endif /* PROFIL_SYMBOLS_H */
