// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps addresses to functions that were inlined there.
 *
 * dwarf_getscopes() of elfutils is not used. For each address, it walks through a whole unit,
 * which may have a million entries. Instead, the functions of a unit are listed once, without
 * looking into them; then, only the entries inside one function are read. They are kept: the ranges
 * of two functions may alternate.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "symbol/dies.h"
#include "symbol/inlines.h"
#include "symbol/narrowest.h"
#include "symbol/splitfile.h"
#include "util/array.h"

/* Limits time and memory: in a damaged file, many functions may share a long list of ranges. */
#define MAX_RANGES	(1 << 20)
/* Limits the memory of all units of a file that are kept: tens of MB. One unit may have more. */
#define MAX_FUNCTIONS	(1 << 19)
/* The same for all functions that are kept. One function may have more. */
#define MAX_KEPT_RANGES	(1 << 20)

#define NONE	SIZE_MAX

/* A function, or one that is inlined into it */
struct scope {
	Dwarf_Die die;
	size_t outer;	/* the function around it; NONE: it is not inlined */
};

/* Functions, in the order of the file, and their ranges */
struct scopes {
	struct scope *scope;
	size_t nr;
	size_t nr_ranges;
	struct narrowest ranges;
	const struct units *units;
};

/* The functions of a unit, without those inlined into them */
struct inlines_unit {
	Dwarf_Off offset;	/* identifies the unit */
	struct scopes functions;
	bool is_whole;		/* also those inside other functions were searched */
};

/* A function, and those inlined into it */
struct inlines_body {
	void *address;		/* of its entry; identifies the function */
	struct scopes scopes;
};

static void release_scopes(struct scopes *scopes)
{
	narrowest_release(&scopes->ranges);
	free(scopes->scope);
	memset(scopes, 0, sizeof(*scopes));
}

/* Add the ranges of the last scope. Return: 0 or -ENOMEM. */
static int add_ranges(struct scopes *scopes, bool *has_code)
{
	const struct units *units = scopes->units;
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	*has_code = false;
	while (scopes->nr_ranges < MAX_RANGES &&
	       (next = dwarf_ranges(&scopes->scope[scopes->nr - 1].die, next, &base, &start,
				    &end)) > 0) {
		scopes->nr_ranges++;
		/* discarded by the linker (units.c) */
		if (!text_has_address(units->text, start + units->bias))
			continue;
		*has_code = true;
		if (narrowest_add(&scopes->ranges, start, end, scopes->nr - 1))
			return -ENOMEM;
	}
	return 0;
}

/* Add a scope with its ranges. @always: also if it has none. Return: 0 or -ENOMEM. */
static int add_scope(struct scopes *scopes, Dwarf_Die *die, size_t outer, bool always)
{
	struct scope *scope = array_append(scopes->scope, scopes->nr);
	bool has_code;

	if (!scope)
		return -ENOMEM;
	*scope = (struct scope){ *die, outer };
	if (add_ranges(scopes, &has_code))
		return -ENOMEM;
	scopes->nr -= !has_code && !always;
	return 0;
}

static bool is_function(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_entry_point;
}

/* A dies_visit_fn: add functions, and look into what may have functions inside. */
static int visit_outside(void *data, Dwarf_Die *die, size_t outer, size_t *inner)
{
	const int tag = dwarf_tag(die);

	(void)outer;
	(void)inner;
	if (is_function(tag))
		return add_scope(data, die, NONE, false) ? -ENOMEM : DIES_SKIP;
	return tag == DW_TAG_namespace || tag == DW_TAG_module ? DIES_ENTER : DIES_SKIP;
}

/* A dies_visit_fn: the same with functions inside functions and types, which are rare. */
static int visit_all(void *data, Dwarf_Die *die, size_t outer, size_t *inner)
{
	(void)outer;
	(void)inner;
	if (is_function(dwarf_tag(die)) && add_scope(data, die, NONE, false))
		return -ENOMEM;
	return DIES_ENTER;
}

/* A dies_visit_fn: add what is inlined. What is without ranges may have inlined code inside. */
static int visit_inside(void *data, Dwarf_Die *die, size_t outer, size_t *inner)
{
	struct scopes *scopes = data;
	const int tag = dwarf_tag(die);

	if (!is_function(tag) && tag != DW_TAG_inlined_subroutine)
		return DIES_ENTER;
	if (add_scope(scopes, die, is_function(tag) ? NONE : outer, true))
		return -ENOMEM;
	*inner = scopes->nr - 1;
	return DIES_ENTER;
}

static int compare_units(const void *va, const void *vb)
{
	const struct inlines_unit *a = va, *b = vb;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void free_unit(void *data)
{
	struct inlines_unit *unit = data;

	release_scopes(&unit->functions);
	free(unit);
}

static void free_units(struct inlines *inlines)
{
	tdestroy(inlines->units, free_unit);
	inlines->units = NULL;
	inlines->nr_functions = 0;
}

static int compare_bodies(const void *va, const void *vb)
{
	const struct inlines_body *a = va, *b = vb;

	return a->address < b->address ? -1 : a->address > b->address;
}

static void free_body(void *data)
{
	struct inlines_body *body = data;

	release_scopes(&body->scopes);
	free(body);
}

static void free_bodies(struct inlines *inlines)
{
	tdestroy(inlines->bodies, free_body);
	inlines->bodies = NULL;
	inlines->nr_ranges = 0;
}

void inlines_release(struct inlines *inlines)
{
	free_units(inlines);
	free_bodies(inlines);
}

/*
 * The entry that has the functions of a unit. With split DWARF, it is in another file. Return:
 * NULL: there is none.
 */
static Dwarf_Die *find_entry(const struct units *units, Dwarf_Die *unit, Dwarf_Die *split)
{
	uint8_t type;

	if (dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) ||
	    type != DW_UT_skeleton)
		return unit;
	if (!splitfile_is_safe(units->text->module, unit) ||
	    dwarf_cu_info(unit->cu, NULL, NULL, NULL, split, NULL, NULL, NULL) || !split->addr)
		return NULL;
	return split;
}

/* Read the functions of a unit, or when that was done, all of them. Return: 0 or -ENOMEM. */
static int read_unit(struct inlines *inlines, const struct units *units, Dwarf_Die *die,
		     struct inlines_unit *unit)
{
	Dwarf_Die split, *entry = find_entry(units, die, &split);
	int error = 0;

	unit->is_whole = unit->functions.units;
	inlines->nr_functions -= unit->functions.nr;
	release_scopes(&unit->functions);
	unit->functions.units = units;
	if (entry)
		error = dies_walk(entry, NONE, unit->is_whole ? visit_all : visit_outside,
				  &unit->functions);
	if (!error)
		error = narrowest_finish(&unit->functions.ranges);
	inlines->nr_functions += unit->functions.nr;
	return error;
}

/* Find a unit that was needed before, or add it. Return: NULL: no memory. */
static struct inlines_unit *need_unit(struct inlines *inlines, Dwarf_Off offset)
{
	struct inlines_unit key = { .offset = offset }, *unit, **found;

	found = tfind(&key, &inlines->units, compare_units);
	if (found)
		return *found;
	if (inlines->nr_functions > MAX_FUNCTIONS)
		free_units(inlines);
	unit = calloc(1, sizeof(*unit));
	if (!unit)
		return NULL;
	unit->offset = offset;
	if (!tsearch(unit, &inlines->units, compare_units)) {
		free(unit);
		return NULL;
	}
	return unit;
}

/* Find the function that has the code at an address. Return: 1; 0: none is known; or -ENOMEM. */
static int find_function(struct inlines *inlines, const struct units *units, uint64_t address,
			 Dwarf_Die *function)
{
	struct inlines_unit *unit;
	Dwarf_Die die;
	size_t i;

	if (!units_find(units, address, &die))
		return 0;
	unit = need_unit(inlines, dwarf_dieoffset(&die));
	if (!unit)
		return -ENOMEM;
	while (!narrowest_find(&unit->functions.ranges, address - units->bias, &i)) {
		if (unit->is_whole)
			return 0;
		if (read_unit(inlines, units, &die, unit))
			return -ENOMEM;
	}
	*function = unit->functions.scope[i].die;
	return 1;
}

/* Read what is inlined into a function. Return: 0 or -ENOMEM. */
static int read_body(struct inlines *inlines, const struct units *units, Dwarf_Die *function,
		     struct inlines_body *body)
{
	body->scopes.units = units;
	if (add_scope(&body->scopes, function, NONE, true) ||
	    dies_walk(function, 0, visit_inside, &body->scopes) ||
	    narrowest_finish(&body->scopes.ranges))
		return -ENOMEM;
	/* those without a range take memory, too */
	inlines->nr_ranges += body->scopes.nr + body->scopes.nr_ranges;
	return 0;
}

/* Find a function that was needed before, or add it. Return: NULL: no memory. */
static struct inlines_body *need_body(struct inlines *inlines, const struct units *units,
				      Dwarf_Die *function)
{
	struct inlines_body key = { .address = function->addr }, *body, **found;

	found = tfind(&key, &inlines->bodies, compare_bodies);
	if (found)
		return *found;
	if (inlines->nr_ranges > MAX_KEPT_RANGES)
		free_bodies(inlines);
	body = calloc(1, sizeof(*body));
	if (!body)
		return NULL;
	body->address = function->addr;
	if (read_body(inlines, units, function, body) ||
	    !tsearch(body, &inlines->bodies, compare_bodies)) {
		free_body(body);
		return NULL;
	}
	return body;
}

/* Return: the name of a function, which another entry may have; NULL: unknown. */
static const char *find_name(Dwarf_Die *die)
{
	static const unsigned int names[] = {
		DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name,
	};
	const char *name = NULL;
	size_t i;

	for (i = 0; !name && i < sizeof(names) / sizeof(names[0]); i++) {
		Dwarf_Attribute at;

		name = dwarf_formstring(dwarf_attr_integrate(die, names[i], &at));
	}
	return name;
}

/* Set the place where a function is called that is inlined. */
static void find_call(Dwarf_Die *die, struct inlines_frame *caller)
{
	Dwarf_Word line = 0, file;
	Dwarf_Die unit, *found;
	Dwarf_Attribute at;
	Dwarf_Files *files;
	Dwarf_Half version;
	size_t nr;

	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &at), &line) && line <= INT_MAX)
		caller->line = (int)line;
	found = dwarf_diecu(die, &unit, NULL, NULL);
	if (!found || dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &at), &file) ||
	    dwarf_getsrcfiles(&unit, &files, &nr) ||
	    dwarf_cu_info(die->cu, &version, NULL, NULL, NULL, NULL, NULL, NULL))
		return;
	/* up to DWARF 4, files are counted from 1 */
	if (file >= nr || (version < 5 && !file))
		return;
	caller->file = dwarf_filesrc(files, file, NULL, NULL);
	if (caller->file)
		caller->directory = units_directory(&unit, caller->file);
}

int inlines_find(struct inlines *inlines, const struct units *units, uint64_t address,
		 struct inlines_frame *frames, size_t max, size_t *nr)
{
	struct inlines_body *body;
	struct scope *scopes;
	Dwarf_Die function;
	size_t i;
	int found;

	*nr = 0;
	found = find_function(inlines, units, address, &function);
	if (found != 1)
		return found;
	body = need_body(inlines, units, &function);
	if (!body)
		return -ENOMEM;
	if (!narrowest_find(&body->scopes.ranges, address - units->bias, &i))
		return 0;
	scopes = body->scopes.scope;
	memset(frames, 0, max * sizeof(*frames));
	for (;;) {
		struct scope *scope = &scopes[i];

		frames[*nr].name = find_name(&scope->die);
		if (dwarf_decl_line(&scope->die, &frames[*nr].declared))
			frames[*nr].declared = 0;
		++*nr;
		if (scope->outer == NONE)
			return 0;
		/* with too many functions, the last place is used for those left out */
		if (*nr == max)
			memset(&frames[--*nr], 0, sizeof(*frames));
		find_call(&scope->die, &frames[*nr]);
		i = scope->outer;
	}
}
