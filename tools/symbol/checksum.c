// SPDX-License-Identifier: GPL-2.0-only
/*
 * The checksums of source files. libdw reads over them, so the head of a line table is read here.
 */
#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include <dwarf.h>
#include <gelf.h>

#include "symbol/checksum.h"

#define FORMATS_MAX	16	/* fields of a file; there are five */

/* What is left of a section. Nothing is left after an error. */
struct reader {
	const unsigned char *at;
	size_t left;
	size_t word;		/* bytes of an offset */
};

/* One field of each file, or of each directory */
struct format {
	uint64_t content;
	uint64_t form;
};

/* Return: the bytes; NULL: there are fewer. */
static const unsigned char *take(struct reader *reader, uint64_t bytes)
{
	const unsigned char *taken = reader->at;

	if (bytes > reader->left) {
		reader->left = 0;
		return NULL;
	}
	reader->at += bytes;
	reader->left -= bytes;
	return taken;
}

static uint64_t take_number(struct reader *reader, size_t bytes)
{
	const unsigned char *taken = take(reader, bytes);
	uint64_t number = 0;

	if (taken)
		memcpy(&number, taken, bytes);
	return le64toh(number);
}

static uint64_t take_leb128(struct reader *reader)
{
	const unsigned char *byte;
	unsigned int shift;
	uint64_t number = 0;

	for (shift = 0; (byte = take(reader, 1)); shift += 7) {
		number |= shift < 64 ? (uint64_t)(*byte & 0x7f) << shift : 0;
		if (!(*byte & 0x80))
			break;
	}
	return number;
}

/* Return: the field. A form that line tables do not have ends the reading. */
static const unsigned char *take_field(struct reader *reader, uint64_t form)
{
	switch (form) {
	case DW_FORM_string:
		return take(reader, strnlen((const char *)reader->at, reader->left) + 1);
	case DW_FORM_line_strp:
	case DW_FORM_strp:
	case DW_FORM_strp_sup:
		return take(reader, reader->word);
	case DW_FORM_udata:
		take_leb128(reader);
		return reader->at;
	case DW_FORM_data1:
		return take(reader, 1);
	case DW_FORM_data2:
		return take(reader, 2);
	case DW_FORM_data4:
		return take(reader, 4);
	case DW_FORM_data8:
		return take(reader, 8);
	case DW_FORM_data16:
		return take(reader, CHECKSUM_BYTES);
	case DW_FORM_block:
		return take(reader, take_leb128(reader));
	default:
		return take(reader, UINT64_MAX);
	}
}

/* Read a list of directories or files. Return: the checksum of the one with an index, or NULL. */
static const unsigned char *take_list(struct reader *reader, uint64_t index)
{
	struct format formats[FORMATS_MAX];
	const uint64_t fields = take_number(reader, 1);
	const unsigned char *found = NULL;
	uint64_t nr, i, field;

	if (!fields || fields > FORMATS_MAX)
		return take(reader, UINT64_MAX);
	for (i = 0; i < fields; i++) {
		formats[i].content = take_leb128(reader);
		formats[i].form = take_leb128(reader);
	}
	nr = take_leb128(reader);
	for (i = 0; i < nr && i <= index && reader->left; i++)
		for (field = 0; field < fields; field++) {
			const unsigned char *taken = take_field(reader, formats[field].form);

			if (i == index && formats[field].content == DW_LNCT_MD5 &&
			    formats[field].form == DW_FORM_data16)
				found = taken;
		}
	return found;
}

static const unsigned char *read_table(struct reader *reader, uint64_t index)
{
	uint64_t opcodes;

	reader->word = 4;
	if (take_number(reader, 4) == UINT32_MAX) {
		reader->word = 8;
		take(reader, 8);
	}
	if (take_number(reader, 2) != 5)
		return NULL;
	/* the sizes of an address and a segment, and of the head; five numbers about the program */
	take(reader, 2 + reader->word + 5);
	opcodes = take_number(reader, 1);
	take(reader, opcodes ? opcodes - 1 : 0);
	take_list(reader, UINT64_MAX);
	return take_list(reader, index);
}

const unsigned char *checksum_find(Elf *elf, uint64_t table, uint64_t index)
{
	const char *identification = elf_getident(elf, NULL);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (!identification || identification[EI_DATA] != ELFDATA2LSB ||
	    elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;
		Elf_Data *data;
		struct reader reader = { 0 };

		/* libdw has decompressed what it can */
		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS ||
		    header.sh_flags & SHF_COMPRESSED)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		data = name && !strcmp(name, ".debug_line") ? elf_rawdata(section, NULL) : NULL;
		if (!data || !data->d_buf || table > data->d_size)
			continue;
		reader.at = (const unsigned char *)data->d_buf + table;
		reader.left = data->d_size - table;
		return read_table(&reader, index);
	}
	return NULL;
}
