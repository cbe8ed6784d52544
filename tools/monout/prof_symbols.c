// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the symbol table of a program. A symbol is a function if its type says so, or if it is
 * global, has no type, and is in code: a function in assembler.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>

#include "monout/prof_symbols.h"
#include "util/array.h"
#include "util/failure.h"
#include "util/objectfile.h"

struct symbol {
	uint64_t start;
	const char *name;	/* valid as long as the file is open */
	bool is_shown;
};

struct list {
	struct symbol *symbols;
	size_t nr;
	bool locals;		/* show them, too */
};

/* Whether a section has code, and the address is in it: etext, for example, is not. */
static bool is_code(Elf *elf, const GElf_Sym *symbol)
{
	GElf_Shdr header;

	return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE &&
	       gelf_getshdr(elf_getscn(elf, symbol->st_shndx), &header) &&
	       header.sh_flags & SHF_EXECINSTR && symbol->st_value >= header.sh_addr &&
	       symbol->st_value - header.sh_addr < header.sh_size;
}

static bool is_function(const GElf_Sym *symbol)
{
	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_NOTYPE:
		return GELF_ST_BIND(symbol->st_info) != STB_LOCAL;
	default:
		return false;
	}
}

/* Return: 0 or -ENOMEM. */
static int read_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct list *list)
{
	const size_t nr = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;
	size_t i;

	list->symbols = calloc(nr + 1, sizeof(*list->symbols));
	if (!list->symbols)
		return -ENOMEM;
	for (i = 0; i < nr && gelf_getsym(data, (int)i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

		if (!name || !*name || !is_function(&symbol) || !is_code(elf, &symbol))
			continue;
		list->symbols[list->nr++] = (struct symbol){
			.start = symbol.st_value,
			.name = name,
			.is_shown = list->locals || GELF_ST_BIND(symbol.st_info) != STB_LOCAL,
		};
	}
	return 0;
}

static int read_symbols(Elf *elf, struct list *list)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			return read_table(elf, section, &header, list);
	return 0;
}

static int compare(const void *va, const void *vb)
{
	const struct symbol *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Append a name to those of a function. Return: 0 or -ENOMEM. */
static int add_name(struct function *function, const char *symbol,
		    symbolize_demangle_fn *demangle)
{
	char *demangled = demangle ? demangle(symbol) : NULL;
	const char *name = demangled ? demangled : symbol;
	char *names;
	int length = asprintf(&names, "%s%s%s", function->name ? function->name : "",
			      function->name ? ", " : "", name);

	free(demangled);
	if (length < 0)
		return -ENOMEM;
	free((char *)function->name);
	function->name = names;
	function->length = length;
	return 0;
}

/* Add the next symbol by address. Return: 0 or -ENOMEM. */
static int add(struct prof_symbols *to, const struct symbol *symbol,
	       symbolize_demangle_fn *demangle)
{
	struct function *last = to->nr ? &to->functions[to->nr - 1] : NULL;

	if (!to->nr_starts || to->starts[to->nr_starts - 1] != symbol->start)
		to->starts[to->nr_starts++] = symbol->start;
	if (!symbol->is_shown)
		return 0;
	if (!last || last->start != symbol->start) {
		if (last)
			last->end = symbol->start;
		last = &to->functions[to->nr++];
		last->start = symbol->start;
		last->end = UINT64_MAX;
	}
	return add_name(last, symbol->name, demangle);
}

static int make(struct prof_symbols *symbols, struct list *list,
		symbolize_demangle_fn *demangle)
{
	int error = 0;
	size_t i;

	symbols->functions = calloc(list->nr + 1, sizeof(*symbols->functions));
	symbols->starts = calloc(list->nr + 1, sizeof(*symbols->starts));
	if (!symbols->functions || !symbols->starts)
		return -ENOMEM;
	if (list->nr)
		qsort(list->symbols, list->nr, sizeof(*list->symbols), compare);
	for (i = 0; !error && i < list->nr; i++)
		error = add(symbols, &list->symbols[i], demangle);
	return error;
}

int prof_symbols_read(struct prof_symbols *symbols, const char *path, bool locals,
		      symbolize_demangle_fn *demangle, const char **why)
{
	struct list list = { .locals = locals };
	int error, fd = objectfile_open(path, why);
	Elf *elf;

	memset(symbols, 0, sizeof(*symbols));
	if (fd < 0)
		return failure_errno();
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	error = read_symbols(elf, &list);
	if (!error && !list.nr) {
		*why = "no function names, as it is stripped";
		error = -ENOEXEC;
	}
	if (!error)
		error = make(symbols, &list, demangle);
	free(list.symbols);
	elf_end(elf);
	close(fd);
	return error;
}

/*
 * Elements of @size bytes begin with an address, in ascending order. Return: how many of these
 * addresses are not above @address.
 */
static size_t count_up_to(const void *elements, size_t nr, size_t size, uint64_t address)
{
	return array_first_not(nr, i, *(const uint64_t *)((const char *)elements + i * size) <= address);
}

int prof_symbols_find(void *of, size_t object, uint64_t address, struct function *function)
{
	const struct prof_symbols *symbols = of;
	const size_t nr = count_up_to(symbols->functions, symbols->nr,
				      sizeof(*symbols->functions), address);

	(void)object;
	if (nr) {
		*function = symbols->functions[nr - 1];
		return 1;
	}
	function->end = symbols->nr ? symbols->functions[0].start : UINT64_MAX;
	return 0;
}

int prof_symbols_find_called(void *of, size_t object, uint64_t address,
			     struct function *function)
{
	const struct prof_symbols *symbols = of;
	const size_t nr = count_up_to(symbols->starts, symbols->nr_starts,
				      sizeof(*symbols->starts), address);

	return prof_symbols_find(of, object, address, function) &&
	       function->start == symbols->starts[nr - 1];
}

void prof_symbols_release(struct prof_symbols *symbols)
{
	size_t i;

	for (i = 0; i < symbols->nr; i++)
		free((char *)symbols->functions[i].name);
	free(symbols->functions);
	free(symbols->starts);
	memset(symbols, 0, sizeof(*symbols));
}
