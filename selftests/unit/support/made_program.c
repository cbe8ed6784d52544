// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes ELF files, so that no compiler for another word size is needed.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/made_program.h"

static char section_names[] = "\0.text\0.symtab\0.strtab\0.shstrtab";

/* Offset of a name in section_names */
static size_t name_offset(const char *section)
{
	return (size_t)((char *)memmem(section_names, sizeof(section_names), section,
				       strlen(section) + 1) - section_names);
}

/* Return: the new section. @bytes must stay valid until the file is written. */
static Elf_Scn *add_section(Elf *elf, const char *name, GElf_Word type, void *bytes,
			    size_t size, Elf_Type of)
{
	Elf_Scn *section = elf_newscn(elf);
	Elf_Data *data = elf_newdata(section);
	GElf_Shdr header;

	gelf_getshdr(section, &header);
	header.sh_name = (GElf_Word)name_offset(name);
	header.sh_type = type;
	gelf_update_shdr(section, &header);
	data->d_buf = bytes;
	data->d_size = size;
	data->d_type = of;
	data->d_align = 1;
	return section;
}

static void add_text(Elf *elf, uint64_t start, unsigned char *bytes, size_t nr)
{
	Elf_Scn *section = add_section(elf, ".text", SHT_PROGBITS, bytes, nr, ELF_T_BYTE);
	GElf_Shdr header;

	gelf_getshdr(section, &header);
	header.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	header.sh_addr = start;
	gelf_update_shdr(section, &header);
}

/* @text: the section of the functions; @names: room for them */
static void add_symbols(Elf *elf, size_t text, const struct made_function *functions,
			unsigned char *symbols, char *names)
{
	Elf_Scn *table = add_section(elf, ".symtab", SHT_SYMTAB, symbols, 0, ELF_T_SYM);
	Elf_Data *data = elf_getdata(table, NULL);
	size_t size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT), used = 1;
	GElf_Shdr header;
	int i;

	data->d_size = size;
	for (i = 0; functions[i].name; i++) {
		GElf_Sym symbol = {
			.st_name = (GElf_Word)used,
			.st_info = GELF_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = (GElf_Section)text,
			.st_value = functions[i].start,
			.st_size = functions[i].size,
		};

		data->d_size += size;
		gelf_update_sym(data, i + 1, &symbol);
		used += strlen(strcpy(names + used, functions[i].name)) + 1;
	}
	gelf_getshdr(table, &header);
	header.sh_link = (GElf_Word)elf_ndxscn(table) + 1;
	header.sh_info = 1;
	header.sh_entsize = size;
	gelf_update_shdr(table, &header);
	add_section(elf, ".strtab", SHT_STRTAB, names, used, ELF_T_BYTE);
}

static bool write_elf(Elf *elf, int class, uint64_t start, size_t bytes)
{
	const bool is_32 = class == ELFCLASS32;
	GElf_Phdr segment = {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = start, .p_paddr = start,
		.p_filesz = bytes, .p_memsz = bytes, .p_align = 4096,
	};
	Elf_Scn *names = add_section(elf, ".shstrtab", SHT_STRTAB, section_names,
				     sizeof(section_names), ELF_T_BYTE);
	GElf_Shdr text;
	GElf_Ehdr header;

	gelf_newphdr(elf, 1);
	gelf_getehdr(elf, &header);
	header.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB :
									   ELFDATA2LSB;
	header.e_type = ET_EXEC;
	header.e_machine = is_32 ? EM_386 : EM_X86_64;
	header.e_version = EV_CURRENT;
	header.e_shstrndx = (GElf_Half)elf_ndxscn(names);
	if (!gelf_update_ehdr(elf, &header) || elf_update(elf, ELF_C_NULL) < 0)
		return false;
	/* elf_update() has assigned file offsets */
	gelf_getshdr(elf_getscn(elf, 1), &text);
	segment.p_offset = text.sh_offset;
	return gelf_update_phdr(elf, 0, &segment) && elf_update(elf, ELF_C_WRITE) > 0;
}

bool made_program_write(const char *path, int class, uint64_t start, size_t bytes,
			const struct made_function *functions, bool stripped)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0700);
	unsigned char *text = calloc(1, bytes);
	size_t nr = 0, name_bytes = 1;
	unsigned char *symbols;
	char *names;
	bool written;
	Elf *elf;

	for (; functions[nr].name; nr++)
		name_bytes += strlen(functions[nr].name) + 1;
	symbols = calloc(nr + 1, sizeof(Elf64_Sym));
	names = calloc(1, name_bytes);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	gelf_newehdr(elf, class);
	add_text(elf, start, text, bytes);
	if (!stripped)
		add_symbols(elf, 1, functions, symbols, names);
	written = write_elf(elf, class, start, bytes);
	elf_end(elf);
	free(text);
	free(symbols);
	free(names);
	return !close(fd) && written;
}

uint64_t made_program_text(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (fd < 0 || pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    pread(fd, &segment, sizeof(segment), (off_t)header.e_phoff) != sizeof(segment))
		err(1, "%s", path);
	close(fd);
	return segment.p_offset;
}
