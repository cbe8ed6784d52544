// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts by file offset, for the tools of AutoFDO, which make profiles for gcc and clang.
 */
#include <errno.h>
#include <inttypes.h>

#include <elfutils/libdw.h>
#include <gelf.h>

#include "export/export.h"
#include "util/failure.h"

/* The last version of DWARF that autofdo 0.19 reads, which is the one in Debian 12 */
#define READ_DWARF	4

/* Return: 0, and an address is set to its offset in the file; -ENODATA: no segment has it. */
static int to_offset(Elf *elf, uint64_t *address)
{
	GElf_Phdr header;
	size_t nr, i;

	if (elf_getphdrnum(elf, &nr))
		return -ENODATA;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    *address < header.p_vaddr || *address - header.p_vaddr >= header.p_filesz)
			continue;
		*address += header.p_offset - header.p_vaddr;
		return 0;
	}
	return -ENODATA;
}

/* Move samples at no offset of the file, which a damaged result may have. */
static void make_offsets(struct code *code)
{
	size_t i, nr = 0;

	for (i = 0; i < code->nr; i++) {
		struct code_sample *sample = &code->of[i];

		if (!to_offset(code->elf, &sample->address)) {
			code->of[nr++] = *sample;
			continue;
		}
		code->used -= sample->samples;
		code->unnamed += sample->samples;
	}
	code->nr = nr;
}

/* The readers accept what they cannot read, and write a profile without functions. */
static void warn_of_version(const struct code *code)
{
	Dwarf *dwarf = dwarf_begin_elf(code->elf, DWARF_C_READ, NULL);
	Dwarf_CU *unit = NULL;
	Dwarf_Half version;

	while (dwarf && !dwarf_get_units(dwarf, unit, &unit, &version, NULL, NULL, NULL)) {
		if (version <= READ_DWARF)
			continue;
		failure_warnx("%s: its debug information is DWARF %d, of which autofdo 0.19 makes an empty profile without an error: compile with -gdwarf-%d, and profile that file",
			      code->object->path, version, READ_DWARF);
		break;
	}
	dwarf_end(dwarf);
}

int export_autofdo(FILE *out, struct code *code)
{
	size_t i;

	warn_of_version(code);

	make_offsets(code);
	/* three lists, each after its length: ranges and branches need branch records */
	fprintf(out, "0\n%zu\n", code->nr);
	for (i = 0; i < code->nr; i++)
		fprintf(out, "%" PRIx64 ":%" PRIu64 "\n", code->of[i].address, code->of[i].samples);
	fputs("0\n", out);
	return 0;
}
