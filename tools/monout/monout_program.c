// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the properties of the program that wrote a mon.out file.
 */
#include <errno.h>
#include <unistd.h>

#include <gelf.h>

#include "monout/monout_program.h"
#include "util/failure.h"
#include "util/objectfile.h"

/* Find the bounds of the executable segments. Return: whether there are any. */
static bool find_text(Elf *elf, struct monout_program *program)
{
	GElf_Phdr segment;
	size_t nr, i;

	program->start = UINT64_MAX;
	program->end = 0;
	if (elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		uint64_t end;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    !(segment.p_flags & PF_X) ||
		    __builtin_add_overflow(segment.p_vaddr, segment.p_memsz, &end))
			continue;
		if (segment.p_vaddr < program->start)
			program->start = segment.p_vaddr;
		if (end > program->end)
			program->end = end;
	}
	return program->start < program->end;
}

static int read_elf(Elf *elf, struct monout_program *program, const char **why)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header)) {
		*why = "not an ELF file";
		return -ENOEXEC;
	}
	program->layout = (struct monout_layout){
		.word_bytes = header.e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8,
		.is_big = header.e_ident[EI_DATA] == ELFDATA2MSB,
	};
	if (!find_text(elf, program)) {
		*why = "no executable segment";
		return -ENOEXEC;
	}
	return 0;
}

int monout_program_read(const char *path, struct monout_program *program, const char **why)
{
	int error, fd = objectfile_open(path, why);
	Elf *elf;

	if (fd < 0)
		return failure_errno();
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	error = read_elf(elf, program, why);
	elf_end(elf);
	close(fd);
	return error;
}
