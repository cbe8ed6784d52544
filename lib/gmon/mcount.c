// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * mcount(): code compiled with -pg calls it at function entry, with -mfentry __fentry__(). In
 * dynamic programs it replaces that of the C library, also for shared objects.
 *
 * On x86, a function's arguments are still in registers, including %al (the number of vector
 * registers used) and %r10 (the static chain). So this file uses general registers only (Makefile),
 * and preserves vector registers when it calls other functions. On arm64 and riscv64 the compiler
 * treats _mcount() as an ordinary call.
 */
#include <stdint.h>

#include "gmon/arcs.h"
#include "gmon/gmon.h"
#include "gmon/object.h"
#include "gmon/vectors.h"

void profil_gmon_mcount(uintptr_t from, uintptr_t to) __attribute__((visibility("hidden")));

static struct profil_gmon_object *meet(struct profil_gmon_profile *profile, uintptr_t pc)
{
	struct profil_gmon_object *object;
	struct profil_vectors vectors;

	profil_vectors_save(&vectors);
	object = profil_gmon_meet(profile, pc);
	profil_vectors_restore(&vectors);
	return object;
}

/*
 * Count a call from @from of the function that contains @to. Threads and signal handlers may call
 * it concurrently. It preserves errno.
 */
void profil_gmon_mcount(uintptr_t from, uintptr_t to)
{
	struct profil_gmon_profile *profile =
		atomic_load_explicit(&profil_gmon_recording, memory_order_acquire);
	struct profil_gmon_object *object;
	struct profil_gmon_arcs arcs;
	uintptr_t bias;

	if (!profile)
		return;
	object = profil_gmon_object_of(profile, to);
	if (!object && !atomic_load_explicit(&profile->full, memory_order_relaxed))
		object = meet(profile, to);
	if (!object)
		return;
	/* another thread may end the profile, and zero its memory */
	arcs = *(const volatile struct profil_gmon_arcs *)&object->arcs;
	bias = object->bias;
	if (from - object->start < object->bytes)
		from -= bias;
	else
		from = object->outside;
	if (from && arcs.nr && arcs.slots)
		profil_gmon_arcs_count(&arcs, from, to - bias);
}

#if defined(__x86_64__) && defined(__LP64__)
/* The caller's caller: mcount() is called after the frame is set up, __fentry__() before. */
#define MCOUNT(names, from)						\
	names								\
	"	.cfi_startproc\n"					\
	"	endbr64\n"						\
	"	pushq	%rbp\n"						\
	"	.cfi_def_cfa_offset 16\n"				\
	"	.cfi_offset rbp, -16\n"					\
	"	pushq	%rdi\n"						\
	"	.cfi_adjust_cfa_offset 8\n"				\
	"	pushq	%rsi\n"						\
	"	.cfi_adjust_cfa_offset 8\n"				\
	from								\
	"	movq	24(%rsp), %rsi\n"				\
	"	leaq	16(%rsp), %rbp\n"				\
	"	.cfi_def_cfa rbp, 16\n"					\
	"	pushq	%rax\n"						\
	"	pushq	%rcx\n"						\
	"	pushq	%rdx\n"						\
	"	pushq	%r8\n"						\
	"	pushq	%r9\n"						\
	"	pushq	%r10\n"						\
	"	pushq	%r11\n"						\
	"	andq	$-16, %rsp\n"					\
	"	call	profil_gmon_mcount\n"				\
	"	leaq	-72(%rbp), %rsp\n"				\
	"	popq	%r11\n"						\
	"	popq	%r10\n"						\
	"	popq	%r9\n"						\
	"	popq	%r8\n"						\
	"	popq	%rdx\n"						\
	"	popq	%rcx\n"						\
	"	popq	%rax\n"						\
	"	popq	%rsi\n"						\
	"	popq	%rdi\n"						\
	"	popq	%rbp\n"						\
	"	.cfi_def_cfa rsp, 8\n"					\
	"	ret\n"							\
	"	.cfi_endproc\n"

__asm__(
"	.text\n"
"	.globl	mcount, _mcount, __fentry__\n"
"	.type	mcount, @function\n"
"	.type	_mcount, @function\n"
"	.type	__fentry__, @function\n"
"	.p2align 4\n"
MCOUNT("mcount:\n_mcount:\n",
"	movq	8(%rbp), %rdi\n")
"	.size	mcount, .-mcount\n"
"	.size	_mcount, .-_mcount\n"
"	.p2align 4\n"
MCOUNT("__fentry__:\n",
"	movq	32(%rsp), %rdi\n")
"	.size	__fentry__, .-__fentry__\n"
);
#elif defined(__i386__)
__asm__(
"	.text\n"
"	.globl	mcount, _mcount\n"
"	.type	mcount, @function\n"
"	.type	_mcount, @function\n"
"	.p2align 4\n"
"mcount:\n"
"_mcount:\n"
"	pushl	%eax\n"
"	pushl	%ecx\n"
"	pushl	%edx\n"
"	movl	12(%esp), %edx\n"
"	movl	4(%ebp), %eax\n"
"	pushl	%ebp\n"
"	movl	%esp, %ebp\n"
"	subl	$8, %esp\n"
"	andl	$-16, %esp\n"
"	movl	%eax, (%esp)\n"
"	movl	%edx, 4(%esp)\n"
"	call	profil_gmon_mcount\n"
"	movl	%ebp, %esp\n"
"	popl	%ebp\n"
"	popl	%edx\n"
"	popl	%ecx\n"
"	popl	%eax\n"
"	ret\n"
"	.size	mcount, .-mcount\n"
"	.size	_mcount, .-_mcount\n"
);
#elif defined(__aarch64__) || defined(__riscv)
void _mcount(const void *from);

void _mcount(const void *from)
{
	profil_gmon_mcount((uintptr_t)from, (uintptr_t)__builtin_return_address(0));
}
#endif
