/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tests must know about the running kernel, as it differs from others.
 */
#ifndef SELFTESTS_VERSION_H
#define SELFTESTS_VERSION_H

#include <stdbool.h>

/* Whether the kernel is older than Linux @major.@minor. */
bool kernel_is_before(int major, int minor);

/* Whether it has PREEMPT_RT. */
bool kernel_is_realtime(void);

/*
 * Returns the kernel's place in figures of what the module costs on Linux 6.1 and 6.12; -1: there
 * are none of this kernel.
 */
int figured_kernel(void);

#endif /* SELFTESTS_VERSION_H */
