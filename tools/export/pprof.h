/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile of pprof, as it is written: pprof_file.c has its head and its mappings, export_pprof.c
 * its functions, locations and samples.
 */
#ifndef PROFIL_PPROF_H
#define PROFIL_PPROF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <zlib.h>

#include "generated/pprof.pb-c.h"
#include "profile/calls.h"
#include "symbol/symbolize.h"

/* What a sample has */
enum { PPROF_SAMPLES, PPROF_CPU, PPROF_USER, PPROF_SYSTEM, PPROF_NR_VALUES };

/* Whether any function of an object has a name or a file */
struct pprof_known {
	bool names;
	bool files;
};

/**
 * struct pprof - a profile that is being written
 * @result:     the result
 * @calls:      its stacks; NULL: it has none
 * @symbolized: its functions: those in stacks, if there are any
 * @labels:     by object: its short name
 * @known:      by object
 * @sources:    private to export_pprof.c, as @inlined
 * @nr_strings: in the table so far
 * @error:      0; or -errno, and nothing more is written
 */
struct pprof {
	FILE *out;
	const struct result *result;
	const struct calls *calls;
	const struct symbolized *symbolized;
	const char **labels;
	struct pprof_known *known;
	void *sources;
	void *inlined;
	z_stream deflate;
	int64_t nr_strings;
	uint64_t nr_locations;
	uint64_t nr_functions;
	int error;
};

/* Strings that a piece adds to the table. There is room for those of the head, the most. */
struct pprof_strings {
	char *text[32];
	size_t nr;
};

/* Write the head. Return: false: no memory, and there is nothing to be ended. */
bool pprof_begin(struct pprof *pprof);

/* Write a piece with its strings, which are freed. */
void pprof_write(struct pprof *pprof, Pprof__Profile *piece, struct pprof_strings *strings);

/* Return: the index of the string in the table. */
int64_t pprof_add_string(struct pprof *pprof, struct pprof_strings *strings, const char *text);

/* Write the mappings, which state what is known about their functions, and the end. */
void pprof_end(struct pprof *pprof);

#endif /* PROFIL_PPROF_H */
