/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's fault injection (Documentation/fault-injection), pointed at the
 * module: only what is called from its text fails, whoever calls it. To be
 * included after the harness.
 *
 * Allocations are tried twice in some places: one that fails alone shows nothing
 * there. So there is a second way, in which all fail from one on.
 */
#ifndef SELFTESTS_FAULT_INJECTION_H
#define SELFTESTS_FAULT_INJECTION_H

#include <limits.h>
#include <sys/stat.h>

#include "common.h"
#include "files.h"

enum kind { SLAB, PAGES, COPIES, KINDS };

enum way {
	ONE,		/* the nth of this thread */
	ALL_FROM,	/* this thread's nth, and all after it */
	ALL_OF_ALL,	/* the same, but of all threads together: of workers too */
};

struct injection {
	uid_t uid;	/* whom the test plays; settings are root's */
	int nth;	/* /proc/thread-self/fail-nth */
	enum kind kind;
	enum way way;
	unsigned long start, end;	/* the module's text */
};

/* Of ALL_FROM: to be used up, each time by one, by what fails. */
#define MANY	1000000

/* Be the user, or root for a while. */
void as_root(void);

void as_user(const struct injection *injection);

/* Another user, with no rights and nothing charged so far. Root's may be had back. */
void next_user(struct injection *injection);

/* What a kind fails for: calls from a range of the kernel. */
int aim(enum kind kind, unsigned long start, unsigned long end);

/* Of one kind in the module, of others nothing. */
void choose(struct injection *injection, enum kind kind, enum way way);

/*
 * As root. Return: 0, or why it cannot be. What an earlier test has left, if it was
 * killed, is taken back.
 */
const char *init_injection(struct injection *injection);

/*
 * Fail from now on: the nth, 1 and up. ALL_FROM counts slab allocations by their
 * bytes: small ones go by several at a time.
 */
void arm(struct injection *injection, unsigned long n);

/* No more. Return: how many have failed; of ONE, that is 0 or 1. */
long disarm(struct injection *injection);

void end_injection(struct injection *injection);

#endif /* SELFTESTS_FAULT_INJECTION_H */
