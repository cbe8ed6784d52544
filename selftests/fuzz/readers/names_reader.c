// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the command makes of the names in a file: demangled, they come to an end, in time and
 * in text. For libFuzzer. The input is a symbol.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <symbol/demangle.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* (of its own size, so that reading on is seen) */
	char *symbol = malloc(size + 1), *name;

	if (!symbol)
		return 0;
	memcpy(symbol, data, size);
	symbol[size] = 0;
	name = demangle(symbol);
	if (name && strlen(name) > 65536 + size)
		abort();
	free(name);
	free(symbol);
	return 0;
}
