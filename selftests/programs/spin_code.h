/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instructions that count their argument down to 0, for programs that make code: they may be
 * copied to any address. Include this in one file per program.
 */
#ifndef SELFTESTS_SPIN_CODE_H
#define SELFTESTS_SPIN_CODE_H

typedef void spin_function(unsigned long rounds);

extern const char spin_code[], spin_code_end[];
#ifdef __x86_64__
asm(".pushsection .rodata\nspin_code: 1: dec %rdi\n jnz 1b\n ret\nspin_code_end: .popsection");
#elif defined(__aarch64__)
asm(".pushsection .rodata\nspin_code: 1: subs x0, x0, #1\n b.ne 1b\n ret\n"
    "spin_code_end: .popsection");
#else
#error "no code for this architecture"
#endif

#endif /* SELFTESTS_SPIN_CODE_H */
