// SPDX-License-Identifier: GPL-2.0-only
/*
 * An unmodified program for the tests of the profil command: it makes code while it runs, and
 * writes the names of that code, as runtimes do.
 *
 * usage: jit SECONDS map	/tmp/perf-PID.map, when it exits
 *        jit SECONDS dump	jit-PID.dump in the working directory
 *        jit SECONDS fork	a map, and a child that runs the code
 *
 * Three quarters of SECONDS of CPU time are used by "made_much", the rest by "made less". The
 * program prints how much CPU time each has used, in seconds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"
#include "spin_code.h"

#define PAGE	4096

static const char *const names[] = { "made_much", "made less" };

static char *code;	/* of each function, in a page of its own */

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static int make(void)
{
	const size_t bytes = (size_t)(spin_code_end - spin_code);

	code = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		return fail("mmap");
	memcpy(code, spin_code, bytes);
	memcpy(code + PAGE, spin_code, bytes);
	__builtin___clear_cache(code, code + 2 * PAGE);
	return 0;
}

static void run(double seconds)
{
	double begin = cpu_seconds(), middle;
	spin_function *spin;

	*(void **)&spin = code;
	while (cpu_seconds() < begin + seconds * 3 / 4)
		spin(1000000);
	middle = cpu_seconds();
	*(void **)&spin = code + PAGE;
	while (cpu_seconds() < begin + seconds)
		spin(1000000);
	printf("%f %f\n", middle - begin, cpu_seconds() - middle);
	fflush(stdout);
}

static int write_map(void)
{
	char path[64];
	FILE *map;
	int i;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	if (!map)
		return fail(path);
	for (i = 0; i < 2; i++)
		fprintf(map, "%jx %x %s\n", (uintmax_t)(uintptr_t)code + (uintmax_t)i * PAGE, PAGE,
			names[i]);
	return fclose(map) ? fail(path) : 0;
}

struct dump_header {
	uint32_t magic, version, bytes, machine, reserved, pid;
	uint64_t time, flags;
};

struct dump_load {
	uint32_t id, bytes;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, start, size, index;
};

static int write_dump(void)
{
	const struct dump_header header = {
		.magic = 0x4a695444, .version = 1, .bytes = sizeof(header),
	};
	char path[64];
	FILE *dump;
	int i;

	snprintf(path, sizeof(path), "jit-%d.dump", getpid());
	dump = fopen(path, "w+");
	if (!dump)
		return fail(path);
	fwrite(&header, sizeof(header), 1, dump);
	for (i = 0; i < 2; i++) {
		const size_t length = strlen(names[i]) + 1;
		const struct dump_load load = {
			.bytes = (uint32_t)(sizeof(load) + length + PAGE),
			.start = (uint64_t)(uintptr_t)code + (uint64_t)i * PAGE,
			.size = PAGE,
			.index = (uint64_t)i,
		};

		fwrite(&load, sizeof(load), 1, dump);
		fwrite(names[i], length, 1, dump);
		fwrite(code + i * PAGE, PAGE, 1, dump);
	}
	/* this is how profilers find it */
	if (fflush(dump) || mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump),
				 0) == MAP_FAILED)
		return fail(path);
	return 0;
}

int main(int argc, char *argv[])
{
	double seconds;

	if (argc != 3) {
		fprintf(stderr, "usage: %s SECONDS map | dump | fork\n", argv[0]);
		return 2;
	}
	seconds = atof(argv[1]);
	if (make())
		return 1;
	if (!strcmp(argv[2], "dump") && write_dump())
		return 1;
	if (!strcmp(argv[2], "fork")) {
		if (write_map())
			return 1;
		if (fork())
			return wait(NULL) < 0;
	}
	run(seconds);
	return !strcmp(argv[2], "map") && write_map();
}
