// SPDX-License-Identifier: GPL-2.0-only
/*
 * The instructions of a file, by capstone.
 *
 * The other library that is kept, libopcodes of binutils, changes its functions between versions,
 * is static in Debian, and its license (GPL 3 or later) cannot be combined with that of this
 * command. Capstone has a stable interface for each major version and a BSD license.
 *
 * It is loaded when instructions are printed, and not linked: its 77,000 relocations would
 * take 0.7 ms at each start of the command, and 2 MB of memory while programs are profiled.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <capstone/capstone.h>
#include <gelf.h>

#include "report/disassembler.h"
#include "util/library.h"

#define TEXT_OF(number)		#number
#define SONAME_OF(major)	"libcapstone.so." TEXT_OF(major)
#define SONAME			SONAME_OF(CS_API_MAJOR)

/* The functions of capstone */
#define FUNCTIONS(of)	\
	of(cs_open) of(cs_close) of(cs_option) of(cs_malloc) of(cs_free) of(cs_disasm_iter) \
	of(cs_insn_group)

struct library {
	FUNCTIONS(LIBRARY_MEMBER)
};

/* The machines, and how long what is no instruction is there */
struct machine {
	GElf_Half number;
	cs_arch arch;
	cs_mode mode;
	size_t unit;
};

static const struct machine machines[] = {
	{ EM_X86_64, CS_ARCH_X86, CS_MODE_64, 1 },
	{ EM_386, CS_ARCH_X86, CS_MODE_32, 1 },
	{ EM_AARCH64, CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, 4 },
};

struct disassembler {
	struct library library;
	const struct machine *machine;
	csh handle;
	cs_insn *insn;
	Elf *elf;
	/* the segment that was read last */
	uint64_t start;
	uint64_t end;
	const unsigned char *code;
	char data[16];	/* operands of what is no instruction */
};

/* Load capstone, which stays until the end of the process. Return: false: @problem is set. */
static bool load(struct library *library, const char **problem)
{
	const struct library_symbol functions[] = { FUNCTIONS(LIBRARY_SYMBOL) };
	const char *missing;

	if (library_load(SONAME, functions, sizeof(functions) / sizeof(functions[0]), &missing))
		return true;
	*problem = missing ? SONAME " lacks a function that its header declares: reinstall it" :
		   SONAME " cannot be loaded: install the package of capstone that has it (Debian: libcapstone" TEXT_OF(CS_API_MAJOR) ")";
	return false;
}

static const struct machine *find_machine(Elf *elf)
{
	GElf_Ehdr header;
	size_t i;

	if (!gelf_getehdr(elf, &header) || header.e_ident[EI_DATA] != ELFDATA2LSB)
		return NULL;
	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].number == header.e_machine)
			return &machines[i];
	return NULL;
}

/* Return: false: @problem is set. */
static bool open_capstone(struct disassembler *disassembler, const char **problem)
{
	const struct library *library = &disassembler->library;

	if (library->cs_open(disassembler->machine->arch, disassembler->machine->mode,
			  &disassembler->handle)) {
		disassembler->handle = 0;
		*problem = "capstone cannot disassemble its architecture, or there is no memory";
		return false;
	}
	/* capstone finds jumps by the group of an instruction */
	library->cs_option(disassembler->handle, CS_OPT_DETAIL, CS_OPT_ON);
	disassembler->insn = library->cs_malloc(disassembler->handle);
	if (!disassembler->insn)
		*problem = "there is no memory";
	return disassembler->insn;
}

struct disassembler *disassembler_new(Elf *elf, const char **problem)
{
	struct disassembler *disassembler = calloc(1, sizeof(*disassembler));

	*problem = "there is no memory";
	if (!disassembler)
		return NULL;
	disassembler->elf = elf;
	disassembler->machine = find_machine(elf);
	if (!disassembler->machine)
		*problem = "only code for x86-64, i386 and arm64 can be disassembled";
	else if (load(&disassembler->library, problem) && open_capstone(disassembler, problem))
		return disassembler;
	disassembler_free(disassembler);
	return NULL;
}

/* Find the segment of an address. Return: false: the file has nothing there. */
static bool find_code(struct disassembler *disassembler, uint64_t address)
{
	size_t nr, i;

	if (address >= disassembler->start && address < disassembler->end)
		return true;
	if (elf_getphdrnum(disassembler->elf, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		const Elf_Data *data;
		GElf_Phdr header;

		if (!gelf_getphdr(disassembler->elf, (int)i, &header) ||
		    header.p_type != PT_LOAD || address < header.p_vaddr ||
		    address - header.p_vaddr >= header.p_filesz ||
		    header.p_filesz > UINT64_MAX - header.p_vaddr)
			continue;
		/* NULL if a damaged file ends before the segment */
		data = elf_getdata_rawchunk(disassembler->elf, (int64_t)header.p_offset,
					    header.p_filesz, ELF_T_BYTE);
		if (!data || data->d_size < header.p_filesz)
			return false;
		disassembler->start = header.p_vaddr;
		disassembler->end = header.p_vaddr + header.p_filesz;
		disassembler->code = data->d_buf;
		return true;
	}
	return false;
}

static bool is_jump(const struct disassembler *disassembler)
{
	const struct library *library = &disassembler->library;
	const cs_insn *insn = disassembler->insn;

	return library->cs_insn_group(disassembler->handle, insn, CS_GRP_CALL) ||
	       library->cs_insn_group(disassembler->handle, insn, CS_GRP_JUMP);
}

/* The target of a jump is its last operand: a number, on arm64 after #. */
static uint64_t find_target(const struct disassembler *disassembler)
{
	const char *last = strrchr(disassembler->insn->op_str, ' ');
	unsigned long long target;
	char *end;

	if (!is_jump(disassembler))
		return 0;
	last = last ? last + 1 : disassembler->insn->op_str;
	last += *last == '#';
	target = strtoull(last, &end, 16);
	return strncmp(last, "0x", 2) || *end ? 0 : target;
}

/* What is no instruction: a unit of the machine, or what is left of it */
static void read_data(struct disassembler *disassembler, const unsigned char *code, size_t room,
		      struct instruction *instruction)
{
	const bool is_word = disassembler->machine->unit == 4 && room >= 4;

	instruction->bytes = is_word ? 4 : 1;
	instruction->mnemonic = is_word ? ".word" : ".byte";
	instruction->operands = disassembler->data;
	if (is_word)
		snprintf(disassembler->data, sizeof(disassembler->data), "0x%02x%02x%02x%02x",
			 code[3], code[2], code[1], code[0]);
	else
		snprintf(disassembler->data, sizeof(disassembler->data), "0x%02x", code[0]);
}

bool disassembler_read(struct disassembler *disassembler, uint64_t address, uint64_t end,
		       struct instruction *instruction)
{
	const unsigned char *code;
	uint64_t at = address;
	size_t room, left;

	if (address >= end || !find_code(disassembler, address))
		return false;
	if (end > disassembler->end)
		end = disassembler->end;
	code = disassembler->code + (address - disassembler->start);
	room = end - address;
	left = room;
	*instruction = (struct instruction){ 0 };
	if (!disassembler->library.cs_disasm_iter(disassembler->handle, &code, &left, &at,
					       disassembler->insn)) {
		read_data(disassembler, code, room, instruction);
		return true;
	}
	instruction->bytes = disassembler->insn->size;
	instruction->mnemonic = disassembler->insn->mnemonic;
	instruction->operands = disassembler->insn->op_str;
	instruction->target = find_target(disassembler);
	return true;
}

void disassembler_free(struct disassembler *disassembler)
{
	if (!disassembler)
		return;
	if (disassembler->insn)
		disassembler->library.cs_free(disassembler->insn, 1);
	if (disassembler->handle)
		disassembler->library.cs_close(&disassembler->handle);
	free(disassembler);
}
