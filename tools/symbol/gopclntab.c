// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of a Go program.
 *
 * "Go 1.2 Runtime Symbol Information" (golang.org/s/go12symtab) specifies the first version of
 * the table; runtime/symtab.go and debug/gosym/pclntab.go of Go have the later ones. It begins
 * with a header: a number for the version, two zeros, the size of the smallest instruction, and
 * the size of a word. From 1.16 on, words with the offsets of the parts follow. The part that is
 * used here has a pair of numbers for each function: its address, and the offset of its
 * description, which contains the offset of its name.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "symbol/gopclntab.h"

#define HEADER_BYTES	8
#define MAX_FUNCTIONS	(1 << 20)	/* programs have up to some hundred thousand */
#define MAX_NAME	4096

struct version {
	uint32_t magic;
	unsigned int base_word;	/* index of the word with the base of addresses; 0: none */
	unsigned int name_word;	/* index of the word with the offset of the names; 0: none */
	unsigned int pair_word;	/* index of the word with the offset of the pairs; 0: none */
};

static const struct version versions[] = {
	{ 0xfffffffb, 0, 0, 0 },	/* Go 1.2 */
	{ 0xfffffffa, 0, 2, 6 },	/* Go 1.16 */
	{ 0xfffffff0, 2, 3, 7 },	/* Go 1.18 */
	{ 0xfffffff1, 2, 3, 7 },	/* Go 1.20 */
};

struct table {
	const uint8_t *bytes;
	size_t size;
	const struct version *version;
	size_t word;		/* size of a word in bytes */
	size_t number;		/* size of a number in a pair */
	uint64_t nr;		/* number of functions */
	uint64_t base;
	uint64_t names;		/* offset of the names */
	uint64_t pairs;		/* offset of the pairs */
	uint64_t origin;	/* what the offsets of descriptions are relative to */
};

/* Read a number of 4 or 8 bytes. Return: whether it is in the table. */
static bool get(const struct table *table, uint64_t offset, size_t bytes, uint64_t *value)
{
	uint32_t four;

	if (offset > table->size || table->size - offset < bytes)
		return false;
	if (bytes == sizeof(*value)) {
		memcpy(value, table->bytes + offset, sizeof(*value));
	} else {
		memcpy(&four, table->bytes + offset, sizeof(four));
		*value = four;
	}
	return true;
}

static bool get_word(const struct table *table, unsigned int index, uint64_t *value)
{
	return get(table, HEADER_BYTES + index * table->word, table->word, value);
}

/* Whether @bytes are the start of a table; if so, the version and sizes are set. */
static bool read_start(struct table *table)
{
	const uint8_t *bytes = table->bytes;
	uint32_t magic;
	size_t i;

	if (table->size < HEADER_BYTES)
		return false;
	memcpy(&magic, bytes, sizeof(magic));
	for (i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (versions[i].magic == magic)
			table->version = &versions[i];
	if (!table->version || bytes[4] || bytes[5] ||
	    (bytes[6] != 1 && bytes[6] != 2 && bytes[6] != 4) ||
	    (bytes[7] != 4 && bytes[7] != 8))
		return false;
	table->word = bytes[7];
	table->number = table->version->base_word ? 4 : table->word;
	return true;
}

static bool read_header(struct table *table, uint64_t base)
{
	const struct version *version;

	if (!read_start(table) || !get_word(table, 0, &table->nr))
		return false;
	version = table->version;
	if (version->base_word && !get_word(table, version->base_word, &table->base))
		return false;
	if (version->base_word && base)
		table->base = base;
	if (version->name_word && !get_word(table, version->name_word, &table->names))
		return false;
	if (!version->pair_word)
		table->pairs = HEADER_BYTES + table->word;
	else if (!get_word(table, version->pair_word, &table->pairs))
		return false;
	table->origin = version->pair_word ? table->pairs : 0;
	/* the address after the last function follows the pairs */
	return table->nr && table->nr <= MAX_FUNCTIONS && table->pairs <= table->size &&
	       table->nr < (table->size - table->pairs) / (2 * table->number);
}

/* Return: the name of the function with the description at @offset, with @length; or NULL. */
static const char *find_name(const struct table *table, uint64_t offset, int *length)
{
	const size_t entry = table->version->base_word ? 4 : table->word;
	uint64_t name_offset, room;
	const uint8_t *name, *end;

	if (!get(table, table->origin + offset + entry, 4, &name_offset))
		return NULL;
	name_offset += table->names;
	if (name_offset >= table->size)
		return NULL;
	name = table->bytes + name_offset;
	room = table->size - name_offset;
	end = memchr(name, 0, room < MAX_NAME ? room : MAX_NAME);
	if (!end || end == name)
		return NULL;
	*length = (int)(end - name);
	return (const char *)name;
}

int gopclntab_decode(const void *bytes, size_t size, uint64_t base, uint64_t bias,
		     struct ranges *set)
{
	struct table table = { .bytes = bytes, .size = size };
	uint64_t i;

	if (!read_header(&table, base))
		return -ENOEXEC;
	for (i = 0; i < table.nr; i++) {
		const uint64_t pair = table.pairs + 2 * i * table.number;
		struct range range = { 0 };
		uint64_t offset = 0;
		int error;

		/* read_header() has checked that the pairs are in the table */
		get(&table, pair, table.number, &range.start);
		get(&table, pair + table.number, table.number, &offset);
		get(&table, pair + 2 * table.number, table.number, &range.end);
		range.name = find_name(&table, offset, &range.length);
		if (!range.name)
			continue;
		range.start += table.base + bias;
		range.end += table.base + bias;
		error = ranges_add(set, &range);
		if (error)
			return error;
	}
	return 0;
}

/*
 * The word with the base may be zero in a position-independent file: the dynamic linker sets it
 * to the addend of a relocation. Return: the addend, or 0.
 */
static uint64_t find_addend(Elf *elf, uint64_t address)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr header;
		GElf_Rela rela;
		Elf_Data *data;
		int i;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_RELA)
			continue;
		data = elf_getdata(scn, NULL);
		for (i = 0; data && gelf_getrela(data, i, &rela); i++)
			if (rela.r_offset == address)
				return (uint64_t)rela.r_addend;
	}
	return 0;
}

/*
 * Add the functions of the table at an address, unless they are not code of this file.
 *
 * Return: 0; -ENOEXEC: not a table; or -ENOMEM.
 */
static int use_table(const struct text *text, const uint8_t *bytes, size_t size,
		     uint64_t address, struct ranges *set)
{
	struct table table = { .bytes = bytes, .size = size };
	uint64_t base = 0;
	GElf_Addr bias;
	Elf *elf;

	if (!read_header(&table, 0))
		return -ENOEXEC;
	elf = dwfl_module_getelf(text->module, &bias);
	if (table.version->base_word && !text_has_address(text, table.base + bias)) {
		base = find_addend(elf, address + HEADER_BYTES +
				   table.version->base_word * table.word);
		if (!base || !text_has_address(text, base + bias))
			return 0;
	}
	return gopclntab_decode(bytes, size, base, bias, set);
}

/* Search a table by its header. Return: as use_table(). */
static int search(const struct text *text, const Elf_Data *data, uint64_t address,
		  struct ranges *set)
{
	const uint8_t *bytes = data ? data->d_buf : NULL;
	int error = -ENOEXEC;
	size_t at;

	/* it is aligned like a word, and the segments like pages */
	for (at = 0; bytes && error == -ENOEXEC && at + HEADER_BYTES <= data->d_size; at += 8)
		if (bytes[at + 3] == 0xff && bytes[at + 2] == 0xff)
			error = use_table(text, bytes + at, data->d_size - at, address + at, set);
	return error;
}

/* Linkers other than Go's may merge the table with other sections. Return: as use_table(). */
static int search_segments(const struct text *text, Elf *elf, struct ranges *set)
{
	int error = -ENOEXEC;
	size_t nr, i;

	if (elf_getphdrnum(elf, &nr))
		return error;
	for (i = 0; error == -ENOEXEC && i < nr; i++) {
		GElf_Phdr header;
		uint64_t skip;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		skip = -header.p_vaddr % 8;
		if (skip < header.p_filesz)
			error = search(text, elf_getdata_rawchunk(elf,
							(int64_t)(header.p_offset + skip),
							header.p_filesz - skip, ELF_T_BYTE),
				       header.p_vaddr + skip, set);
	}
	return error;
}

/*
 * Look for the section with the table. @is_go: set to whether the file is a Go program with
 * sections. Return: as use_table().
 */
static int search_sections(const struct text *text, Elf *elf, struct ranges *set, bool *is_go)
{
	int error = -ENOEXEC;
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return error;
	while (error == -ENOEXEC && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(scn, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (!name)
			continue;
		if (!strcmp(name, ".go.buildinfo") || !strcmp(name, ".note.go.buildid"))
			*is_go = true;
		if (!strcmp(name, ".gopclntab") || !strcmp(name, ".data.rel.ro.gopclntab"))
			error = search(text, elf_rawdata(scn, NULL), header.sh_addr, set);
	}
	return error;
}

int gopclntab_ranges(const struct text *text, struct ranges *set)
{
	bool is_go = !text->has_sections;	/* then it may be one */
	GElf_Addr bias;
	int error;
	Elf *elf;

	elf = dwfl_module_getelf(text->module, &bias);
	error = search_sections(text, elf, set, &is_go);
	if (error == -ENOEXEC && is_go)
		error = search_segments(text, elf, set);
	return error == -ENOMEM ? error : 0;
}
