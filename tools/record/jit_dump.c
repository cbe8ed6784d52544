// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads jit-PID.dump, whose format is specified by
 * tools/perf/Documentation/jitdump-specification.txt in the kernel's sources. A record of a
 * function has its name and its code. The code is skipped. The records are listed first, and then
 * applied from the last one back, as later code replaces earlier code.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/jit_dump.h"
#include "result/result.h"
#include "util/array.h"
#include "util/base_name.h"

#define MAGIC		0x4a695444
#define VERSION		1
#define WINDOW		((size_t)64 << 10)	/* more than the part of a record that counts */

enum { CODE_LOAD, CODE_MOVE };

struct header {
	uint32_t magic;
	uint32_t version;
	uint32_t bytes;
	uint32_t machine;
	uint32_t reserved;
	uint32_t pid;
	uint64_t time;
	uint64_t flags;
};

struct record {
	uint32_t id;
	uint32_t bytes;
	uint64_t time;
};

/* A record of code, followed by the name and the code */
struct load {
	struct record record;
	uint32_t pid;
	uint32_t tid;
	uint64_t vma;
	uint64_t start;
	uint64_t bytes;
	uint64_t index;
};

struct move {
	struct record record;
	uint32_t pid;
	uint32_t tid;
	uint64_t vma;
	uint64_t from;
	uint64_t start;
	uint64_t bytes;
	uint64_t index;
};

/* Code at an address, and where in the file its name is */
struct code {
	uint64_t start;
	uint64_t bytes;
	uint64_t name;
};

/**
 * struct dump - a dump that is being read
 * @window:  a part of it
 * @from:    where in the file that part is
 * @codes:   all code, in the order of the records
 * @nr:      number of @codes
 * @loaded:  by the index that a record has: how much of @codes there was when that code was
 *           loaded as the last one; 0: it was not. Runtimes count these indexes up; code with a
 *           higher one cannot be moved
 */
struct dump {
	int fd;
	char *window;
	uint64_t from;
	size_t bytes;
	struct code *codes;
	size_t nr;
	uint32_t *loaded;
};

bool jit_dump_is(const char *path)
{
	const char *at = base_name(path);

	if (strncmp(at, "jit-", 4) || !isdigit((unsigned char)at[4]))
		return false;
	at += 4;
	while (isdigit((unsigned char)*at))
		at++;
	return !strcmp(at, ".dump");
}

/* Return: the bytes at an offset, as many as @bytes, at most WINDOW; fewer at the file's end. */
static const char *at_offset(struct dump *dump, uint64_t offset, size_t *bytes)
{
	ssize_t more = 0;

	if (offset < dump->from || offset - dump->from > dump->bytes ||
	    dump->bytes - (size_t)(offset - dump->from) < *bytes) {
		if (offset <= INT64_MAX)
			more = pread(dump->fd, dump->window, WINDOW, (off_t)offset);
		dump->from = offset;
		dump->bytes = more > 0 ? (size_t)more : 0;
	}
	if (*bytes > dump->bytes - (size_t)(offset - dump->from))
		*bytes = dump->bytes - (size_t)(offset - dump->from);
	return dump->window + (offset - dump->from);
}

/* Copy a structure of the file. Return: whether the file has it. */
static bool copy(struct dump *dump, uint64_t offset, void *to, size_t bytes)
{
	size_t there = bytes;
	const char *from = at_offset(dump, offset, &there);

	if (there < bytes)
		return false;
	memcpy(to, from, bytes);
	return true;
}

/* Return: false: there is no room. */
static bool add_code(struct dump *dump, const struct code *code)
{
	struct code *last = dump->nr < JIT_DUMP_RECORDS ? array_append(dump->codes, dump->nr) : NULL;

	if (last)
		*last = *code;
	return last;
}

static bool read_load(struct dump *dump, uint64_t offset)
{
	struct load load;
	struct code code;

	if (!copy(dump, offset, &load, sizeof(load)) || load.record.bytes < sizeof(load))
		return false;
	code = (struct code){ load.start, load.bytes, offset + sizeof(load) };
	if (!add_code(dump, &code))
		return false;
	if (load.index < JIT_DUMP_RECORDS)
		dump->loaded[load.index] = (uint32_t)dump->nr;
	return true;
}

static bool read_move(struct dump *dump, uint64_t offset)
{
	struct move move;
	uint32_t number;

	if (!copy(dump, offset, &move, sizeof(move)) || move.record.bytes < sizeof(move))
		return false;
	number = move.index < JIT_DUMP_RECORDS ? dump->loaded[move.index] : 0;
	if (!number || number > dump->nr)
		return true;
	return add_code(dump, &(struct code){
		.start = move.start,
		.bytes = move.bytes,
		.name = dump->codes[number - 1].name,
	});
}

/* List all code. @offset: of the first record */
static void read_records(struct dump *dump, uint64_t offset)
{
	size_t records = 0;
	bool more = true;

	while (more && records++ < (size_t)4 * JIT_DUMP_RECORDS) {
		struct record record;

		if (!copy(dump, offset, &record, sizeof(record)) || record.bytes < sizeof(record))
			return;
		if (record.id == CODE_LOAD)
			more = read_load(dump, offset);
		else if (record.id == CODE_MOVE)
			more = read_move(dump, offset);
		offset += record.bytes;
	}
}

static void name_code(struct dump *dump, struct jit_names *names)
{
	size_t i = dump->nr;

	while (i-- && names->left) {
		const struct code *code = &dump->codes[i];
		size_t length = RESULT_MAX_NAME;
		const char *name;

		if (!jit_names_wants(names, code->start, code->bytes))
			continue;
		name = at_offset(dump, code->name, &length);
		jit_names_add(names, code->start, code->bytes, name, length);
	}
}

void jit_dump_read(int fd, struct jit_names *names)
{
	struct dump dump = { .fd = fd };
	struct header header;

	dump.window = malloc(WINDOW);
	if (!dump.window || !copy(&dump, 0, &header, sizeof(header)) || header.magic != MAGIC ||
	    header.version != VERSION || header.bytes < sizeof(header))
		goto out;
	dump.loaded = calloc(JIT_DUMP_RECORDS, sizeof(*dump.loaded));
	if (!dump.loaded)
		goto out;
	read_records(&dump, header.bytes);
	name_code(&dump, names);
out:
	free(dump.codes);
	free(dump.loaded);
	free(dump.window);
}
