// SPDX-License-Identifier: GPL-2.0-only
/*
 * Per-user limits and charges (user.c, compiled in here). The tests use their own copy of
 * the table and the parameters, so they are independent of a loaded profil.ko.
 */
#include "../user.c"

#include <linux/rcupdate.h>
#include <linux/string.h>

#include "concurrent.h"
#include "suites.h"

#define UNLIMITED	(RLIM_INFINITY >> PAGE_SHIFT)

/* Users that exist only here */
static struct user_struct test_users[2];

enum { NO_CAPS, IPC_LOCK = 1, RESOURCE = 2 };

/*
 * The rights of a test user with capabilities @caps and an RLIMIT_MEMLOCK of @pages. The
 * limit of the test's thread is changed, too; the thread ends with the test case.
 */
static void rights_of(struct kunit *test, unsigned int number, unsigned int caps,
		      unsigned long pages, struct profil_rights *rights)
{
	struct cred *cred = prepare_creds();
	const struct cred *old;
	int err;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, cred);
	/* instead of free_uid(), which 5.10 does not export; root has other references */
	refcount_dec(&cred->user->__count);
	cred->user = get_uid(&test_users[number]);
	cred->uid = test_users[number].uid;
	cred->euid = test_users[number].uid;
	cap_clear(cred->cap_effective);
	if (caps & IPC_LOCK)
		cap_raise(cred->cap_effective, CAP_IPC_LOCK);
	if (caps & RESOURCE)
		cap_raise(cred->cap_effective, CAP_SYS_RESOURCE);

	task_lock(current->group_leader);
	current->signal->rlim[RLIMIT_MEMLOCK].rlim_cur =
		pages == UNLIMITED ? RLIM_INFINITY : pages << PAGE_SHIFT;
	task_unlock(current->group_leader);

	old = override_creds(cred);
	err = profil_rights_get(rights);
	revert_creds(old);
	put_cred(cred);
	KUNIT_ASSERT_EQ(test, err, 0);
}

static long locked(unsigned int number)
{
	return atomic_long_read(&test_users[number].locked_vm);
}

static int sessions(const struct profil_rights *rights)
{
	return atomic_read(&rights->user->charged[PROFIL_CHARGED_SESSIONS]);
}

static int regions(const struct profil_rights *rights)
{
	return atomic_read(&rights->user->charged[PROFIL_CHARGED_REGIONS]);
}

static int init(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(test_users); i++) {
		memset(&test_users[i], 0, sizeof(test_users[i]));
		/* a reference that is never dropped, so that they are not freed */
		refcount_set(&test_users[i].__count, 1);
		test_users[i].uid = KUIDT_INIT(4000000 + i);
	}
	max_user_sessions = 4;
	max_user_regions = 100;
	return 0;
}

/* At the end of each case no user has references or charges. */
static void expect_nothing_left(struct kunit *test)
{
	unsigned int i;

	/* credentials are freed after a grace period */
	rcu_barrier();
	for (i = 0; i < ARRAY_SIZE(test_users); i++) {
		KUNIT_EXPECT_EQ(test, refcount_read(&test_users[i].__count), 1U);
		KUNIT_EXPECT_EQ(test, locked(i), 0L);
	}
	KUNIT_EXPECT_TRUE(test, xa_empty(&users));
}

static void rights_are_those_of_the_caller(struct kunit *test)
{
	struct profil_rights rights;

	rights_of(test, 0, NO_CAPS, 17, &rights);
	KUNIT_EXPECT_EQ(test, rights.memlock_pages, 17UL);
	KUNIT_EXPECT_FALSE(test, rights.ipc_lock);
	KUNIT_EXPECT_FALSE(test, rights.resource);
	profil_rights_put(&rights);

	rights_of(test, 0, IPC_LOCK, UNLIMITED, &rights);
	KUNIT_EXPECT_EQ(test, rights.memlock_pages, (unsigned long)UNLIMITED);
	KUNIT_EXPECT_TRUE(test, rights.ipc_lock);
	KUNIT_EXPECT_FALSE(test, rights.resource);
	profil_rights_put(&rights);

	rights_of(test, 0, RESOURCE, 0, &rights);
	KUNIT_EXPECT_EQ(test, rights.memlock_pages, 0UL);
	KUNIT_EXPECT_FALSE(test, rights.ipc_lock);
	KUNIT_EXPECT_TRUE(test, rights.resource);
	profil_rights_put(&rights);
	expect_nothing_left(test);
}

static void sessions_are_limited(struct kunit *test)
{
	struct profil_rights rights;
	int i;

	rights_of(test, 0, NO_CAPS, 0, &rights);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_SESSIONS, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_SESSIONS, 1, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, sessions(&rights), 4);
	/* one more is allowed if it replaces another */
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_SESSIONS, 1, 1), 0);
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_SESSIONS, 1, 1), -ENOSPC);
	profil_uncharge(&rights, PROFIL_CHARGED_SESSIONS, 1);
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_SESSIONS, 1, 0), -ENOSPC);
	profil_uncharge(&rights, PROFIL_CHARGED_SESSIONS, 1);
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_SESSIONS, 1, 0), 0);

	/* a lower limit ends no session, but allows no new one until there are fewer */
	max_user_sessions = 2;
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_SESSIONS, 1, 0),
				-ENOSPC);
		profil_uncharge(&rights, PROFIL_CHARGED_SESSIONS, 1);
	}
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_SESSIONS, 1, 0), 0);
	max_user_sessions = 0;
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_SESSIONS, 1, 0), -ENOSPC);
	profil_uncharge(&rights, PROFIL_CHARGED_SESSIONS, 1);
	profil_uncharge(&rights, PROFIL_CHARGED_SESSIONS, 1);
	KUNIT_EXPECT_EQ(test, sessions(&rights), 0);
	profil_rights_put(&rights);
	expect_nothing_left(test);
}

static void regions_are_limited(struct kunit *test)
{
	struct profil_rights rights;

	rights_of(test, 0, NO_CAPS, 0, &rights);
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_REGIONS, 101, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, regions(&rights), 0);
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_REGIONS, 60, 0), 0);
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_REGIONS, 41, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_REGIONS, 40, 0), 0);
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_REGIONS, 1, 0), -ENOSPC);
	/* no regions, as for a profile with only a catch-all counter */
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_REGIONS, 0, 0), 0);

	/* replacing 60 regions by 61 would exceed the limit */
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_REGIONS, 61, 60), -ENOSPC);
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_REGIONS, 60, 60), 0);
	KUNIT_EXPECT_EQ(test, regions(&rights), 160);
	profil_uncharge(&rights, PROFIL_CHARGED_REGIONS, 60);
	profil_uncharge(&rights, PROFIL_CHARGED_REGIONS, 60);
	profil_uncharge(&rights, PROFIL_CHARGED_REGIONS, 40);
	KUNIT_EXPECT_EQ(test, regions(&rights), 0);

	/* 32-bit limits and credits do not overflow */
	max_user_regions = U32_MAX;
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_REGIONS, 4096, 1), 0);
	max_user_regions = 4096;
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_REGIONS, U32_MAX - 4095, 0),
			-ENOSPC);
	profil_uncharge(&rights, PROFIL_CHARGED_REGIONS, 4096);
	profil_rights_put(&rights);
	expect_nothing_left(test);
}

static void locked_pages_are_limited(struct kunit *test)
{
	struct profil_rights rights, raised;

	rights_of(test, 0, NO_CAPS, 10, &rights);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&rights, 11), -ENOMEM);
	KUNIT_EXPECT_EQ(test, locked(0), 0L);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&rights, 9), 0);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&rights, 2), -ENOMEM);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&rights, 1), 0);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&rights, 1), -ENOMEM);
	KUNIT_EXPECT_EQ(test, locked(0), 10L);

	/* another process of the user with a higher limit shares the charge */
	rights_of(test, 0, NO_CAPS, 15, &raised);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&raised, 6), -ENOMEM);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&raised, 5), 0);
	profil_uncharge_pages(&rights, 4);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&rights, 1), -ENOMEM);

	profil_uncharge_pages(&rights, 6);
	profil_uncharge_pages(&raised, 5);
	profil_rights_put(&raised);
	profil_rights_put(&rights);
	expect_nothing_left(test);
}

/* Pages of the user that other subsystems have locked count, too: perf, io_uring. */
static void counts_pages_locked_by_others(struct kunit *test)
{
	struct profil_rights rights;

	rights_of(test, 0, NO_CAPS, 10, &rights);
	atomic_long_add(8, &test_users[0].locked_vm);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&rights, 3), -ENOMEM);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&rights, 2), 0);
	/* more than this limit allows */
	atomic_long_add(100, &test_users[0].locked_vm);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&rights, 1), -ENOMEM);
	profil_uncharge_pages(&rights, 2);
	KUNIT_EXPECT_EQ(test, locked(0), 108L);
	atomic_long_sub(108, &test_users[0].locked_vm);
	profil_rights_put(&rights);
	expect_nothing_left(test);
}

/* CAP_IPC_LOCK exempts from the limit of pages only, and its pages are not charged. */
static void ipc_lock_exempts_from_page_limit(struct kunit *test)
{
	struct profil_rights rights;
	int i;

	rights_of(test, 0, IPC_LOCK, 0, &rights);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&rights, 1000), 0);
	KUNIT_EXPECT_EQ(test, locked(0), 0L);
	profil_uncharge_pages(&rights, 1000);
	KUNIT_EXPECT_EQ(test, locked(0), 0L);

	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_SESSIONS, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_SESSIONS, 1, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_REGIONS, 101, 0), -ENOSPC);
	for (i = 0; i < 4; i++)
		profil_uncharge(&rights, PROFIL_CHARGED_SESSIONS, 1);
	profil_rights_put(&rights);
	expect_nothing_left(test);
}

/* CAP_SYS_RESOURCE exempts from the limits of sessions and regions, but they are counted. */
static void sys_resource_exempts_from_counts(struct kunit *test)
{
	struct profil_rights exempt, rights;
	int i;

	rights_of(test, 0, RESOURCE, 10, &exempt);
	rights_of(test, 0, NO_CAPS, 10, &rights);
	KUNIT_EXPECT_PTR_EQ(test, exempt.user, rights.user);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, profil_charge(&exempt, PROFIL_CHARGED_SESSIONS, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, profil_charge(&exempt, PROFIL_CHARGED_REGIONS, 1000, 0), 0);
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_SESSIONS, 1, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_REGIONS, 1, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&exempt, 11), -ENOMEM);

	for (i = 0; i < 10; i++)
		profil_uncharge(&exempt, PROFIL_CHARGED_SESSIONS, 1);
	profil_uncharge(&exempt, PROFIL_CHARGED_REGIONS, 1000);
	KUNIT_EXPECT_EQ(test, profil_charge(&rights, PROFIL_CHARGED_SESSIONS, 1, 0), 0);
	profil_uncharge(&rights, PROFIL_CHARGED_SESSIONS, 1);
	profil_rights_put(&exempt);
	/* the user still has a reference */
	KUNIT_EXPECT_FALSE(test, xa_empty(&users));
	profil_rights_put(&rights);
	expect_nothing_left(test);
}

static void users_are_independent(struct kunit *test)
{
	struct profil_rights rights[2];
	int i, k;

	for (i = 0; i < 2; i++)
		rights_of(test, i, NO_CAPS, 10, &rights[i]);
	KUNIT_EXPECT_TRUE(test, rights[0].user != rights[1].user);
	/* each user can reach all limits */
	for (i = 0; i < 2; i++) {
		for (k = 0; k < 4; k++)
			KUNIT_EXPECT_EQ(test, profil_charge(&rights[i],
								    PROFIL_CHARGED_SESSIONS, 1, 0),
					0);
		KUNIT_EXPECT_EQ(test, profil_charge(&rights[i], PROFIL_CHARGED_SESSIONS, 1, 0),
				-ENOSPC);
		KUNIT_EXPECT_EQ(test, profil_charge(&rights[i], PROFIL_CHARGED_REGIONS, 100, 0), 0);
		KUNIT_EXPECT_EQ(test, profil_charge_pages(&rights[i], 10), 0);
		KUNIT_EXPECT_EQ(test, locked(i), 10L);
	}
	/* uncharging one user does not change the other's charges */
	for (k = 0; k < 4; k++)
		profil_uncharge(&rights[0], PROFIL_CHARGED_SESSIONS, 1);
	profil_uncharge(&rights[0], PROFIL_CHARGED_REGIONS, 100);
	profil_uncharge_pages(&rights[0], 10);
	profil_rights_put(&rights[0]);
	KUNIT_EXPECT_EQ(test, locked(1), 10L);
	KUNIT_EXPECT_EQ(test, profil_charge(&rights[1], PROFIL_CHARGED_SESSIONS, 1, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&rights[1], 1), -ENOMEM);

	for (k = 0; k < 4; k++)
		profil_uncharge(&rights[1], PROFIL_CHARGED_SESSIONS, 1);
	profil_uncharge(&rights[1], PROFIL_CHARGED_REGIONS, 100);
	profil_uncharge_pages(&rights[1], 10);
	profil_rights_put(&rights[1]);
	expect_nothing_left(test);
}

/* What a thread or an interrupt has been granted */
struct charge {
	u32 nr;
	bool session;
	bool region;
	bool page;
};

/* Concurrent charges by threads on several CPUs and by interrupts, as in forks */
struct charging {
	struct profil_rights rights;
	struct interrupter interrupter;
	struct charge held;
	atomic_t exceeded;
	atomic_t granted;
	atomic_t refused;
};

#define THREADS		4
#define CHARGES		20000
#define INTERRUPTS	1500
#define PAGES		6

static void charge_all(struct charging *charging, struct charge *charge, u32 nr)
{
	const struct profil_rights *rights = &charging->rights;
	int got;

	charge->nr = nr;
	charge->session = !profil_charge(rights, PROFIL_CHARGED_SESSIONS, 1, 0);
	charge->region = !profil_charge(rights, PROFIL_CHARGED_REGIONS, nr, 0);
	charge->page = !profil_charge_pages(rights, nr);
	got = charge->session + charge->region + charge->page;

	if (sessions(rights) > 4 || regions(rights) > 100 || locked(0) > PAGES ||
	    sessions(rights) < 3 + charge->session ||
	    regions(rights) < 96 + charge->region ||
	    locked(0) < 2 + charge->page)
		atomic_inc(&charging->exceeded);
	atomic_add(got, &charging->granted);
	atomic_add(3 - got, &charging->refused);
}

static void uncharge_all(struct charging *charging, struct charge *charge)
{
	if (charge->session)
		profil_uncharge(&charging->rights, PROFIL_CHARGED_SESSIONS, 1);
	if (charge->region)
		profil_uncharge(&charging->rights, PROFIL_CHARGED_REGIONS, charge->nr);
	if (charge->page)
		profil_uncharge_pages(&charging->rights, charge->nr);
	*charge = (struct charge){};
}

/* Every second interrupt uncharges what the one before has charged. */
static void charge_in_interrupt(struct interrupter *interrupter)
{
	struct charging *charging = interrupter->data;

	if (charging->held.nr)
		uncharge_all(charging, &charging->held);
	else
		charge_all(charging, &charging->held, 2);
}

static void charge_and_uncharge(struct charging *charging, u32 nr)
{
	struct charge charge;

	charge_all(charging, &charge, nr);
	uncharge_all(charging, &charge);
	cond_resched();
}

static void charge_repeatedly(struct test_thread *thread)
{
	struct charging *charging = thread->data;
	unsigned int i;

	if (thread->number) {
		for (i = 0; i < CHARGES; i++)
			charge_and_uncharge(charging, 1 + i % 4);
		return;
	}
	interrupter_start(&charging->interrupter, INTERRUPTS, charge_in_interrupt, charging);
	for (i = 0; !interrupter_is_done(&charging->interrupter); i++)
		charge_and_uncharge(charging, 1 + i % 4);
	interrupter_stop(&charging->interrupter);
	uncharge_all(charging, &charging->held);
}

static void concurrent_charges_stay_within_limits(struct kunit *test)
{
	struct test_thread *threads = kunit_kzalloc(test, THREADS * sizeof(*threads),
						    GFP_KERNEL);
	struct charging *charging = kunit_kzalloc(test, sizeof(*charging), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, threads);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, charging);
	rights_of(test, 0, NO_CAPS, PAGES, &charging->rights);
	/* close to the limits, so that only one charge at a time fits */
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, profil_charge(&charging->rights,
							    PROFIL_CHARGED_SESSIONS, 1, 0),
				0);
	KUNIT_EXPECT_EQ(test, profil_charge(&charging->rights, PROFIL_CHARGED_REGIONS, 96, 0), 0);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&charging->rights, 2), 0);

	run_threads(test, threads, THREADS, charge_repeatedly, charging);
	KUNIT_EXPECT_EQ(test, atomic_read(&charging->exceeded), 0);
	KUNIT_EXPECT_GT(test, atomic_read(&charging->granted), CHARGES);
	/* charges have collided */
	KUNIT_EXPECT_GT(test, atomic_read(&charging->refused), 0);
	KUNIT_EXPECT_EQ(test, sessions(&charging->rights), 3);
	KUNIT_EXPECT_EQ(test, regions(&charging->rights), 96);
	KUNIT_EXPECT_EQ(test, locked(0), 2L);

	for (i = 0; i < 3; i++)
		profil_uncharge(&charging->rights, PROFIL_CHARGED_SESSIONS, 1);
	profil_uncharge(&charging->rights, PROFIL_CHARGED_REGIONS, 96);
	profil_uncharge_pages(&charging->rights, 2);
	profil_rights_put(&charging->rights);
	expect_nothing_left(test);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(rights_are_those_of_the_caller),
	KUNIT_CASE(sessions_are_limited),
	KUNIT_CASE(regions_are_limited),
	KUNIT_CASE(locked_pages_are_limited),
	KUNIT_CASE(counts_pages_locked_by_others),
	KUNIT_CASE(ipc_lock_exempts_from_page_limit),
	KUNIT_CASE(sys_resource_exempts_from_counts),
	KUNIT_CASE(users_are_independent),
	KUNIT_CASE(concurrent_charges_stay_within_limits),
	{}
};

struct kunit_suite profil_user_suite = {
	.name = "profil_user",
	.init = init,
	.test_cases = cases,
};
