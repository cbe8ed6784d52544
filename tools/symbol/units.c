// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps addresses to source lines, by debug information (DWARF).
 *
 * dwfl_module_getsrc() of elfutils is not used. It finds units by .debug_aranges, a section that
 * clang does not write, and takes the nearest unit if none contains the address, so addresses of
 * units that are not in that section get lines of other units. Instead, the ranges of all units
 * are sorted once (ranges.h). Each unit has a list of its ranges, also with split DWARF: a
 * skeleton unit has the ranges and the line table, so no .dwo file is opened.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <dwarf.h>

#include "symbol/checksum.h"
#include "symbol/debugsections.h"
#include "symbol/units.h"

/* Limits time and memory: in a damaged file, many units may share a long list of ranges. */
#define MAX_RANGES	(1 << 22)

/*
 * Note the last error of libdw. Only the first one is kept: the others may follow from it.
 * libdw has no error for sections that it cannot decompress.
 */
static void note_error(struct units *units)
{
	const int error = dwarf_errno();

	if (units->problem)
		return;
	units->problem = debugsections_problem(dwarf_getelf(units->dwarf));
	if (!units->problem && error)
		units->problem = dwarf_errmsg(error);
}

/* Return: NULL: the table has no line for the address, or has a problem. */
static Dwarf_Line *find_line(struct units *units, Dwarf_Die *unit, uint64_t address)
{
	Dwarf_Lines *lines;
	size_t nr;

	if (!dwarf_hasattr(unit, DW_AT_stmt_list))
		return NULL;
	if (dwarf_getsrclines(unit, &lines, &nr)) {
		note_error(units);
		return NULL;
	}
	return dwarf_getsrc_die(unit, address);
}

/*
 * Add the ranges of a unit, @room at most. Functions that the linker discarded still have ranges:
 * at 0 with ld and gold, at -1 or -2 with lld, where there is no code. Return: 0 or -ENOMEM.
 */
static int add_unit(struct units *units, const struct text *text, Dwarf_Die *unit, size_t *room)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	while (*room && (next = dwarf_ranges(unit, next, &base, &start, &end)) > 0) {
		struct range range = {
			.start = start + units->bias,
			.end = end + units->bias,
			.number = dwarf_dieoffset(unit),
		};
		int error;

		--*room;
		if (!text_has_address(text, range.start))
			continue;
		error = ranges_add(&units->ranges, &range);
		if (error)
			return error;
	}
	if (next < 0)
		note_error(units);
	return 0;
}

/* libdw would print a message, and exit with another status. */
static void __attribute__((noreturn)) exit_without_memory(void)
{
	_exit(ENOMEM);
}

int units_read(struct units *units, const struct text *text)
{
	Dwarf_CU *unit = NULL;
	size_t room = MAX_RANGES;
	GElf_Addr bias = 0;
	uint8_t type;
	Dwarf_Die die;
	int end;

	units->text = text;
	units->dwarf = dwfl_module_getdwarf(text->module, &bias);
	units->bias = bias;
	if (!units->dwarf) {
		units->problem = dwfl_errmsg(-1);
		return 0;
	}
	dwarf_new_oom_handler(units->dwarf, exit_without_memory);
	while (!(end = dwarf_get_units(units->dwarf, unit, &unit, NULL, &type, &die, NULL))) {
		int error;

		/* units of other types have no code */
		if (!die.addr || (type != DW_UT_compile && type != DW_UT_skeleton))
			continue;
		error = add_unit(units, text, &die, &room);
		if (error)
			return error;
	}
	if (end < 0)
		note_error(units);
	ranges_finish(&units->ranges);
	return 0;
}

const char *units_directory(Dwarf_Die *unit, const char *file)
{
	const char *directory;
	Dwarf_Attribute at;

	if (file[0] == '/')
		return NULL;
	directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &at));
	return directory && directory[0] == '/' ? directory : NULL;
}

bool units_find(const struct units *units, uint64_t address, Dwarf_Die *unit)
{
	const struct range *range = ranges_covering(&units->ranges, address);

	return range && dwarf_offdie(units->dwarf, range->number, unit);
}

const char *units_line(struct units *units, uint64_t address, int *number,
		       const char **directory)
{
	const char *file;
	Dwarf_Line *line;
	Dwarf_Die unit;
	int found;

	if (!units_find(units, address, &unit))
		return NULL;
	line = find_line(units, &unit, address - units->bias);
	if (!line || dwarf_lineno(line, &found) || found < 0)
		return NULL;
	*number = found;
	file = dwarf_linesrc(line, NULL, NULL);
	if (file)
		*directory = units_directory(&unit, file);
	return file;
}

const char *units_file(const struct units *units, uint64_t address, size_t number,
		       const char **directory)
{
	Dwarf_Files *files;
	const char *file;
	Dwarf_Die unit;
	size_t nr;

	if (!units_find(units, address, &unit) || dwarf_getsrcfiles(&unit, &files, &nr) ||
	    number >= nr)
		return NULL;
	/* up to DWARF 4, the first one has no name */
	file = dwarf_filesrc(files, number, NULL, NULL) ? : "";
	*directory = units_directory(&unit, file);
	return file;
}

const unsigned char *units_checksum(const struct units *units, uint64_t address, size_t number)
{
	Dwarf_Attribute at;
	Dwarf_Word table;
	Dwarf_Die unit;

	if (!units_find(units, address, &unit) ||
	    dwarf_formudata(dwarf_attr(&unit, DW_AT_stmt_list, &at), &table))
		return NULL;
	return checksum_find(dwarf_getelf(units->dwarf), table, number);
}

void units_release(struct units *units)
{
	ranges_release(&units->ranges);
	memset(units, 0, sizeof(*units));
}
