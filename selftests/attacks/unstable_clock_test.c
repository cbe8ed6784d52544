// SPDX-License-Identifier: GPL-2.0-only
/*
 * T4. The tick's hook runs before the kernel's own clock of a processor has been moved to the
 * present, where that clock is not stable: a tick that is late by ten periods looks as if it
 * were in time, and what was due goes to the pc that the next one finds.
 *
 * An instruction of its own calls the kernel, which keeps interrupts off for ten ticks: these
 * are due at its pc, and no other. To be run in a guest whose clock is not stable:
 *
 *	scripts/vm/run --sealed --shift 3 --append tsc=unstable -- ...
 *
 * In others there is nothing to be seen. The tick clock counts one more or less at both ends
 * of a stretch.
 */
#include "kselftest_harness.h"
#include "../clocked.h"
#include "../late.h"

#define ROUNDS	10
#define LATE_TICKS	10	/* ticks */

#ifdef __x86_64__
/* long call(long number, long a, long b, long c): a system call at a pc in this page */
static const unsigned char call_code[] = {
	0x48, 0x89, 0xf8,	/* mov %rdi, %rax */
	0x48, 0x89, 0xf7,	/* mov %rsi, %rdi */
	0x48, 0x89, 0xd6,	/* mov %rdx, %rsi */
	0x48, 0x89, 0xca,	/* mov %rcx, %rdx */
	0x0f, 0x05,		/* syscall */
	0xc3,			/* ret */
};
#else
static const unsigned char call_code[1];
#endif

FIXTURE(unstable) {
	struct profile profile;
};

FIXTURE_SETUP(unstable)
{
	SET_UP(&self->profile);
	REQUIRE_LATE();
	if (sizeof(call_code) == 1)
		SKIP(return, "has no code for this architecture");
}

FIXTURE_TEARDOWN(unstable)
{
	clean_up(&self->profile);
}

TEST_F(unstable, late_ticks_are_where_they_were_due)
{
	struct profile *profile = &self->profile;
	long (*call_kernel)(long nr, long a, long b, long c);
	uint64_t *at_call = profile->counter, *elsewhere = at_call + 1;
	struct profil_status status;
	double used, rest;
	char text[16];
	int i, off;

	call_kernel = map_code(PAGE);
	memcpy(call_kernel, call_code, sizeof(call_code));
	profile->region.start = (uintptr_t)call_kernel;
	profile->region.end = profile->region.start + PAGE;
	profile->start.catch_all = (uintptr_t)elsewhere;
	off = open("/sys/module/late/parameters/off", O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, off);
	snprintf(text, sizeof(text), "%u", LATE_TICKS * 1000000 / profile->hz);
	/* the first start after a boot takes a second, to attach the clock */
	ASSERT_EQ(0, begin_by(profile, PROFIL_CLOCK_TICK, profile->hz));
	stop(profile->fd);
	*at_call = 0;
	*elsewhere = 0;

	used = thread_seconds();
	ASSERT_EQ(0, begin_by(profile, PROFIL_CLOCK_TICK, profile->hz));
	for (i = 0; i < ROUNDS; i++) {
		burn(2.5 / profile->hz);
		ASSERT_EQ(strlen(text), call_kernel(SYS_write, off, (long)text,
						    (long)strlen(text)));
	}
	burn(2.5 / profile->hz);
	status = stop(profile->fd);
	used = thread_seconds() - used;
	rest = used * profile->hz - ROUNDS * LATE_TICKS;
	ksft_print_msg("%llu at the call, %d due; %llu elsewhere, %.1f due\n",
		       (unsigned long long)*at_call, ROUNDS * LATE_TICKS,
		       (unsigned long long)*elsewhere, rest);
	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	EXPECT_LE(ROUNDS * (LATE_TICKS - 1), *at_call);
	EXPECT_GE(ROUNDS * (LATE_TICKS + 1), *at_call);
	EXPECT_GE(rest + ROUNDS + 1, *elsewhere);
	close(off);
}

TEST_HARNESS_MAIN
