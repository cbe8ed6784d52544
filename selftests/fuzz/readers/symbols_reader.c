// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes the search of functions and lines by address: symbols, sections, unwind information,
 * line tables and inlined functions. The input is an ELF file, and the addresses to search. Most of
 * the code is elfutils'; the backtrace shows whether an error is there.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <symbol/checksum.h>
#include <symbol/symbols.h>

#define MAX_ADDRESSES	64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Names need no terminator, but lie in readable memory. */
static size_t read_name(const struct function *function)
{
	size_t sum = 0;
	int i;

	for (i = 0; function->name && i < function->length; i++)
		sum += (unsigned char)function->name[i];
	return sum;
}

static size_t read_frames(const struct source_frame *frames, size_t nr)
{
	size_t sum = 0, i;

	if (!nr || nr > SYMBOLS_MAX_FRAMES)
		abort();
	for (i = 0; i < nr; i++) {
		sum += frames[i].function ? strlen(frames[i].function) : 0;
		sum += frames[i].file ? strlen(frames[i].file) : 0;
		if (frames[i].line < 0)
			abort();
	}
	return sum;
}

static void find_functions(int fd, uint64_t start, uint64_t step)
{
	char path[64];
	struct result_object object = {
		.start = start,
		.end = start + 1,
		.path = path,
	};
	struct result result = { .objects = &object, .nr_objects = 1 };
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	unsigned char checksum[CHECKSUM_BYTES];
	struct source_line line;
	struct function function;
	struct symbols *symbols;
	volatile size_t sum = 0;
	size_t nr;
	uint64_t i;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	symbols = symbols_new(&result, NULL);
	if (!symbols)
		return;
	for (i = 0; i < MAX_ADDRESSES; i++) {
		uint64_t address = start + i * step;

		if (symbols_find(symbols, 0, address, &function) != 1)
			continue;
		if (function.start > address)
			abort();
		sum += read_name(&function);
		if (symbols_line(symbols, 0, address, &line) == 1) {
			sum += strlen(line.file);
			sum += symbols_checksum(symbols, 0, address, line.file, checksum) == 1 ?
			       checksum[0] : 0;
		}
		if (symbols_frames(symbols, 0, address, frames, &nr) == 1)
			sum += read_frames(frames, nr);
	}
	symbols_problem(symbols, 0);
	symbols_free(symbols);
}

/* The 16 bytes after the file are the first address and the step to the next ones. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t start, step;
	int fd;

	if (size < sizeof(start) + sizeof(step))
		return 0;
	size -= sizeof(start) + sizeof(step);
	memcpy(&start, data + size, sizeof(start));
	memcpy(&step, data + size + sizeof(start), sizeof(step));
	fd = memfd_create("object", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, data, size) == (ssize_t)size)
		find_functions(fd, start, step);
	close(fd);
	return 0;
}
