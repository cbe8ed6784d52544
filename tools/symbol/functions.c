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
#include "symbol/plt.h"

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
	functions->elf = elf;
	functions->bias = bias;
	error = ehframe_read(&functions->frames, elf, bias);
	if (error)
		return error;
	error = ranges_join(&symtab->sized);
	if (error)
		return error;
	ranges_finish(&symtab->sized);
	ranges_finish(&symtab->others);
	ranges_finish(&symtab->ifuncs);
	labels_finish(&symtab->labels, &symtab->sized, &functions->frames);
	return 0;
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

/* The function that is called by what is at @start: a plt_find_fn */
static const struct range *find_start(const void *data, uint64_t start)
{
	const struct symtab *symtab = data;
	const struct range *ifunc = ranges_below(&symtab->ifuncs, start);

	return ifunc && ifunc->start == start ? ifunc : find_name(symtab, start);
}

/* Stubs are looked for when one is needed. Without memory, they are all one function. */
static bool find_plt(struct functions *functions, uint64_t address, struct function *function)
{
	const struct range *section = text_section(&functions->text, address), *stub;
	const char *rest = section ? plt_section(section->name) : NULL;

	if (!rest)
		return false;
	if (!functions->has_stubs) {
		functions->has_stubs = true;
		if (plt_read(&functions->stubs, functions->elf, functions->bias, find_start,
			     &functions->symtab))
			ranges_release(&functions->stubs);
	}
	stub = ranges_covering(&functions->stubs, address);
	function->start = stub ? stub->start : section->start;
	function->end = stub ? stub->end : section->end;
	function->name = stub ? stub->name : rest;
	function->length = stub ? stub->length : (int)strlen(rest);
	return true;
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

bool functions_find(struct functions *functions, uint64_t address, struct function *function)
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
	       functions->frames.ranges.nr + functions->stubs.nr;
}

void functions_release(struct functions *functions)
{
	text_release(&functions->text);
	symtab_release(&functions->symtab);
	ehframe_release(&functions->frames);
	ranges_release(&functions->stubs);
	memset(functions, 0, sizeof(*functions));
}
