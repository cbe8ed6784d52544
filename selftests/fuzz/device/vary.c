// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generation and mutation of programs.
 */
#include <string.h>

#include <linux/profil.h>

#include "program.h"

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof(*(array)))

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

/* --- generation and mutation ----------------------------------------------- */

/* Limits of the interface, of integer types and of pages */
static const uint64_t edges[] = {
	0, 1, 2, 3, 4, 8, 16, 32, 64, 72, 80, 100, 112, 250, 1000, 4000, 4096,
	4097, 20000, 32767, 32768, 65535, 65536, 1ULL << 17, 1ULL << 21,
	1ULL << 30, (1ULL << 30) + 4096, 0x7fffffff, 0x80000000, 0xffffffff,
	1ULL << 32, 1ULL << 47, 1ULL << 63, INT64_MAX, UINT64_MAX,
	UINT64_MAX - 4095,
};

static struct value some_bits(void)
{
	return (struct value){ BASE_NUMBER, random_64() & random_64() & 0x7f };
}

static struct value some_number(void)
{
	struct value value = { BASE_NUMBER, 0 };

	switch (random_below(4)) {
	case 0:
		value.offset = random_64() >> random_below(64);
		return value;
	case 1:
		value.offset = 1ULL << random_below(34);
		return value;
	default:
		value.offset = edges[random_below(ARRAY_SIZE(edges))] +
			       random_below(3) - 1;
		return value;
	}
}

static struct value some_address(void)
{
	struct value value = { (enum base)random_below(NR_BASES), 0 };

	value.offset = edges[random_below(17)] * random_below(9);
	if (!random_below(4))
		value.offset = SLOT_PAGES * 4096 - value.offset;
	return value;
}

static struct value any_value(void)
{
	switch (random_below(5)) {
	case 0:
		return some_bits();
	case 1:
	case 2:
		return some_address();
	default:
		return some_number();
	}
}

static struct value some_value(const struct type *type)
{
	struct value value = { BASE_NUMBER, 0 };

	if (!type->limit)
		return any_value();
	value.offset = random_below(type->limit);
	/* usually few regions, and the first of them */
	if (type_is(type, TYPE_REGIONS) && random_below(16))
		value.offset = 1 + random_below(6);
	if (type_is(type, TYPE_INDEX) && random_below(4))
		value.offset = random_below(2);
	/* usually the descriptor that is open from the start */
	if (type_is(type, TYPE_FD) && random_below(8))
		value.offset = 0;
	return value;
}

/* A value for a field, usually of the right kind */
static struct value for_field(enum start_field field)
{
	if (!random_below(8))
		return any_value();
	switch (field) {
	case FIELD_FLAGS:
		return some_bits();
	case FIELD_OVERFLOW:
	case FIELD_CLOCK:
		return (struct value){ BASE_NUMBER, random_below(5) };
	case FIELD_REGIONS:
	case FIELD_CATCH_ALL:
	case FIELD_LOG:
		return some_address();
	default:
		return some_number();
	}
}

static struct value for_region(enum region_field field)
{
	if (!random_below(8))
		return any_value();
	switch (field) {
	case REGION_ROUNDING:
		return (struct value){ BASE_NUMBER, random_below(5) };
	case REGION_BYTES:
	case REGION_SCALE:
		return some_number();
	default:
		return some_address();
	}
}

/* Usually this process, and the same valid fields, as further calls on a file require */
static void change_attach(struct value *values)
{
	static const uint64_t flags[] = {
		0, PROFIL_USER_ONLY, PROFIL_FOLLOW_EXEC, PROFIL_FOLLOW_EXEC,
		PROFIL_FOLLOW_EXEC | PROFIL_FROM_EXEC,
	};

	if (random_below(8))
		values[1].offset = PROCESS_SELF;
	if (random_below(8))
		values[2] = (struct value){ BASE_NUMBER, flags[random_below(ARRAY_SIZE(flags))] };
	if (random_below(8))
		values[3] = (struct value){ BASE_NUMBER, 4000 };
	if (random_below(8))
		values[4] = (struct value){ BASE_NUMBER, PROFIL_LOG_MIN };
	/* words and bytes of stacks */
	if (random_below(8))
		values[5] = (struct value){
			BASE_NUMBER, random_below(2) ? 64ULL << 32 | PROFIL_STACK_BYTES_MAX : 0,
		};
}

static struct operation make(enum operation_kind kind)
{
	struct operation operation = { .kind = kind };
	unsigned int i;

	for (i = 0; operation_type(kind, i); i++)
		operation.values[i] = some_value(operation_type(kind, i));
	if (kind == OP_ATTACH)
		change_attach(operation.values);
	if (kind == OP_READ && random_below(4))
		operation.values[1] = (struct value){
			BASE_NUMBER, random_below(3) * PROFIL_RECORD_MAX,
		};
	if (kind == OP_SET)
		operation.values[1] = for_field((enum start_field)operation.values[0].offset);
	if (kind == OP_REGION)
		operation.values[2] = for_region((enum region_field)operation.values[1].offset);
	/* usually valid arguments */
	if (kind >= OP_START && kind <= OP_LOG_STATUS && random_below(16)) {
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
		sum += operation_weight((enum operation_kind)i);
	choice = random_below(sum);
	for (i = 0; choice >= operation_weight((enum operation_kind)i); i++)
		choice -= operation_weight((enum operation_kind)i);
	return make((enum operation_kind)i);
}

static void append(struct program *program, struct operation operation)
{
	if (program->nr < MAX_OPERATIONS)
		program->operations[program->nr++] = operation;
}

/* Append a start, which may fail. */
static void append_start(struct program *program)
{
	uint64_t nr = random_below(3);

	append(program, make((enum operation_kind)
			     (OP_COUNT + random_below(OP_SET - OP_COUNT))));
	if (random_below(2)) {
		struct operation flags = make(OP_SET);

		flags.values[0].offset = FIELD_FLAGS;
		flags.values[1] = for_field(FIELD_FLAGS);
		append(program, flags);
	}
	while (nr--)
		append(program, make(random_below(2) ? OP_SET : OP_REGION));
	append(program, make(OP_START));
}

/*
 * Several starts per program: creating a process takes longer than many operations; with
 * sanitizers, a thousand times as long as a start that is refused.
 */
void program_make(struct program *program)
{
	uint64_t rounds = 1 + random_below(6), nr;

	program->nr = 0;
	while (rounds--) {
		if (!random_below(4))
			append(program, make(OP_MAP));
		append_start(program);
		if (!random_below(4))
			append(program, make(OP_ATTACH));
		for (nr = random_below(4); nr; nr--)
			append(program, any_operation());
		append(program, make(OP_BURN));
		if (!random_below(4))
			append(program, make(OP_READ));
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

static void remove_one(struct program *program)
{
	unsigned int at = (unsigned int)random_below(program->nr);

	program->nr--;
	memmove(&program->operations[at], &program->operations[at + 1],
		(program->nr - at) * sizeof(program->operations[0]));
}

static void change_value(struct program *program)
{
	struct operation *operation = &program->operations[random_below(program->nr)];
	unsigned int i = (unsigned int)random_below(MAX_VALUES);
	const struct type *type = operation_type(operation->kind, i);

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
				remove_one(program);
			break;
		case 1:	/* continue with the end of the other program */
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
