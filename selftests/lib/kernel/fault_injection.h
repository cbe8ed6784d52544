/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's fault injection (Documentation/fault-injection), limited to the module: only calls
 * from its text fail. Include this after the harness.
 *
 * Some code retries a failed allocation, so a single failure has no effect there. The second way
 * makes all allocations fail from the nth on.
 */
#ifndef SELFTESTS_FAULT_INJECTION_H
#define SELFTESTS_FAULT_INJECTION_H

#include <limits.h>
#include <sys/stat.h>

#include "common.h"
#include "files.h"

enum kind { SLAB, PAGES, COPIES, KINDS };

enum way {
	ONE,		/* only the nth of this thread */
	ALL_FROM,	/* the nth of this thread, and all later ones */
	ALL_OF_ALL,	/* the same, counted over all threads, including workers */
};

struct injection {
	uid_t uid;	/* the user that the test acts as; settings need root */
	int nth;	/* /proc/thread-self/fail-nth */
	enum kind kind;
	enum way way;
	unsigned long start, end;	/* the module's text */
};

/* For ALL_FROM: each failure decrements this number. */
#define MANY	1000000

/* Become root again for a while, or the user. */
void as_root(void);

void as_user(const struct injection *injection);

/* Switches to another unprivileged user, who has nothing charged yet. as_root() switches back. */
void next_user(struct injection *injection);

/* Limits the failures of @kind to calls from a range of kernel text. */
int aim(enum kind kind, unsigned long start, unsigned long end);

/* Selects the failures of one kind in the module, and disables the others. */
void choose(struct injection *injection, enum kind kind, enum way way);

/*
 * Initializes fault injection, as root, and resets the settings of a test that was killed. Returns
 * NULL, or why it is not possible.
 */
const char *init_injection(struct injection *injection);

/*
 * From now on, the nth call fails, counted from 1. For ALL_FROM, slab allocations are counted by
 * their bytes: several small ones count as one.
 */
void arm(struct injection *injection, unsigned long n);

/* Ends the failures. Returns how many calls have failed: for ONE, 0 or 1. */
long disarm(struct injection *injection);

void end_injection(struct injection *injection);

#endif /* SELFTESTS_FAULT_INJECTION_H */
