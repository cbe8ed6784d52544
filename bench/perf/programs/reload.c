// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads and closes two libraries in turn, which get the same address: reload ROUNDS FIRST SECOND.
 * The first uses three times as much CPU time as the second. Fails if the addresses differ.
 */
#include <dlfcn.h>
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint32_t (*work_t)(uint32_t turns);

/* Return: the address at which the library's function was. */
static work_t run_library(const char *path, uint32_t turns, uint32_t *sum)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	work_t work;

	if (!library)
		errx(1, "%s", dlerror());
	work = (work_t)dlsym(library, "work");
	if (!work)
		errx(1, "%s", dlerror());
	*sum += work(turns);
	dlclose(library);
	return work;
}

int main(int argc, char **argv)
{
	uint32_t sum = 0;
	int i;

	if (argc != 4)
		errx(2, "usage: reload ROUNDS FIRST SECOND");
	for (i = 0; i < atoi(argv[1]); i++) {
		work_t first = run_library(argv[2], 300000, &sum);

		if (run_library(argv[3], 100000, &sum) != first)
			errx(1, "the libraries have different addresses");
	}
	printf("%u\n", sum);
	return 0;
}
