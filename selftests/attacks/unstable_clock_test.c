// SPDX-License-Identifier: GPL-2.0-only
/*
 * If a CPU's clock is unstable, the tick's hook runs before the kernel has updated that clock. A
 * tick that is ten periods late then looks punctual. Its missed ticks must still be counted at the
 * pc that it finds, and not at the pc of the next tick.
 *
 * One instruction of the test makes a system call that disables interrupts for ten ticks. These
 * ticks are due at the pc of that instruction. Run it in a guest with an unstable clock:
 *
 *	scripts/vm/run --sealed --shift 3 --append tsc=unstable -- ...
 *
 * Other guests cannot show the fault. The tick clock counts one more or less at each end of a
 * stretch.
 */
#include "kselftest_harness.h"
#include "profile/clock_profile.h"
#include "kernel/late.h"

#define ROUNDS	10
#define LATE_TICKS	10	/* ticks */

#ifdef __x86_64__
/* long call(long number, long a, long b, long c): a system call at a known pc */
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

FIXTURE(unstable_clock) {
	struct profile profile;
};

FIXTURE_SETUP(unstable_clock)
{
	SET_UP_CLOCK_PROFILE(&self->profile);
	REQUIRE_LATE();
	if (sizeof(call_code) == 1)
		SKIP(return, "no code for this architecture");
}

FIXTURE_TEARDOWN(unstable_clock)
{
	clean_up_clock_profile(&self->profile);
}

TEST_F(unstable_clock, late_ticks_count_where_they_were_due)
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
	/* the first start after boot takes a second, to attach the clock */
	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_TICK, profile->hz));
	stop(profile->fd);
	*at_call = 0;
	*elsewhere = 0;

	used = thread_seconds();
	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_TICK, profile->hz));
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
