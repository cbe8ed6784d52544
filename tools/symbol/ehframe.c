// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bounds of functions in unwind information.
 *
 * .eh_frame has an FDE for each function, and one for each part that the compiler moved out of
 * a function. elfutils finds the FDE of an address, but returns only the bounds of the unwind
 * rule there (dwarf_frame_info()), so this file decodes the two numbers at the start of each
 * FDE. Their encoding is specified in the Linux Standard Base, Core, "DWARF Extensions" and
 * "Exception Frames".
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include "symbol/ehframe.h"

/* The encoding of a number (DW_EH_PE_*): its format, and the base that it is relative to */
#define FORMAT_MASK	0x0f
#define BASE_MASK	0x70
#define INDIRECT	0x80

struct section {
	const unsigned char *ident;	/* of the file: e_ident[] */
	Elf_Data *data;
	uint64_t address;		/* address of data->d_buf */
	uint64_t bias;
	Dwarf_Off cie;			/* the last CIE */
	int encoding;			/* its DW_EH_PE_*, or -1: unknown */
};

static size_t native_size(const struct section *section)
{
	return section->ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
}

/* Size in bytes of a number of @format; 0 if it varies or is unknown. */
static size_t format_size(const struct section *section, int format)
{
	switch (format) {
	case DW_EH_PE_absptr:
		return native_size(section);
	case DW_EH_PE_udata2:
	case DW_EH_PE_sdata2:
		return 2;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		return 4;
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return 8;
	default:
		return 0;
	}
}

static uint64_t decode(const uint8_t *from, size_t size, bool is_signed)
{
	uint64_t value = 0;
	uint16_t two;
	uint32_t four;

	switch (size) {
	case 2:
		memcpy(&two, from, sizeof(two));
		value = is_signed ? (uint64_t)(int16_t)two : two;
		break;
	case 4:
		memcpy(&four, from, sizeof(four));
		value = is_signed ? (uint64_t)(int32_t)four : four;
		break;
	case 8:
		memcpy(&value, from, sizeof(value));
		break;
	}
	return value;
}

/*
 * Find the encoding of addresses in the FDEs of a CIE: the data of the letter 'R' in its
 * augmentation, after the data of the letters before it. Return: DW_EH_PE_* or -1.
 */
static int fde_encoding(const struct section *section, const Dwarf_CIE *cie)
{
	const uint8_t *data = cie->augmentation_data;
	const uint8_t *end = data + cie->augmentation_data_size;
	const char *letter = cie->augmentation;
	size_t size;

	if (*letter != 'z')
		return *letter ? -1 : DW_EH_PE_absptr;
	for (letter++; *letter; letter++) {
		switch (*letter) {
		case 'R':
			return data < end ? *data : -1;
		case 'L':
			data++;
			break;
		case 'P':
			if (data >= end)
				return -1;
			size = format_size(section, *data & FORMAT_MASK);
			if (!size || size > (size_t)(end - data - 1))
				return -1;
			data += 1 + size;
			break;
		case 'S':	/* a signal frame; this letter and the next have no data */
		case 'B':
		case 'G':
			break;
		default:
			return -1;
		}
	}
	return DW_EH_PE_absptr;
}

static void look_up_cie(struct section *section, Dwarf_Off offset)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	section->cie = offset;
	section->encoding = -1;
	if (!dwarf_next_cfi(section->ident, section->data, true, offset, &next,
			    &entry) && dwarf_cfi_cie_p(&entry))
		section->encoding = fde_encoding(section, &entry.cie);
}

static int add_fde(struct section *section, const Dwarf_FDE *fde,
		   struct ranges *set)
{
	const uint8_t *buffer = section->data->d_buf;
	struct range range = { 0 };
	int format;
	size_t size;

	if (section->cie != fde->CIE_pointer)
		look_up_cie(section, fde->CIE_pointer);
	if (section->encoding < 0 || section->encoding & INDIRECT)
		return 0;
	format = section->encoding & FORMAT_MASK;
	size = format_size(section, format);
	if (!size || (size_t)(fde->end - fde->start) < 2 * size)
		return 0;

	range.start = decode(fde->start, size, format & DW_EH_PE_signed);
	/* the linker sets the start of discarded functions to 0 */
	if (!range.start)
		return 0;
	switch (section->encoding & BASE_MASK) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		range.start += section->address +
				(uint64_t)(fde->start - buffer);
		break;
	default:
		return 0;
	}
	if (native_size(section) == 4)
		range.start = (uint32_t)range.start;
	range.start += section->bias;
	/* the length has the same format, but no base */
	range.end = range.start + decode(fde->start + size, size, false);
	return ranges_add(set, &range);
}

static bool find_section(Elf *elf, struct section *section)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	size_t names;
	const char *name;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &header) ||
		    header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (!name || strcmp(name, ".eh_frame"))
			continue;
		section->address = header.sh_addr;
		section->data = elf_rawdata(scn, NULL);
		return section->data && section->data->d_buf;
	}
	return false;
}

/*
 * Make the bytes from an address to the end of its segment the data of @section. Return: whether
 * they are in the file.
 */
static bool use_segment(Elf *elf, uint64_t address, struct section *section)
{
	GElf_Phdr header;
	size_t nr, i;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		uint64_t offset;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    address < header.p_vaddr || address - header.p_vaddr >= header.p_filesz)
			continue;
		offset = address - header.p_vaddr;
		section->address = address;
		/* libelf checks that this is in the file */
		section->data = elf_getdata_rawchunk(elf, (int64_t)(header.p_offset + offset),
						     header.p_filesz - offset, ELF_T_BYTE);
		return section->data && section->data->d_buf;
	}
	return false;
}

/*
 * Find the header of .eh_frame in the program headers. Its fourth byte is followed by the address
 * of .eh_frame, in the encoding of the second; linkers use only the one that is accepted here.
 */
static bool find_segment(Elf *elf, struct section *section)
{
	enum { VERSION, ENCODING, ADDRESS = 4, BYTES = 8 };
	const uint8_t *bytes;
	GElf_Phdr header;
	size_t nr, i;

	/* the segments of a debug file are not in it, but its section headers are */
	if (elf_getshdrnum(elf, &nr) || nr || elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0; i < nr; i++)
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_GNU_EH_FRAME)
			break;
	if (i == nr || !use_segment(elf, header.p_vaddr, section) ||
	    section->data->d_size < BYTES)
		return false;
	bytes = section->data->d_buf;
	if (bytes[VERSION] != 1 || bytes[ENCODING] != (DW_EH_PE_pcrel | DW_EH_PE_sdata4))
		return false;
	return use_segment(elf, header.p_vaddr + ADDRESS + decode(bytes + ADDRESS, 4, true),
			   section);
}

int ehframe_ranges(Elf *elf, uint64_t bias, struct ranges *set)
{
	struct section section = { .bias = bias, .cie = (Dwarf_Off)-1 };
	Dwarf_CFI_Entry entry;
	Dwarf_Off offset = 0, next;

	section.ident = (const void *)elf_getident(elf, NULL);
	if (!section.ident ||
	    (!find_section(elf, &section) && !find_segment(elf, &section)))
		return 0;
	for (; ; offset = next) {
		int error, found;

		/* dwarf_next_cfi() may set @next even for an entry that it cannot read */
		next = offset;
		found = dwarf_next_cfi(section.ident, section.data, true,
				       offset, &next, &entry);
		if (found > 0 || next <= offset || next == (Dwarf_Off)-1)
			return 0;
		if (found < 0 || dwarf_cfi_cie_p(&entry))
			continue;
		error = add_fde(&section, &entry.fde, set);
		if (error)
			return error;
	}
}
