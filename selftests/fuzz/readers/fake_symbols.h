/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In place of files, which the input names: it shall not depend on this machine's.
 */
#ifndef FUZZ_FAKE_SYMBOLS_H
#define FUZZ_FAKE_SYMBOLS_H

#include <string.h>

#include <symbol/symbols.h>

/*
 * As symbols_find(): functions of 64 bytes, now and then with none in between, of which
 * every other one has a name. symbols: that name.
 */
static inline int fake_symbols_find(void *symbols, size_t object, uint64_t address,
				    struct function *function)
{
	const char *name = address / 64 % 2 ? symbols : NULL;

	if (address / 64 % 4 == object % 4)
		return 0;
	*function = (struct function){
		.start = address / 64 * 64,
		.name = name,
		.length = name ? (int)strlen(name) : 0,
	};
	return 1;
}

/* As symbols_line(): four addresses a line, of two files, and now and then of none */
static inline int fake_symbols_line(void *symbols, size_t object, uint64_t address,
				    struct source_line *line)
{
	(void)symbols;
	(void)object;
	line->file = address / 16 % 2 ? "(2)\n\xff" : "file";
	line->line = (int)(address / 4 % 1000);
	return line->line > 0;
}

#endif /* FUZZ_FAKE_SYMBOLS_H */
