// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints a mon.out file, whose format is described in monitor(3), for monitor_test.sh.
 *
 * usage: monread MON.OUT PROGRAM
 *
 * Functions have their names from PROGRAM's symbol table. A mark of <prof.h> has no size, and
 * extends to the next function or mark. The lines are:
 *   range LPC HPC	in hexadecimal
 *   calls NAME N	for each call count; NAME is ? outside all functions
 *   samples NAME N	for each function with samples
 *   total N		the sum of all counters
 */
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK	"MARK."

struct header {
	uintptr_t low;
	uintptr_t high;
	size_t nfns;
};

struct cell {
	uintptr_t function;
	long calls;
};

struct function {
	uintptr_t start;
	uintptr_t end;
	const char *name;
	unsigned long samples;
};

static struct function *functions;
static size_t nr_functions;

static const char *map(const char *path, size_t *bytes)
{
	int fd = open(path, O_RDONLY);
	struct stat stat;
	const char *file;

	if (fd < 0 || fstat(fd, &stat))
		err(1, "%s", path);
	*bytes = (size_t)stat.st_size;
	file = mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		err(1, "%s", path);
	close(fd);
	return file;
}

static void read_symbols(const char *path)
{
	size_t bytes, nr, i;
	const char *file = map(path, &bytes);
	const ElfW(Ehdr) *elf = (const void *)file;
	const ElfW(Shdr) *sections = (const void *)(file + elf->e_shoff), *table = NULL;
	const ElfW(Sym) *symbols;
	const char *name;

	for (i = 0; i < elf->e_shnum; i++)
		if (sections[i].sh_type == SHT_SYMTAB)
			table = &sections[i];
	if (!table)
		errx(1, "%s has no symbols", path);
	symbols = (const void *)(file + table->sh_offset);
	nr = table->sh_size / sizeof(*symbols);
	functions = calloc(nr, sizeof(*functions));
	for (i = 0; i < nr; i++) {
		name = file + sections[table->sh_link].sh_offset + symbols[i].st_name;
		if ((symbols[i].st_info & 0xf) != STT_FUNC ||
		    (!symbols[i].st_size && strncmp(name, MARK, strlen(MARK))))
			continue;
		functions[nr_functions++] = (struct function){
			.start = symbols[i].st_value,
			.end = symbols[i].st_size ? symbols[i].st_value + symbols[i].st_size :
						    UINTPTR_MAX,
			.name = name,
		};
	}
}

/* The last one that begins at or before @pc, and does not end before it */
static struct function *function_at(uintptr_t pc)
{
	static struct function none = { .name = "?" };
	struct function *found = &none;
	size_t i;

	for (i = 0; i < nr_functions; i++)
		if (found->start <= functions[i].start && functions[i].start <= pc &&
		    pc < functions[i].end)
			found = &functions[i];
	return found;
}

int main(int argc, char **argv)
{
	const struct header *header;
	const struct cell *cells;
	const uint16_t *counters;
	unsigned long total = 0;
	size_t bytes, front, nr, i;
	uintptr_t pairs, scale;

	if (argc != 3)
		errx(2, "usage: monread MON.OUT PROGRAM");
	read_symbols(argv[2]);
	header = (const void *)map(argv[1], &bytes);
	cells = (const void *)(header + 1);
	front = sizeof(*header) + header->nfns * sizeof(*cells);
	if (bytes <= front || (bytes - front) % sizeof(*counters))
		errx(1, "%s: %zu bytes, %zu of them before the counters", argv[1], bytes, front);
	counters = (const void *)(cells + header->nfns);
	nr = (bytes - front) / sizeof(*counters);
	printf("range %lx %lx\n", (unsigned long)header->low, (unsigned long)header->high);
	for (i = 0; i < header->nfns; i++)
		printf("calls %s %ld\n", function_at(cells[i].function)->name, cells[i].calls);
	pairs = (header->high - header->low + 1) / 2;
	scale = nr < pairs ? nr * 0x10000 / pairs : 0xffff;
	for (i = 0; i < nr; i++) {
		/* the middle of the counter's range of addresses */
		function_at(header->low + (2 * i + 1) * 0x10000 / scale)->samples += counters[i];
		total += counters[i];
	}
	for (i = 0; i < nr_functions; i++)
		if (functions[i].samples)
			printf("samples %s %lu\n", functions[i].name, functions[i].samples);
	printf("total %lu\n", total);
	return 0;
}
