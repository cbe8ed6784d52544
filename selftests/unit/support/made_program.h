/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes ELF files of any word size with functions at known addresses. They have text, symbols
 * and a segment, but cannot run.
 */
#ifndef MADE_PROGRAM_H
#define MADE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gelf.h>

struct made_function {
	const char *name;
	uint64_t start;
	uint64_t size;
};

/**
 * made_program_write - write an ELF file
 * @path:      its path
 * @class:     ELFCLASS32 or ELFCLASS64
 * @start:     link-time address of its text
 * @bytes:     size of its text
 * @functions: its functions; the last one has no name
 * @stripped:  omit the symbol table
 *
 * Return: whether the file was written.
 */
bool made_program_write(const char *path, int class, uint64_t start, size_t bytes,
			const struct made_function *functions, bool stripped);

/**
 * made_program_text - find the text in a file of 64 bits
 * @path: its path
 *
 * Exits if it cannot be read. Return: the offset of the text.
 */
uint64_t made_program_text(const char *path);

#endif /* MADE_PROGRAM_H */
