// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads hexadecimal addresses from standard input, and prints the source line of each as
 * FILE:NUMBER, or ??:0 if it is unknown. For lines_comparison.py.
 *
 * usage: print_lines FILE
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <symbol/symbols.h>

int main(int argc, char **argv)
{
	struct result_object object = { .path = argv[1] };
	struct result result = { .objects = &object, .nr_objects = 1 };
	struct symbols *symbols;
	struct source_line line;
	uint64_t address;

	if (argc != 2)
		errx(EXIT_FAILURE, "usage: print_lines FILE");
	symbols = symbols_new(&result, NULL);
	if (!symbols)
		errx(EXIT_FAILURE, "no memory");
	while (scanf("%" SCNx64, &address) == 1)
		if (symbols_line(symbols, 0, address, &line) == 1)
			printf("%s:%d\n", line.file, line.line);
		else
			puts("??:0");
	if (symbols_problem(symbols, 0))
		errx(EXIT_FAILURE, "%s: %s", argv[1], symbols_problem(symbols, 0));
	symbols_free(symbols);
	return EXIT_SUCCESS;
}
