/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whole outputs, in support/golden/. `make golden' writes what the tests get: see the difference
 * before you commit it. Include it in one file per program.
 */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

static void assert_golden(const char *name, const char *text)
{
	const bool is_update = getenv("UPDATE_GOLDEN");
	char path[64], wanted[16384];
	FILE *file;

	snprintf(path, sizeof(path), "support/golden/%s", name);
	file = fopen(path, is_update ? "w" : "r");
	if (!file)
		fail_msg("%s: cannot be opened", path);
	if (is_update)
		fputs(text, file);
	else
		wanted[fread(wanted, 1, sizeof(wanted) - 1, file)] = 0;
	fclose(file);
	if (!is_update && strcmp(text, wanted))
		fail_msg("not as in %s (`make golden' writes it):\n%s", path, text);
}

#endif /* GOLDEN_H */
