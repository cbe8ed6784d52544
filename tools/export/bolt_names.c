// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of functions as BOLT makes them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "export/bolt_names.h"
#include "util/array.h"

static int compare_addresses(const struct bolt_name *a, const struct bolt_name *b)
{
	return a->address < b->address ? -1 : a->address > b->address;
}

/* Local symbols by name, file and address; after all global ones */
static int compare_names(const void *va, const void *vb)
{
	const struct bolt_name *a = va, *b = vb;
	int order = !!a->number - !!b->number;

	if (!order && a->number)
		order = strcmp(a->name, b->name);
	if (!order && a->number)
		order = strcmp(a->file, b->file);
	return order ? order : compare_addresses(a, b);
}

/* A global name needs no number, so it is the surest one. */
static int compare_places(const void *va, const void *vb)
{
	const struct bolt_name *a = va, *b = vb;
	int order = compare_addresses(a, b);

	if (!order)
		order = b->is_function - a->is_function;
	return order ? order : !!a->number - !!b->number;
}

/* What the symbols of a table have in common, and the source file of the last one */
struct table {
	Elf *elf;
	size_t strings;
	const char *file;
};

static void add_symbol(struct bolt_names *names, struct table *table, const GElf_Sym *symbol)
{
	const int type = GELF_ST_TYPE(symbol->st_info);
	const bool is_local = GELF_ST_BIND(symbol->st_info) == STB_LOCAL;
	const char *name = elf_strptr(table->elf, table->strings, symbol->st_name);

	if (!name)
		return;
	if (type == STT_FILE) {
		table->file = name;
		return;
	}
	if (!*name || type == STT_SECTION || type == STT_TLS || symbol->st_shndx == SHN_UNDEF)
		return;
	names->of[names->nr++] = (struct bolt_name){
		.address = symbol->st_value, .name = name, .file = is_local ? table->file : "",
		.number = is_local, .is_function = type == STT_FUNC || type == STT_GNU_IFUNC,
	};
}

static void number(struct bolt_names *names)
{
	size_t i;

	qsort(names->of, names->nr, sizeof(*names->of), compare_names);
	for (i = 1; i < names->nr; i++) {
		struct bolt_name *name = &names->of[i];

		if (name->number && name[-1].number && !strcmp(name->name, name[-1].name) &&
		    !strcmp(name->file, name[-1].file))
			name->number = name[-1].number + 1;
	}
	qsort(names->of, names->nr, sizeof(*names->of), compare_places);
}

/* Return: 0 or -ENOMEM. */
static int read_table(struct bolt_names *names, Elf *elf, Elf_Scn *section,
		      const GElf_Shdr *header)
{
	struct table table = { .elf = elf, .strings = header->sh_link, .file = "" };
	Elf_Data *data = elf_getdata(section, NULL);
	size_t nr, i;

	if (!data || !header->sh_entsize)
		return 0;
	nr = data->d_size / header->sh_entsize;
	names->of = calloc(nr + 1, sizeof(*names->of));
	if (!names->of)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		GElf_Sym symbol;

		if (gelf_getsym(data, (int)i, &symbol))
			add_symbol(names, &table, &symbol);
	}
	number(names);
	return 0;
}

int bolt_names_read(struct bolt_names *names, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			return read_table(names, elf, section, &header);
	return 0;
}

const struct bolt_name *bolt_names_find(const struct bolt_names *names, uint64_t address)
{
	const size_t low = array_first_not(names->nr, i, names->of[i].address < address);

	if (low == names->nr || names->of[low].address != address || !names->of[low].is_function)
		return NULL;
	return &names->of[low];
}

void bolt_names_release(struct bolt_names *names)
{
	free(names->of);
	*names = (struct bolt_names){ 0 };
}
