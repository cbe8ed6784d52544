/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interrupts by which CPUs call functions on each other, and where the kernel's workers run.
 */
#ifndef SELFTESTS_INTERRUPTS_H
#define SELFTESTS_INTERRUPTS_H

/* Size of a mask of CPUs as text */
#define MASK_TEXT	64

/* Returns the function call interrupts of a CPU since boot; -1 if the kernel does not show them. */
long calls_of_cpu(int cpu);

/*
 * Lets workers that need no special CPU run only on the first one, so that they do not interrupt
 * another one. Needs root. @before: MASK_TEXT bytes, for put_workers_back(). Returns 0 or -1.
 */
int put_workers_on_first_cpu(char *before);

void put_workers_back(const char *before);

#endif /* SELFTESTS_INTERRUPTS_H */
