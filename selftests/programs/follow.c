// SPDX-License-Identifier: GPL-2.0-only
/*
 * An unmodified program for the tests of the profil command: it loads or generates code while it
 * runs.
 *
 * usage: follow SECONDS dlopen ROUNDS		libraries: see below
 *        follow SECONDS mmap | mprotect	code that the program generates
 *        follow SECONDS vdso
 *
 * The new code uses SECONDS of CPU time. The program prints the CPU time that was actually used, in
 * seconds.
 *
 * Each round of "dlopen" loads libfollow.so, uses it and unloads it, and then libother.so. They
 * have the same size, so both are at the same address. It prints the function and its CPU time.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "spin.h"
#include "spin_code.h"

#define CODE_BYTES	4096

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static double run(spin_function *spin, double seconds)
{
	double begin = cpu_seconds();

	while (cpu_seconds() < begin + seconds)
		spin(1000000);
	return cpu_seconds() - begin;
}

/* Loads a library, uses its function and unloads it. Return: 0, or 1 after a message. */
static int load(const char *name, const char *function, double seconds)
{
	void *library = dlopen(name, RTLD_NOW);
	spin_function *spin = NULL;

	if (library)
		*(void **)&spin = dlsym(library, function);
	if (!spin) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	printf("%s %f\n", function, run(spin, seconds));
	return dlclose(library);
}

static int generate(int by_mprotect, double seconds)
{
	int protection = PROT_READ | PROT_WRITE | (by_mprotect ? 0 : PROT_EXEC);
	char *code = mmap(NULL, CODE_BYTES, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	spin_function *spin;

	if (code == MAP_FAILED)
		return fail("mmap");
	memcpy(code, spin_code, (size_t)(spin_code_end - spin_code));
	__builtin___clear_cache(code, code + CODE_BYTES);
	if (by_mprotect && mprotect(code, CODE_BYTES, PROT_READ | PROT_EXEC))
		return fail("mprotect");
	*(void **)&spin = code;
	printf("%f\n", run(spin, seconds));
	return 0;
}

static void spin_in_vdso(unsigned long rounds)
{
	struct timespec now;

	for (rounds /= 100; rounds; rounds--)
		clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	const char *what = argc > 2 ? argv[2] : "";
	int rounds = argc > 3 ? atoi(argv[3]) : 0;

	if (!strcmp(what, "vdso")) {
		printf("%f\n", run(spin_in_vdso, seconds));
		return 0;
	}
	if (strcmp(what, "dlopen"))
		return generate(!strcmp(what, "mprotect"), seconds);
	for (; rounds; rounds--)
		if (load("libfollow.so", "spin_follow", seconds) ||
		    load("libother.so", "spin_other", seconds))
			return 1;
	return 0;
}
