// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a pc to a function, by what an ELF file and its debug file tell.
 *
 * elfutils finds, opens and relocates the files. Its own dwfl_module_addrinfo()
 * is not used: it searches all symbols for each address, returns the nearest
 * symbol below where none covers the address, and any one of several aliases.
 * Instead all symbols are sorted once (extents.h), in three sets:
 *
 *	symbols	what symbols with a size cover
 *	labels	from each symbol without a size to the end of its section
 *	frames	functions that have unwind information
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwfl.h>

#include "extents.h"
#include "symbols.h"
#include "unwind.h"

/* A file as loaded at one place; several segments of it may be objects. */
struct file {
	const char *path;
	uint64_t bias;
	size_t first_object;
	bool is_read;
	const char *problem;
	Dwfl *dwfl;
	Dwfl_Module *module;
	struct extents symbols;
	struct extents labels;
	struct extents frames;
};

struct symbols {
	struct file *files;
	size_t nr_files;
	size_t *file_of;	/* object to file, by index */
};

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

struct symbols *symbols_new(const struct runfile *run)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));
	size_t i, j;

	if (!symbols)
		return NULL;
	unsetenv("DEBUGINFOD_URLS");
	symbols->files = calloc(run->nr_objects + 1, sizeof(*symbols->files));
	symbols->file_of = calloc(run->nr_objects + 1,
				  sizeof(*symbols->file_of));
	if (!symbols->files || !symbols->file_of) {
		symbols_free(symbols);
		return NULL;
	}
	for (i = 0; i < run->nr_objects; i++) {
		const struct runfile_object *object = &run->objects[i];

		for (j = 0; j < symbols->nr_files; j++) {
			if (symbols->files[j].bias == object->bias &&
			    !strcmp(symbols->files[j].path, object->path))
				break;
		}
		symbols->file_of[i] = j;
		if (j < symbols->nr_files)
			continue;
		symbols->files[j].path = object->path;
		symbols->files[j].bias = object->bias;
		symbols->files[j].first_object = i;
		symbols->nr_files++;
	}
	return symbols;
}

void symbols_free(struct symbols *symbols)
{
	size_t i;

	if (!symbols)
		return;
	for (i = 0; i < symbols->nr_files; i++) {
		struct file *file = &symbols->files[i];

		extents_release(&file->symbols);
		extents_release(&file->labels);
		extents_release(&file->frames);
		if (file->dwfl)
			dwfl_end(file->dwfl);
	}
	free(symbols->files);
	free(symbols->file_of);
	free(symbols);
}

const char *symbols_problem(const struct symbols *symbols, size_t object)
{
	const struct file *file = &symbols->files[symbols->file_of[object]];

	return file->first_object == object ? file->problem : NULL;
}

/*
 * Only regular files are opened: a damaged path may name a pipe, and wait.
 * Each file is a session of its own, as damaged objects may overlap, which
 * libdwfl does not expect of the modules of one process.
 */
static void open_file(struct file *file)
{
	struct stat st;
	int fd;

	fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		file->problem = strerror(errno);
		return;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		file->problem = "not a regular file";
		goto close_fd;
	}
	file->dwfl = dwfl_begin(&callbacks);
	if (!file->dwfl)
		goto dwfl_failed;
	dwfl_report_begin(file->dwfl);
	file->module = dwfl_report_elf(file->dwfl, file->path, file->path, fd,
				       file->bias, true);
	if (!file->module)
		goto dwfl_failed;
	/* from here on the descriptor is elfutils' */
	dwfl_report_end(file->dwfl, NULL, NULL);
	return;

dwfl_failed:
	file->problem = dwfl_errmsg(-1);
close_fd:
	close(fd);
}

/* Mapping symbols of Arm and RISC-V, and assembler's local labels */
static bool is_marker(const char *name)
{
	if (name[0] == '$')
		return name[1] && strchr("adtx", name[1]);
	return name[0] == '.' || !name[0];
}

/* memcpy@@GLIBC_2.14, the version that programs are linked with, is memcpy */
static size_t name_length(const char *name)
{
	const char *version = strstr(name, "@@");

	return version && version > name ? (size_t)(version - name) :
					   strlen(name);
}

static int add_symbol(struct file *file, int index)
{
	struct extent extent = { 0 };
	GElf_Shdr header;
	GElf_Word section;
	GElf_Addr address, bias;
	GElf_Sym symbol;
	const char *name;
	Elf *elf;
	int type;

	name = dwfl_module_getsym_info(file->module, index, &symbol, &address,
				       &section, &elf, &bias);
	if (!name || is_marker(name) || section == SHN_UNDEF)
		return 0;
	type = GELF_ST_TYPE(symbol.st_info);
	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return 0;
	if (section == SHN_ABS || !elf ||
	    !gelf_getshdr(elf_getscn(elf, section), &header) ||
	    !(header.sh_flags & SHF_EXECINSTR))
		return 0;

	extent.name = name;
	extent.length = (int)name_length(name);
	extent.local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
	extent.start = address;
	if (symbol.st_size) {
		extent.end = address + symbol.st_size;
		return extents_add(&file->symbols, &extent);
	}
	extent.end = header.sh_addr + header.sh_size + bias;
	return extents_add(&file->labels, &extent);
}

static int read_file(struct file *file)
{
	GElf_Addr bias;
	int nr, i, error;
	Elf *elf;

	file->is_read = true;
	open_file(file);
	if (!file->module)
		return 0;
	nr = dwfl_module_getsymtab(file->module);
	for (i = 0; i < nr; i++) {
		error = add_symbol(file, i);
		if (error)
			return error;
	}
	elf = dwfl_module_getelf(file->module, &bias);
	if (elf) {
		error = unwind_extents(elf, bias, &file->frames);
		if (error)
			return error;
	} else {
		file->problem = dwfl_errmsg(-1);
	}
	extents_finish(&file->symbols);
	extents_finish(&file->labels);
	extents_finish(&file->frames);
	return 0;
}

/*
 * The stubs of a section are shown as one function: unwind information takes
 * them for one as well, but it has no name for it.
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

static bool find_plt(const struct file *file, uint64_t pc,
		     struct function *function)
{
	GElf_Addr offset = pc, bias;
	GElf_Shdr header;
	const char *name;
	size_t names, i;
	Elf_Scn *scn;
	Elf *elf;

	scn = dwfl_module_address_section(file->module, &offset, &bias);
	elf = dwfl_module_getelf(file->module, &bias);
	if (!scn || !elf || !gelf_getshdr(scn, &header) ||
	    elf_getshdrstrndx(elf, &names))
		return false;
	name = elf_strptr(elf, names, header.sh_name);
	for (i = 0; name && i < sizeof(plts) / sizeof(plts[0]); i++) {
		if (strcmp(name, plts[i].section))
			continue;
		function->start = pc - offset;
		function->name = plts[i].function;
		function->length = (int)strlen(plts[i].function);
		return true;
	}
	return false;
}

/*
 * A symbol without a size, as assembler code has them, reaches up to where
 * anything is known to begin or end.
 */
static const struct extent *find_label(const struct file *file, uint64_t pc,
				       const struct extent *frame)
{
	const struct extent *label = extents_covering(&file->labels, pc);
	const struct extent *symbol = extents_below(&file->symbols, pc);
	const struct extent *previous;

	if (!label || (frame && frame->start > label->start))
		return NULL;
	if (symbol && symbol->start >= label->start)
		return NULL;
	if (extents_covering(&file->symbols, label->start))
		return NULL;
	if (frame)
		return label;
	previous = extents_below(&file->frames, pc);
	if (previous && previous->end > label->start)
		return NULL;
	return label;
}

/*
 * What starts at @start, by any symbol, as one that is shorter than the
 * function it stands for. All that has one start has to have one name.
 */
static const struct extent *find_name(const struct file *file, uint64_t start)
{
	const struct extent *extent = extents_below(&file->symbols, start);

	if (extent && extent->start == start)
		return extent;
	extent = extents_below(&file->labels, start);
	return extent && extent->start == start ? extent : NULL;
}

int symbols_find(void *symbols, size_t object, uint64_t pc,
		 struct function *function)
{
	const struct symbols *all = symbols;
	struct file *file = &all->files[all->file_of[object]];
	const struct extent *found, *named;

	if (!file->is_read) {
		int error = read_file(file);

		if (error)
			return error;
	}
	if (!file->module)
		return 0;
	memset(function, 0, sizeof(*function));
	found = extents_covering(&file->symbols, pc);
	if (!found) {
		const struct extent *frame = extents_covering(&file->frames,
							      pc);

		if (find_plt(file, pc, function))
			return 1;
		found = find_label(file, pc, frame);
		if (!found)
			found = frame;
	}
	if (!found)
		return 0;
	function->start = found->start;
	named = find_name(file, found->start);
	if (named) {
		function->name = named->name;
		function->length = named->length;
	}
	return 1;
}
