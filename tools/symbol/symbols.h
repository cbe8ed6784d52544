/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps link-time addresses to functions and source lines, for all objects of a result. The names
 * are those that the result has (names_write.h), or those in the files, which are
 * read when they are needed. The ones used last stay open, so looking up addresses object by
 * object is fast. Separate debug files are found on this machine, or fetched if that is
 * allowed (debuginfod.h).
 */
#ifndef PROFIL_SYMBOLS_H
#define PROFIL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

#include "result/result.h"

struct symbols;

/**
 * struct function - a function in an object
 * @start:  address of its first instruction. @start and @name identify the function
 * @end:    end of its known text (exclusive)
 * @name:   its name, not terminated by a 0, valid as long as struct symbols; NULL: the file has
 *          the function's bounds but not its name
 * @length: length of @name in bytes
 */
struct function {
	uint64_t start;
	uint64_t end;
	const char *name;
	int length;
};

/**
 * symbols_new - prepare to look up addresses in the objects of a result
 * @result: the result; must outlive the symbols
 * @root:   root directory for the objects' paths, for example a copy of another machine's
 *          files; NULL: /. A file that is not there is looked for below /, if it has a build-id
 *
 * Names of the result are used, except with a root, after symbols_prefer_files(), and for stripped
 * objects if debug files may be fetched.
 *
 * Removes DEBUGINFOD_URLS from this process's environment, unless debuginfod_allow() was
 * called.
 *
 * Return: symbols to be given to symbols_free(); NULL: no memory.
 */
struct symbols *symbols_new(const struct result *result, const char *root);

/* Whether files are read for the functions of a result. Then a helper should do it (bound.h). */
bool symbols_need_files(const struct result *result, const char *root);

/**
 * symbols_use_open - read an open file instead of the one at the path of the object
 * @symbols: from symbols_new(), not used yet
 * @fd:      descriptor of the file, which may have no path any more; must outlive @symbols
 *
 * The file is checked as one that is found by its path.
 */
void symbols_use_open(struct symbols *symbols, size_t object, int fd);

/*
 * Use the files, and names of the result only if a file cannot be used. For all symbols_new() from
 * now on.
 */
void symbols_prefer_files(void);

/* Do the same for one object. What was found in the result stays valid. */
void symbols_prefer_file(struct symbols *symbols, size_t object);

/**
 * symbols_elf - open the file of an object, for its code
 * @elf:     set to the file, which is valid until another object is looked up
 * @problem: set to the reason if it cannot be used: debug files have no code
 *
 * Return: 1; 0: it cannot be used; or -ENOMEM.
 */
int symbols_elf(struct symbols *symbols, size_t object, Elf **elf, const char **problem);

/* Type of symbols_find() and its replacements. */
typedef int symbols_find_fn(void *symbols, size_t object, uint64_t address,
			    struct function *function);

/* Find the function at an address with functions_find(). Return: 1; 0: no function; or -ENOMEM. */
int symbols_find(void *symbols, size_t object, uint64_t address,
		 struct function *function);

/**
 * struct source_line - a line of a source file
 * @file: path of the file, from the debug information; absolute if that has the directory of
 *        the compiler. Valid as long as struct symbols
 * @line: number of the line; 0: code that the compiler generated for no line
 */
struct source_line {
	const char *file;
	int line;
};

/* Type of symbols_line() and its replacements. */
typedef int symbols_line_fn(void *symbols, size_t object, uint64_t address,
			    struct source_line *line);

/*
 * Find the source line of an address. The line is from debug information (DWARF) in the file or its
 * separate debug file. For inlined code it is the line of the inlined function, not of the call.
 * Return: 1; 0: no line; or -ENOMEM.
 */
int symbols_line(void *symbols, size_t object, uint64_t address,
		 struct source_line *line);

/**
 * struct source_frame - a function, perhaps inlined, at an address
 * @function: its linkage name, or its plain name if it has none; NULL: unknown. Valid as long as
 *            struct symbols
 * @file:     path of the source file of @line, as in struct source_line; NULL: unknown
 * @line:     of the address itself in the innermost function, else of the call; 0: unknown
 * @declared: line at which the function is declared; 0: unknown, as in a result
 */
struct source_frame {
	const char *function;
	const char *file;
	int line;
	int declared;
};

/* The most functions that symbols_frames() finds at an address */
#define SYMBOLS_MAX_FRAMES	RESULT_MAX_FRAMES

/* Type of symbols_frames() and its replacements. */
typedef int symbols_frames_fn(void *symbols, size_t object, uint64_t address,
			      struct source_frame *frames, size_t *nr);

/**
 * symbols_frames - find the functions at an address, with those that were inlined there
 * @frames:  room for SYMBOLS_MAX_FRAMES; filled in if there is debug information, innermost
 *           function first. If more functions were inlined, those next to the last one are left
 *           out
 * @nr:      set to the number of functions, at least 1; 0: no debug information
 *
 * All functions are inlined, but for the last one, which has the code. Its name is that of
 * symbols_find(), if there is one. It may be the only one, with or without a line.
 *
 * Return: 1; 0: no debug information covers the address; or -ENOMEM.
 */
int symbols_frames(void *symbols, size_t object, uint64_t address,
		   struct source_frame *frames, size_t *nr);

/**
 * symbols_checksum - find the checksum of a source file, as it was compiled
 * @address:  has code of the file
 * @path:     of the file, from symbols_line() or symbols_frames()
 * @checksum: set to its CHECKSUM_BYTES bytes (checksum.h)
 *
 * It is in the file of the object, not in a result.
 *
 * Return: 1; 0: none; or -ENOMEM.
 */
int symbols_checksum(struct symbols *symbols, size_t object, uint64_t address, const char *path,
		     unsigned char *checksum);

/*
 * Why the file of an object cannot be used. A file whose build-id differs from that of the file
 * that ran is not used either, because its symbols are of other code. There is no problem if the
 * debug file is used instead. Return: the reason; NULL: no problem so far.
 */
const char *symbols_problem(const struct symbols *symbols, size_t object);

/*
 * Whether the file of an object was not found. Return: true if there is no file at its path,
 * although the file may be elsewhere; false also if it was not needed so far.
 */
bool symbols_is_missing(const struct symbols *symbols, size_t object);

/**
 * symbols_explain - explain why an object has no function names, or where they are from
 * @option:  option by which the user can set another root directory; NULL: there is none
 *
 * If the file cannot be used, but its debug file was found by the build-id, the names are from
 * the debug file.
 *
 * Return: a line for the user, without a newline, to be freed with free(); NULL: there is no
 * problem, or no memory.
 */
char *symbols_explain(const struct symbols *symbols, size_t object, const char *option);

/**
 * symbols_explain_lines - explain why an object with debug information has no source lines
 * @symbols: from symbols_new(); symbols_line() was called
 *
 * Return: a line for the user, without a newline, to be freed with free(); NULL: there is no
 * debug information, no problem so far, or no memory.
 */
char *symbols_explain_lines(const struct symbols *symbols, size_t object);

/*
 * Whether an object has names for exported functions only. This is the case if neither its file nor
 * its debug file has a symbol table. Return: 1: stripped, or the file cannot be used
 * (symbols_problem()); 0: not stripped; or -ENOMEM.
 */
int symbols_are_stripped(struct symbols *symbols, size_t object);

/* Close all files and free all names. */
void symbols_free(struct symbols *symbols);

#endif /* PROFIL_SYMBOLS_H */
