/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The instructions of a section that are shown: those with samples, and some around them.
 */
#ifndef PROFIL_INSTRUCTIONS_H
#define PROFIL_INSTRUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/disassembler.h"
#include "report/sections.h"

/**
 * struct shown_instruction - an address that is shown
 * @address:     link-time address
 * @instruction: NULL: the file has none there, or cannot be read
 * @after_gap:   instructions were left out before it
 */
struct shown_instruction {
	uint64_t address;
	uint64_t samples;
	const struct instruction *instruction;
	bool after_gap;
};

/**
 * struct instructions - what to show, and to whom
 * @disassembler: reads them; NULL: only the addresses with samples are shown
 * @all:          also instructions that are far from those with samples
 * @is_wanted:    whether to show an address without samples: 1, 0 or -errno; NULL: all
 * @show:         is called for each address in ascending order; 0 or -errno, which ends it
 * @data:         first argument of both
 */
struct instructions {
	struct disassembler *disassembler;
	const struct section *section;
	bool all;
	int (*is_wanted)(void *data, uint64_t address);
	int (*show)(void *data, const struct shown_instruction *shown);
	void *data;
};

/*
 * Show the instructions of a section. Each sample is shown at its exact address, also if the file
 * has no instruction there. Return: 0, or the error of a callback.
 */
int instructions_show(const struct instructions *instructions);

#endif /* PROFIL_INSTRUCTIONS_H */
