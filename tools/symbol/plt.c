// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stubs of a procedure linkage table (PLT). In unwind information, a section of them is one
 * function without a name.
 *
 * GNU ld, gold, lld and mold make different stubs, in up to four sections. All of them load an
 * address from a slot and jump there, and the relocation of the slot has the name.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "symbol/plt.h"
#include "util/array.h"

#define SUFFIX		"@plt"

/* The file that is read. Until its stubs have names, the @number of their ranges is the slot. */
struct reading {
	struct ranges *stubs;
	Elf *elf;
	uint64_t bias;
	GElf_Half machine;
	uint64_t got;		/* what 32-bit code adds to the offsets of slots */
	plt_find_fn *find;
	const void *data;
};

static const struct {
	const char *section;
	const char *function;
} names[] = {
	{ ".plt", "[.plt]" },
	{ ".plt.sec", "[.plt.sec]" },
	{ ".plt.got", "[.plt.got]" },
	{ ".plt.bnd", "[.plt.bnd]" },
	{ ".iplt", "[.iplt]" },
};

const char *plt_section(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i].section))
			return names[i].function;
	return NULL;
}

bool plt_has_name(const char *symbol)
{
	const size_t length = strlen(symbol), suffix = strlen(SUFFIX);

	return symbol[0] == '[' || (length > suffix && !strcmp(symbol + length - suffix, SUFFIX));
}

/* --- where stubs are ------------------------------------------------------------- */

static uint32_t word_at(const uint8_t *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Whether an instruction, of which there are 8 bytes, is `jmp *SLOT'. @pc: its address */
static bool is_x86_jump(const struct reading *reading, const uint8_t *at, uint64_t pc,
			uint64_t *slot)
{
	const int32_t offset = (int32_t)word_at(at + 2);

	/* relative to the instruction, absolute, or relative to %ebx */
	if (at[0] != 0xff || (at[1] != 0x25 && (at[1] != 0xa3 || reading->machine != EM_386)))
		return false;
	*slot = reading->machine == EM_X86_64 ? pc + 6 + (uint64_t)(int64_t)offset :
		(uint32_t)((at[1] == 0x25 ? 0 : reading->got) + (uint32_t)offset);
	return true;
}

/* The same for `adrp x16, SLOT; ldr x17, [x16, SLOT]' */
static bool is_arm_load(const uint8_t *at, uint64_t pc, uint64_t *slot)
{
	const uint32_t page = word_at(at), load = word_at(at + 4);
	const int64_t pages = (int32_t)((page & 0xffffe0) << 8) >> 11 | (page >> 29 & 3);

	*slot = (pc & ~0xfffull) + (uint64_t)pages * 4096 + (uint64_t)(load >> 10 & 0xfff) * 8;
	return !(pc % 4) && (page & 0x9f00001f) == 0x90000010 && (load & 0xffc003ff) == 0xf9400211;
}

/* Add the stubs of a section. One ends where the next one starts. Return: 0 or -ENOMEM. */
static int add_stubs(const struct reading *reading, const GElf_Shdr *section, const Elf_Data *data)
{
	const uint64_t address = section->sh_addr, end = address + data->d_size;
	const bool is_arm = reading->machine == EM_AARCH64;
	/* those of x86 are aligned; with branch protection, those of arm64 begin with bti */
	const size_t align = section->sh_addralign == 8 ? 8 : 16, most = is_arm ? 24 : align;
	const uint8_t *bytes = data->d_buf;
	const size_t first = reading->stubs->nr;
	int error = 0;
	size_t i;

	for (i = 0; !error && i + 6 <= data->d_size; i++) {
		struct range stub = { 0 }, *last;
		uint8_t at[8] = { 0 };

		memcpy(at, bytes + i, data->d_size - i < 8 ? data->d_size - i : 8);
		if (is_arm ? !is_arm_load(at, address + i, &stub.number) :
			     !is_x86_jump(reading, at, address + i, &stub.number))
			continue;
		stub.start = address + reading->bias + (is_arm ? i : i / align * align);
		if (is_arm && i >= 4 && word_at(bytes + i - 4) == 0xd503245f)
			stub.start -= 4;
		stub.end = stub.start + most;
		if (stub.end > end + reading->bias)
			stub.end = end + reading->bias;
		last = reading->stubs->nr > first ? &reading->stubs->range[reading->stubs->nr - 1] : NULL;
		if (last && last->end > stub.start)
			last->end = stub.start;
		error = ranges_add(reading->stubs, &stub);
	}
	return error;
}

/* Return: the bytes of a section that the file has; NULL: none. */
static const Elf_Data *read_bytes(Elf_Scn *section, const GElf_Shdr *header)
{
	const Elf_Data *data = header->sh_type == SHT_NOBITS ? NULL : elf_rawdata(section, NULL);

	return data && data->d_buf ? data : NULL;
}

/* Find the stubs, or with @got the address of the GOT. Return: 0 or -ENOMEM. */
static int find_stubs(struct reading *reading, uint64_t *got)
{
	Elf_Scn *section = NULL;
	const Elf_Data *data;
	GElf_Shdr header;
	size_t strings;
	int error = 0;

	if (elf_getshdrstrndx(reading->elf, &strings))
		return 0;
	while (!error && (section = elf_nextscn(reading->elf, section))) {
		const char *name = NULL;

		if (gelf_getshdr(section, &header))
			name = elf_strptr(reading->elf, strings, header.sh_name);
		if (!name)
			continue;
		if (got && (!strcmp(name, ".got.plt") || (!strcmp(name, ".got") && !*got)))
			*got = header.sh_addr;
		data = !got && plt_section(name) ? read_bytes(section, &header) : NULL;
		if (data)
			error = add_stubs(reading, &header, data);
	}
	return error;
}

/* --- what they call -------------------------------------------------------------- */

/* Read an address in the data of a 32-bit file. Return: 0: the file does not have it. */
static uint32_t read_slot(Elf *elf, uint64_t address)
{
	Elf_Scn *section = NULL;
	const Elf_Data *data;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_WRITE) ||
		    address < header.sh_addr)
			continue;
		data = read_bytes(section, &header);
		if (data && data->d_size >= 4 && address - header.sh_addr <= data->d_size - 4)
			return word_at((const uint8_t *)data->d_buf + (address - header.sh_addr));
	}
	return 0;
}

/*
 * Find the name of what the relocation of a slot refers to: a symbol, or a function of this file
 * that returns the address to use. @relocations: the section. Return: its length; 0: unknown.
 */
static int find_name(const struct reading *reading, const GElf_Shdr *relocations,
		     const GElf_Rela *relocation, const char **name)
{
	const uint64_t index = GELF_R_SYM(relocation->r_info);
	Elf_Scn *symbols = elf_getscn(reading->elf, relocations->sh_link);
	uint64_t address = (uint64_t)relocation->r_addend;
	const struct range *function;
	GElf_Shdr header;
	GElf_Sym symbol;

	if (index) {
		if (!gelf_getshdr(symbols, &header) ||
		    !gelf_getsym(elf_getdata(symbols, NULL), (int)index, &symbol))
			return 0;
		*name = elf_strptr(reading->elf, header.sh_link, symbol.st_name);
		return *name ? (int)strlen(*name) : 0;
	}
	if (relocations->sh_type == SHT_REL)
		address = read_slot(reading->elf, relocation->r_offset);
	function = address ? reading->find(reading->data, address + reading->bias) : NULL;
	*name = function ? function->name : NULL;
	return function ? function->length : 0;
}

/* Name the stub of a slot, if it has one. Return: 0 or -ENOMEM. */
static int name_stub(struct reading *reading, const GElf_Shdr *relocations,
		     const GElf_Rela *relocation)
{
	struct ranges *stubs = reading->stubs;
	const uint64_t slot = relocation->r_offset;
	size_t i = array_first_not(stubs->nr, k, stubs->range[k].number < slot);
	const char *name = NULL;
	char **text;
	int length;

	if (i == stubs->nr || stubs->range[i].number != slot)
		return 0;
	length = find_name(reading, relocations, relocation, &name);
	text = length ? array_append(stubs->joined, stubs->nr_joined) : NULL;
	if (!text)
		return length ? -ENOMEM : 0;
	length = asprintf(text, "%.*s" SUFFIX, length, name);
	if (length < 0) {
		*text = NULL;
		return -ENOMEM;
	}
	for (; i < stubs->nr && stubs->range[i].number == slot; i++) {
		stubs->range[i].name = *text;
		stubs->range[i].length = length;
	}
	return 0;
}

/* Return: 0 or -ENOMEM. */
static int read_relocations(struct reading *reading, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	int error = 0, i;
	GElf_Rela with_addend;
	GElf_Rel plain;

	for (i = 0; !error; i++) {
		if (header->sh_type == SHT_RELA ? !gelf_getrela(data, i, &with_addend) :
						  !gelf_getrel(data, i, &plain))
			break;
		if (header->sh_type == SHT_REL)
			with_addend = (GElf_Rela){ plain.r_offset, plain.r_info, 0 };
		error = name_stub(reading, header, &with_addend);
	}
	return error;
}

static int compare_slots(const void *va, const void *vb)
{
	const struct range *a = va, *b = vb;

	return a->number < b->number ? -1 : a->number > b->number;
}

int plt_read(struct ranges *stubs, Elf *elf, uint64_t bias, plt_find_fn *find, const void *data)
{
	struct reading reading = { stubs, elf, bias, .find = find, .data = data };
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Ehdr file;
	size_t from, to = 0;
	int error;

	if (!gelf_getehdr(elf, &file) || (file.e_machine != EM_X86_64 && file.e_machine != EM_386 &&
					  file.e_machine != EM_AARCH64))
		return 0;
	reading.machine = file.e_machine;
	find_stubs(&reading, &reading.got);
	error = find_stubs(&reading, NULL);
	if (stubs->nr)
		qsort(stubs->range, stubs->nr, sizeof(*stubs->range), compare_slots);
	/* relocations that are not loaded are for the linker: those of -Wl,--emit-relocs */
	while (!error && stubs->nr && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_flags & SHF_ALLOC &&
		    (header.sh_type == SHT_RELA || header.sh_type == SHT_REL))
			error = read_relocations(&reading, section, &header);
	/* what has no name is the jump to the dynamic linker, or no jump at all */
	for (from = 0; from < stubs->nr; from++)
		if (stubs->range[from].name)
			stubs->range[to++] = stubs->range[from];
	stubs->nr = to;
	ranges_finish(stubs);
	return error;
}
