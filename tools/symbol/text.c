// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a file has code.
 *
 * Programs run without section headers, so tools may remove them (llvm-objcopy --strip-sections,
 * sstrip, lld -z nosectionheader). The indexes of sections in the dynamic symbols then mean
 * nothing. The executable segments are sorted once, because a damaged file may have many.
 */
#include <string.h>

#include "symbol/text.h"

static bool has_section_headers(Elf *elf)
{
	size_t nr;

	return !elf_getshdrnum(elf, &nr) && nr > 0;
}

int text_read(struct text *text, Dwfl_Module *module)
{
	size_t nr, i;
	GElf_Addr bias;
	Elf *elf;

	text->module = module;
	elf = dwfl_module_getelf(module, &bias);
	if (!elf || has_section_headers(elf) || elf_getphdrnum(elf, &nr))
		return 0;
	for (i = 0; i < nr; i++) {
		struct range range = { 0 };
		GElf_Phdr header;
		int error;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    !(header.p_flags & PF_X))
			continue;
		range.start = header.p_vaddr + bias;
		range.end = range.start + header.p_memsz;
		error = ranges_add(&text->segments, &range);
		if (error)
			return error;
	}
	ranges_finish(&text->segments);
	return 0;
}

bool text_has_address(const struct text *text, uint64_t address)
{
	GElf_Addr offset = address, bias;
	GElf_Shdr header;
	Elf_Scn *scn;

	if (text->segments.nr)
		return ranges_covering(&text->segments, address);
	scn = dwfl_module_address_section(text->module, &offset, &bias);
	return scn && gelf_getshdr(scn, &header) && header.sh_flags & SHF_EXECINSTR;
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
	segment = ranges_covering(&text->segments, address);
	if (segment)
		*end = segment->end;
	return segment;
}

void text_release(struct text *text)
{
	ranges_release(&text->segments);
	memset(text, 0, sizeof(*text));
}
