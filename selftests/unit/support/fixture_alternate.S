/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Debug information of two functions whose ranges alternate, byte by byte, with many entries inside.
 * Compilers make no such file.
 */
#define BYTES	2000
#define ENTRIES	200000

	.text
	.globl	alternate
	.type	alternate, %function
alternate:
	.fill	BYTES, 1, 0xc3
	.size	alternate, . - alternate

	.section .debug_abbrev, "", %progbits
	/* a unit with DW_AT_low_pc and DW_AT_high_pc, a function with DW_AT_ranges, a block */
	.byte	1, 0x11, 1, 0x11, 0x01, 0x12, 0x07, 0, 0
	.byte	2, 0x2e, 1, 0x55, 0x17, 0, 0
	.byte	3, 0x0b, 0, 0, 0
	.byte	0

	.section .debug_info, "", %progbits
	.long	2f - 1f
1:	.short	4
	.long	0
	.byte	8
	.byte	1
	.quad	alternate, BYTES
	.byte	2
	.long	0
	.fill	ENTRIES, 1, 3
	.byte	0
	.byte	2
	.long	odd - even
	.fill	ENTRIES, 1, 3
	.byte	0
	.byte	0
2:
	.section .debug_ranges, "", %progbits
even:
	.set	at, 0
	.rept	BYTES / 2
	.quad	at, at + 1
	.set	at, at + 2
	.endr
	.quad	0, 0
odd:
	.set	at, 1
	.rept	BYTES / 2
	.quad	at, at + 1
	.set	at, at + 2
	.endr
	.quad	0, 0
