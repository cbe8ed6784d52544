// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the callers of sampled code, frame by frame.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/openmapped.h"
#include "record/unwind.h"
#include "util/bound.h"

#define EXPRESSION_DEPTH	16

/* Files are told apart while the command runs; symbols.c has other numbers for them (bound.h). */
#define BOUND(number)	((uint64_t)(number) << 1 | 1)

/* A sample that is being unwound */
struct state {
	struct unwinder *unwinder;
	struct space *space;
	const void *identity;			/* of the space */
	const struct profil_record_stack *record;
	uint64_t start;				/* of the stack: rsp of the sample */
	size_t nr;				/* words that the kernel has looked at */
	size_t nr_kept;
	uint64_t registers[CFI_REGISTERS];	/* 0: not known */
};

/* --- files ------------------------------------------------------------------------ */

struct unwinder *unwinder_new(const struct files *files)
{
	struct unwinder *unwinder = calloc(1, sizeof(*unwinder));

	if (!unwinder)
		return NULL;
	unwinder->files = files;
	unwinder->nr = files->last->number + 1;
	unwinder->cfi = calloc(unwinder->nr, sizeof(struct cfi *));
	if (!unwinder->cfi) {
		free(unwinder);
		return NULL;
	}
	return unwinder;
}

void unwinder_free(struct unwinder *unwinder)
{
	size_t i;

	if (!unwinder)
		return;
	for (i = 0; i < unwinder->nr; i++) {
		if (unwinder->cfi[i])
			cfi_release(unwinder->cfi[i]);
		free(unwinder->cfi[i]);
	}
	free(unwinder->cfi);
	free(unwinder);
}

/* Return: a descriptor of the file that was mapped; negative: it is not there any more. */
static int open_file(const struct files *files, const struct file *file)
{
	const struct file_use none = { 0 };
	bool is_device;
	size_t i;

	for (i = 0; i < files->kept.nr; i++)
		if (files->kept.files[i].file == file)
			return dup(files->kept.files[i].fd);
	return openmapped_open(&file->key, &none, true, &is_device);
}

static void read_file(struct cfi *cfi, const struct files *files, const struct file *file)
{
	int fd;

	if (file->number == FILE_VDSO) {
		cfi_open_vdso(cfi);
		return;
	}
	if (file->number < FILE_NR_SPECIAL || !file->is_read)
		return;
	fd = open_file(files, file);
	if (fd < 0)
		return;
	bound_allow(fd);
	cfi_open(cfi, fd);
	close(fd);
}

/* Return: the unwind information of a file, perhaps none; NULL: no memory. */
static struct cfi *find_file(struct unwinder *unwinder, const struct file *file)
{
	struct cfi *cfi = unwinder->cfi[file->number];

	if (cfi)
		return cfi;
	cfi = calloc(1, sizeof(*cfi));
	unwinder->cfi[file->number] = cfi;
	if (cfi && !bound_problem(BOUND(file->number))) {
		bound_read(BOUND(file->number));
		read_file(cfi, unwinder->files, file);
	}
	return cfi;
}

/* From here on, time counts for the file: what it says may lead around for ever. */
static const struct cfi_row *find_row(struct cfi *cfi, const struct file *file, uint64_t address)
{
	bound_read(BOUND(file->number));
	return cfi_find(cfi, address);
}

/* --- memory ----------------------------------------------------------------------- */

/* Find out where the words are that were kept. */
static void place_words(struct state *state)
{
	struct unwinder *unwinder = state->unwinder;
	const struct profil_record_stack *record = state->record;
	size_t at = 0, i;

	state->start = record->regs[PROFIL_STACK_RSP];
	state->nr = record->seen_bytes / 8;
	for (i = 0; i < record->nr_words; i++, at++) {
		at += PROFIL_STACK_SKIPPED(record->words[i]);
		if (at >= state->nr)
			break;
		unwinder->positions[i] = (uint16_t)at;
		unwinder->kept[at] = (uint16_t)i;
	}
	state->nr_kept = i;
}

/*
 * Get a word. One that is not kept is 0, as it points neither to code nor into the stack. Return:
 * whether the address is in the stack.
 */
static bool load(const struct state *state, uint64_t address, uint64_t *value)
{
	const struct unwinder *unwinder = state->unwinder;
	const uint64_t bytes = address - state->start, at = bytes / 8;
	size_t i;

	if (bytes % 8 || at >= state->nr)
		return false;
	i = unwinder->kept[at];
	*value = i < state->nr_kept && unwinder->positions[i] == at ?
		 PROFIL_STACK_VALUE(state->record->words[i]) : 0;
	return true;
}

/* Why the caller is not known if what it needs is at an address outside the stack. */
static enum result_stack outside(const struct state *state, uint64_t address)
{
	const uint32_t flags = state->record->flags;

	if (address < state->start)
		return RESULT_STACK_OTHER;
	if (flags & PROFIL_STACK_CUT)
		return RESULT_STACK_CUT;
	return flags & PROFIL_STACK_ABSENT ? RESULT_STACK_ABSENT : RESULT_STACK_OTHER;
}

/* --- expressions ------------------------------------------------------------------ */

/* Operators with two operands that compilers, linkers and C libraries use. Return: if it is one. */
static bool operate(unsigned int atom, uint64_t a, uint64_t b, uint64_t *value)
{
	switch (atom) {
	case DW_OP_plus:
		*value = a + b;
		return true;
	case DW_OP_minus:
		*value = a - b;
		return true;
	case DW_OP_mul:
		*value = a * b;
		return true;
	case DW_OP_and:
		*value = a & b;
		return true;
	case DW_OP_or:
		*value = a | b;
		return true;
	case DW_OP_shl:
		*value = b < 64 ? a << b : 0;
		return true;
	case DW_OP_shr:
		*value = b < 64 ? a >> b : 0;
		return true;
	case DW_OP_eq:
		*value = a == b;
		return true;
	case DW_OP_ge:
		*value = (int64_t)a >= (int64_t)b;
		return true;
	case DW_OP_lt:
		*value = (int64_t)a < (int64_t)b;
		return true;
	default:
		return false;
	}
}

/* Whether an operation pushes a value that is known without the others. */
static bool push(const struct state *state, const Dwarf_Op *op, uint64_t cfa, uint64_t *value)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		*value = op->atom - DW_OP_lit0;
	else if (op->atom >= DW_OP_breg0 && op->atom < DW_OP_breg0 + CFI_REGISTERS)
		*value = state->registers[op->atom - DW_OP_breg0] + op->number;
	else if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts)
		*value = op->number;
	else if (op->atom == DW_OP_call_frame_cfa)
		*value = cfa;
	else
		return false;
	return true;
}

/* Return: whether the expression has a value. @at: set to an address that is not in the stack */
static bool evaluate(const struct state *state, const Dwarf_Op *ops, size_t nr, uint64_t cfa,
		     uint64_t *value, uint64_t *at)
{
	uint64_t stack[EXPRESSION_DEPTH];
	size_t depth = 0, i;

	*at = 0;
	for (i = 0; i < nr; i++) {
		const Dwarf_Op *op = &ops[i];

		if (depth < EXPRESSION_DEPTH && push(state, op, cfa, &stack[depth]))
			depth++;
		else if (!depth)
			return false;
		else if (op->atom == DW_OP_plus_uconst)
			stack[depth - 1] += op->number;
		else if (op->atom == DW_OP_deref)
			*at = stack[depth - 1];
		else if (depth > 1 && operate(op->atom, stack[depth - 2], stack[depth - 1],
					      &stack[depth - 2]))
			depth--;
		else if (op->atom != DW_OP_stack_value)
			return false;
		if (op->atom == DW_OP_deref && !load(state, *at, &stack[depth - 1]))
			return false;
	}
	*value = depth ? stack[depth - 1] : 0;
	return depth;
}

/* --- frames ----------------------------------------------------------------------- */

/* Find what a rule gives. Return: 0; or why it is not known, a RESULT_STACK_*. */
static enum result_stack find_value(const struct state *state, const struct cfi_rule *rule,
				    uint64_t cfa, uint64_t *value)
{
	uint64_t at = cfa + (uint64_t)rule->offset;

	switch (rule->kind) {
	case CFI_LOST:
		*value = 0;
		return RESULT_STACK_COMPLETE;
	case CFI_IS_FRAME:
		*value = at;
		return RESULT_STACK_COMPLETE;
	case CFI_IN_FRAME:
		break;
	case CFI_AT:
	case CFI_IS:
		if (!evaluate(state, rule->ops, rule->nr_ops, cfa, value, &at))
			return at ? outside(state, at) : RESULT_STACK_UNCLEAR;
		if (rule->kind == CFI_IS)
			return RESULT_STACK_COMPLETE;
		at = *value;
		break;
	default:
		return RESULT_STACK_UNCLEAR;
	}
	return load(state, at, value) ? RESULT_STACK_COMPLETE : outside(state, at);
}

static enum result_stack find_cfa(const struct state *state, const struct cfi_row *row,
				  uint64_t *cfa)
{
	uint64_t at;

	if (row->cfa.number < CFI_REGISTERS) {
		const uint64_t base = state->registers[row->cfa.number];

		*cfa = base + (uint64_t)row->cfa.offset;
		return base ? RESULT_STACK_COMPLETE : RESULT_STACK_UNCLEAR;
	}
	if (evaluate(state, row->cfa.ops, row->cfa.nr_ops, 0, cfa, &at))
		return RESULT_STACK_COMPLETE;
	return at ? outside(state, at) : RESULT_STACK_UNCLEAR;
}

/*
 * Go to the caller by a row. A register that is saved below the stack pointer has been restored
 * already, between pop and ret.
 *
 * Return: RESULT_STACK_COMPLETE: it is there, or there is none, with CFI_RIP 0; else why not.
 */
static enum result_stack step_by_row(struct state *state, const struct cfi_row *row)
{
	uint64_t values[CFI_SAVED], cfa, pc = 0;
	enum result_stack why = find_cfa(state, row, &cfa);
	size_t i;

	if (why)
		return why;
	/* expressions are of the registers that the callee has */
	for (i = 0; i < row->nr; i++) {
		values[i] = state->registers[row->rules[i].number];
		/* in the end that of the last one, CFI_RIP: a stack may go on without the others */
		why = find_value(state, &row->rules[i], cfa, &values[i]);
		pc = values[i];
	}
	if (why)
		return why;
	/* the kernel's frame may be on another stack, any other one is above its callee's */
	if (pc && !row->is_signal && cfa <= state->registers[CFI_RSP])
		return RESULT_STACK_UNCLEAR;
	if (pc && row->is_signal && cfa - state->start >= state->nr * 8)
		return outside(state, cfa);
	for (i = 0; i < row->nr; i++)
		state->registers[row->rules[i].number] = values[i];
	state->registers[CFI_RSP] = cfa;
	return RESULT_STACK_COMPLETE;
}

/* Whether a return address is one, as far as the code in front of it tells. */
static bool is_return(struct state *state, uint64_t pc)
{
	const struct mapping *mapping = space_find(state->space, pc - 1);
	struct cfi *cfi;

	if (!mapping)
		return false;
	if (mapping->file->number < FILE_NR_SPECIAL)
		return true;
	cfi = find_file(state->unwinder, mapping->file);
	return cfi && cfi_may_follow_call(cfi, mapping->offset + (pc - mapping->start));
}

/* Made code has no unwind information. Its frame pointer is followed if it leads to a call. */
static enum result_stack step_by_frame_pointer(struct state *state)
{
	const uint64_t frame = state->registers[CFI_RBP];
	uint64_t caller, next;

	if (frame < state->registers[CFI_RSP] || !load(state, frame, &next) ||
	    !load(state, frame + 8, &caller) || !is_return(state, caller))
		return RESULT_STACK_MADE;
	memset(state->registers, 0, sizeof(state->registers));
	state->registers[CFI_RBP] = next;
	state->registers[CFI_RSP] = frame + 16;
	state->registers[CFI_RIP] = caller;
	return RESULT_STACK_COMPLETE;
}

static void add_frame(struct unwinder *unwinder, uint32_t file, uint64_t address)
{
	unwinder->frames[unwinder->nr_frames++] = (struct unwind_frame){
		.file = file, .address = address,
	};
}

/* Add the frame of a pc. Return: its mapping; NULL: it is in none. */
static const struct mapping *add_code(struct unwinder *unwinder, struct space *space, uint64_t pc)
{
	const struct mapping *mapping = space ? space_find(space, pc) : NULL;

	if (!mapping && !unwinder->nr_frames)
		add_frame(unwinder, UNWIND_NO_FILE, RESULT_STACK_OUTSIDE);
	else if (mapping && files_is_made(mapping->file))
		add_frame(unwinder, FILE_JIT, 0);
	else if (mapping)
		add_frame(unwinder, (uint32_t)mapping->file->number,
			  file_address(mapping->file, mapping->offset + (pc - mapping->start)));
	return mapping;
}

/*
 * Add the frame of a pc that is not known yet. @place: set to what is known of it. Return: 0; a
 * RESULT_STACK_* or -ENOMEM: the unwind information does not lead to its caller.
 */
static int find_place(struct state *state, uint64_t pc, struct unwind_place *place)
{
	struct unwinder *unwinder = state->unwinder;
	const struct mapping *mapping = add_code(unwinder, state->space, pc);
	const struct unwind_frame *frame = &unwinder->frames[unwinder->nr_frames - 1];
	const struct cfi_row *row;
	struct cfi *cfi;

	if (!mapping)
		return RESULT_STACK_UNMAPPED;
	if (files_is_made(mapping->file))
		return RESULT_STACK_MADE;
	cfi = find_file(unwinder, mapping->file);
	row = cfi ? find_row(cfi, mapping->file, frame->address) : NULL;
	if (!row)
		return -ENOMEM;
	*place = (struct unwind_place){ state->identity, pc, *frame, row };
	return 0;
}

/*
 * Add the frame of the present pc, and go to its caller. @is_exact: in: the pc is no return
 * address: it is that of the sample, or what a signal interrupted; out: so is the caller's
 *
 * Return: as step_by_row(); or -ENOMEM.
 */
static int step(struct state *state, bool *is_exact)
{
	struct unwinder *unwinder = state->unwinder;
	/* a call may be the last instruction of its function */
	const bool is_called = !*is_exact;
	const uint64_t pc = state->registers[CFI_RIP] - is_called;
	struct unwind_place *place =
		&unwinder->places[pc * 0x9e3779b97f4a7c15 >> (64 - UNWIND_PLACES_BITS)];
	int why;

	*is_exact = false;
	if (place->pc == pc && place->space == state->identity) {
		unwinder->frames[unwinder->nr_frames++] = place->frame;
		bound_read(BOUND(place->frame.file));
	} else {
		why = find_place(state, pc, place);
		if (why)
			return why == RESULT_STACK_MADE ? (int)step_by_frame_pointer(state) : why;
	}
	if (place->row->is_known && !(is_called && place->row->is_made)) {
		*is_exact = place->row->is_signal;
		return step_by_row(state, place->row);
	}
	state->registers[CFI_RIP] = 0;
	return place->row->is_first || place->row->is_made ? RESULT_STACK_COMPLETE : RESULT_STACK_UNKNOWN;
}

static void begin_state(struct state *state)
{
	const __u64 *from = state->record->regs;
	uint64_t *to = state->registers;

	place_words(state);
	to[CFI_RBX] = from[PROFIL_STACK_RBX];
	to[CFI_RBP] = from[PROFIL_STACK_RBP];
	to[CFI_RSP] = from[PROFIL_STACK_RSP];
	to[CFI_R12] = from[PROFIL_STACK_R12];
	to[CFI_R13] = from[PROFIL_STACK_R13];
	to[CFI_R14] = from[PROFIL_STACK_R14];
	to[CFI_R15] = from[PROFIL_STACK_R15];
	to[CFI_RIP] = state->record->sample.pc;
}

void unwind_none(struct unwinder *unwinder, struct space *space, uint64_t pc)
{
	unwinder->nr_frames = 0;
	add_code(unwinder, space, pc);
	add_frame(unwinder, UNWIND_NO_FILE, RESULT_STACK_NONE);
}

int unwind(struct unwinder *unwinder, struct space *space, const struct profil_record_stack *stack)
{
	struct state state = { .unwinder = unwinder, .space = space, .record = stack };
	bool is_exact = true;
	int why;

	if (!space || !stack->regs[PROFIL_STACK_RSP]) {
		unwind_none(unwinder, space, stack->sample.pc);
		return 0;
	}
	state.identity = space_identity(space);
	begin_state(&state);
	unwinder->nr_frames = 0;
	do {
		why = step(&state, &is_exact);
	} while (!why && state.registers[CFI_RIP] && unwinder->nr_frames < UNWIND_MOST - 1);
	bound_end();
	if (why < 0)
		return why;
	if (!why && state.registers[CFI_RIP])
		why = RESULT_STACK_UNCLEAR;
	if (why)
		add_frame(unwinder, UNWIND_NO_FILE, (uint64_t)why);
	return 0;
}
