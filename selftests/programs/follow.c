// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that knows nothing of profiling, for the tests of the profil command: code
 * comes to it while it runs.
 *
 * usage: follow SECONDS dlopen NAME [again]	a library, and once more after dlclose()
 *        follow SECONDS dlopen NAME huge	beside much executable memory
 *        follow SECONDS mmap | mprotect	code that it makes itself
 *        follow SECONDS vdso
 *
 * SECONDS of CPU time are used in what came. Printed is the CPU time from when it was
 * there until it was used, in s.
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

/* Count down to 0: what is copied to become code */
extern const char spin_code[], spin_code_end[];
#ifdef __x86_64__
asm(".pushsection .rodata\nspin_code: 1: dec %rdi\n jnz 1b\n ret\nspin_code_end: .popsection");
#elif defined(__aarch64__)
asm(".pushsection .rodata\nspin_code: 1: subs x0, x0, #1\n b.ne 1b\n ret\nspin_code_end: .popsection");
#else
#error "say it in this machine's language"
#endif

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static void use(spin_function *spin, double seconds)
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
	use(spin, seconds);
	return dlclose(library);
}

/* As some emulators do, before they make any code */
static int reserve(void)
{
	return mmap(NULL, 1UL << 30, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED;
}

static int make(int by_mprotect, double seconds)
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
	use(spin, seconds);
	return 0;
}

static void ask_kernel(unsigned long rounds)
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
		use(ask_kernel, seconds);
		return 0;
	}
	if (strcmp(what, "dlopen") || argc < 4)
		return make(!strcmp(what, "mprotect"), seconds);
	if (argc > 4 && !strcmp(argv[4], "huge") && reserve())
		return 1;
	if (load(argv[3], seconds))
		return 1;
	return argc > 4 && !strcmp(argv[4], "again") ? load(argv[3], seconds) : 0;
}
