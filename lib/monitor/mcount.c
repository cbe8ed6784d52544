// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * mcount(): code compiled with -p or -pg calls it at function entry. Its return address is in
 * the function that was entered.
 *
 * On x86-64 it must preserve all registers that hold arguments, including %al (the number of
 * vector registers used) and %r10 (the static chain). profil_callcount() changes no vector
 * register. On arm64 and riscv64 the compiler treats it as an ordinary call. On other
 * architectures, calls are not counted: the C library's mcount() runs, which has no effect in
 * these programs.
 */
#include "monitor/callcount.h"

#if defined(__x86_64__) && defined(__LP64__)
__asm__(
"	.text\n"
"	.globl	mcount, _mcount, __fentry__\n"
"	.type	mcount, @function\n"
"	.type	_mcount, @function\n"
"	.type	__fentry__, @function\n"
"	.p2align 4\n"
"mcount:\n"
"_mcount:\n"
"__fentry__:\n"
"	.cfi_startproc\n"
"	endbr64\n"
"	pushq	%rbp\n"
"	.cfi_def_cfa_offset 16\n"
"	.cfi_offset rbp, -16\n"
"	movq	%rsp, %rbp\n"
"	.cfi_def_cfa_register rbp\n"
"	pushq	%rax\n"
"	pushq	%rcx\n"
"	pushq	%rdx\n"
"	pushq	%rsi\n"
"	pushq	%rdi\n"
"	pushq	%r8\n"
"	pushq	%r9\n"
"	pushq	%r10\n"
"	pushq	%r11\n"
"	andq	$-16, %rsp\n"
"	movq	8(%rbp), %rdi\n"
"	call	profil_callcount\n"
"	leaq	-72(%rbp), %rsp\n"
"	popq	%r11\n"
"	popq	%r10\n"
"	popq	%r9\n"
"	popq	%r8\n"
"	popq	%rdi\n"
"	popq	%rsi\n"
"	popq	%rdx\n"
"	popq	%rcx\n"
"	popq	%rax\n"
"	popq	%rbp\n"
"	.cfi_def_cfa rsp, 8\n"
"	ret\n"
"	.cfi_endproc\n"
"	.size	mcount, .-mcount\n"
"	.size	_mcount, .-_mcount\n"
"	.size	__fentry__, .-__fentry__\n"
);
#elif defined(__aarch64__) || defined(__riscv)
void _mcount(const void *caller);

void _mcount(const void *caller)
{
	(void)caller;
	profil_callcount((uintptr_t)__builtin_return_address(0));
}
#endif
