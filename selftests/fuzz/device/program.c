// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operations and their values; printing and parsing of programs.
 */
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof(*(array)))

static const char *const base_names[NR_BASES] = {
	"", "s0", "s1", "s2", "s3", "s4", "s5", "stack", "data", "text", "top",
	"arg", "regions",
};

static const char *const map_words[] = {
	"anon", "shared", "memfd", "huge", "file", "shared-file", "none", "read",
	"down", "secret", "locked",
};

static const char *const width_words[] = { "w16", "w32", "w64" };

static const char *const protection_words[] = { "none", "r", "rw", "rwx", "w" };

static const char *const advice_words[] = {
	"dontneed", "free", "remove", "pageout", "cold", "hugepage",
	"nohugepage", "mergeable", "unmergeable", "dontfork", "dofork",
	"wipeonfork", "keeponfork", "populate", "collapse",
};

static const char *const remap_words[] = { "move", "keep", "shrink", "grow" };

static const char *const field_words[] = {
	"size", "flags", "rate", "width", "overflow", "nr_regions", "regions",
	"limit", "catch_all", "log", "log_bytes", "clock", "reserved",
};

static const char *const region_words[] = {
	"start", "end", "offset", "buf", "bytes", "scale", "rounding",
};

static const char *const process_words[] = { "self", "parent", "null", "path", "closed" };

#define WORDS(array)	{ .words = (array), .limit = ARRAY_SIZE(array) }

static const struct type types[NR_TYPES] = {
	[TYPE_ANY] = { .limit = 0 },
	[TYPE_SLOT] = { .limit = NR_SLOTS, .is_slot = true },
	[TYPE_PAGES] = { .limit = SLOT_PAGES + 2 },
	[TYPE_FD] = { .limit = 4 },
	[TYPE_MILLISECONDS] = { .limit = 6 },
	[TYPE_INDEX] = { .limit = 8 },
	[TYPE_REGIONS] = { .limit = 4100 },
	[TYPE_MAP_KIND] = WORDS(map_words),
	[TYPE_WIDTH] = WORDS(width_words),
	[TYPE_PROTECTION] = WORDS(protection_words),
	[TYPE_ADVICE] = WORDS(advice_words),
	[TYPE_REMAP] = WORDS(remap_words),
	[TYPE_FIELD] = WORDS(field_words),
	[TYPE_REGION] = WORDS(region_words),
	[TYPE_PROCESS] = WORDS(process_words),
};

/* @weight: relative frequency in random programs */
static const struct {
	const char *name;
	unsigned int weight;
	enum type_name types[MAX_VALUES];
} kinds[NR_KINDS] = {
	[OP_MAP] = { "map", 8, { TYPE_MAP_KIND, TYPE_SLOT, TYPE_PAGES } },
	[OP_UNMAP] = { "unmap", 4, { TYPE_SLOT, TYPE_PAGES, TYPE_PAGES } },
	[OP_PROTECT] = { "protect", 4, { TYPE_PROTECTION, TYPE_SLOT, TYPE_PAGES, TYPE_PAGES } },
	[OP_ADVISE] = { "advise", 6, { TYPE_ADVICE, TYPE_SLOT, TYPE_PAGES, TYPE_PAGES } },
	[OP_REMAP] = { "remap", 3, { TYPE_REMAP, TYPE_SLOT, TYPE_SLOT } },
	[OP_TRUNCATE] = { "truncate", 2, { TYPE_SLOT, TYPE_PAGES } },
	[OP_WP] = { "wp", 2, { TYPE_SLOT, TYPE_PAGES, TYPE_PAGES } },
	[OP_TOUCH] = { "touch", 3, { TYPE_SLOT, TYPE_PAGES, TYPE_PAGES } },
	[OP_COUNT] = { "count", 3, { TYPE_WIDTH, TYPE_SLOT } },
	[OP_SPREAD] = { "spread", 6, { TYPE_WIDTH, TYPE_SLOT, TYPE_REGIONS } },
	[OP_TIGHT] = { "tight", 4, { TYPE_WIDTH, TYPE_SLOT, TYPE_INDEX } },
	[OP_LOG] = { "log", 3, { TYPE_WIDTH, TYPE_SLOT } },
	[OP_SET] = { "set", 16, { TYPE_FIELD, TYPE_ANY } },
	[OP_REGION] = { "region", 12, { TYPE_INDEX, TYPE_REGION, TYPE_ANY } },
	[OP_TAIL] = { "tail", 1, { TYPE_ANY } },
	[OP_START] = { "start", 16, { TYPE_FD, TYPE_ANY } },
	[OP_STOP] = { "stop", 4, { TYPE_FD, TYPE_ANY, TYPE_ANY } },
	[OP_STATUS] = { "status", 4, { TYPE_FD, TYPE_ANY, TYPE_ANY } },
	[OP_INFO] = { "info", 1, { TYPE_FD, TYPE_ANY, TYPE_ANY } },
	[OP_LOG_STATUS] = { "log_status", 2, { TYPE_FD, TYPE_ANY, TYPE_ANY } },
	[OP_IOCTL] = { "ioctl", 1, { TYPE_FD, TYPE_ANY, TYPE_ANY } },
	[OP_ATTACH] = { "attach", 4,
			{ TYPE_FD, TYPE_PROCESS, TYPE_ANY, TYPE_ANY, TYPE_ANY, TYPE_ANY } },
	[OP_READ] = { "read", 4, { TYPE_FD, TYPE_ANY } },
	[OP_BURN] = { "burn", 12, { TYPE_MILLISECONDS } },
	[OP_THREAD] = { "thread", 2, { TYPE_MILLISECONDS } },
	[OP_FORK] = { "fork", 3, { TYPE_NONE } },
	[OP_VFORK] = { "vfork", 1, { TYPE_MILLISECONDS } },
	[OP_SPAWN] = { "spawn", 1, { TYPE_NONE } },
	[OP_CLONE] = { "clone", 1, { TYPE_MILLISECONDS } },
	[OP_EXEC] = { "exec", 1, { TYPE_NONE } },
	[OP_USER] = { "user", 2, { TYPE_PAGES } },
	[OP_OPEN] = { "open", 1, { TYPE_FD } },
	[OP_DUP] = { "dup", 1, { TYPE_FD, TYPE_FD } },
	[OP_CLOSE] = { "close", 1, { TYPE_FD } },
	[OP_PASS] = { "pass", 1, { TYPE_FD, TYPE_FD } },
};

unsigned int operation_weight(enum operation_kind kind)
{
	return kinds[kind].weight;
}

const struct type *operation_type(enum operation_kind kind, unsigned int i)
{
	enum type_name name = i < MAX_VALUES ? kinds[kind].types[i] : TYPE_NONE;

	return name == TYPE_NONE ? NULL : &types[name];
}

bool type_is(const struct type *type, enum type_name name)
{
	return type == &types[name];
}

static void print_value(FILE *out, const struct type *type, const struct value *value)
{
	if (type->words)
		fprintf(out, " %s", type->words[value->offset]);
	else if (type->is_slot)
		fprintf(out, " s%u", (unsigned int)value->offset);
	else if (type->limit)
		fprintf(out, " %u", (unsigned int)value->offset);
	else if (value->base == BASE_NUMBER)
		fprintf(out, " %#llx", (unsigned long long)value->offset);
	else if (!value->offset)
		fprintf(out, " %s", base_names[value->base]);
	else
		fprintf(out, " %s+%#llx", base_names[value->base],
			(unsigned long long)value->offset);
}

void program_print(FILE *out, const struct program *program, unsigned int from, const char *before)
{
	unsigned int i, j;

	for (i = from; i < program->nr; i++) {
		const struct operation *operation = &program->operations[i];

		fprintf(out, "%s%s", before, kinds[operation->kind].name);
		for (j = 0; operation_type(operation->kind, j); j++)
			print_value(out, operation_type(operation->kind, j), &operation->values[j]);
		fputc('\n', out);
	}
}

static bool read_number(const char *word, uint64_t *number)
{
	char *end;

	*number = strtoull(word, &end, 0);
	return end != word && !*end;
}

/* A base, a base and an offset, or a number */
static bool read_any(char *word, struct value *value)
{
	char *plus = strchr(word, '+');
	unsigned int i;

	if (plus)
		*plus = 0;
	for (i = BASE_NUMBER + 1; i < NR_BASES; i++) {
		if (strcmp(word, base_names[i]))
			continue;
		value->base = (enum base)i;
		return !plus || read_number(plus + 1, &value->offset);
	}
	return !plus && read_number(word, &value->offset);
}

static bool read_value(char *word, const struct type *type, struct value *value)
{
	unsigned int i;

	*value = (struct value){ BASE_NUMBER, 0 };
	if (type->is_slot && *word == 's')
		word++;
	if (!type->limit)
		return read_any(word, value);
	if (!type->words)
		return read_number(word, &value->offset) &&
		       value->offset < type->limit;
	for (i = 0; i < type->limit; i++)
		if (!strcmp(word, type->words[i])) {
			value->offset = i;
			return true;
		}
	return false;
}

static bool read_operation(char *line, struct operation *operation)
{
	const char *name = strtok(line, " \t\n");
	unsigned int kind, i;

	for (kind = 0; kind < NR_KINDS; kind++)
		if (!strcmp(name, kinds[kind].name))
			break;
	if (kind == NR_KINDS)
		return false;
	operation->kind = (enum operation_kind)kind;
	for (i = 0; operation_type(operation->kind, i); i++) {
		char *word = strtok(NULL, " \t\n");

		if (!word || !read_value(word, operation_type(operation->kind, i),
					 &operation->values[i]))
			return false;
	}
	return !strtok(NULL, " \t\n");
}

int program_read(FILE *in, struct program *program)
{
	char line[MAX_LINE], copy[MAX_LINE];

	program->nr = 0;
	while (program->nr < MAX_OPERATIONS && fgets(line, sizeof(line), in)) {
		if (*line == '#')
			continue;
		if (*line == '\n' && program->nr)
			return 1;
		if (*line == '\n')
			continue;
		memcpy(copy, line, sizeof(copy));
		if (!read_operation(copy, &program->operations[program->nr])) {
			fprintf(stderr, "not an operation: %s", line);
			return -1;
		}
		program->nr++;
	}
	return program->nr > 0;
}
