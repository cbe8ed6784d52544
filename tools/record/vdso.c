// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the functions of a vdso from memory. A process may have changed its copy, so the image is
 * read with as little trust as a file.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <gelf.h>

#include "record/procfs.h"
#include "record/vdso.h"
#include "util/array.h"

#define MAX_BYTES	(1 << 20)	/* of an image; that of Linux 6.12 has 8 KiB */
#define MAX_FUNCTIONS	256

#define OWN_CLASS	(sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

/* Read memory of a process; 0: of this one. Return: whether all of it was read. */
static bool read_memory(pid_t pid, uint64_t start, void *to, size_t bytes)
{
	char path[PROCFS_PATH];
	ssize_t got;
	int fd;

	procfs_path(pid ? pid : getpid(), "mem", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = pread(fd, to, bytes, (off_t)start);
	close(fd);
	return got >= 0 && (size_t)got == bytes;
}

static void add_symbol(struct vdso *vdso, const GElf_Sym *symbol, const char *name)
{
	const int type = GELF_ST_TYPE(symbol->st_info);
	struct vdso_function *function;
	uint64_t end;
	char *copy;

	if (!name || !*name || symbol->st_shndx == SHN_UNDEF || !symbol->st_size ||
	    (type != STT_FUNC && type != STT_NOTYPE) || vdso->nr == MAX_FUNCTIONS ||
	    __builtin_add_overflow(symbol->st_value, symbol->st_size, &end))
		return;
	copy = strdup(name);
	function = copy ? array_append(vdso->functions, vdso->nr) : NULL;
	if (!function)
		free(copy);
	else
		*function = (struct vdso_function){
			.start = symbol->st_value, .end = end, .name = copy,
			.is_weak = GELF_ST_BIND(symbol->st_info) == STB_WEAK,
		};
}

/* Read the symbols of an image, whose link-time addresses are offsets. */
static void read_symbols(struct vdso *vdso, char *image, size_t bytes)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;
	Elf *elf;
	int i;

	elf_version(EV_CURRENT);
	elf = elf_memory(image, bytes);
	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) ||
		    (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB))
			continue;
		data = elf_getdata(section, NULL);
		for (i = 0; gelf_getsym(data, i, &symbol); i++)
			add_symbol(vdso, &symbol,
				   elf_strptr(elf, header.sh_link, symbol.st_name));
	}
	elf_end(elf);
}

static void read_image(struct vdso *vdso, pid_t pid, uint64_t start, uint64_t bytes)
{
	char *image = bytes <= MAX_BYTES ? malloc(bytes + 1) : NULL;

	if (image && read_memory(pid, start, image, bytes)) {
		read_symbols(vdso, image, bytes);
		vdso->is_read = true;
	}
	free(image);
}

enum vdso_kind vdso_find_kind(struct vdso vdsos[VDSO_NR_KINDS], pid_t pid, uint64_t start,
			      uint64_t bytes)
{
	/* both classes have its beginning */
	Elf32_Ehdr head = { .e_ident[EI_CLASS] = ELFCLASS32 };
	enum vdso_kind kind = VDSO_OWN;

	/* it is near the stack */
	if (OWN_CLASS == ELFCLASS64 && start <= UINT32_MAX) {
		read_memory(pid, start, &head, sizeof(head));
		if (head.e_ident[EI_CLASS] == ELFCLASS32)
			kind = head.e_machine == EM_X86_64 ? VDSO_X32 : VDSO_32;
	}
	/* this process is there in any case */
	if (!vdsos[kind].is_read)
		read_image(&vdsos[kind], kind == VDSO_OWN ? 0 : pid,
			   kind == VDSO_OWN ? getauxval(AT_SYSINFO_EHDR) : start, bytes);
	return kind;
}

const struct vdso_function *vdso_find_function(const struct vdso *vdso, uint64_t address)
{
	const struct vdso_function *found = NULL;
	size_t i;

	for (i = 0; i < vdso->nr; i++)
		if (address >= vdso->functions[i].start && address < vdso->functions[i].end &&
		    (!found || found->is_weak))
			found = &vdso->functions[i];
	return found;
}

void vdso_release(struct vdso vdsos[VDSO_NR_KINDS])
{
	size_t kind;

	for (kind = 0; kind < VDSO_NR_KINDS; kind++) {
		while (vdsos[kind].nr)
			free(vdsos[kind].functions[--vdsos[kind].nr].name);
		free(vdsos[kind].functions);
		vdsos[kind] = (struct vdso){ 0 };
	}
}
