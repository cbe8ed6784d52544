// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chooses the object, refuses a file that the readers of the export would misunderstand, and
 * collects the samples. Some readers accept such a file without an error, and optimize nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "export/code.h"
#include "export/export.h"
#include "symbol/debugsections.h"
#include "symbol/plt.h"
#include "util/failure.h"

/* Return: the number of sections of type @type; of relocations, those that apply to code. */
static size_t count_sections(Elf *elf, GElf_Word type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header, target;
	size_t nr = 0;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != type)
			continue;
		/* the dynamic linker has its own, also without --emit-relocs; they are loaded */
		if (type == SHT_RELA &&
		    ((header.sh_flags & SHF_ALLOC) ||
		     !gelf_getshdr(elf_getscn(elf, header.sh_info), &target) ||
		     !(target.sh_flags & SHF_EXECINSTR)))
			continue;
		nr++;
	}
	return nr;
}

int code_check_file(const char *path, Elf *elf, enum code_needs needs)
{
	if (!count_sections(elf, SHT_SYMTAB)) {
		failure_warnx("%s: it has no symbol table (ENODATA): profile the file as the linker wrote it, before strip(1) or `install -s'",
			      path);
		return -ENODATA;
	}
	if (needs == CODE_DEBUG_INFO && !debugsections_exist(elf)) {
		failure_warnx("%s: it has no debug information, which maps addresses to source lines (ENODATA): compile with -g, and profile that file",
			      path);
		return -ENODATA;
	}
	if (needs == CODE_RELOCATIONS && !count_sections(elf, SHT_RELA)) {
		failure_warnx("%s: it was linked without relocations (EOPNOTSUPP): link it with -Wl,--emit-relocs, and profile that file",
			      path);
		return -EOPNOTSUPP;
	}
	return 0;
}

/* Return: 0; or -errno, and the error was printed. */
static int open_file(struct code *code, struct symbols *symbols, size_t object,
		     enum code_needs needs)
{
	const char *problem;
	int is_open;

	symbols_prefer_file(symbols, object);
	is_open = symbols_elf(symbols, object, &code->elf, &problem);
	if (is_open < 0) {
		failure_warn(code->object->path, -is_open);
		return is_open;
	}
	if (!is_open) {
		failure_warnx("%s: %s (ESTALE): name the directory with the file that ran with --root, or profile again",
			      code->object->path, problem);
		return -ESTALE;
	}
	return code_check_file(code->object->path, code->elf, needs);
}

/* Return: 0; or -errno, and the error was printed. */
static int check_names(const struct code *code, struct symbols *symbols, size_t object)
{
	const int is_stripped = symbols_are_stripped(symbols, object);
	const char *problem = symbols_problem(symbols, object);

	if (is_stripped < 0) {
		failure_warn(code->object->path, -is_stripped);
		return is_stripped;
	}
	if (problem) {
		failure_warnx("%s: %s (ESTALE): name the directory with the file that ran with --root, or profile again",
			      code->object->path, problem);
		return -ESTALE;
	}
	if (is_stripped) {
		failure_warnx("%s: it has no symbol table (ENODATA): profile the file as the linker wrote it, before strip(1) or `install -s'",
			      code->object->path);
		return -ENODATA;
	}
	return 0;
}

/* Return: the object with most samples among files. */
static const struct result_object *find_hottest(const struct result *result)
{
	const struct result_object *hottest = NULL;
	size_t i;

	for (i = 0; i < result->nr_objects; i++) {
		const struct result_object *object = &result->objects[i];

		if (result_is_file(object) && (!hottest || object->samples > hottest->samples))
			hottest = object;
	}
	return hottest;
}

/* Return: 0; or -EINVAL, and the error was printed. */
static int check_selected(const struct result *result, const struct result_object *chosen)
{
	size_t i;

	for (i = 0; i < result->nr_objects; i++) {
		if (&result->objects[i] == chosen || !result->objects[i].samples)
			continue;
		failure_warnx("--object selects %s and %s (EINVAL): an export of this format is for one file; select it by its path",
			      chosen->path, result->objects[i].path);
		return -EINVAL;
	}
	return 0;
}

/* Return: 0; or -errno, and the error was printed. */
static int choose(size_t *chosen, const struct result *result, bool is_selected)
{
	const struct result_object *hottest = find_hottest(result);

	if (!hottest || !hottest->samples) {
		failure_warnx("the result has no samples of a file (ENODATA): profile a longer run");
		return -ENODATA;
	}
	*chosen = (size_t)(hottest - result->objects);
	if (is_selected)
		return check_selected(result, hottest);
	*chosen = export_main_object(result);
	if (!result->objects[*chosen].samples) {
		failure_warnx("%s has no samples, %s has most (ENODATA): select a file with --object, or profile a longer run",
			      result->objects[*chosen].path, hottest->path);
		return -ENODATA;
	}
	return 0;
}

static void add_function(struct code *code, const struct symbolized_function *function)
{
	size_t i;

	for (i = 0; i < function->nr_counts; i++) {
		const struct result_count *count = &code->object->counts[function->counts[i]];
		const uint64_t samples = count->samples - count->system;

		if (!samples)
			continue;
		/* a stub of the linker has no symbol */
		if (!function->symbol || plt_has_name(function->symbol)) {
			code->unnamed += samples;
			continue;
		}
		code->of[code->nr++] = (struct code_sample){ count->address, samples, function };
		code->used += samples;
	}
}

/* Return: 0; or -errno, and the error was printed. */
static int collect(struct code *code, const struct symbolized *symbolized, size_t object)
{
	const struct result *result = symbolized->result;
	uint64_t all = result->outside;
	size_t i;

	code->of = calloc(code->object->nr_counts + 1, sizeof(*code->of));
	if (!code->of) {
		failure_warn(code->object->path, ENOMEM);
		return -ENOMEM;
	}
	code->kernel = result->outside_system;
	for (i = 0; i < result->nr_objects; i++) {
		const struct result_object *each = &result->objects[i];
		size_t j;

		all += each->samples;
		for (j = 0; j < each->nr_counts; j++)
			code->kernel += each->counts[j].system;
	}
	for (i = 0; i < symbolized->nr_functions; i++)
		if (symbolized->functions[i].object == object)
			add_function(code, &symbolized->functions[i]);
	code->other = all - code->kernel - code->used - code->unnamed;
	if (code->used)
		return 0;
	failure_warnx("%s: no sample is in user mode in a function with a name (ENODATA): profile a run that works longer in its functions",
		      code->object->path);
	return -ENODATA;
}

int code_read(struct code *code, const struct symbolized *symbolized, struct symbols *symbols,
	      enum code_needs needs, bool is_selected)
{
	size_t object;
	int error = choose(&object, symbolized->result, is_selected);

	if (error)
		return error;
	code->object = &symbolized->result->objects[object];
	error = needs == CODE_NAMES ? check_names(code, symbols, object) :
				      open_file(code, symbols, object, needs);
	return error ? error : collect(code, symbolized, object);
}

void code_print_left_out(const struct code *code)
{
	const uint64_t all = code->used + code->kernel + code->other + code->unnamed;

	failure_warnx("%" PRIu64 " of %" PRIu64 " samples exported, of %s; left out: %" PRIu64 " in the kernel, %" PRIu64 " in other code, %" PRIu64 " in code without a name",
		      code->used, all, code->object->path, code->kernel, code->other,
		      code->unnamed);
}

void code_release(struct code *code)
{
	free(code->of);
	*code = (struct code){ 0 };
}
