// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts for BOLT, which rewrites a program's code in a better order: by address for its later
 * versions, by function for the earlier ones.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "export/bolt_names.h"
#include "export/export.h"

/* The name of perf's event that counts CPU time, too. BOLT prints it. */
#define EVENT	"cpu-clock"

/* Return: the address that BOLT counts those of a file from. */
static uint64_t find_base(Elf *elf)
{
	GElf_Ehdr file;
	GElf_Phdr header;
	size_t nr, i;

	if (!gelf_getehdr(elf, &file) || file.e_type != ET_DYN || elf_getphdrnum(elf, &nr))
		return 0;
	for (i = 0; i < nr; i++)
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD)
			return header.p_vaddr;
	return 0;
}

int export_bolt(FILE *out, struct code *code)
{
	const uint64_t base = find_base(code->elf);
	size_t i;

	fputs("E " EVENT "\n", out);
	for (i = 0; i < code->nr; i++)
		fprintf(out, "S %" PRIx64 " %" PRIu64 "\n", code->of[i].address - base,
			code->of[i].samples);
	return 0;
}

static void print_name(FILE *out, const char *name)
{
	for (; *name; name++) {
		if (*name == ' ' || *name == '\\')
			putc('\\', out);
		putc(*name, out);
	}
}

int export_bolt_fdata(FILE *out, struct code *code)
{
	struct bolt_names names = { 0 };
	int error = bolt_names_read(&names, code->elf);
	size_t i;

	fputs("no_lbr " EVENT "\n", out);
	for (i = 0; !error && i < code->nr; i++) {
		const struct code_sample *sample = &code->of[i];
		const struct bolt_name *name = bolt_names_find(&names, sample->function->start);

		/* a name of the debug file */
		if (!name) {
			code->used -= sample->samples;
			code->unnamed += sample->samples;
			continue;
		}
		/* 1: a name of a symbol follows */
		fputs("1 ", out);
		print_name(out, name->name);
		if (*name->file) {
			putc('/', out);
			print_name(out, name->file);
		}
		if (name->number)
			fprintf(out, "/%u", name->number);
		fprintf(out, " %" PRIx64 " %" PRIu64 "\n", sample->address - name->address,
			sample->samples);
	}
	bolt_names_release(&names);
	return error;
}
