// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil_kunit.ko: KUnit tests of the parts of profil.ko that need no session. They run
 * when the module is loaded, with or without profil.ko.
 *
 * All suites are registered here, because up to Linux 5.17 kunit_test_suites() defines the
 * module's init function.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "suites.h"

kunit_test_suites(&profil_counter_suite, &profil_pending_suite,
		  &profil_user_suite, &profil_throttle_suite,
		  &profil_cpu_suite, &profil_log_suite);

MODULE_DESCRIPTION("KUnit tests of profil");
MODULE_LICENSE("GPL");
