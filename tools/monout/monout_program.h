/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The program that wrote a mon.out file, which the file does not name.
 */
#ifndef PROFIL_MONOUT_PROGRAM_H
#define PROFIL_MONOUT_PROGRAM_H

#include "monout/monout.h"

#define MONOUT_PROGRAM_DEFAULT	"a.out"

/**
 * struct monout_program - what has to be known of a program to read its mon.out
 * @layout: of its numbers
 * @start:  link-time address of its first executable segment
 * @end:    first link-time address behind its last executable segment; more than @start
 */
struct monout_program {
	struct monout_layout layout;
	uint64_t start;
	uint64_t end;
};

/**
 * monout_program_read - read what is to be known
 * @path:    of an ELF file
 * @program: filled in
 * @why:     if there is an error, in words
 *
 * Return: 0; -ENOEXEC: the file is no program; or another -errno of opening it.
 */
int monout_program_read(const char *path, struct monout_program *program, const char **why);

#endif /* PROFIL_MONOUT_PROGRAM_H */
