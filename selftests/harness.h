/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's harness, with another limit of time: for tests that hang, and no judge of
 * those that do not. On processors that others load, a test of seconds takes minutes.
 */
#ifndef SELFTESTS_HARNESS_H
#define SELFTESTS_HARNESS_H

#include "kselftest_harness.h"

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	240	/* s */

#endif /* SELFTESTS_HARNESS_H */
