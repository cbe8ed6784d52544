/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Damaged debug information: references that point back or to themselves, blocks that are nested
 * too deeply, and a function that is not in the file. Each function has its own unit, because damage ends the search in a unit.
 */
#define DW_TAG_lexical_block		0x0b
#define DW_TAG_compile_unit		0x11
#define DW_TAG_inlined_subroutine	0x1d
#define DW_TAG_subprogram		0x2e
#define DW_TAG_variable			0x34

#define DW_AT_sibling			0x01
#define DW_AT_name			0x03
#define DW_AT_low_pc			0x11
#define DW_AT_high_pc			0x12
#define DW_AT_abstract_origin		0x31

#define DW_FORM_addr			0x01
#define DW_FORM_data4			0x06
#define DW_FORM_string			0x08
#define DW_FORM_ref4			0x13

#define ABBREV(code, tag, children)	.uleb128 code, tag; .byte children
#define NEST	200000

	.text
	.irp name, sibling, itself, origin, nested, discarded
	.globl \name
	.type \name, %function
\name:	.skip 16, 0xcc
	.size \name, 16
	.endr

	.section .debug_abbrev, "", %progbits
	ABBREV(1, DW_TAG_compile_unit, 1)
	.uleb128 DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0
	ABBREV(2, DW_TAG_subprogram, 1)
	.uleb128 DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr
	.uleb128 DW_AT_high_pc, DW_FORM_data4, 0, 0
	ABBREV(3, DW_TAG_lexical_block, 1)
	.uleb128 0, 0
	ABBREV(4, DW_TAG_variable, 0)
	.uleb128 DW_AT_sibling, DW_FORM_ref4, 0, 0
	ABBREV(5, DW_TAG_inlined_subroutine, 0)
	.uleb128 DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr
	.uleb128 DW_AT_high_pc, DW_FORM_data4, 0, 0
	.uleb128 0

/* The start of a unit with one function, which starts at an address with a size */
.macro unit name, start, bytes=16
unit_\name:
	.long 2f - 1f
1:	.short 4
	.long .debug_abbrev
	.byte 8
	.uleb128 1
	.quad \name
	.long 16
	.uleb128 2
	.asciz "\name"
	.quad \start
	.long \bytes
.endm

.macro inlined origin, start
	.uleb128 5
	.long \origin - unit_origin
	.quad origin + \start
	.long 4
.endm

	.section .debug_info, "", %progbits
	unit sibling, sibling
	/* back to the block around it */
back:	.uleb128 3
	.uleb128 4
	.long back - unit_sibling
	.byte 0, 0, 0
2:

	unit itself, itself
loop:	.uleb128 4
	.long loop - unit_itself
	.byte 0, 0
2:

	unit origin, origin
self:	inlined self, 0
first:	inlined second, 8
second:	inlined first, 12
	.byte 0, 0
2:

	/* as linkers leave functions that they remove */
	unit discarded, 0, 0x1000000
	.byte 0, 0
2:

	unit nested, nested
	.fill NEST, 1, 3
	.skip NEST, 0
	.byte 0, 0
2:
