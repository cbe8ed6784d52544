// SPDX-License-Identifier: GPL-2.0-only
/*
 * Failed allocations of an ATTACH that also attaches the hooks: the first, the second, ... until
 * nothing is left to fail. Each fails with ENOMEM and leaves nothing, and the same ATTACH succeeds
 * if nothing fails.
 */
#include "kselftest_harness.h"
#include "attach/target.h"
#include "eventually.h"
#include "files.h"
#include "kernel/fault_injection.h"

FIXTURE(fault) {
	int device;
	struct injection injection;
	struct target target;
	long long sessions;
};

FIXTURE_SETUP(fault)
{
	const char *why;

	REQUIRE_ATTACH(self->device);
	close(self->device);
	self->target.pid = -1;
	why = init_injection(&self->injection);
	if (why)
		SKIP(return, "%s", why);
	choose(&self->injection, SLAB, ONE);
	self->sessions = settled_figure("sessions");
	ASSERT_EQ(0, start_target(&self->target, -1, wait_for_ever, NULL));
}

FIXTURE_TEARDOWN(fault)
{
	end_injection(&self->injection);
	kill_target(&self->target);
	detach_hooks_early(false);
}

/* Returns how many calls have failed: 0 or 1. */
static long attach_failing(struct __test_metadata *_metadata, struct _test_data_fault *self,
			   unsigned long n)
{
	int error, device = open_device();
	long hits;

	EXPECT_LE(0, device);
	detach_hooks_early(true);
	EXPECT_EVENTUALLY(hooks_are_gone());
	arm(&self->injection, n);
	error = attach_target(device, &self->target, 0);
	hits = disarm(&self->injection);
	if (error) {
		EXPECT_LT(0, hits);
		EXPECT_EQ(ENOMEM, error);
		EXPECT_EQ(PROFIL_STATE_OFF, log_status(device).state);
		EXPECT_EQ(self->sessions, figure("sessions"));
		EXPECT_EQ(0, attach_target(device, &self->target, 0));
	}
	EXPECT_EQ(PROFIL_STATE_RUNNING, log_status(device).state);
	close(device);
	EXPECT_EQ(self->sessions, await_figure("sessions", self->sessions));
	return hits;
}

TEST_F_TIMEOUT(fault, attach, 600)
{
	unsigned long n = 0;

	while (attach_failing(_metadata, self, ++n) && !_metadata->exit_code)
		;
	ksft_print_msg("%lu allocations\n", n - 1);
	/* at least: rights, watch, log, target, and what the hooks need */
	EXPECT_LT(5, n);
}

TEST_HARNESS_MAIN
