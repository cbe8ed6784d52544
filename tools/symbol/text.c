// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a file has code.
 *
 * Programs run without section headers, so tools may remove them (llvm-objcopy --strip-sections,
 * sstrip, lld -z nosectionheader). The indexes of sections in the dynamic symbols then mean
 * nothing. What is executable is sorted once, because a damaged file may have many segments.
 */
#include <string.h>

#include "symbol/text.h"

static int add(struct text *text, uint64_t start, uint64_t bytes, const char *name)
{
	const struct range range = {
		.start = start,
		.end = start + bytes,
		.name = name,
		.length = name ? (int)strlen(name) : 0,
	};

	return ranges_add(&text->code, &range);
}

static int add_segments(struct text *text, Elf *elf, uint64_t bias)
{
	size_t nr, i;
	int error = 0;

	if (elf_getphdrnum(elf, &nr))
		return 0;
	for (i = 0; i < nr && !error; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD &&
		    header.p_flags & PF_X)
			error = add(text, header.p_vaddr + bias, header.p_memsz, NULL);
	}
	return error;
}

static int add_sections(struct text *text, Elf *elf, uint64_t bias)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;
	int error = 0;

	if (elf_getshdrstrndx(elf, &names))
		return 0;
	while (!error && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR)
			error = add(text, header.sh_addr + bias, header.sh_size,
				    elf_strptr(elf, names, header.sh_name));
	return error;
}

/*
 * dwfl_module_address_section() of elfutils is not used: it reads all debug information first,
 * which may have to be decompressed.
 */
int text_read(struct text *text, Dwfl_Module *module)
{
	GElf_Addr bias;
	size_t nr;
	int error;
	Elf *elf;

	text->module = module;
	elf = dwfl_module_getelf(module, &bias);
	if (!elf || elf_getshdrnum(elf, &nr))
		return 0;
	text->has_sections = nr;
	error = nr ? add_sections(text, elf, bias) : add_segments(text, elf, bias);
	ranges_finish(&text->code);
	return error;
}

bool text_has_address(const struct text *text, uint64_t address)
{
	return ranges_covering(&text->code, address);
}

const struct range *text_section(const struct text *text, uint64_t address)
{
	const struct range *found = ranges_covering(&text->code, address);

	return found && found->name ? found : NULL;
}

bool text_has_symbol(const struct text *text, Elf *elf, uint64_t bias, GElf_Word section,
		     uint64_t address, uint64_t *end)
{
	const struct range *segment;
	GElf_Shdr header;

	/* the debug file of a file without section headers may have them */
	if (gelf_getshdr(elf_getscn(elf, section), &header)) {
		*end = header.sh_addr + header.sh_size + bias;
		return header.sh_flags & SHF_EXECINSTR;
	}
	segment = ranges_covering(&text->code, address);
	if (segment)
		*end = segment->end;
	return segment;
}

void text_release(struct text *text)
{
	ranges_release(&text->code);
	memset(text, 0, sizeof(*text));
}
