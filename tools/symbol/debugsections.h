/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sections with debug information of a file, readable or not.
 */
#ifndef PROFIL_DEBUGSECTIONS_H
#define PROFIL_DEBUGSECTIONS_H

#include <stdbool.h>

#include <libelf.h>

/**
 * debugsections_exist - whether a file has debug information, readable or not
 * @elf: any file
 */
bool debugsections_exist(Elf *elf);

/**
 * debugsections_problem - whether elfutils cannot read the compression of debug information
 * @elf: any file
 *
 * Return: the reason, with a remedy; NULL: there is no such section.
 */
const char *debugsections_problem(Elf *elf);

#endif /* PROFIL_DEBUGSECTIONS_H */
