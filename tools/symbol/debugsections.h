/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_DEBUGSECTIONS_H
#define PROFIL_DEBUGSECTIONS_H

#include <stdbool.h>

#include <libelf.h>

/* Whether a file has debug information, readable or not. */
bool debugsections_exist(Elf *elf);

/* Whether a file has a symbol table in .gnu_debugdata, readable or not. */
bool debugsections_have_symbols(Elf *elf);

/*
 * Whether elfutils cannot read the compression of debug information. Return: the reason, with a
 * remedy; NULL: there is no such section.
 */
const char *debugsections_problem(Elf *elf);

#endif /* PROFIL_DEBUGSECTIONS_H */
