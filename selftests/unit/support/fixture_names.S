/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols of code as compilers and authors of assembler code make them. No test runs it. The
 * names of labels that belong to a function begin with in_ or contain a dot.
 */
	.text

	/* a name of clang, and one that looks like a mapping symbol of Arm */
	.type	.omp_outlined., %function
.omp_outlined.:
	.skip	16, 0xcc
	.size	.omp_outlined., . - .omp_outlined.
	.type	$dollar, %function
$dollar:
	.skip	16, 0xcc
	.size	$dollar, . - $dollar
	/* without type and size: a mapping symbol on some machines, a name on others */
$d:
	.skip	16, 0xcc

	/* a symbol with a size, and a label inside */
	.globl	sized
	.type	sized, %function
sized:
	.skip	8, 0xcc
in_sized:
	.skip	8, 0xcc
	.size	sized, . - sized

	/* a function without a size, whose labels are local */
	.globl	no_cfi
	.type	no_cfi, %function
no_cfi:
	.skip	8, 0xcc
in_no_cfi:
	.skip	8, 0xcc
.Lin_no_cfi:
	.skip	8, 0xcc
no_cfi.tail:
	.skip	8, 0xcc
	.globl	next_global
next_global:
	.skip	16, 0xcc

	/* symbols without a type, named as by NASM; and a local function after them */
	.globl	nasm
nasm:
	.skip	8, 0xcc
.Lin_nasm:
	.skip	8, 0xcc
nasm.loop:
	.skip	8, 0xcc
local:
	.skip	8, 0xcc
local.loop:
	.skip	8, 0xcc

	/* unwind information contains two labels, one of them global, and a function */
	.globl	cfi
	.type	cfi, %function
cfi:
	.cfi_startproc
	.skip	8, 0xcc
in_cfi:
	.skip	8, 0xcc
	.globl	in_cfi_global
in_cfi_global:
	.skip	8, 0xcc
	.type	entry, %function
entry:
	.skip	8, 0xcc
	.cfi_endproc

	/* code whose symbols have the type of data, as GHC made them; the second without a size */
	.globl	object
	.type	object, %object
object:
	.skip	16, 0xcc
	.size	object, . - object
	.globl	object_no_size
	.type	object_no_size, %object
object_no_size:
	.skip	8, 0xcc
in_object_no_size:
	.skip	8, 0xcc

	/* data inside a function does not end it */
	.globl	around_data
	.type	around_data, %function
around_data:
	.skip	8, 0xcc
	.type	data, %object
data:
	.skip	8, 0xcc
	.size	data, . - data
after_data.label:
	.skip	8, 0xcc
	.globl	last
	.type	last, %function
last:
	.skip	8, 0xcc

	/* code without a size, and then that of functions whose names are not in the file */
	.globl	no_end
	.type	no_end, %function
no_end:
	.skip	4000, 0xcc
no_end.loop:
	.skip	10000, 0xcc
	.globl	with_cfi
with_cfi:
	.cfi_startproc
	.skip	10000, 0xcc
	.cfi_endproc
	.globl	after_cfi
	.type	after_cfi, %function
after_cfi:
	.skip	8, 0xcc

	.data
	.globl	no_code
no_code:
	.skip	16

	.section .note.GNU-stack, "", %progbits
