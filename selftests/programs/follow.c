// SPDX-License-Identifier: GPL-2.0-only
/*
 * An unmodified program for the tests of the profil command: it loads or generates code while it
 * runs.
 *
 * usage: follow SECONDS dlopen NAME [again]	a library; "again": also after dlclose()
 *        follow SECONDS dlopen NAME huge	the same, next to 1 GiB of executable memory
 *        follow SECONDS mmap | mprotect	code that the program generates
 *        follow SECONDS vdso
 *
 * The new code uses SECONDS of CPU time. The program prints the CPU time that was actually used, in
 * seconds.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define CODE_BYTES	4096

typedef void spin_function(unsigned long rounds);

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Counts down to 0: the instructions that are copied as generated code */
extern const char spin_code[], spin_code_end[];
#ifdef __x86_64__
asm(".pushsection .rodata\nspin_code: 1: dec %rdi\n jnz 1b\n ret\nspin_code_end: .popsection");
#elif defined(__aarch64__)
asm(".pushsection .rodata\nspin_code: 1: subs x0, x0, #1\n b.ne 1b\n ret\n"
    "spin_code_end: .popsection");
#else
#error "no code for this architecture"
#endif

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static void run(spin_function *spin, double seconds)
{
	double begin = cpu_seconds();

	while (cpu_seconds() < begin + seconds)
		spin(1000000);
	printf("%f\n", cpu_seconds() - begin);
}

static int load(const char *name, double seconds)
{
	void *library = dlopen(name, RTLD_NOW);
	spin_function *spin;

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	*(void **)&spin = dlsym(library, "spin_loaded");
	if (!spin)
		return 1;
	run(spin, seconds);
	return dlclose(library);
}

/* Some emulators reserve their code memory like this at the start. */
static int reserve(void)
{
	return mmap(NULL, 1UL << 30, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED;
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
	run(spin, seconds);
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

	if (!strcmp(what, "vdso")) {
		run(spin_in_vdso, seconds);
		return 0;
	}
	if (strcmp(what, "dlopen") || argc < 4)
		return generate(!strcmp(what, "mprotect"), seconds);
	if (argc > 4 && !strcmp(argv[4], "huge") && reserve())
		return 1;
	if (load(argv[3], seconds))
		return 1;
	return argc > 4 && !strcmp(argv[4], "again") ? load(argv[3], seconds) : 0;
}
