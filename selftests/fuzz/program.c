// SPDX-License-Identifier: GPL-2.0-only
/*
 * What operations there are, with which values, and how they are written, made
 * and varied.
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

/*
 * What a value may be: one of some words; else a number below a limit; else, with
 * the limit 0, anything.
 */
struct type {
	const char *const *words;
	unsigned int limit;
	bool is_slot;
};

#define WORDS(array)	{ .words = (array), .limit = ARRAY_SIZE(array) }

static const struct type types[] = {
	{ 0 },
#define ANY	(&types[0])
	{ .limit = NR_SLOTS, .is_slot = true },
#define SLOT	(&types[1])
	{ .limit = SLOT_PAGES + 2 },
#define PAGES	(&types[2])
	{ .limit = 4 },
#define FD	(&types[3])
	{ .limit = 6 },
#define MILLISECONDS (&types[4])
	{ .limit = 8 },
#define INDEX	(&types[5])
	{ .limit = 4100 },
#define REGIONS	(&types[6])
	WORDS(map_words),
#define MAP_KIND (&types[7])
	WORDS(width_words),
#define WIDTH	(&types[8])
	WORDS(protection_words),
#define PROTECTION (&types[9])
	WORDS(advice_words),
#define ADVICE	(&types[10])
	WORDS(remap_words),
#define REMAP	(&types[11])
	WORDS(field_words),
#define FIELD	(&types[12])
	WORDS(region_words),
#define REGION	(&types[13])
};

/* @weight: how often it is put into programs */
static const struct {
	const char *name;
	unsigned int weight;
	const struct type *types[MAX_VALUES];
} kinds[NR_KINDS] = {
	[OP_MAP] = { "map", 8, { MAP_KIND, SLOT, PAGES } },
	[OP_UNMAP] = { "unmap", 4, { SLOT, PAGES, PAGES } },
	[OP_PROTECT] = { "protect", 4, { PROTECTION, SLOT, PAGES, PAGES } },
	[OP_ADVISE] = { "advise", 6, { ADVICE, SLOT, PAGES, PAGES } },
	[OP_REMAP] = { "remap", 3, { REMAP, SLOT, SLOT } },
	[OP_TRUNCATE] = { "truncate", 2, { SLOT, PAGES } },
	[OP_WP] = { "wp", 2, { SLOT, PAGES, PAGES } },
	[OP_TOUCH] = { "touch", 3, { SLOT, PAGES, PAGES } },
	[OP_COUNT] = { "count", 3, { WIDTH, SLOT } },
	[OP_SPREAD] = { "spread", 6, { WIDTH, SLOT, REGIONS } },
	[OP_TIGHT] = { "tight", 4, { WIDTH, SLOT, INDEX } },
	[OP_LOG] = { "log", 3, { WIDTH, SLOT } },
	[OP_SET] = { "set", 16, { FIELD, ANY } },
	[OP_REGION] = { "region", 12, { INDEX, REGION, ANY } },
	[OP_TAIL] = { "tail", 1, { ANY } },
	[OP_START] = { "start", 16, { FD, ANY } },
	[OP_STOP] = { "stop", 4, { FD, ANY, ANY } },
	[OP_STATUS] = { "status", 4, { FD, ANY, ANY } },
	[OP_INFO] = { "info", 1, { FD, ANY, ANY } },
	[OP_IOCTL] = { "ioctl", 1, { FD, ANY, ANY } },
	[OP_BURN] = { "burn", 12, { MILLISECONDS } },
	[OP_THREAD] = { "thread", 2, { MILLISECONDS } },
	[OP_FORK] = { "fork", 3, { NULL } },
	[OP_VFORK] = { "vfork", 1, { MILLISECONDS } },
	[OP_SPAWN] = { "spawn", 1, { NULL } },
	[OP_CLONE] = { "clone", 1, { MILLISECONDS } },
	[OP_EXEC] = { "exec", 1, { NULL } },
	[OP_USER] = { "user", 2, { PAGES } },
	[OP_OPEN] = { "open", 1, { FD } },
	[OP_DUP] = { "dup", 1, { FD, FD } },
	[OP_CLOSE] = { "close", 1, { FD } },
	[OP_PASS] = { "pass", 1, { FD, FD } },
};

const char *operation_name(enum operation_kind kind)
{
	return kinds[kind].name;
}

/* --- random numbers (xorshift64*) ------------------------------------------ */

static uint64_t random_state = 1;

static uint64_t random_64(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 0x2545f4914f6cdd1dULL;
}

void random_seed(uint64_t seed)
{
	random_state = (seed + 1) * 0x9e3779b97f4a7c15ULL | 1;
}

uint64_t random_below(uint64_t limit)
{
	return (random_64() >> 16) % limit;
}

/* --- making and varying ---------------------------------------------------- */

/* Limits of the interface, of types and of pages, and what lies beside them */
static const uint64_t edges[] = {
	0, 1, 2, 3, 4, 8, 16, 32, 64, 72, 80, 100, 112, 250, 1000, 4000, 4096,
	4097, 20000, 32767, 32768, 65535, 65536, 1ULL << 17, 1ULL << 21,
	1ULL << 30, (1ULL << 30) + 4096, 0x7fffffff, 0x80000000, 0xffffffff,
	1ULL << 32, 1ULL << 47, 1ULL << 63, INT64_MAX, UINT64_MAX,
	UINT64_MAX - 4095,
};

static struct value any_value(void)
{
	struct value value = { BASE_NUMBER, 0 };

	switch (random_below(9)) {
	case 0:	/* a few bits, as flags are */
		value.offset = random_64() & random_64() & 0x7f;
		return value;
	case 1:
		value.offset = random_64() >> random_below(64);
		return value;
	case 2:
		value.offset = 1ULL << random_below(34);
		return value;
	case 3:
	case 4:
	case 5:	/* an address */
		value.base = (enum base)random_below(NR_BASES);
		value.offset = edges[random_below(17)] * random_below(9);
		if (!random_below(4))
			value.offset = SLOT_PAGES * 4096 - value.offset;
		return value;
	default:
		value.offset = edges[random_below(ARRAY_SIZE(edges))] +
			       random_below(3) - 1;
		return value;
	}
}

static struct value some_value(const struct type *type)
{
	struct value value = { BASE_NUMBER, 0 };

	if (!type->limit)
		return any_value();
	value.offset = random_below(type->limit);
	/* few regions, mostly, and the first of them */
	if (type == REGIONS && random_below(16))
		value.offset = 1 + random_below(6);
	if (type == INDEX && random_below(4))
		value.offset = random_below(2);
	return value;
}

static struct operation make(enum operation_kind kind)
{
	struct operation operation = { .kind = kind };
	unsigned int i;

	for (i = 0; i < MAX_VALUES && kinds[kind].types[i]; i++)
		operation.values[i] = some_value(kinds[kind].types[i]);
	/* arguments that are what they should be, mostly */
	if (kind >= OP_START && kind <= OP_INFO && random_below(16)) {
		operation.values[1] = (struct value){ BASE_ARG, 0 };
		operation.values[2] = (struct value){ BASE_NUMBER, 0 };
	}
	return operation;
}

static struct operation any_operation(void)
{
	unsigned int sum = 0, i;
	uint64_t choice;

	for (i = 0; i < NR_KINDS; i++)
		sum += kinds[i].weight;
	choice = random_below(sum);
	for (i = 0; choice >= kinds[i].weight; i++)
		choice -= kinds[i].weight;
	return make((enum operation_kind)i);
}

static void append(struct program *program, struct operation operation)
{
	if (program->nr < MAX_OPERATIONS)
		program->operations[program->nr++] = operation;
}

/* A profile, perhaps one that is not to be had. */
static void append_start(struct program *program)
{
	uint64_t nr = random_below(3);

	append(program, make((enum operation_kind)
			     (OP_COUNT + random_below(OP_SET - OP_COUNT))));
	if (random_below(2)) {
		append(program, make(OP_SET));
		program->operations[program->nr - 1].values[0].offset =
			FIELD_FLAGS;
	}
	while (nr--)
		append(program, make(random_below(2) ? OP_SET : OP_REGION));
	append(program, make(OP_START));
}

/*
 * A process takes longer to begin and to end than to try many things: where
 * sanitizers look on, a thousand times as long as a start that is refused.
 */
void program_make(struct program *program)
{
	uint64_t rounds = 1 + random_below(6), nr;

	program->nr = 0;
	while (rounds--) {
		if (!random_below(4))
			append(program, make(OP_MAP));
		append_start(program);
		for (nr = random_below(4); nr; nr--)
			append(program, any_operation());
		append(program, make(OP_BURN));
	}
}

static void insert(struct program *program, struct operation operation)
{
	unsigned int at = (unsigned int)random_below(program->nr + 1);

	if (program->nr == MAX_OPERATIONS)
		return;
	memmove(&program->operations[at + 1], &program->operations[at],
		(program->nr - at) * sizeof(operation));
	program->operations[at] = operation;
	program->nr++;
}

static void leave_out(struct program *program)
{
	unsigned int at = (unsigned int)random_below(program->nr);

	program->nr--;
	memmove(&program->operations[at], &program->operations[at + 1],
		(program->nr - at) * sizeof(program->operations[0]));
}

static void change_value(struct program *program)
{
	struct operation *operation =
		&program->operations[random_below(program->nr)];
	unsigned int i = (unsigned int)random_below(MAX_VALUES);
	const struct type *type = kinds[operation->kind].types[i];

	if (!type)
		return;
	if (!type->limit && random_below(3))
		operation->values[i].offset += random_below(33) - 16;
	else
		operation->values[i] = some_value(type);
}

void program_vary(struct program *program, const struct program *other)
{
	uint64_t changes = 1 + random_below(4);

	while (changes--) {
		switch (random_below(8)) {
		case 0:
			if (program->nr > 1)
				leave_out(program);
			break;
		case 1:	/* the other one's end */
			program->nr = 1 + (unsigned int)random_below(program->nr);
			for (unsigned int i = (unsigned int)random_below(other->nr);
			     i < other->nr; i++)
				append(program, other->operations[i]);
			break;
		case 2:
			insert(program, other->operations[random_below(other->nr)]);
			break;
		case 3:
		case 4:
			insert(program, any_operation());
			break;
		default:
			change_value(program);
		}
	}
}

/* --- text ------------------------------------------------------------------ */

static void print_value(FILE *out, const struct type *type,
			const struct value *value)
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

void program_print(FILE *out, const struct program *program, unsigned int from,
		   const char *before)
{
	unsigned int i, j;

	for (i = from; i < program->nr; i++) {
		const struct operation *operation = &program->operations[i];

		fprintf(out, "%s%s", before, kinds[operation->kind].name);
		for (j = 0; j < MAX_VALUES && kinds[operation->kind].types[j]; j++)
			print_value(out, kinds[operation->kind].types[j],
				    &operation->values[j]);
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
	for (i = 0; i < MAX_VALUES && kinds[kind].types[i]; i++) {
		char *word = strtok(NULL, " \t\n");

		if (!word || !read_value(word, kinds[kind].types[i],
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
			fprintf(stderr, "no operation: %s", line);
			return -1;
		}
		program->nr++;
	}
	return program->nr > 0;
}
