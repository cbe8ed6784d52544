/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols without a size, which are common in assembler: functions, and labels inside functions.
 */
#ifndef PROFIL_LABELS_H
#define PROFIL_LABELS_H

#include "symbol/ehframe.h"
#include "symbol/ranges.h"

/**
 * labels_finish - decide which labels are functions, and where they end
 * @labels: ranges from each label to the end of its section, with @rank and @number (symtab.h).
 *          On return, a finished set of functions that do not overlap
 * @sized:  finished ranges of symbols with a size
 *
 * A label inside a symbol with a size belongs to that symbol. A label without a type also
 * belongs to the function around it if
 *
 *	- unwind information says that there is one, and its start has a name; or
 *	- the label is local, and the label before it has the type of a function; or
 *	- it is local, and named after the label before it, as NASM does: FUNCTION.LABEL.
 *
 * A local function and a label of another source file (@number) are not related.
 *
 * Any other label is a function, up to the next function or the end of its unwind information.
 */
void labels_finish(struct ranges *labels, const struct ranges *sized,
		   const struct ehframe *frames);

#endif /* PROFIL_LABELS_H */
