// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sections with debug information of a file.
 *
 * elfutils treats sections that it cannot decompress like missing ones. A user must know that
 * the debug information is there, so that nobody compiles with -g again.
 */
#include <stdint.h>
#include <string.h>

#include <gelf.h>

#include "symbol/debugsections.h"

/* elf.h of glibc has this from 2.36 on */
#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD	2
#endif

/* Return: the first section after @scn whose name begins with @prefix; NULL: none. */
static Elf_Scn *next_section(Elf *elf, Elf_Scn *scn, const char *prefix, GElf_Shdr *header)
{
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;

		/* a stripped file may have the headers of sections that are in its debug file */
		if (!gelf_getshdr(scn, header) || header->sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, header->sh_name);
		if (name && !strncmp(name, prefix, strlen(prefix)))
			break;
	}
	return scn;
}

bool debugsections_exist(Elf *elf)
{
	GElf_Shdr header;

	return next_section(elf, NULL, ".debug_info", &header) ||
	       next_section(elf, NULL, ".zdebug_info", &header);
}

bool debugsections_have_symbols(Elf *elf)
{
	GElf_Shdr header;

	return next_section(elf, NULL, ".gnu_debugdata", &header);
}

static uint32_t compression(Elf_Scn *scn, const GElf_Shdr *header)
{
	const Elf_Data *data;
	uint32_t type;

	if (!(header->sh_flags & SHF_COMPRESSED))
		return 0;
	/* gelf_getchdr() may refuse a type that it does not know; the type is the first word */
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf || data->d_size < sizeof(type))
		return 0;
	memcpy(&type, data->d_buf, sizeof(type));
	return type;
}

const char *debugsections_problem(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	while ((scn = next_section(elf, scn, ".debug_", &header))) {
		const uint32_t type = compression(scn, &header);

		if (!type || type == ELFCOMPRESS_ZLIB || elf_compress(scn, 0, 0) >= 0)
			continue;
		if (type == ELFCOMPRESS_ZSTD)
			return "compressed with zstd, which the installed elfutils cannot read; `objcopy --decompress-debug-sections' makes it readable";
		return "compressed in a way that the installed elfutils cannot read; `objcopy --decompress-debug-sections' makes it readable";
	}
	return NULL;
}
