// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes the demangling of a symbol, which is limited in time and in the length of its result.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <symbol/demangle.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* exact size, so that the sanitizer detects reads after the end */
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
