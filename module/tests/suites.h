/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The test suites, which suites.c registers.
 */
#ifndef _PROFIL_TESTS_SUITES_H
#define _PROFIL_TESTS_SUITES_H

#include <kunit/test.h>

/* profil_NAME_suite is in NAME_kunit.c. */
extern struct kunit_suite profil_counter_suite;
extern struct kunit_suite profil_pending_suite;
extern struct kunit_suite profil_user_suite;
extern struct kunit_suite profil_throttle_suite;
extern struct kunit_suite profil_cpu_suite;
extern struct kunit_suite profil_log_suite;

#endif /* _PROFIL_TESTS_SUITES_H */
