// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps addresses to functions, by the symbols and unwind information of an ELF file and its
 * debug file.
 *
 * dwfl_module_addrinfo() of elfutils is not used. It searches all symbols for each address,
 * returns the nearest symbol below if none contains the address, and any one of several aliases.
 * Instead, all symbols are sorted once (ranges.h), in three sets:
 *
 *	symbols	ranges of symbols with a size
 *	labels	ranges from each symbol without a size to the end of its section
 *	frames	ranges of functions that have unwind information
 */
#include <stdbool.h>
#include <string.h>

#include "symbol/ehframe.h"
#include "symbol/functions.h"

/* Mapping symbols of Arm and RISC-V, and local labels of the assembler */
static bool is_marker(const char *name)
{
	if (name[0] == '$')
		return name[1] && strchr("adtx", name[1]);
	return name[0] == '.' || !name[0];
}

/* Return: the length without a default version: memcpy@@GLIBC_2.14 becomes memcpy. */
static size_t name_length(const char *name)
{
	const char *version = strstr(name, "@@");

	return version && version > name ? (size_t)(version - name) :
					   strlen(name);
}

static int add_symbol(struct functions *functions, int index)
{
	struct range range = { 0 };
	GElf_Shdr header;
	GElf_Word section;
	GElf_Addr address, bias;
	GElf_Sym symbol;
	const char *name;
	Elf *elf;
	int type;

	name = dwfl_module_getsym_info(functions->module, index, &symbol, &address,
				       &section, &elf, &bias);
	if (!name || is_marker(name) || section == SHN_UNDEF)
		return 0;
	type = GELF_ST_TYPE(symbol.st_info);
	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return 0;
	if (section == SHN_ABS || !elf ||
	    !gelf_getshdr(elf_getscn(elf, section), &header) ||
	    !(header.sh_flags & SHF_EXECINSTR))
		return 0;

	range.name = name;
	range.length = (int)name_length(name);
	range.local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
	range.start = address;
	if (symbol.st_size) {
		range.end = address + symbol.st_size;
		return ranges_add(&functions->symbols, &range);
	}
	range.end = header.sh_addr + header.sh_size + bias;
	return ranges_add(&functions->labels, &range);
}

int functions_read(struct functions *functions, Dwfl_Module *module)
{
	GElf_Addr bias;
	int nr, i, error;
	Elf *elf;

	functions->module = module;
	nr = dwfl_module_getsymtab(module);
	for (i = 0; i < nr; i++) {
		error = add_symbol(functions, i);
		if (error)
			return error;
	}
	elf = dwfl_module_getelf(module, &bias);
	error = ehframe_ranges(elf, bias, &functions->frames);
	if (error)
		return error;
	ranges_finish(&functions->symbols);
	ranges_finish(&functions->labels);
	ranges_finish(&functions->frames);
	return 0;
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

/* The symbols may be from the file, its debug file, or both. */
bool functions_are_stripped(const struct functions *functions)
{
	Dwfl_Module *module = functions->module;
	const int nr = dwfl_module_getsymtab(module);
	GElf_Addr address, bias;
	Elf *elf, *seen = NULL;
	GElf_Sym symbol;
	int i;

	for (i = 0; i < nr; i++) {
		if (!dwfl_module_getsym_info(module, i, &symbol, &address, NULL, &elf, &bias) ||
		    !elf || elf == seen)
			continue;
		if (has_symtab(elf))
			return false;
		seen = elf;
	}
	return true;
}

/*
 * In unwind information, a PLT section with all its stubs is one function without a name. It is
 * named after the section.
 */
static const struct {
	const char *section;
	const char *function;
} plts[] = {
	{ ".plt", "[.plt]" },
	{ ".plt.sec", "[.plt.sec]" },
	{ ".plt.got", "[.plt.got]" },
	{ ".plt.bnd", "[.plt.bnd]" },
	{ ".iplt", "[.iplt]" },
};

static bool find_plt(const struct functions *functions, uint64_t address,
		     struct function *function)
{
	GElf_Addr offset = address, bias;
	GElf_Shdr header;
	const char *name;
	size_t names, i;
	Elf_Scn *scn;
	Elf *elf;

	scn = dwfl_module_address_section(functions->module, &offset, &bias);
	elf = dwfl_module_getelf(functions->module, &bias);
	if (!scn || !elf || !gelf_getshdr(scn, &header) ||
	    elf_getshdrstrndx(elf, &names))
		return false;
	name = elf_strptr(elf, names, header.sh_name);
	for (i = 0; name && i < sizeof(plts) / sizeof(plts[0]); i++) {
		if (strcmp(name, plts[i].section))
			continue;
		function->start = address - offset;
		function->end = function->start + header.sh_size;
		function->name = plts[i].function;
		function->length = (int)strlen(plts[i].function);
		return true;
	}
	return false;
}

/*
 * Find the symbol without a size that an address belongs to. Such symbols are common in
 * assembler code. Their range ends where any other function begins or ends.
 */
static const struct range *find_label(const struct functions *functions, uint64_t address,
				       const struct range *frame)
{
	const struct range *label = ranges_covering(&functions->labels, address);
	const struct range *symbol = ranges_below(&functions->symbols, address);
	const struct range *previous;

	if (!label || (frame && frame->start > label->start))
		return NULL;
	if (symbol && symbol->start >= label->start)
		return NULL;
	if (ranges_covering(&functions->symbols, label->start))
		return NULL;
	if (frame)
		return label;
	previous = ranges_below(&functions->frames, address);
	if (previous && previous->end > label->start)
		return NULL;
	return label;
}

/* The end of a label that find_label() has returned */
static uint64_t label_end(const struct functions *functions, const struct range *label,
			  const struct range *frame)
{
	const struct ranges *const sets[] = {
		&functions->symbols, &functions->labels, &functions->frames,
	};
	uint64_t end = label->end;
	size_t i;

	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		const struct range *next = ranges_above(sets[i], label->start);

		if (next && next->start < end)
			end = next->start;
	}
	return frame && frame->end < end ? frame->end : end;
}

/*
 * Any symbol at @start, even if its size is too small. Functions with the same start must have
 * the same name.
 */
static const struct range *find_name(const struct functions *functions, uint64_t start)
{
	const struct range *range = ranges_below(&functions->symbols, start);

	if (range && range->start == start)
		return range;
	range = ranges_below(&functions->labels, start);
	return range && range->start == start ? range : NULL;
}

bool functions_find(const struct functions *functions, uint64_t address,
		    struct function *function)
{
	const struct range *found, *named;

	memset(function, 0, sizeof(*function));
	found = ranges_covering(&functions->symbols, address);
	if (!found) {
		const struct range *frame = ranges_covering(&functions->frames,
							      address);

		if (find_plt(functions, address, function))
			return true;
		found = find_label(functions, address, frame);
		if (found)
			function->end = label_end(functions, found, frame);
		else
			found = frame;
	}
	if (!found)
		return false;
	function->start = found->start;
	if (!function->end)
		function->end = found->end;
	named = find_name(functions, found->start);
	if (named) {
		function->name = named->name;
		function->length = named->length;
	}
	return true;
}

size_t functions_size(const struct functions *functions)
{
	return functions->symbols.nr + functions->labels.nr + functions->frames.nr;
}

void functions_release(struct functions *functions)
{
	ranges_release(&functions->symbols);
	ranges_release(&functions->labels);
	ranges_release(&functions->frames);
	memset(functions, 0, sizeof(*functions));
}
