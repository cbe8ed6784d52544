// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bounds of functions in unwind information.
 *
 * .eh_frame has an FDE for each function, and one for each part that the compiler moved out of
 * a function. elfutils finds the FDE of an address, but returns only the bounds of the unwind
 * rule there (dwarf_frame_info()), so this file decodes the two numbers at the start of an
 * FDE. Their encoding is specified in the Linux Standard Base, Core, "DWARF Extensions" and
 * "Exception Frames".
 *
 * Linkers sort the FDEs by address, in a table in .eh_frame_hdr. A search in it reads a few entries
 * of a file that may have 100,000. Without the table, all are read and sorted once.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include "symbol/ehframe.h"
#include "util/array.h"

/* The encoding of a number (DW_EH_PE_*): its format, and the base that it is relative to */
#define FORMAT_MASK	0x0f
#define BASE_MASK	0x70
#define INDIRECT	0x80

/* An entry of the table: where a function starts, and its FDE. Both are relative to the header. */
struct entry {
	int32_t start;
	int32_t fde;
};

/* The last CIE that was looked up, which many FDEs have */
struct cie {
	Dwarf_Off offset;
	int encoding;		/* DW_EH_PE_*, or -1: unknown */
};

#define NO_CIE	((struct cie){ .offset = (Dwarf_Off)-1, .encoding = -1 })

static size_t native_size(const struct ehframe *frames)
{
	return frames->ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
}

/* Size in bytes of a number of @format; 0 if it varies or is unknown. */
static size_t format_size(const struct ehframe *frames, int format)
{
	switch (format) {
	case DW_EH_PE_absptr:
		return native_size(frames);
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
static int fde_encoding(const struct ehframe *frames, const Dwarf_CIE *cie)
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
			size = format_size(frames, *data & FORMAT_MASK);
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

static void look_up_cie(const struct ehframe *frames, Dwarf_Off offset, struct cie *cie)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	cie->offset = offset;
	cie->encoding = -1;
	if (!dwarf_next_cfi(frames->ident, frames->data, true, offset, &next, &entry) &&
	    dwarf_cfi_cie_p(&entry))
		cie->encoding = fde_encoding(frames, &entry.cie);
}

/* Return: whether @range is set to the function of an FDE. */
static bool read_fde(const struct ehframe *frames, const Dwarf_FDE *fde, struct cie *cie,
		     struct range *range)
{
	const uint8_t *buffer = frames->data->d_buf;
	int format;
	size_t size;

	if (cie->offset != fde->CIE_pointer)
		look_up_cie(frames, fde->CIE_pointer, cie);
	if (cie->encoding < 0 || cie->encoding & INDIRECT)
		return false;
	format = cie->encoding & FORMAT_MASK;
	size = format_size(frames, format);
	if (!size || (size_t)(fde->end - fde->start) < 2 * size)
		return false;

	*range = (struct range){ .start = decode(fde->start, size, format & DW_EH_PE_signed) };
	/* the linker sets the start of discarded functions to 0 */
	if (!range->start)
		return false;
	switch (cie->encoding & BASE_MASK) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		range->start += frames->address + (uint64_t)(fde->start - buffer);
		break;
	default:
		return false;
	}
	if (native_size(frames) == 4)
		range->start = (uint32_t)range->start;
	range->start += frames->bias;
	/* the length has the same format, but no base */
	range->end = range->start + decode(fde->start + size, size, false);
	return true;
}

/* --- where they are ------------------------------------------------------------ */

/* Bytes of a file, and their address */
struct bytes {
	Elf_Data *data;
	uint64_t address;
};

static bool find_section(Elf *elf, const char *wanted, struct bytes *found)
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
		if (!name || strcmp(name, wanted))
			continue;
		found->address = header.sh_addr;
		found->data = elf_rawdata(scn, NULL);
		return found->data && found->data->d_buf;
	}
	return false;
}

/*
 * Find the bytes from an address to the end of its segment. Return: whether they are in the file.
 */
static bool find_in_segment(Elf *elf, uint64_t address, struct bytes *found)
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
		found->address = address;
		/* libelf checks that this is in the file */
		found->data = elf_getdata_rawchunk(elf, (int64_t)(header.p_offset + offset),
						   header.p_filesz - offset, ELF_T_BYTE);
		return found->data && found->data->d_buf;
	}
	return false;
}

/* Find .eh_frame_hdr. The segments of a debug file are not in it, but its section headers are. */
static bool find_header(Elf *elf, struct bytes *found)
{
	GElf_Phdr header;
	size_t nr, i;

	if (elf_getshdrnum(elf, &nr))
		return false;
	if (nr)
		return find_section(elf, ".eh_frame_hdr", found);
	if (elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0; i < nr; i++)
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_GNU_EH_FRAME)
			return find_in_segment(elf, header.p_vaddr, found);
	return false;
}

/*
 * The header of .eh_frame: four bytes, the address of .eh_frame, the number of entries of the
 * table, and the table. Linkers use only the encodings that are accepted here.
 */
enum {
	VERSION, POINTER_ENCODING, COUNT_ENCODING, TABLE_ENCODING,
	POINTER = 4, COUNT = 8, TABLE = 12,
};

static bool has_pointer(const struct bytes *header)
{
	const uint8_t *bytes = header->data->d_buf;

	return header->data->d_size >= COUNT && bytes[VERSION] == 1 &&
	       bytes[POINTER_ENCODING] == (DW_EH_PE_pcrel | DW_EH_PE_sdata4);
}

static void use_table(struct ehframe *frames, const struct bytes *header)
{
	const uint8_t *bytes = header->data->d_buf;
	uint64_t nr;

	if (header->data->d_size < TABLE || bytes[COUNT_ENCODING] != DW_EH_PE_udata4 ||
	    bytes[TABLE_ENCODING] != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
		return;
	nr = decode(bytes + COUNT, 4, false);
	if (nr > (header->data->d_size - TABLE) / sizeof(struct entry))
		return;
	frames->table = bytes + TABLE;
	frames->table_base = header->address;
	frames->nr_entries = nr;
}

/* Return: whether there is an .eh_frame. */
static bool find_frames(struct ehframe *frames, Elf *elf)
{
	struct bytes header = { 0 }, found;
	const bool has_header = find_header(elf, &header) && has_pointer(&header);

	if (!find_section(elf, ".eh_frame", &found) &&
	    !(has_header &&
	      find_in_segment(elf, header.address + POINTER +
			      decode((uint8_t *)header.data->d_buf + POINTER, 4, true), &found)))
		return false;
	frames->data = found.data;
	frames->address = found.address;
	if (has_header)
		use_table(frames, &header);
	return true;
}

/* --- all of them ----------------------------------------------------------------- */

static int read_all(struct ehframe *frames)
{
	struct cie cie = NO_CIE;
	Dwarf_CFI_Entry entry;
	Dwarf_Off offset = 0, next;
	struct range range;
	int error = 0;

	for (; !error; offset = next) {
		int found;

		/* dwarf_next_cfi() may set @next even for an entry that it cannot read */
		next = offset;
		found = dwarf_next_cfi(frames->ident, frames->data, true, offset, &next, &entry);
		if (found > 0 || next <= offset || next == (Dwarf_Off)-1)
			break;
		if (!found && !dwarf_cfi_cie_p(&entry) &&
		    read_fde(frames, &entry.fde, &cie, &range))
			error = ranges_add(&frames->ranges, &range);
	}
	ranges_finish(&frames->ranges);
	return error;
}

int ehframe_read(struct ehframe *frames, Elf *elf, uint64_t bias)
{
	frames->bias = bias;
	frames->ident = (const void *)elf_getident(elf, NULL);
	if (!frames->ident || !find_frames(frames, elf) || frames->table)
		return 0;
	return read_all(frames);
}

/* --- some of them ---------------------------------------------------------------- */

static struct entry entry_of(const struct ehframe *frames, size_t i)
{
	struct entry entry;

	/* the header is aligned to 4 bytes, if the file is not damaged */
	memcpy(&entry, frames->table + i * sizeof(entry), sizeof(entry));
	return entry;
}

static uint64_t start_of(const struct ehframe *frames, size_t i)
{
	uint64_t start = frames->table_base + (uint64_t)(int64_t)entry_of(frames, i).start;

	if (native_size(frames) == 4)
		start = (uint32_t)start;
	return start + frames->bias;
}

/* Number of entries whose functions start at or below an address */
static size_t count_below(const struct ehframe *frames, uint64_t address)
{
	return array_first_not(frames->nr_entries, i, start_of(frames, i) <= address);
}

/* Return: whether @range is set to the function of an entry. */
static bool read_entry(const struct ehframe *frames, size_t i, struct range *range)
{
	const uint64_t offset = frames->table_base + (uint64_t)(int64_t)entry_of(frames, i).fde -
				frames->address;
	struct cie cie = NO_CIE;
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	return offset < frames->data->d_size &&
	       !dwarf_next_cfi(frames->ident, frames->data, true, offset, &next, &entry) &&
	       !dwarf_cfi_cie_p(&entry) && read_fde(frames, &entry.fde, &cie, range);
}

bool ehframe_covering(const struct ehframe *frames, uint64_t address, struct range *found)
{
	const struct range *range;
	size_t below;

	if (frames->table) {
		below = count_below(frames, address);
		return below && read_entry(frames, below - 1, found) &&
		       found->start <= address && address < found->end;
	}
	range = ranges_covering(&frames->ranges, address);
	if (range)
		*found = *range;
	return range;
}

bool ehframe_above(const struct ehframe *frames, uint64_t address, uint64_t *start)
{
	const struct range *range;
	size_t below;

	if (frames->table) {
		below = count_below(frames, address);
		if (below == frames->nr_entries)
			return false;
		*start = start_of(frames, below);
		return true;
	}
	range = ranges_above(&frames->ranges, address);
	if (range)
		*start = range->start;
	return range;
}

void ehframe_release(struct ehframe *frames)
{
	ranges_release(&frames->ranges);
	memset(frames, 0, sizeof(*frames));
}
