// SPDX-License-Identifier: GPL-2.0-only
/*
 * The symbols of a file that name code.
 *
 * Any name can be the name of a function: clang names parallel regions .omp_outlined. for
 * example. Only symbols without type and size can be something else: marks and local labels.
 */
#include <errno.h>
#include <string.h>

#include "symbol/debugsections.h"
#include "symbol/symtab.h"

/*
 * Mapping symbols tell disassemblers where code, code of another instruction set, and data
 * begin. The ABI of a machine defines their letters; a name may follow after a dot, and on
 * RISC-V the instruction set.
 */
static bool is_mapping_symbol(const char *name, GElf_Half machine)
{
	const char *letters = "";

	switch (machine) {
	case EM_ARM:
		letters = "adtbfpm";
		break;
	case EM_AARCH64:
	case EM_RISCV:
		letters = "xd";
		break;
	case EM_CSKY:
		letters = "td";
		break;
	}
	if (name[0] != '$' || !name[1] || !strchr(letters, name[1]))
		return false;
	return !name[2] || name[2] == '.' ||
	       (machine == EM_RISCV && !strncmp(name, "$xrv", 4));
}

/*
 * Labels that compilers generate for jumps. Assemblers keep them on request (as -L), or for
 * relaxation on RISC-V. Nobody can give a function such a name: assemblers make it invisible
 * to other files.
 */
static bool is_jump_label(const char *name, GElf_Half machine)
{
	return !strncmp(name, ".L", 2) ||
	       (machine == EM_MIPS && !strncmp(name, "$L", 2));
}

static bool is_marker(const char *name, const GElf_Sym *symbol, GElf_Half machine)
{
	return GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE && !symbol->st_size &&
	       GELF_ST_BIND(symbol->st_info) == STB_LOCAL &&
	       (is_mapping_symbol(name, machine) || is_jump_label(name, machine));
}

/* Return: the length without a default version: memcpy@@GLIBC_2.14 becomes memcpy. */
static size_t name_length(const char *name)
{
	const char *version = strstr(name, "@@");

	return version && version > name ? (size_t)(version - name) : strlen(name);
}

/* Return: whether the type is one that code can have; if so, @rank is set. */
static bool find_rank(int type, enum symtab_rank *rank)
{
	switch (type) {
	case STT_FUNC:
		*rank = SYMTAB_FUNCTION;
		return true;
	case STT_GNU_IFUNC:
		*rank = SYMTAB_IFUNC;
		return true;
	case STT_NOTYPE:
		*rank = SYMTAB_LABEL;
		return true;
	case STT_SECTION:
	case STT_FILE:
	case STT_TLS:
		return false;
	default:
		*rank = SYMTAB_OTHER;
		return true;
	}
}

static bool has_symtab(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			return true;
	return false;
}

/* What the symbols of a module have in common, and the places of the last one */
struct reading {
	Dwfl_Module *module;
	const struct text *text;
	GElf_Half machine;
	Elf *elf;		/* the file, its debug file, or the symbols in .gnu_debugdata */
	uint64_t source;	/* index of its symbol of type STT_FILE */
};

static int add_symbol(struct symtab *symtab, struct reading *reading, int index)
{
	struct range range = { 0 };
	enum symtab_rank rank;
	GElf_Addr address, bias;
	GElf_Word section;
	GElf_Sym symbol;
	const char *name;
	uint64_t end;
	Elf *elf;

	name = dwfl_module_getsym_info(reading->module, index, &symbol, &address, &section, &elf,
				       &bias);
	if (name && elf && elf != reading->elf) {
		reading->elf = elf;
		symtab->is_full |= has_symtab(elf);
	}
	if (name && GELF_ST_TYPE(symbol.st_info) == STT_FILE)
		reading->source = (uint64_t)index;
	if (!name || !*name || !elf || section == SHN_UNDEF || section == SHN_ABS ||
	    !find_rank(GELF_ST_TYPE(symbol.st_info), &rank) ||
	    is_marker(name, &symbol, reading->machine) ||
	    !text_has_symbol(reading->text, elf, bias, section, address, &end))
		return 0;

	range.name = name;
	range.length = (int)name_length(name);
	range.local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
	range.weak = GELF_ST_BIND(symbol.st_info) == STB_WEAK;
	range.rank = rank;
	range.number = range.local ? reading->source : 0;
	range.start = address;
	range.end = symbol.st_size ? address + symbol.st_size : end;
	if (rank == SYMTAB_IFUNC && ranges_add(&symtab->ifuncs, &range))
		return -ENOMEM;
	if (!symbol.st_size)
		return ranges_add(&symtab->labels, &range);
	return ranges_add(rank == SYMTAB_OTHER ? &symtab->others : &symtab->sized, &range);
}

int symtab_read(struct symtab *symtab, Dwfl_Module *module, const struct text *text)
{
	const int nr = dwfl_module_getsymtab(module);
	struct reading reading = { .module = module, .text = text };
	GElf_Ehdr header;
	int i, error = 0;
	GElf_Addr bias;
	Elf *elf;

	elf = dwfl_module_getelf(module, &bias);
	if (elf && gelf_getehdr(elf, &header))
		reading.machine = header.e_machine;
	for (i = 0; !error && i < nr; i++)
		error = add_symbol(symtab, &reading, i);
	symtab->is_unread = elf && !symtab->is_full && debugsections_have_symbols(elf);
	return error;
}

void symtab_release(struct symtab *symtab)
{
	ranges_release(&symtab->sized);
	ranges_release(&symtab->others);
	ranges_release(&symtab->ifuncs);
	ranges_release(&symtab->labels);
}
