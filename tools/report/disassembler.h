/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_DISASSEMBLER_H
#define PROFIL_DISASSEMBLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

struct disassembler;

/**
 * struct instruction - an instruction
 * @mnemonic: its name; ".byte" or ".word": these bytes are no instruction
 * @operands: its operands; may be empty
 * @target:   where it jumps to, or what it calls; 0: no jump or call, or not known before it runs
 *
 * The texts are valid until the next one is read.
 */
struct instruction {
	size_t bytes;
	const char *mnemonic;
	const char *operands;
	uint64_t target;
};

/*
 * Prepare to read instructions of a file, which must outlive the disassembler. Return: to be given
 * to disassembler_free(); NULL: @problem is the reason, valid until the next call.
 */
struct disassembler *disassembler_new(Elf *elf, const char **problem);

/*
 * Read the instruction at an address; what begins at @end is no part of it. Return: true; false:
 * the file has nothing at the address.
 */
bool disassembler_read(struct disassembler *disassembler, uint64_t address, uint64_t end,
		       struct instruction *instruction);

/* Free a disassembler. */
void disassembler_free(struct disassembler *disassembler);

#endif /* PROFIL_DISASSEMBLER_H */
