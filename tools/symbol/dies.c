// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks through entries of debug information.
 *
 * An entry may have the attribute DW_AT_sibling, a reference to the entry that follows those
 * inside; gcc writes it, clang does not. Without it, dwarf_siblingof() reads all entries inside. So
 * it is not called for entries whose inside was walked through: what follows them is after the
 * end of the list inside. Thus each entry is read once, however deeply they are nested.
 */
#include <dwarf.h>

#include "symbol/dies.h"

/* Limits the recursion. Compilers nest tens of inlined functions, each with some blocks. */
#define MAX_DEPTH	1000

struct walk {
	dies_visit_fn *visit;
	void *data;
	int error;	/* of @visit */
};

/* How a list of entries goes on after one of them */
enum after {
	AFTER_NEXT,	/* there is another entry */
	AFTER_END,	/* it was the last one of its list */
	AFTER_STOP,	/* the walk ends */
};

/*
 * Set @next to what follows @die, and those inside. At the end of a list, its address is that of
 * the end mark, or NULL if libdw does not tell it. References that point back are errors to libdw.
 */
static enum after skip(Dwarf_Die *die, Dwarf_Die *next)
{
	next->addr = NULL;
	switch (dwarf_siblingof(die, next)) {
	case 0:
		return AFTER_NEXT;
	case 1:
		return AFTER_END;
	default:
		return AFTER_STOP;
	}
}

/* Set @next to what follows the list that ends with the mark @mark, a byte 0. */
static enum after leave(Dwarf_CU *unit, const char *mark, Dwarf_Die *next)
{
	/* fails at the end of the section, before the byte is read */
	if (!dwarf_die_addr_die(dwarf_cu_getdwarf(unit), (void *)(mark + 1), next) ||
	    next->cu != unit)
		return AFTER_STOP;
	return mark[1] ? AFTER_NEXT : AFTER_END;
}

static enum after walk_list(struct walk *walk, Dwarf_Die *first, size_t outer, int depth,
			    Dwarf_Die *end);

/* Visit an entry and those inside, and set @next to what follows. */
static enum after walk_entry(struct walk *walk, Dwarf_Die *die, size_t outer, int depth,
			     Dwarf_Die *next)
{
	int way = walk->visit(walk->data, die, outer, &outer);
	Dwarf_Die child, end;

	if (way < 0) {
		walk->error = way;
		return AFTER_STOP;
	}
	if (way == DIES_SKIP || dwarf_child(die, &child))
		return skip(die, next);
	if (walk_list(walk, &child, outer, depth + 1, &end) == AFTER_STOP)
		return AFTER_STOP;
	return end.addr ? leave(die->cu, end.addr, next) : skip(die, next);
}

/* Walk through a list of entries. Return: AFTER_END, with @end; or AFTER_STOP. */
static enum after walk_list(struct walk *walk, Dwarf_Die *first, size_t outer, int depth,
			    Dwarf_Die *end)
{
	Dwarf_Die die = *first;
	enum after after;

	if (depth > MAX_DEPTH)
		return AFTER_STOP;
	do {
		after = walk_entry(walk, &die, outer, depth, end);
		die = *end;
	} while (after == AFTER_NEXT);
	return after;
}

int dies_walk(Dwarf_Die *root, size_t outer, dies_visit_fn *visit, void *data)
{
	struct walk walk = { .visit = visit, .data = data };
	Dwarf_Die first, end;

	if (!dwarf_child(root, &first))
		walk_list(&walk, &first, outer, 0, &end);
	return walk.error;
}
