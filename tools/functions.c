// SPDX-License-Identifier: GPL-2.0-only
/*
 * From an address to a function, by what an ELF file and its debug file tell.
 *
 * elfutils' own dwfl_module_addrinfo() is not used: it searches all symbols for each
 * address, returns the nearest symbol below where none covers the address, and any one of
 * several aliases. Instead all symbols are sorted once (extents.h), in three sets:
 *
 *	symbols	what symbols with a size cover
 *	labels	from each symbol without a size to the end of its section
 *	frames	functions that have unwind information
 */
#include <stdbool.h>
#include <string.h>

#include "functions.h"
#include "unwind.h"

/* Mapping symbols of Arm and RISC-V, and assembler's local labels */
static bool is_marker(const char *name)
{
	if (name[0] == '$')
		return name[1] && strchr("adtx", name[1]);
	return name[0] == '.' || !name[0];
}

/* memcpy@@GLIBC_2.14, the version that programs are linked with, is memcpy */
static size_t name_length(const char *name)
{
	const char *version = strstr(name, "@@");

	return version && version > name ? (size_t)(version - name) :
					   strlen(name);
}

static int add_symbol(struct functions *functions, int index)
{
	struct extent extent = { 0 };
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

	extent.name = name;
	extent.length = (int)name_length(name);
	extent.local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
	extent.start = address;
	if (symbol.st_size) {
		extent.end = address + symbol.st_size;
		return extents_add(&functions->symbols, &extent);
	}
	extent.end = header.sh_addr + header.sh_size + bias;
	return extents_add(&functions->labels, &extent);
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
	error = unwind_extents(elf, bias, &functions->frames);
	if (error)
		return error;
	extents_finish(&functions->symbols);
	extents_finish(&functions->labels);
	extents_finish(&functions->frames);
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

/* The symbols are from the file, from its debug file, or from one in each. */
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
 * The stubs of a section are shown as one function: unwind information takes
 * them for one as well, but it has no name for it.
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
 * A symbol without a size, as assembler code has them, reaches up to where
 * anything is known to begin or end.
 */
static const struct extent *find_label(const struct functions *functions, uint64_t address,
				       const struct extent *frame)
{
	const struct extent *label = extents_covering(&functions->labels, address);
	const struct extent *symbol = extents_below(&functions->symbols, address);
	const struct extent *previous;

	if (!label || (frame && frame->start > label->start))
		return NULL;
	if (symbol && symbol->start >= label->start)
		return NULL;
	if (extents_covering(&functions->symbols, label->start))
		return NULL;
	if (frame)
		return label;
	previous = extents_below(&functions->frames, address);
	if (previous && previous->end > label->start)
		return NULL;
	return label;
}

/* Where a label that find_label() found ends. */
static uint64_t label_end(const struct functions *functions, const struct extent *label,
			  const struct extent *frame)
{
	const struct extents *const sets[] = {
		&functions->symbols, &functions->labels, &functions->frames,
	};
	uint64_t end = label->end;
	size_t i;

	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		const struct extent *next = extents_above(sets[i], label->start);

		if (next && next->start < end)
			end = next->start;
	}
	return frame && frame->end < end ? frame->end : end;
}

/*
 * What starts at @start, by any symbol, as one that is shorter than the
 * function it stands for. All that has one start has to have one name.
 */
static const struct extent *find_name(const struct functions *functions, uint64_t start)
{
	const struct extent *extent = extents_below(&functions->symbols, start);

	if (extent && extent->start == start)
		return extent;
	extent = extents_below(&functions->labels, start);
	return extent && extent->start == start ? extent : NULL;
}

bool functions_find(const struct functions *functions, uint64_t address,
		    struct function *function)
{
	const struct extent *found, *named;

	memset(function, 0, sizeof(*function));
	found = extents_covering(&functions->symbols, address);
	if (!found) {
		const struct extent *frame = extents_covering(&functions->frames,
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
	extents_release(&functions->symbols);
	extents_release(&functions->labels);
	extents_release(&functions->frames);
	memset(functions, 0, sizeof(*functions));
}
