/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks whether the debug file of a stripped fixture is found.
 */
#ifndef DEBUG_FILE_H
#define DEBUG_FILE_H

#include <symbol/symbols.h>

#include "support/test.h"

/*
 * The fixture is the only object of @result. @hidden is the address of its function hidden(),
 * whose name and lines are in the debug file only.
 */
static inline bool debug_file_is_found(const struct result *result, const char *root,
				       uint64_t hidden)
{
	struct symbols *symbols = symbols_new(result, root);
	struct function function;
	struct source_line line;
	bool is_named;

	assert_int_equal(symbols_find(symbols, 0, hidden, &function), 1);
	is_named = function.name != NULL;
	if (is_named)
		assert_memory_equal(function.name, "hidden", 6);
	assert_int_equal(symbols_line(symbols, 0, hidden, &line), is_named);
	assert_int_equal(symbols_are_stripped(symbols, 0), !is_named);
	symbols_free(symbols);
	return is_named;
}

#endif /* DEBUG_FILE_H */
