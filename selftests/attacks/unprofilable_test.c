// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process that profiles itself, as often as its user may, does not keep others from profiling it.
 * Nor does it find out by that whether others do.
 */
#include <sys/prctl.h>

#include "kselftest_harness.h"
#include "attach/target.h"
#include "eventually.h"

#define USER		61111	/* a uid that no other test uses */
#define USER_PAGES	1024	/* room for its logs */
#define OWN_LOGS	4	/* of one process, for one user */

struct report {
	int errors[OWN_LOGS + 1];	/* of its attachments, in order */
	bool done;
};

FIXTURE(unprofilable) {
	int device;
	struct target target;
	struct records records;
	struct report *report;
};

FIXTURE_SETUP(unprofilable)
{
	REQUIRE_ATTACH(self->device);
	if (geteuid())
		SKIP(return, "needs root");
	self->records = (struct records) { 0 };
	self->report = map_shared(PAGE);
}

FIXTURE_TEARDOWN(unprofilable)
{
	kill_target(&self->target);
	free_records(&self->records);
	close(self->device);
}

/* Attaches itself to as many logs as it can, and keeps them. */
static void attach_itself(void *data)
{
	struct _test_data_unprofilable *self = data;
	struct target own = { .pid = getpid() };
	int i;

	if (become_user(USER, USER_PAGES) || prctl(PR_SET_DUMPABLE, 1))
		_exit(1);
	own.mem = open("/proc/self/mem", O_RDONLY);
	for (i = 0; i <= OWN_LOGS; i++)
		self->report->errors[i] = attach_target(open_device(), &own, 0);
	__atomic_store_n(&self->report->done, true, __ATOMIC_RELEASE);
	burn(0.2);
	pause();
}

static void start(struct __test_metadata *_metadata, struct _test_data_unprofilable *self)
{
	ASSERT_EQ(0, start_target(&self->target, self->device, attach_itself, self));
}

static void let_it_attach_itself(struct __test_metadata *_metadata,
				 struct _test_data_unprofilable *self)
{
	int i;

	release(&self->target);
	ASSERT_TRUE(EVENTUALLY(__atomic_load_n(&self->report->done, __ATOMIC_ACQUIRE)));
	/* the same, whether others profile it or not */
	for (i = 0; i < OWN_LOGS; i++)
		EXPECT_EQ(0, self->report->errors[i]);
	EXPECT_EQ(EBUSY, self->report->errors[OWN_LOGS]);
}

/* Returns whether samples come. */
static bool is_sampled(struct _test_data_unprofilable *self)
{
	fcntl(self->device, F_SETFL, O_NONBLOCK);
	return EVENTUALLY(read_all(&self->records, self->device) == EAGAIN &&
			  samples_of(&self->records, self->target.pid));
}

TEST_F(unprofilable, root_profiles_it_all_the_same)
{
	start(_metadata, self);
	let_it_attach_itself(_metadata, self);
	EXPECT_EQ(0, attach_target(self->device, &self->target, 0));
	EXPECT_TRUE(is_sampled(self));
}

TEST_F(unprofilable, it_does_not_notice_that_it_is_profiled)
{
	start(_metadata, self);
	ASSERT_EQ(0, attach_target(self->device, &self->target, 0));
	let_it_attach_itself(_metadata, self);
	EXPECT_TRUE(is_sampled(self));
}

TEST_HARNESS_MAIN
