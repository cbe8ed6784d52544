// SPDX-License-Identifier: GPL-2.0-only
/*
 * From an address to a function, by what an ELF file and its debug file tell.
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
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elfutils/libdwfl.h>

#include "extents.h"
#include "objectfile.h"
#include "symbols.h"
#include "units.h"
#include "unwind.h"

/* The file of an object */
struct file {
	const struct result_object *object;
	bool is_read;
	const char *problem;
	Dwfl *dwfl;
	Dwfl_Module *module;
	struct extents symbols;
	struct extents labels;
	struct extents frames;
	bool has_units;		/* they were read: lines are not always asked for */
	struct units units;
};

struct symbols {
	struct file *files;	/* by the objects' index */
	size_t nr_files;
	const char *root;
	char *debug_path;	/* NULL: elfutils' own */
	Dwfl_Callbacks callbacks;
};

struct symbols *symbols_new(const struct result *result, const char *root)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));
	size_t i;

	if (!symbols)
		return NULL;
	unsetenv("DEBUGINFOD_URLS");
	symbols->callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
	symbols->callbacks.section_address = dwfl_offline_section_address;
	if (root) {
		symbols->root = root;
		if (asprintf(&symbols->debug_path, ":.debug:%s/usr/lib/debug", root) < 0) {
			symbols->debug_path = NULL;
			goto no_memory;
		}
		symbols->callbacks.debuginfo_path = &symbols->debug_path;
	}
	symbols->files = calloc(result->nr_objects + 1, sizeof(*symbols->files));
	if (!symbols->files)
		goto no_memory;
	symbols->nr_files = result->nr_objects;
	for (i = 0; i < result->nr_objects; i++)
		symbols->files[i].object = &result->objects[i];
	return symbols;

no_memory:
	symbols_free(symbols);
	return NULL;
}

void symbols_free(struct symbols *symbols)
{
	size_t i;

	if (!symbols)
		return;
	for (i = 0; symbols->files && i < symbols->nr_files; i++) {
		struct file *file = &symbols->files[i];

		extents_release(&file->symbols);
		extents_release(&file->labels);
		extents_release(&file->frames);
		units_release(&file->units);
		if (file->dwfl)
			dwfl_end(file->dwfl);
	}
	free(symbols->files);
	free(symbols->debug_path);
	free(symbols);
}

const char *symbols_problem(const struct symbols *symbols, size_t object)
{
	return symbols->files[object].problem;
}

/*
 * Whether a file is the one that ran, as far as can be told. Return: NULL, or why not.
 */
static const char *find_change(const struct result_object *object, Elf *elf)
{
	unsigned char id[RESULT_MAX_BUILD_ID];
	size_t bytes;

	if (!object->build_id_bytes)
		return NULL;
	bytes = objectfile_build_id(elf, id, sizeof(id));
	if (!bytes)
		return "not the file that ran, which had a build-id";
	if (bytes != object->build_id_bytes || memcmp(id, object->build_id, bytes))
		return "not the file that ran, its build-id is another";
	return NULL;
}

/*
 * Each file is a session of its own, as damaged objects may overlap, which libdwfl does
 * not expect of the modules of one process.
 */
static int open_module(const struct symbols *symbols, struct file *file,
		       const char *path)
{
	GElf_Addr bias;
	Elf *elf;
	int fd;

	fd = objectfile_open(path, &file->problem);
	if (fd < 0) {
		if (symbols->root && access(path, F_OK) && errno == ENOENT)
			file->problem = "No such file or directory below the root";
		return 0;
	}
	file->dwfl = dwfl_begin(&symbols->callbacks);
	if (!file->dwfl) {
		close(fd);
		return -ENOMEM;
	}
	dwfl_report_begin(file->dwfl);
	file->module = dwfl_report_elf(file->dwfl, path, path, fd, 0, true);
	if (!file->module) {
		file->problem = dwfl_errmsg(-1);
		close(fd);
		return 0;
	}
	/* from here on the descriptor is elfutils' */
	dwfl_report_end(file->dwfl, NULL, NULL);
	elf = dwfl_module_getelf(file->module, &bias);
	file->problem = elf ? find_change(file->object, elf) : dwfl_errmsg(-1);
	if (file->problem)
		file->module = NULL;
	return 0;
}

static int open_file(const struct symbols *symbols, struct file *file)
{
	char *path;
	int error;

	if (!result_is_file(file->object))
		return 0;
	path = objectfile_below(symbols->root, file->object->path);
	if (!path)
		return -ENOMEM;
	error = open_module(symbols, file, path);
	free(path);
	return error;
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

static int read_file(const struct symbols *symbols, struct file *file)
{
	GElf_Addr bias;
	int nr, i, error;
	Elf *elf;

	file->is_read = true;
	error = open_file(symbols, file);
	if (error || !file->module)
		return error;
	nr = dwfl_module_getsymtab(file->module);
	for (i = 0; i < nr; i++) {
		error = add_symbol(file, i);
		if (error)
			return error;
	}
	elf = dwfl_module_getelf(file->module, &bias);
	error = unwind_extents(elf, bias, &file->frames);
	if (error)
		return error;
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

static bool find_plt(const struct file *file, uint64_t address,
		     struct function *function)
{
	GElf_Addr offset = address, bias;
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
		function->start = address - offset;
		function->end = function->start + header.sh_size;
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
static const struct extent *find_label(const struct file *file, uint64_t address,
				       const struct extent *frame)
{
	const struct extent *label = extents_covering(&file->labels, address);
	const struct extent *symbol = extents_below(&file->symbols, address);
	const struct extent *previous;

	if (!label || (frame && frame->start > label->start))
		return NULL;
	if (symbol && symbol->start >= label->start)
		return NULL;
	if (extents_covering(&file->symbols, label->start))
		return NULL;
	if (frame)
		return label;
	previous = extents_below(&file->frames, address);
	if (previous && previous->end > label->start)
		return NULL;
	return label;
}

/* Where a label that find_label() found ends. */
static uint64_t label_end(const struct file *file, const struct extent *label,
			  const struct extent *frame)
{
	const struct extents *const sets[] = {
		&file->symbols, &file->labels, &file->frames,
	};
	uint64_t end = label->end;
	size_t i;

	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		const struct extent *next = extents_above(sets[i], label->start);

		if (next && next->start < end)
			end = next->start;
	}
	return frame && frame->end < end ? frame->end : end;
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

/* Read a file, if that was not done yet. Return: whether it has symbols, or -ENOMEM. */
static int need_file(const struct symbols *symbols, struct file *file)
{
	int error = file->is_read ? 0 : read_file(symbols, file);

	return error ? error : file->module != NULL;
}

int symbols_find(void *symbols, size_t object, uint64_t address,
		 struct function *function)
{
	const struct symbols *all = symbols;
	struct file *file = &all->files[object];
	const struct extent *found, *named;
	int readable;

	readable = need_file(all, file);
	if (readable != 1)
		return readable;
	memset(function, 0, sizeof(*function));
	found = extents_covering(&file->symbols, address);
	if (!found) {
		const struct extent *frame = extents_covering(&file->frames,
							      address);

		if (find_plt(file, address, function))
			return 1;
		found = find_label(file, address, frame);
		if (found)
			function->end = label_end(file, found, frame);
		else
			found = frame;
	}
	if (!found)
		return 0;
	function->start = found->start;
	if (!function->end)
		function->end = found->end;
	named = find_name(file, found->start);
	if (named) {
		function->name = named->name;
		function->length = named->length;
	}
	return 1;
}

int symbols_line(void *symbols, size_t object, uint64_t address,
		 struct source_line *line)
{
	struct symbols *all = symbols;
	struct file *file = &all->files[object];
	int readable = need_file(all, file);
	int error;

	if (readable != 1)
		return readable;
	if (!file->has_units) {
		file->has_units = true;
		error = units_read(&file->units, file->module);
		if (error)
			return error;
	}
	line->file = units_line(&file->units, address, &line->line);
	return line->file != NULL;
}
