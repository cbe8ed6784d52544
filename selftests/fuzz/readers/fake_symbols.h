/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols that do not depend on the files of this machine, which an input may name.
 */
#ifndef FUZZ_FAKE_SYMBOLS_H
#define FUZZ_FAKE_SYMBOLS_H

#include <string.h>

#include <symbol/symbols.h>

/*
 * Like symbols_find(): functions of 64 bytes, with gaps, whose end is set, too. Every other
 * function has the name @symbols.
 */
static inline int fake_symbols_find(void *symbols, size_t object, uint64_t address,
				    struct function *function)
{
	const char *name = address / 64 % 2 ? symbols : NULL;

	function->end = address / 64 * 64 + 64;
	if (address / 64 % 4 == object % 4)
		return 0;
	*function = (struct function){
		.start = address / 64 * 64,
		.end = function->end,
		.name = name,
		.length = name ? (int)strlen(name) : 0,
	};
	return 1;
}

/* Like symbols_line(): a line for every four addresses, in two files, with gaps */
static inline int fake_symbols_line(void *symbols, size_t object, uint64_t address,
				    struct source_line *line)
{
	(void)symbols;
	(void)object;
	line->file = address / 16 % 2 ? "(2)\n\xff" : "file";
	line->line = (int)(address / 4 % 1000);
	return line->line > 0;
}

/* Like symbols_frames(): up to the largest number of functions, with gaps in everything */
static inline int fake_symbols_frames(void *symbols, size_t object, uint64_t address,
				      struct source_frame *frames, size_t *nr)
{
	size_t i;

	*nr = address / 8 % (SYMBOLS_MAX_FRAMES + 1);
	for (i = 0; i < *nr; i++) {
		frames[i].function = (address + i) % 3 ? symbols : NULL;
		frames[i].file = (object + i) % 2 ? "(2)\n\xff" : NULL;
		frames[i].line = (int)(i % 2);
	}
	return *nr > 0;
}

#endif /* FUZZ_FAKE_SYMBOLS_H */
