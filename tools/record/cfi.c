// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unwind information of ELF files, as rows by address.
 */
#include <dwarf.h>
#include <gelf.h>
#include <string.h>
#include <sys/auxv.h>

#include "record/cfi.h"
#include "util/objectfile.h"

/* _start and _dl_start_user of ld.so, which has no unwind information of them, take 61 bytes */
#define ENTRY_BYTES	64

/* Take a file that unwind information of another machine is not read of. */
static void begin(struct cfi *cfi, Elf *elf)
{
	GElf_Ehdr header;

	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) ||
	    header.e_machine != EM_X86_64 || header.e_ident[EI_CLASS] != ELFCLASS64) {
		elf_end(elf);
		return;
	}
	cfi->elf = elf;
	cfi->entry = header.e_entry;
	cfi->frames = dwarf_getcfi_elf(elf);
}

void cfi_open(struct cfi *cfi, int fd)
{
	elf_version(EV_CURRENT);
	/* libelf would decompress an archive */
	if (objectfile_is_elf(fd))
		begin(cfi, elf_begin(fd, ELF_C_READ_MMAP, NULL));
}

void cfi_open_vdso(struct cfi *cfi)
{
	char *image = (char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *header = (const void *)image;

	elf_version(EV_CURRENT);
	/* the table of sections is its end */
	if (image && header->e_shoff)
		begin(cfi, elf_memory(image, header->e_shoff +
					     (size_t)header->e_shnum * header->e_shentsize));
}

/* Only if .eh_frame says nothing: libdw may have to decompress it. */
static Dwarf_CFI *debug_frames(struct cfi *cfi)
{
	if (!cfi->has_debug) {
		cfi->has_debug = true;
		cfi->dwarf = dwarf_begin_elf(cfi->elf, DWARF_C_READ, NULL);
		cfi->debug_frames = cfi->dwarf ? dwarf_getcfi(cfi->dwarf) : NULL;
	}
	return cfi->debug_frames;
}

/* Return: to be freed with free(); NULL: the address is not known. */
static Dwarf_Frame *find_frame(struct cfi *cfi, uint64_t address)
{
	Dwarf_Frame *frame = NULL;

	if (!cfi->elf)
		return NULL;
	if (cfi->frames && !dwarf_cfi_addrframe(cfi->frames, address, &frame))
		return frame;
	if (debug_frames(cfi) && !dwarf_cfi_addrframe(cfi->debug_frames, address, &frame))
		return frame;
	return NULL;
}

/* What libdw makes of a simple rule: the CFA, perhaps plus an offset, perhaps the value itself */
static void set_simple(struct cfi_rule *rule, const Dwarf_Op *ops, size_t nr)
{
	size_t i;

	rule->kind = CFI_IN_FRAME;
	for (i = 0; i < nr; i++) {
		if (ops[i].atom == DW_OP_plus_uconst)
			rule->offset = (int64_t)ops[i].number;
		else if (ops[i].atom == DW_OP_stack_value)
			rule->kind = CFI_IS_FRAME;
		else if (ops[i].atom != DW_OP_call_frame_cfa)
			rule->kind = CFI_OTHER;
		if (rule->kind == CFI_OTHER)
			return;
	}
}

static void set_expression(struct cfi_rule *rule, const Dwarf_Op *ops, size_t nr)
{
	rule->ops = ops;
	rule->nr_ops = (uint32_t)nr;
}

/* Return: whether the register has not the caller's value still. */
static bool set_rule(struct cfi_rule *rule, Dwarf_Frame *frame, unsigned int number)
{
	Dwarf_Op simple[3], *ops;
	size_t nr;

	*rule = (struct cfi_rule){ .number = (unsigned char)number, .kind = CFI_OTHER };
	if (dwarf_frame_register(frame, (int)number, simple, &ops, &nr))
		return true;
	if (!ops || !nr) {
		/* functions keep the others; libdw's rule for rbx has the number of rax */
		if (ops)
			rule->kind = CFI_LOST;
		return number == CFI_RIP;
	}
	if (ops == simple) {
		set_simple(rule, ops, nr);
		return true;
	}
	rule->kind = ops[nr - 1].atom == DW_OP_stack_value ? CFI_IS : CFI_AT;
	set_expression(rule, ops, nr);
	return true;
}

/* @frame: owns the expression, and is the row's, or freed */
static void set_cfa(struct cfi_row *row, Dwarf_Frame *frame, const Dwarf_Op *ops, size_t nr)
{
	row->cfa.number = CFI_REGISTERS;
	if (nr == 1 && ops->atom >= DW_OP_breg0 && ops->atom < DW_OP_breg0 + CFI_REGISTERS) {
		row->cfa.number = (unsigned char)(ops->atom - DW_OP_breg0);
		row->cfa.offset = (int64_t)ops->number;
	} else if (nr == 1 && ops->atom == DW_OP_bregx && ops->number < CFI_REGISTERS) {
		row->cfa.number = (unsigned char)ops->number;
		row->cfa.offset = (int64_t)ops->number2;
	} else {
		set_expression(&row->cfa, ops, nr);
		row->frame = frame;
		return;
	}
	free(frame);
}

static void make_row(struct cfi *cfi, struct cfi_row *row)
{
	static const unsigned int saved[CFI_SAVED] = {
		CFI_RBX, CFI_RBP, CFI_R12, CFI_R13, CFI_R14, CFI_R15, CFI_RIP,
	};
	Dwarf_Frame *frame = find_frame(cfi, row->address);
	Dwarf_Addr start;
	Dwarf_Op *ops;
	size_t nr, i;

	row->is_first = !frame && cfi->entry && row->address - cfi->entry < ENTRY_BYTES;
	if (!frame)
		return;
	if (dwarf_frame_info(frame, &start, NULL, &row->is_signal) != CFI_RIP ||
	    dwarf_frame_cfa(frame, &ops, &nr) || !nr) {
		free(frame);
		return;
	}
	row->is_known = true;
	row->is_made = start == row->address && !row->is_signal;
	for (i = 0; i < CFI_SAVED; i++)
		row->nr += set_rule(&row->rules[row->nr], frame, saved[i]);
	set_cfa(row, frame, ops, nr);
}

static uint32_t *find_slot(const struct cfi *cfi, uint64_t address)
{
	return slots_find(&cfi->slots, address, i, cfi->rows[i]->address == address);
}

const struct cfi_row *cfi_find(struct cfi *cfi, uint64_t address)
{
	struct cfi_row *row;
	uint32_t *slot;

	if (!slots_make_room(&cfi->slots, cfi->rows, cfi->nr_rows, i,
			     find_slot(cfi, cfi->rows[i]->address)))
		return NULL;
	slot = find_slot(cfi, address);
	if (*slot)
		return cfi->rows[*slot - 1];
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->address = address;
	make_row(cfi, row);
	cfi->rows[cfi->nr_rows] = row;
	*slot = (uint32_t)++cfi->nr_rows;
	return row;
}

/* E8 is a call with a distance of 4 bytes, FF /2 one through a register or memory. */
bool cfi_may_follow_call(const struct cfi *cfi, uint64_t offset)
{
	const unsigned char *bytes;
	size_t size, length;

	bytes = cfi->elf ? (const unsigned char *)elf_rawfile(cfi->elf, &size) : NULL;
	if (!bytes)
		return true;
	if (offset < 7 || offset > size)
		return false;
	bytes += offset;
	if (bytes[-5] == 0xe8)
		return true;
	for (length = 2; length <= 7; length++)
		if ((bytes - length)[0] == 0xff && ((bytes - length)[1] >> 3 & 7) == 2)
			return true;
	return false;
}

void cfi_release(struct cfi *cfi)
{
	size_t i;

	for (i = 0; i < cfi->nr_rows; i++) {
		free(cfi->rows[i]->frame);
		free(cfi->rows[i]);
	}
	if (cfi->frames)
		dwarf_cfi_end(cfi->frames);
	dwarf_end(cfi->dwarf);
	elf_end(cfi->elf);
	free(cfi->rows);
	free(cfi->slots.slots);
	memset(cfi, 0, sizeof(*cfi));
}
