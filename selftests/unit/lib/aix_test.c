// SPDX-License-Identifier: GPL-2.0-only
/*
 * AIX's profil(), the one for which it matters whether profiling is on, and by
 * which of its forms; and what it refuses.
 */
#include <sys/mman.h>
#include <sys/resource.h>

#include "support/calls.h"

/*
 * AIX's structure by the dialect's own header, under a name that is free here
 */
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

/* A call that turns on what is on, or off what is off or the other form's. */
static void test_no_effect(void **state)
{
	struct aix_prof profs[] = {
		{ (caddr_t)0x1000, (caddr_t)0x1100, buffer, 0x100, -1U },
		aix_off,
	};

	(void)state;
	assert_int_equal(0, start_aix());
	assert_int_equal(0, profil_aix(buffer, 2, 0, 0xffff));
	assert_int_equal(0, aix_form(profs));
	assert_int_equal(1, fake_device.starts);
	assert_int_equal((uintptr_t)buffer + 2,
			 fake_device_counter(offset + 4));
	assert_int_equal(0, aix_form((struct aix_prof *)&aix_off));
	assert_true(is_on());
	assert_int_equal(0, profil_aix(buffer, 0, 0, 0x10001));
	assert_false(is_on());
	assert_int_equal(1, fake_device.stops);
	assert_int_equal(0, profil_aix(buffer, 0, 0, 0));
	assert_int_equal(0, aix_form((struct aix_prof *)&aix_off));
	assert_int_equal(1, fake_device.stops);

	assert_int_equal(0, aix_form(profs));
	assert_int_equal(0, aix_form(profs));
	assert_int_equal(0, start_aix());
	assert_int_equal(2, fake_device.starts);
	assert_int_equal(0, profil_aix(buffer, 0, 0, 0));
	assert_true(is_on());
	assert_int_equal(0, aix_form((struct aix_prof *)&aix_off));
	assert_false(is_on());
}

/* A profile that can count nothing is on, although the kernel has none. */
static void test_nothing_to_count(void **state)
{
	struct aix_prof profs[] = {
		{ (caddr_t)0x1000, (caddr_t)0x1100, buffer, 0x100, 0 },
		aix_off,
	};

	(void)state;
	assert_int_equal(0, aix_form(profs));
	assert_int_equal(0, start_aix());
	assert_int_equal(0, fake_device.starts);
	assert_int_equal(0, aix_form((struct aix_prof *)&aix_off));
	assert_int_equal(0, start_aix());
	assert_int_equal(1, fake_device.starts);
	/* the kernel ends a profile by itself: then it is off */
	fake_device.state = PROFIL_STATE_FAULT;
	assert_int_equal(0, aix_form(profs));
	assert_int_equal(0, start_aix());
	assert_int_equal(1, fake_device.starts);
	assert_int_equal(0, aix_form((struct aix_prof *)&aix_off));
	assert_int_equal(0, start_aix());
	assert_int_equal(2, fake_device.starts);
	assert_int_equal(0, profil_aix(buffer, 0, 0, 0));
}

/* A forked child that the kernel does not follow: its profile is off, and may begin anew. */
static void test_child_not_followed(void **state)
{
	(void)state;
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

/* A buffer without a counter makes the first form ineffective, and only that form. */
static void test_no_buffer(void **state)
{
	struct aix_prof profs[] = {
		{ (caddr_t)0x1000, (caddr_t)0x1100, buffer, 0x100, -1U },
		aix_off,
	};
	unsigned int size;

	(void)state;
	for (size = 0; size < 2; size++) {
		assert_int_equal(0, profil_aix(buffer, size, 0, 0x8000));
		assert_int_equal(0, start_aix());
		assert_true(is_on());
		assert_int_equal(0, profil_aix(buffer, size, 0, 0x8000));
		assert_false(is_on());
		assert_int_equal(0, aix_form(profs));
		assert_int_equal(0, profil_aix(buffer, size, 0, 0x8000));
		assert_true(is_on());
		assert_int_equal(0, aix_form((struct aix_prof *)&aix_off));
		assert_false(is_on());
	}
}

/*
 * p_scale -1: each pc of the range has a counter, no two have one that is not between
 * theirs, and the last one is in the buffer.
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
	/* no finer scale would do: where there is text for them, all counters are used */
	if (text >= bytes)
		assert_int_equal((uintptr_t)buffer + (bytes & ~1U) - 2, previous);
	assert_int_equal(0, aix_form((struct aix_prof *)&aix_off));
}

static void test_scale_by_size(void **state)
{
	static const unsigned long texts[] = {
		1, 2, 3, 4, 5, 7, 0x40, 0x41, 0x3ff, 0x1000, 0x1001, 0x12345,
	};
	static const unsigned int sizes[] = { 2, 3, 4, 5, 6, 8, 64 };
	size_t i, j;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(texts); i++)
		for (j = 0; j < ARRAY_SIZE(sizes); j++)
			check_range(texts[i], sizes[j]);
}

/* A range that is 65536 times its buffer: a scale of 0, 1 or 2 turns nothing off. */
static void test_large_range(void **state)
{
	struct aix_prof profs[] = {
		{ (caddr_t)0x10000, (caddr_t)0x10000 + 0x40000, buffer, 4, -1U },
		aix_off,
	};
	static const unsigned long texts[] = { 0x18000, 0x30000, 0x40000, 0x7fffffff };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		profs[0].p_high = profs[0].p_low + texts[i];
		assert_int_equal(0, aix_form(profs));
		assert_int_equal((uintptr_t)buffer, fake_device_counter(0x10000));
		assert_int_not_equal(0, fake_device_counter(0x10000 + texts[i] - 1));
		assert_int_equal(0, aix_form((struct aix_prof *)&aix_off));
	}
}

/* What is asked for while profiling is on is not looked at, but for the first p_high. */
static void test_errors_while_on(void **state)
{
	struct aix_prof profs[] = {
		{ (caddr_t)0x2000, (caddr_t)0x2100, NULL, 0x100, -1U },
		{ (caddr_t)0x1000, (caddr_t)0x1100, buffer, 0x100, -1U },
		aix_off,
	};

	(void)state;
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

/* A profile of another function of the library is none of AIX's. */
static void test_another_function(void **state)
{
	(void)state;
	assert_int_equal(0, start_glibc());
	assert_int_equal(0, start_aix());
	assert_int_equal(2, fake_device.starts);
	assert_int_equal(PROFIL_OVERFLOW_SATURATE, fake_device.start.overflow);
	assert_int_equal(0, start_bsd());
	assert_int_equal(0, profil_aix(buffer, 0, 0, 0));
	assert_true(is_on());
	assert_int_equal(0, start_aix());
	assert_int_equal(4, fake_device.starts);
	assert_int_equal(PROFIL_OVERFLOW_SATURATE, fake_device.start.overflow);
	assert_int_equal(0, profil_aix(buffer, 0, 0, 0));
	assert_false(is_on());
}

static void test_errors(void **state)
{
	struct aix_prof profs[] = {
		{ (caddr_t)0x1000, (caddr_t)0x1100, buffer, 0x100, -1U },
		{ (caddr_t)0x2000, (caddr_t)0x2100, buffer, 0x100, -1U },
		aix_off,
	};
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct aix_prof *last;
	struct rlimit limit;

	(void)state;
	/* "if the buffer cannot be locked in memory" */
	fake_device.start_error = ENOMEM;
	assert_int_equal(EFAULT, error_of(start_aix()));
	assert_int_equal(EFAULT, error_of(aix_form(profs)));
	fake_device.start_error = ENOSPC;
	assert_int_equal(ENOSPC, error_of(start_aix()));
	assert_int_equal(ENOSPC, error_of(aix_form(profs)));
	fake_device.start_error = 0;

	/* refused for its place, not for a region that the kernel would refuse */
	profs[1].p_scale = 0;
	profs[1].p_low = (caddr_t)0x1000;
	profs[1].p_high = (caddr_t)0x1100;
	assert_int_equal(EINVAL, error_of(aix_form(profs)));
	profs[1].p_high = (caddr_t)0x1080;
	assert_int_equal(EINVAL, error_of(aix_form(profs)));
	profs[1].p_low = (caddr_t)0x2001;
	profs[1].p_high = (caddr_t)0x2000;
	assert_int_equal(EINVAL, error_of(aix_form(profs)));

	/* an array that ends where the memory does, before its end */
	munmap(page + 4096, 4096);
	profs[1].p_high = (caddr_t)0x2100;
	profs[1].p_scale = -1U;
	last = (struct aix_prof *)(page + 4096) - 2;
	memcpy(last, profs, 2 * sizeof(*profs));
	assert_int_equal(EFAULT, error_of(aix_form(last)));
	assert_int_equal(EFAULT, error_of(aix_form(NULL)));
	munmap(page, 4096);
	/* its structures are read through a pipe */
	getrlimit(RLIMIT_NOFILE, &limit);
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 0, limit.rlim_max });
	assert_int_equal(EMFILE, error_of(aix_form(profs)));
	setrlimit(RLIMIT_NOFILE, &limit);
	assert_int_equal(0, fake_device.starts);
	assert_false(is_on());
	/* none of these has turned it on */
	assert_int_equal(0, start_aix());
	assert_true(is_on());
	assert_int_equal(0, profil_aix(buffer, 0, 0, 0));
}

/*
 * As many elements as the kernel takes regions, and no more, also if they hold no pc:
 * an array without an end is none.
 */
static void test_many_regions(void **state)
{
	static struct aix_prof profs[4096 + 10];
	size_t i;

	(void)state;
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
	assert_int_equal(0, aix_form((struct aix_prof *)&aix_off));
	assert_false(is_on());
}

/* Whether it is on cannot be asked: then the call fails, and nothing changes. */
static void test_no_answer(void **state)
{
	struct aix_prof profs[] = {
		{ (caddr_t)0x1000, (caddr_t)0x1100, buffer, 0x100, -1U },
		aix_off,
	};

	(void)state;
	assert_int_equal(0, start_aix());
	fake_device_lose(EMFILE);
	assert_int_equal(EMFILE, error_of(start_aix()));
	assert_int_equal(EMFILE, error_of(aix_form(profs)));
	assert_int_equal(EMFILE, error_of(profil_aix(buffer, 0, 0, 0)));
	fake_device.open_error = 0;
	assert_true(is_on());
	assert_int_equal(1, fake_device.starts);
	assert_int_equal(0, profil_aix(buffer, 0, 0, 0));
	assert_false(is_on());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_no_effect),
		TEST(test_nothing_to_count),
		TEST(test_child_not_followed),
		TEST(test_no_buffer),
		TEST(test_scale_by_size),
		TEST(test_large_range),
		TEST(test_errors_while_on),
		TEST(test_another_function),
		TEST(test_errors),
		TEST(test_many_regions),
		TEST(test_no_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
