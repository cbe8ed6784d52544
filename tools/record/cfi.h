/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unwind information (CFI) of ELF files for x86-64: at an address of code, where the caller's
 * registers are. libdw reads it, from .eh_frame, else from .debug_frame, which Go programs have.
 * What it says of an address is kept: the frames of a profile are at few addresses.
 */
#ifndef PROFIL_CFI_H
#define PROFIL_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>

#include "util/slots.h"

/* Registers by their numbers in DWARF, and how many expressions may name */
enum {
	CFI_RBX = 3, CFI_RBP = 6, CFI_RSP = 7, CFI_R12 = 12, CFI_R13, CFI_R14, CFI_R15, CFI_RIP,
	CFI_REGISTERS
};

/* Most rules of a row: of the registers that functions save, and CFI_RIP */
#define CFI_SAVED	7

/* Where the value of a caller's register is */
enum cfi_kind {
	CFI_IN_FRAME,	/* at the CFA (canonical frame address) plus @offset */
	CFI_LOST,	/* nowhere, of CFI_RIP: there is no caller */
	CFI_IS_FRAME,	/* it is the CFA plus @offset */
	CFI_AT,		/* at the address that @ops give */
	CFI_IS,		/* it is what @ops give */
	CFI_OTHER,	/* what compilers do not make */
};

/**
 * struct cfi_rule - where a value is
 * @number: register that it is the value of
 * @kind:   an enum cfi_kind
 * @ops:    an expression, valid as long as struct cfi
 */
struct cfi_rule {
	unsigned char number;
	unsigned char kind;
	uint32_t nr_ops;
	union {
		int64_t offset;
		const Dwarf_Op *ops;
	};
};

/**
 * struct cfi_row - what is known of an address
 * @is_known:  there is unwind information; else the following is not set
 * @is_first:  nothing is known, as it is code at which the kernel starts: it has no caller
 * @is_made:   instructions begin at it, so no call ends there: a caller that returns behind it was
 *             made up, as Go does for its goexit(), and has none itself
 * @is_signal: the kernel has made this frame: the caller was interrupted, and has called nothing
 * @cfa:       the CFA is the register @number plus @offset; CFI_REGISTERS: it is what @ops give
 * @frame:     owns these @ops; NULL: there are none
 * @nr:        number of rules
 * @rules:     of those registers that do not have the caller's values still; the last one is of
 *             CFI_RIP
 */
struct cfi_row {
	uint64_t address;
	bool is_known;
	bool is_first;
	bool is_made;
	bool is_signal;
	unsigned char nr;
	struct cfi_rule cfa;
	Dwarf_Frame *frame;
	struct cfi_rule rules[CFI_SAVED];
};

/**
 * struct cfi - a file; all zero: it has none
 * @elf:     the file; NULL: it cannot be read
 * @entry:   address at which the kernel starts it; 0: nowhere
 * @rows:    those that were looked up
 */
struct cfi {
	Elf *elf;
	uint64_t entry;
	Dwarf_CFI *frames;
	bool has_debug;
	Dwarf *dwarf;
	Dwarf_CFI *debug_frames;
	struct cfi_row **rows;
	size_t nr_rows;
	struct slots slots;
};

/* Read a file, which is mapped: it may crash this process. Without it, no address is known. */
void cfi_open(struct cfi *cfi, int fd);

/* Read the vDSO of this process, which all have. */
void cfi_open_vdso(struct cfi *cfi);

/* Look up a link-time address. Return: valid as long as struct cfi; NULL: no memory. */
const struct cfi_row *cfi_find(struct cfi *cfi, uint64_t address);

/* Whether a call may end at an offset in the file; true also if that is not known. */
bool cfi_may_follow_call(const struct cfi *cfi, uint64_t offset);

void cfi_release(struct cfi *cfi);

#endif /* PROFIL_CFI_H */
