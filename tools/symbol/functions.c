// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps addresses to functions, by the symbols and unwind information of an ELF file and its
 * debug file, and by the table of Go's runtime.
 *
 * dwfl_module_addrinfo() of elfutils is not used. It searches all symbols for each address,
 * returns the nearest symbol below if none contains the address, and any one of several aliases.
 * Instead, all symbols are sorted once (ranges.h), in sets that are searched one after the other.
 */
#include <stdbool.h>
#include <string.h>

#include "symbol/functions.h"
#include "symbol/gopclntab.h"
#include "symbol/labels.h"

int functions_read(struct functions *functions, Dwfl_Module *module)
{
	struct symtab *symtab = &functions->symtab;
	GElf_Addr bias;
	int error;
	Elf *elf;

	error = text_read(&functions->text, module);
	if (error)
		return error;
	error = symtab_read(symtab, module, &functions->text);
	if (error)
		return error;
	/* a Go program with a symbol table has the same names there */
	if (!symtab->is_full) {
		error = gopclntab_ranges(&functions->text, &symtab->sized);
		if (error)
			return error;
	}
	elf = dwfl_module_getelf(module, &bias);
	error = ehframe_read(&functions->frames, elf, bias);
	if (error)
		return error;
	error = ranges_join(&symtab->sized);
	if (error)
		return error;
	ranges_finish(&symtab->sized);
	ranges_finish(&symtab->others);
	labels_finish(&symtab->labels, &symtab->sized, &functions->frames);
	return 0;
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
	const struct range *section = text_section(&functions->text, address);
	size_t i;

	for (i = 0; section && i < sizeof(plts) / sizeof(plts[0]); i++) {
		if (strcmp(section->name, plts[i].section))
			continue;
		function->start = section->start;
		function->end = section->end;
		function->name = plts[i].function;
		function->length = (int)strlen(plts[i].function);
		return true;
	}
	return false;
}

/*
 * Any symbol at @start, even if its size is too small. Functions with the same start must have
 * the same name.
 */
static const struct range *find_name(const struct symtab *symtab, uint64_t start)
{
	const struct ranges *const sets[] = {
		&symtab->sized, &symtab->labels, &symtab->others,
	};
	size_t i;

	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		const struct range *range = ranges_below(sets[i], start);

		if (range && range->start == start)
			return range;
	}
	return NULL;
}

/* Find a function that is not a symbol with type and size. */
static bool find_other(const struct functions *functions, uint64_t address, struct range *found)
{
	const struct symtab *symtab = &functions->symtab;
	const struct range *symbol = ranges_covering(&symtab->others, address);

	if (!symbol)
		symbol = ranges_covering(&symtab->labels, address);
	if (!symbol)
		return ehframe_covering(&functions->frames, address, found);
	*found = *symbol;
	return true;
}

bool functions_find(const struct functions *functions, uint64_t address,
		    struct function *function)
{
	const struct range *sized, *named;
	struct range found;

	memset(function, 0, sizeof(*function));
	sized = ranges_covering(&functions->symtab.sized, address);
	if (!sized && find_plt(functions, address, function))
		return true;
	if (sized)
		found = *sized;
	else if (!find_other(functions, address, &found))
		return false;
	function->start = found.start;
	function->end = found.end;
	named = find_name(&functions->symtab, found.start);
	if (named) {
		function->name = named->name;
		function->length = named->length;
	}
	return true;
}

size_t functions_size(const struct functions *functions)
{
	const struct symtab *symtab = &functions->symtab;

	return symtab->sized.nr + symtab->others.nr + symtab->labels.nr +
	       functions->frames.ranges.nr;
}

void functions_release(struct functions *functions)
{
	text_release(&functions->text);
	symtab_release(&functions->symtab);
	ehframe_release(&functions->frames);
	memset(functions, 0, sizeof(*functions));
}
