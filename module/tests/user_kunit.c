// SPDX-License-Identifier: GPL-2.0-only
/*
 * What one user has and may (user.c), compiled in here, so that the tests see its
 * table and set its limits: profil.ko need not be loaded, and if it is, its users are
 * not charged. The parameters are profil_kunit's own.
 */
#include "../user.c"

#include <linux/rcupdate.h>
#include <linux/string.h>

#include "concurrent.h"
#include "suites.h"

#define UNLIMITED	(RLIM_INFINITY >> PAGE_SHIFT)

/*
 * Users that nobody can log in as. Of one uid, as no two are, so that in the table
 * they are always in each other's way.
 */
static struct user_struct people[2];

enum { NO_CAPS, IPC_LOCK = 1, RESOURCE = 2 };

/*
 * Rights as they are had by a person with these capabilities and this limit of locked
 * memory. The test's own thread ends with its case, and so does its limit.
 */
static void rights_of(struct kunit *test, unsigned int person, unsigned int caps,
		      unsigned long pages, struct profil_rights *rights)
{
	struct cred *cred = prepare_creds();
	const struct cred *old;
	int err;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, cred);
	/* free_uid(), which 5.10 does not export: root's is not the last reference */
	refcount_dec(&cred->user->__count);
	cred->user = get_uid(&people[person]);
	cred->uid = people[person].uid;
	cred->euid = people[person].uid;
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

static long locked(unsigned int person)
{
	return atomic_long_read(&people[person].locked_vm);
}

static int sessions(const struct profil_rights *rights)
{
	return atomic_read(&rights->user->sessions);
}

static int regions(const struct profil_rights *rights)
{
	return atomic_read(&rights->user->regions);
}

static int init(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(people); i++) {
		memset(&people[i], 0, sizeof(people[i]));
		/* one that is never given back: they are not to be freed */
		refcount_set(&people[i].__count, 1);
		people[i].uid = KUIDT_INIT(4000000);
	}
	max_user_sessions = 4;
	max_user_regions = 100;
	return 0;
}

/* What all cases end with: nothing is held any more, and nothing kept. */
static void expect_nothing_left(struct kunit *test)
{
	unsigned int i;

	/* credentials are freed after a grace period */
	rcu_barrier();
	for (i = 0; i < ARRAY_SIZE(people); i++) {
		KUNIT_EXPECT_EQ(test, refcount_read(&people[i].__count), 1U);
		KUNIT_EXPECT_EQ(test, locked(i), 0L);
	}
	KUNIT_EXPECT_TRUE(test, hash_empty(users));
}

static void terms(struct kunit *test)
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

static void sessions_to_the_limit(struct kunit *test)
{
	struct profil_rights rights;
	int i;

	rights_of(test, 0, NO_CAPS, 0, &rights);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, profil_charge_session(&rights, 0), 0);
	KUNIT_EXPECT_EQ(test, profil_charge_session(&rights, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, sessions(&rights), 4);
	/* in the place of one that is about to go there is room for one */
	KUNIT_EXPECT_EQ(test, profil_charge_session(&rights, 1), 0);
	KUNIT_EXPECT_EQ(test, profil_charge_session(&rights, 1), -ENOSPC);
	profil_uncharge_session(&rights);
	KUNIT_EXPECT_EQ(test, profil_charge_session(&rights, 0), -ENOSPC);
	profil_uncharge_session(&rights);
	KUNIT_EXPECT_EQ(test, profil_charge_session(&rights, 0), 0);

	/* lowered, it ends none, and allows no more until there are fewer */
	max_user_sessions = 2;
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, profil_charge_session(&rights, 0), -ENOSPC);
		profil_uncharge_session(&rights);
	}
	KUNIT_EXPECT_EQ(test, profil_charge_session(&rights, 0), 0);
	max_user_sessions = 0;
	KUNIT_EXPECT_EQ(test, profil_charge_session(&rights, 0), -ENOSPC);
	profil_uncharge_session(&rights);
	profil_uncharge_session(&rights);
	KUNIT_EXPECT_EQ(test, sessions(&rights), 0);
	profil_rights_put(&rights);
	expect_nothing_left(test);
}

static void regions_to_the_limit(struct kunit *test)
{
	struct profil_rights rights;

	rights_of(test, 0, NO_CAPS, 0, &rights);
	KUNIT_EXPECT_EQ(test, profil_charge_regions(&rights, 101, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, regions(&rights), 0);
	KUNIT_EXPECT_EQ(test, profil_charge_regions(&rights, 60, 0), 0);
	KUNIT_EXPECT_EQ(test, profil_charge_regions(&rights, 41, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, profil_charge_regions(&rights, 40, 0), 0);
	KUNIT_EXPECT_EQ(test, profil_charge_regions(&rights, 1, 0), -ENOSPC);
	/* none, as the profile with a catch-all only has, are always to be had */
	KUNIT_EXPECT_EQ(test, profil_charge_regions(&rights, 0, 0), 0);

	/* one with 61 instead of the one with 60 would be one too many */
	KUNIT_EXPECT_EQ(test, profil_charge_regions(&rights, 61, 60), -ENOSPC);
	KUNIT_EXPECT_EQ(test, profil_charge_regions(&rights, 60, 60), 0);
	KUNIT_EXPECT_EQ(test, regions(&rights), 160);
	profil_uncharge_regions(&rights, 60);
	profil_uncharge_regions(&rights, 60);
	profil_uncharge_regions(&rights, 40);
	KUNIT_EXPECT_EQ(test, regions(&rights), 0);

	/* limits and credit of 32 bits do not overflow */
	max_user_regions = U32_MAX;
	KUNIT_EXPECT_EQ(test, profil_charge_regions(&rights, 4096, 1), 0);
	max_user_regions = 4096;
	KUNIT_EXPECT_EQ(test, profil_charge_regions(&rights, U32_MAX - 4095, 0),
			-ENOSPC);
	profil_uncharge_regions(&rights, 4096);
	profil_rights_put(&rights);
	expect_nothing_left(test);
}

static void pages_to_the_limit(struct kunit *test)
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

	/* another of his processes may do more: the charge is one, the limits two */
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

/* What others have locked of his memory counts too, perf's and io_uring's. */
static void pages_of_others(struct kunit *test)
{
	struct profil_rights rights;

	rights_of(test, 0, NO_CAPS, 10, &rights);
	atomic_long_add(8, &people[0].locked_vm);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&rights, 3), -ENOMEM);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&rights, 2), 0);
	/* they may have had other limits */
	atomic_long_add(100, &people[0].locked_vm);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&rights, 1), -ENOMEM);
	profil_uncharge_pages(&rights, 2);
	KUNIT_EXPECT_EQ(test, locked(0), 108L);
	atomic_long_sub(108, &people[0].locked_vm);
	profil_rights_put(&rights);
	expect_nothing_left(test);
}

/* CAP_IPC_LOCK is about pages only, and such pages are nobody's. */
static void exempt_from_locking(struct kunit *test)
{
	struct profil_rights rights;
	int i;

	rights_of(test, 0, IPC_LOCK, 0, &rights);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&rights, 1000), 0);
	KUNIT_EXPECT_EQ(test, locked(0), 0L);
	profil_uncharge_pages(&rights, 1000);
	KUNIT_EXPECT_EQ(test, locked(0), 0L);

	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, profil_charge_session(&rights, 0), 0);
	KUNIT_EXPECT_EQ(test, profil_charge_session(&rights, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, profil_charge_regions(&rights, 101, 0), -ENOSPC);
	for (i = 0; i < 4; i++)
		profil_uncharge_session(&rights);
	profil_rights_put(&rights);
	expect_nothing_left(test);
}

/* CAP_SYS_RESOURCE is about sessions and regions, which are counted all the same. */
static void exempt_from_caps(struct kunit *test)
{
	struct profil_rights mighty, rights;
	int i;

	rights_of(test, 0, RESOURCE, 10, &mighty);
	rights_of(test, 0, NO_CAPS, 10, &rights);
	KUNIT_EXPECT_PTR_EQ(test, mighty.user, rights.user);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, profil_charge_session(&mighty, 0), 0);
	KUNIT_EXPECT_EQ(test, profil_charge_regions(&mighty, 1000, 0), 0);
	KUNIT_EXPECT_EQ(test, profil_charge_session(&rights, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, profil_charge_regions(&rights, 1, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&mighty, 11), -ENOMEM);

	for (i = 0; i < 10; i++)
		profil_uncharge_session(&mighty);
	profil_uncharge_regions(&mighty, 1000);
	KUNIT_EXPECT_EQ(test, profil_charge_session(&rights, 0), 0);
	profil_uncharge_session(&rights);
	profil_rights_put(&mighty);
	/* he is still there: of him, one went */
	KUNIT_EXPECT_FALSE(test, hash_empty(users));
	profil_rights_put(&rights);
	expect_nothing_left(test);
}

static void two_users(struct kunit *test)
{
	struct profil_rights rights[2];
	int i, k;

	for (i = 0; i < 2; i++)
		rights_of(test, i, NO_CAPS, 10, &rights[i]);
	KUNIT_EXPECT_TRUE(test, rights[0].user != rights[1].user);
	/* what one has is not the other's, to the limit */
	for (i = 0; i < 2; i++) {
		for (k = 0; k < 4; k++)
			KUNIT_EXPECT_EQ(test, profil_charge_session(&rights[i], 0), 0);
		KUNIT_EXPECT_EQ(test, profil_charge_session(&rights[i], 0), -ENOSPC);
		KUNIT_EXPECT_EQ(test, profil_charge_regions(&rights[i], 100, 0), 0);
		KUNIT_EXPECT_EQ(test, profil_charge_pages(&rights[i], 10), 0);
		KUNIT_EXPECT_EQ(test, locked(i), 10L);
	}
	/* nor does it become so when the other goes */
	for (k = 0; k < 4; k++)
		profil_uncharge_session(&rights[0]);
	profil_uncharge_regions(&rights[0], 100);
	profil_uncharge_pages(&rights[0], 10);
	profil_rights_put(&rights[0]);
	KUNIT_EXPECT_EQ(test, locked(1), 10L);
	KUNIT_EXPECT_EQ(test, profil_charge_session(&rights[1], 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&rights[1], 1), -ENOMEM);

	for (k = 0; k < 4; k++)
		profil_uncharge_session(&rights[1]);
	profil_uncharge_regions(&rights[1], 100);
	profil_uncharge_pages(&rights[1], 10);
	profil_rights_put(&rights[1]);
	expect_nothing_left(test);
}

/* What one of several has got at once: all of it, some, or nothing. */
struct charge {
	u32 nr;
	bool session;
	bool region;
	bool page;
};

/* Several who charge at once, on other CPUs and in interrupts, as forks may. */
struct crowd {
	struct profil_rights rights;
	struct interrupter interrupter;
	struct charge held;
	atomic_t exceeded;
	atomic_t granted;
	atomic_t refused;
};

#define WORKERS		4
#define CHARGES		20000
#define INTERRUPTS	1500
#define PAGES		6

static void charge_all(struct crowd *crowd, struct charge *charge, u32 nr)
{
	const struct profil_rights *rights = &crowd->rights;
	int got;

	charge->nr = nr;
	charge->session = !profil_charge_session(rights, 0);
	charge->region = !profil_charge_regions(rights, nr, 0);
	charge->page = !profil_charge_pages(rights, nr);
	got = charge->session + charge->region + charge->page;

	if (sessions(rights) > 4 || regions(rights) > 100 || locked(0) > PAGES ||
	    sessions(rights) < 3 + charge->session ||
	    regions(rights) < 96 + charge->region ||
	    locked(0) < 2 + charge->page)
		atomic_inc(&crowd->exceeded);
	atomic_add(got, &crowd->granted);
	atomic_add(3 - got, &crowd->refused);
}

static void uncharge_all(struct crowd *crowd, struct charge *charge)
{
	if (charge->session)
		profil_uncharge_session(&crowd->rights);
	if (charge->region)
		profil_uncharge_regions(&crowd->rights, charge->nr);
	if (charge->page)
		profil_uncharge_pages(&crowd->rights, charge->nr);
	*charge = (struct charge){};
}

/* Kept until the next one: who was interrupted in the middle of it finds it gone. */
static void charge_in_interrupt(struct interrupter *interrupter)
{
	struct crowd *crowd = interrupter->data;

	if (crowd->held.nr)
		uncharge_all(crowd, &crowd->held);
	else
		charge_all(crowd, &crowd->held, 2);
}

static void charge_and_uncharge(struct crowd *crowd, u32 nr)
{
	struct charge charge;

	charge_all(crowd, &charge, nr);
	uncharge_all(crowd, &charge);
	cond_resched();
}

static void charge_much(struct worker *worker)
{
	struct crowd *crowd = worker->data;
	unsigned int i;

	if (worker->number) {
		for (i = 0; i < CHARGES; i++)
			charge_and_uncharge(crowd, 1 + i % 4);
		return;
	}
	interrupter_start(&crowd->interrupter, INTERRUPTS, charge_in_interrupt, crowd);
	for (i = 0; !interrupter_is_over(&crowd->interrupter); i++)
		charge_and_uncharge(crowd, 1 + i % 4);
	interrupter_stop(&crowd->interrupter);
	uncharge_all(crowd, &crowd->held);
}

static void several_at_once(struct kunit *test)
{
	struct worker *workers = kunit_kzalloc(test, WORKERS * sizeof(*workers),
					       GFP_KERNEL);
	struct crowd *crowd = kunit_kzalloc(test, sizeof(*crowd), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, workers);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, crowd);
	rights_of(test, 0, NO_CAPS, PAGES, &crowd->rights);
	/* so close to the limits that there is room for one of them */
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, profil_charge_session(&crowd->rights, 0), 0);
	KUNIT_EXPECT_EQ(test, profil_charge_regions(&crowd->rights, 96, 0), 0);
	KUNIT_EXPECT_EQ(test, profil_charge_pages(&crowd->rights, 2), 0);

	run_workers(test, workers, WORKERS, charge_much, crowd);
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->exceeded), 0);
	KUNIT_EXPECT_GT(test, atomic_read(&crowd->granted), CHARGES);
	/* they met */
	KUNIT_EXPECT_GT(test, atomic_read(&crowd->refused), 0);
	KUNIT_EXPECT_EQ(test, sessions(&crowd->rights), 3);
	KUNIT_EXPECT_EQ(test, regions(&crowd->rights), 96);
	KUNIT_EXPECT_EQ(test, locked(0), 2L);

	for (i = 0; i < 3; i++)
		profil_uncharge_session(&crowd->rights);
	profil_uncharge_regions(&crowd->rights, 96);
	profil_uncharge_pages(&crowd->rights, 2);
	profil_rights_put(&crowd->rights);
	expect_nothing_left(test);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(terms),
	KUNIT_CASE(sessions_to_the_limit),
	KUNIT_CASE(regions_to_the_limit),
	KUNIT_CASE(pages_to_the_limit),
	KUNIT_CASE(pages_of_others),
	KUNIT_CASE(exempt_from_locking),
	KUNIT_CASE(exempt_from_caps),
	KUNIT_CASE(two_users),
	KUNIT_CASE(several_at_once),
	{}
};

struct kunit_suite profil_user_suite = {
	.name = "profil_user",
	.init = init,
	.test_cases = cases,
};
