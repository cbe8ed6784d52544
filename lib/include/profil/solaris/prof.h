/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * <prof.h> of a program written for Solaris: MARK(name) divides a function into parts, which have
 * their own calls and time in the output of prof -g. Define MARK before this header; otherwise
 * marks have no effect.
 */
#ifndef PROFIL_SOLARIS_PROF_H
#define PROFIL_SOLARIS_PROF_H

#ifdef MARK
#undef MARK

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Counts a call of the function that contains its return address. Not mcount(), which is missing on
 * some machines. Functions of some of them take the caller's address.
 */
extern void _mcount(const void *caller);

#ifdef __cplusplus
}
#endif

/*
 * The symbol of the mark is MARK.name, which no symbol of the language can be. The compiler may
 * copy this statement, for example when it inlines the function: each copy is a mark, and those
 * after the first have a number, too. A call that counts the function or another mark may be the
 * instruction before: without the nop, its return address would be in this mark. The last asm keeps
 * the call of this mark from being the function's last jump, which has no return address here.
 */
#define MARK(name) do {								\
	__asm__ __volatile__(							\
		"	nop\n"							\
		".ifndef MARK." #name "\n"					\
		"	.type	MARK." #name ", %%function\n"			\
		"MARK." #name ":\n"						\
		".else\n"							\
		"	.type	MARK." #name ".%=, %%function\n"		\
		"MARK." #name ".%=:\n"						\
		".endif" : : : "memory");					\
	_mcount(__builtin_return_address(0));					\
	__asm__ __volatile__("" : : : "memory");				\
} while (0)

#else
#define MARK(name) do { } while (0)
#endif

#endif /* PROFIL_SOLARIS_PROF_H */
