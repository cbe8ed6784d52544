// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil() of AIX: calls whose effect depends on whether profiling is on, and on which form turned
 * it on; and errors.
 */
#include <sys/mman.h>
#include <sys/resource.h>

#include "support/calls.h"

/* AIX's struct prof, renamed: calls.h includes the C library's */
#define prof	aix_prof
#define profil	aix_profil
#include "lib/include/profil/aix/mon.h"
#undef prof
#undef profil

static const struct aix_prof aix_off = { .p_high = 0 };

static int aix_form(struct aix_prof *profs)
{
	return profil_aix(profs, -1U, 0, 0);
}

/* No effect: turning on what is on, or off what is off or was turned on by the other form. */
TEST_F(calls_without_effect)
{
	assert_int_equal(0, start_aix());
	assert_int_equal(0, profil_aix(buffer, 2, 0, 0xffff));
	assert_int_equal(0, start_aix_form());
	assert_int_equal(1, fake_device.starts);
	assert_int_equal((uintptr_t)buffer + 2, fake_device_counter(offset + 4));
	assert_int_equal(0, stop_aix_form());
	assert_true(is_on());
	assert_int_equal(0, profil_aix(buffer, 0, 0, 0x10001));
	assert_false(is_on());
	assert_int_equal(1, fake_device.stops);
	assert_int_equal(0, profil_aix(buffer, 0, 0, 0));
	assert_int_equal(0, stop_aix_form());
	assert_int_equal(1, fake_device.stops);

	assert_int_equal(0, start_aix_form());
	assert_int_equal(0, start_aix_form());
	assert_int_equal(0, start_aix());
	assert_int_equal(2, fake_device.starts);
	assert_int_equal(0, profil_aix(buffer, 0, 0, 0));
	assert_true(is_on());
	assert_int_equal(0, stop_aix_form());
	assert_false(is_on());
}

/* A profile with nothing to count is on, although the kernel has no session. */
TEST_F(profile_with_nothing_to_count_is_on)
{
	struct aix_prof profs[] = {
		{ (caddr_t)0x1000, (caddr_t)0x1100, buffer, 0x100, 0 },
		aix_off,
	};

	assert_int_equal(0, aix_form(profs));
	assert_int_equal(0, start_aix());
	assert_int_equal(0, fake_device.starts);
	assert_int_equal(0, stop_aix_form());
	assert_int_equal(0, start_aix());
	assert_int_equal(1, fake_device.starts);
	/* a profile that the kernel has ended is off */
	fake_device.state = PROFIL_STATE_FAULT;
	assert_int_equal(0, aix_form(profs));
	assert_int_equal(0, start_aix());
	assert_int_equal(1, fake_device.starts);
	assert_int_equal(0, stop_aix_form());
	assert_int_equal(0, start_aix());
	assert_int_equal(2, fake_device.starts);
	assert_int_equal(0, profil_aix(buffer, 0, 0, 0));
	/* profil_stop() ends it, too */
	assert_int_equal(0, aix_form(profs));
	assert_int_equal(0, profil_stop(NULL));
	assert_int_equal(0, start_aix());
	assert_int_equal(3, fake_device.starts);
}

/* In a forked child that did not inherit the profile, it is off, and can be turned on again. */
TEST_F(child_without_profile_can_start_one)
{
	assert_int_equal(0, start_aix());
	fake_device.state = PROFIL_STATE_OFF;
	assert_int_equal(0, profil_aix(buffer, 0, 0, 0));
	assert_int_equal(0, fake_device.stops);
	assert_int_equal(0, start_aix());
	assert_int_equal(2, fake_device.starts);
	assert_true(is_on());
	assert_int_equal(0, profil_aix(buffer, 0, 0, 0));
	assert_false(is_on());
}

/* A buffer without room for a counter turns off a profile of the first form, and only that. */
TEST_F(buffer_without_counter_turns_off)
{
	unsigned int size;

	for (size = 0; size < 2; size++) {
		assert_int_equal(0, profil_aix(buffer, size, 0, 0x8000));
		assert_int_equal(0, start_aix());
		assert_true(is_on());
		assert_int_equal(0, profil_aix(buffer, size, 0, 0x8000));
		assert_false(is_on());
		assert_int_equal(0, start_aix_form());
		assert_int_equal(0, profil_aix(buffer, size, 0, 0x8000));
		assert_true(is_on());
		assert_int_equal(0, stop_aix_form());
		assert_false(is_on());
	}
}

/*
 * p_scale -1: each pc of the range has a counter in the buffer, and counters ascend with the pcs.
 */
static void check_range(unsigned long text, unsigned int bytes)
{
	const uintptr_t low = 0x10000;
	struct aix_prof profs[] = {
		{ (caddr_t)low, (caddr_t)(low + text), buffer, (int)bytes, -1U },
		aix_off,
	};
	uint64_t previous = (uintptr_t)buffer, counter;
	unsigned long d, step = text < 5000 ? 1 : text / 4999;

	assert_int_equal(0, aix_form(profs));
	for (d = 0; d < text; d += d + step < text ? step : text - d > 1 ? text - d - 1 : 1) {
		counter = fake_device_counter(low + d);
		if (counter < previous || counter > (uintptr_t)buffer + (bytes & ~1U) - 2)
			fail_msg("%#lx of %#lx in %u bytes: %#llx", d, text, bytes,
				 (unsigned long long)counter);
		previous = counter;
	}
	assert_int_equal(0, fake_device_counter(low + text));
	/* the scale is the largest possible: if there is enough text, all counters are used */
	if (text >= bytes)
		assert_int_equal((uintptr_t)buffer + (bytes & ~1U) - 2, previous);
	assert_int_equal(0, stop_aix_form());
}

TEST_F(scale_by_size_gives_each_pc_a_counter)
{
	static const unsigned long texts[] = {
		1, 2, 3, 4, 5, 7, 0x40, 0x41, 0x3ff, 0x1000, 0x1001, 0x12345,
	};
	static const unsigned int sizes[] = { 2, 3, 4, 5, 6, 8, 64 };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(texts); i++)
		for (j = 0; j < ARRAY_SIZE(sizes); j++)
			check_range(texts[i], sizes[j]);
}

/* A computed scale of 0, 1 or 2, in a range of up to 65536 times the buffer, is valid. */
TEST_F(computed_scales_below_3_are_valid)
{
	struct aix_prof profs[] = {
		{ (caddr_t)0x10000, (caddr_t)0x10000 + 0x40000, buffer, 4, -1U },
		aix_off,
	};
	static const unsigned long texts[] = { 0x18000, 0x30000, 0x40000, 0x7fffffff };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		profs[0].p_high = profs[0].p_low + texts[i];
		assert_int_equal(0, aix_form(profs));
		assert_int_equal((uintptr_t)buffer, fake_device_counter(0x10000));
		assert_int_not_equal(0, fake_device_counter(0x10000 + texts[i] - 1));
		assert_int_equal(0, stop_aix_form());
	}
}

/* While profiling is on, the arguments are not checked, except the first p_high. */
TEST_F(arguments_are_not_checked_while_on)
{
	struct aix_prof profs[] = {
		{ (caddr_t)0x2000, (caddr_t)0x2100, NULL, 0x100, -1U },
		{ (caddr_t)0x1000, (caddr_t)0x1100, buffer, 0x100, -1U },
		aix_off,
	};

	assert_int_equal(0, start_aix());
	errno = 0;
	assert_int_equal(0, profil_aix((void *)8, 64, 0, 0xffff));
	assert_int_equal(0, aix_form(profs));
	assert_int_equal(0, errno);
	assert_int_equal(EFAULT, error_of(aix_form(NULL)));
	assert_true(is_on());
	assert_int_equal(1, fake_device.starts);
	assert_int_equal(0, profil_aix(NULL, 0, 0, 0));
	assert_false(is_on());
}

/* A profile of another function of the library counts as off. */
TEST_F(profile_of_another_function_counts_as_off)
{
	assert_int_equal(0, start_glibc());
	assert_int_equal(0, start_aix());
	assert_int_equal(2, fake_device.starts);
	assert_int_equal(PROFIL_OVERFLOW_SATURATE, fake_device.start.overflow);
	assert_int_equal(0, start_bsd());
	assert_int_equal(0, profil_aix(buffer, 0, 0, 0));
	assert_int_equal(0, stop_aix_form());
	assert_true(is_on());
	assert_int_equal(0, start_aix());
	assert_int_equal(4, fake_device.starts);
	assert_int_equal(PROFIL_OVERFLOW_SATURATE, fake_device.start.overflow);
	assert_int_equal(0, profil_aix(buffer, 0, 0, 0));
	assert_false(is_on());
}

TEST_F(errors_do_not_turn_on)
{
	struct aix_prof profs[] = {
		{ (caddr_t)0x1000, (caddr_t)0x1100, buffer, 0x100, -1U },
		{ (caddr_t)0x2000, (caddr_t)0x2100, buffer, 0x100, -1U },
		aix_off,
	};
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct aix_prof *last;
	struct rlimit limit;

	/* "if the buffer cannot be locked in memory" */
	fake_device.start_error = ENOMEM;
	assert_int_equal(EFAULT, error_of(start_aix()));
	assert_int_equal(EFAULT, error_of(aix_form(profs)));
	fake_device.start_error = ENOSPC;
	assert_int_equal(ENOSPC, error_of(start_aix()));
	assert_int_equal(ENOSPC, error_of(aix_form(profs)));
	fake_device.start_error = 0;

	/* refused because p_high does not ascend; the kernel would accept these regions */
	profs[1].p_scale = 0;
	profs[1].p_low = (caddr_t)0x1000;
	profs[1].p_high = (caddr_t)0x1100;
	assert_int_equal(EINVAL, error_of(aix_form(profs)));
	profs[1].p_high = (caddr_t)0x1080;
	assert_int_equal(EINVAL, error_of(aix_form(profs)));
	profs[1].p_low = (caddr_t)0x2001;
	profs[1].p_high = (caddr_t)0x2000;
	assert_int_equal(EINVAL, error_of(aix_form(profs)));

	/* an array without a last element, at the end of mapped memory */
	munmap(page + 4096, 4096);
	profs[1].p_high = (caddr_t)0x2100;
	profs[1].p_scale = -1U;
	last = (struct aix_prof *)(page + 4096) - 2;
	memcpy(last, profs, 2 * sizeof(*profs));
	assert_int_equal(EFAULT, error_of(aix_form(last)));
	assert_int_equal(EFAULT, error_of(aix_form(NULL)));
	munmap(page, 4096);
	/* no free descriptor for the device */
	getrlimit(RLIMIT_NOFILE, &limit);
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 0, limit.rlim_max });
	assert_int_equal(EMFILE, error_of(aix_form(profs)));
	setrlimit(RLIMIT_NOFILE, &limit);
	assert_int_equal(0, fake_device.starts);
	assert_false(is_on());
	/* none of these calls has turned profiling on */
	assert_int_equal(0, start_aix());
	assert_true(is_on());
	assert_int_equal(0, profil_aix(buffer, 0, 0, 0));
}

/* The limit of elements is the kernel's limit of regions, even if elements are empty. */
TEST_F(elements_are_limited)
{
	static struct aix_prof profs[4096 + 10];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(profs) - 1; i++)
		profs[i] = (struct aix_prof){
			(caddr_t)(0x1000 + i * 16), (caddr_t)(0x1010 + i * 16),
			buffer, 16, -1U,
		};
	assert_int_equal(E2BIG, error_of(aix_form(profs)));
	assert_false(is_on());
	for (i = 1; i < ARRAY_SIZE(profs) - 1; i++)
		profs[i].p_low = profs[i].p_high;
	assert_int_equal(E2BIG, error_of(aix_form(profs)));
	assert_false(is_on());
	profs[4096] = aix_off;
	assert_int_equal(0, aix_form(profs));
	assert_int_equal(1, fake_device.start.nr_regions);
	assert_int_equal(0, stop_aix_form());
	assert_false(is_on());
}

/* If the kernel cannot be queried, the call fails, and nothing changes. */
TEST_F(failed_query_changes_nothing)
{
	assert_int_equal(0, start_aix());
	fake_device_lose(EMFILE);
	assert_int_equal(EMFILE, error_of(start_aix()));
	assert_int_equal(EMFILE, error_of(start_aix_form()));
	assert_int_equal(EMFILE, error_of(profil_aix(buffer, 0, 0, 0)));
	fake_device.open_error = 0;
	assert_true(is_on());
	assert_int_equal(1, fake_device.starts);
	assert_int_equal(0, profil_aix(buffer, 0, 0, 0));
	assert_false(is_on());
}
