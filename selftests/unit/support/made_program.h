/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs of any word size with functions at known addresses, which need not run: an ELF
 * file with text, symbols and a segment.
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
 * made_program_write - write one
 * @path:      where to
 * @class:     ELFCLASS32 or ELFCLASS64
 * @start:     link-time address of its text
 * @bytes:     of text
 * @functions: the last has no name
 * @stripped:  it has no symbol table
 *
 * Return: whether it is there.
 */
bool made_program_write(const char *path, int class, uint64_t start, size_t bytes,
			const struct made_function *functions, bool stripped);

#endif /* MADE_PROGRAM_H */
