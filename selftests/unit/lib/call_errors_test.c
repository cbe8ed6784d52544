// SPDX-License-Identifier: GPL-2.0-only
/*
 * Return value, messages and state after a call that fails, because of its arguments or the kernel.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "support/calls.h"

/*
 * Without the device, turning profiling on is an error, and turning it off is not. This is the first
 * test, as a missing device is printed once per process.
 */
TEST_F(off_without_device_is_no_error)
{
	size_t i;

	fake_device.open_error = ENOENT;
	begin_stderr();
	for (i = 0; i < ARRAY_SIZE(starts); i++)
		assert_int_equal(starts[i] == start_linux099 ? 0 : ENOENT, error_of(starts[i]()));
	assert_true(end_stderr("not profiling"));
	assert_int_equal(0, profil_solaris(buffer, 64, 0, 0));
	assert_int_equal(0, profil_bsd((char *)buffer, 64, 0, 0));
	assert_int_equal(0, profil_linux099((char *)buffer, 64, 0, 0));
	assert_int_equal(0, profil_osf1((short *)buffer, 64, 0, 1));
	assert_int_equal(0, profil_svid(buffer, 64, 0, 1));
	assert_int_equal(0, profil_aix(buffer, 64, 0, 1));
	assert_int_equal(0, profil(buffer, 64, 0, 0));
	assert_int_equal(0, sprofil(NULL, 0, NULL, 0));
	fake_device.open_error = EACCES;
	assert_int_equal(EACCES, error_of(profil_osf1((short *)buffer, 64, 0, 1)));
	assert_int_equal(EACCES, error_of(profil(buffer, 64, 0, 0)));
}

/* After a start that the kernel refuses, an earlier profile is stopped or continues. */
TEST_F(refused_start_stops_or_keeps_earlier_profile)
{
	static const struct {
		int (*start)(void);
		int error;	/* errno of the call; the kernel's is ENOMEM */
		bool continues;
	} rows[] = {
		{ start_solaris, ENOMEM, false },
		{ start_bsd, ENOMEM, false },
		{ start_linux099, 0, false },
		{ start_osf1, ENOMEM, false },
		{ start_svid, ENOMEM, false },
		{ start_glibc, ENOMEM, true },
		{ start_sprofil, ENOMEM, true },
		{ start_native, ENOMEM, true },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		fake_device_reset();
		assert_int_equal(0, start_native());
		fake_device.start_error = ENOMEM;
		begin_stderr();
		assert_int_equal(rows[i].error, error_of(rows[i].start()));
		end_stderr(NULL);
		assert_int_equal(rows[i].continues, is_on());
	}
}

/* Functions that cannot return an error print it, once. The others print nothing. */
TEST_F(void_functions_print_errors_once)
{
	fake_device.start_error = E2BIG;
	assert_prints("profil_osf1: not profiling", start_osf1());
	assert_prints(NULL, start_osf1());
	fake_device.start_error = EPERM;
	assert_prints("profil_linux099: not profiling", start_linux099());
	fake_device.start_error = ENOSPC;
	assert_prints("profil_svid: not profiling", start_svid());
	fake_device.start_error = ENOMEM;
	assert_prints("ulimit -l", start_solaris());
	assert_prints(NULL, start_bsd(); start_glibc(); start_aix(); start_sprofil());
}

/* A second error of the device is printed too. */
TEST_F(each_device_error_is_printed)
{
	fake_device.open_error = ENOENT;
	begin_stderr();
	start_native();
	end_stderr(NULL);
	fake_device.open_error = EMFILE;
	assert_prints("(EMFILE)", start_solaris());
}

/* A failure to turn profiling off is printed too. */
TEST_F(failed_off_is_printed)
{
	assert_int_equal(0, start_native());
	fake_device_lose(EPERM);
	assert_prints("profil_solaris: still profiling", profil_solaris(buffer, 64, 0, 0));
	fake_device.open_error = ENFILE;
	assert_prints("profil_osf1: still profiling", profil_osf1((short *)buffer, 64, 0, 0));
	fake_device.open_error = EIO;
	assert_prints("profil_svid: still profiling", profil_svid(buffer, 64, 0, 0));
	fake_device.open_error = EMFILE;
	assert_prints("profil_linux099: still profiling", profil_linux099(NULL, 64, 0, 0));
	assert_true(is_on());
	/* while a profile runs, a missing device is an error */
	fake_device.open_error = ENOENT;
	assert_int_equal(ENOENT, error_of(profil(buffer, 64, 0, 0)));
	fake_device.open_error = 0;
	assert_int_equal(0, profil(buffer, 64, 0, 0));
	fake_device.open_error = ENOENT;
	assert_int_equal(0, profil(buffer, 64, 0, 0));
}

/* If the device cannot be opened, no function reports success while the kernel counts. */
TEST_F(no_success_while_kernel_counts)
{
	static const int errors[] = { EMFILE, ENOENT };
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(ways); i++)
		for (k = 0; k < ARRAY_SIZE(errors); k++) {
			assert_int_equal(0, ways[i].start());
			fake_device_lose(errors[k]);
			begin_stderr();
			assert_int_equal(ways[i].returns_error ? errors[k] : 0,
					 error_of(ways[i].end()));
			if (ways[i].returns_error)
				end_stderr(NULL);
			else
				assert_true(end_stderr("still profiling"));
			assert_true(is_on());
			fake_device.open_error = 0;
			assert_int_equal(0, ways[i].end());
			assert_false(is_on());
		}
}

/* If the stop after a refused start fails too, its error is returned, and the profile continues. */
TEST_F(failed_stop_after_refused_start)
{
	static int (*const refused[])(void) = {
		start_solaris, start_bsd, start_linux099, start_osf1, start_svid,
	};
	/* different errors, since the same one is not printed twice */
	static const int errors[] = { EFAULT, EINTR, EIO, ENXIO, EAGAIN };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		assert_int_equal(0, start_native());
		fake_device.start_error = ENOMEM;
		fake_device.stop_error = errors[i];
		begin_stderr();
		assert_int_equal(refused[i] == start_linux099 ? 0 : errors[i],
				 error_of(refused[i]()));
		assert_true(end_stderr(refused[i] == start_bsd ? NULL : "still profiling"));
		assert_true(is_on());
		fake_device.start_error = 0;
		fake_device.stop_error = 0;
	}
}

/* The fallback does not start the timer while the kernel counts. */
TEST_F(no_fallback_while_kernel_counts)
{
	struct itimerval timer;

	setenv("PROFIL_FALLBACK", "quiet", 1);
	assert_int_equal(0, start_glibc());
	fake_device_lose(EMFILE);
	assert_int_equal(EMFILE, error_of(start_glibc()));
	setenv("PROFIL_FALLBACK", "fatal", 1);
	assert_true(is_on());
	assert_int_equal(0, getitimer(ITIMER_PROF, &timer));
	assert_int_equal(0, timer.it_value.tv_usec);
}

TEST_F(bsd_keeps_profile_only_if_scale_is_invalid)
{
	assert_int_equal(0, start_bsd());
	assert_int_equal(EINVAL, error_of(profil_bsd((char *)buffer, 64, 0, 65537)));
	assert_true(is_on());
	fake_device.start_error = EFAULT;
	assert_int_equal(EFAULT, error_of(start_bsd()));
	assert_false(is_on());
}

static volatile sig_atomic_t faults;

static void on_fault(int number)
{
	faults++;
}

TEST_F(linux099_raises_sigsegv_for_invalid_buffer)
{
	signal(SIGSEGV, on_fault);
	fake_device.start_error = EINVAL;
	begin_stderr();
	assert_int_equal(0, start_linux099());
	assert_int_equal(0, faults);
	fake_device.start_error = EFAULT;
	assert_int_equal(0, start_linux099());
	end_stderr(NULL);
	assert_int_equal(1, faults);
	signal(SIGSEGV, SIG_DFL);
	/* a NULL buffer turns profiling off; the return value is always 0 */
	fake_device.start_error = 0;
	assert_int_equal(0, start_linux099());
	assert_int_equal(0, profil_linux099(NULL, 64, 0, 0x8000));
	assert_false(is_on());
	fake_device.open_error = EACCES;
	begin_stderr();
	assert_int_equal(0, profil_linux099(NULL, 64, 0, 0x8000));
	end_stderr(NULL);
}

TEST_F(sprofil_checks_arguments)
{
	struct prof prof = { buffer, sizeof(buffer), offset, 1UL << 32 };

	assert_int_equal(0, start_sprofil());
	assert_int_equal(EINVAL, error_of(sprofil(&prof, 1, NULL, 0)));
	prof.pr_scale = 0x10000;
	assert_int_equal(EINVAL, error_of(sprofil(&prof, -1, NULL, 0)));
	assert_int_equal(EINVAL, error_of(sprofil(&prof, 1, NULL, 8)));
	assert_int_equal(EINVAL, error_of(sprofil(&prof, 1, NULL, PROF_UINT | PROF_UINT64)));
	assert_true(is_on());
	assert_int_equal(1, fake_device.starts);
	/* a call while profiling is on replaces the profile; profcnt 0 stops it */
	assert_int_equal(0, start_sprofil());
	assert_int_equal(2, fake_device.starts);
	assert_int_equal(0, sprofil(NULL, 0, NULL, 0));
	assert_false(is_on());
}

static rlim_t address_space(void)
{
	FILE *statm = fopen("/proc/self/statm", "re");
	unsigned long pages;

	if (!statm || fscanf(statm, "%lu", &pages) != 1)
		abort();
	fclose(statm);
	return pages * 4096;
}

/* Without memory for the list of regions, the earlier profile continues. */
TEST_F(sprofil_without_memory_keeps_profile)
{
	const size_t nr = 1 << 20;
	struct prof *profs = mmap(NULL, nr * sizeof(*profs), PROT_READ,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rlimit before, tight;
	int error;

	assert_ptr_not_equal(MAP_FAILED, profs);
	assert_int_equal(0, start_native());
	assert_int_equal(0, getrlimit(RLIMIT_AS, &before));
	tight = before;
	tight.rlim_cur = address_space() + (4 << 20);
	assert_int_equal(0, setrlimit(RLIMIT_AS, &tight));
	error = error_of(sprofil(profs, (int)nr, NULL, 0));
	assert_int_equal(0, setrlimit(RLIMIT_AS, &before));
	assert_int_equal(ENOMEM, error);
	assert_true(is_on());
	/* with memory, the regions have nothing to count: profiling is off */
	assert_int_equal(0, sprofil(profs, (int)nr, NULL, 0));
	assert_false(is_on());
	munmap(profs, nr * sizeof(*profs));
}

/*
 * More disjoint regions than the kernel allows are refused, without work that grows with the square
 * of their number, which would take minutes.
 */
TEST_F(sprofil_regions_are_limited)
{
	const size_t nr = 1 << 20;
	struct prof *profs = calloc(nr, sizeof(*profs));
	size_t i;

	assert_non_null(profs);
	for (i = 0; i < nr; i++)
		profs[i] = (struct prof){ buffer, 2, 16 * i, 0x10000 };
	assert_int_equal(0, sprofil(profs, 4096, NULL, 0));
	assert_int_equal(4096, fake_device.start.nr_regions);
	assert_int_equal(E2BIG, error_of(sprofil(profs, 4097, NULL, 0)));
	assert_int_equal(E2BIG, error_of(sprofil(profs, (int)nr, NULL, 0)));
	/* the others are in a large region, which is cut into one piece more than their number */
	profs[0].pr_size = sizeof(buffer);
	profs[0].pr_scale = 2;
	profs[0].pr_off = 1;
	assert_int_equal(0, sprofil(profs, 2048, NULL, 0));
	assert_int_equal(2 * 2047 + 1, fake_device.start.nr_regions);
	assert_int_equal(E2BIG, error_of(sprofil(profs, 2050, NULL, 0)));
	assert_int_equal(2, fake_device.starts);
	assert_true(is_on());
	free(profs);
}

/* Their number must fit in 32 bits. The default size of a counter is 32 bits. */
TEST_F(native_regions_are_limited)
{
	struct profil_attr attr = { .nr_regions = 1UL << 32 };

	assert_int_equal(E2BIG, error_of(profil_start(&attr)));
	assert_int_equal(0, start_native());
	assert_int_equal(32, fake_device.start.width);
	assert_int_equal(0, profil_stop(NULL));
	assert_false(is_on());
}

#define CANARY	0xa5

/* The caller's memory, with canaries around the structure */
struct caller {
	unsigned char before[64];
	unsigned char status[5000];
};

static bool is_all(const unsigned char *bytes, size_t nr, unsigned char value)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (bytes[i] != value)
			return false;
	return true;
}

static int status_of_size(struct caller *caller, size_t size,
			  int (*function)(struct profil_status *, size_t))
{
	memset(caller, CANARY, sizeof(*caller));
	return error_of(function((void *)caller->status, size));
}

/* A structure of another version of the library, shorter or longer */
TEST_F(status_of_another_version)
{
	static int (*const functions[])(struct profil_status *, size_t) = {
		profil_status_sized, profil_stop_sized,
	};
	static const size_t sizes[] = {
		8, 24, offsetof(struct profil_status, forks_followed),
		sizeof(struct profil_status), sizeof(struct profil_status) + 8, 4096,
	};
	const size_t own = sizeof(struct profil_status);
	struct profil_status expected;
	struct caller caller;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		for (k = 0; k < ARRAY_SIZE(functions); k++) {
			const size_t size = sizes[i], known = size < own ? size : own;

			memset(&fake_device.figures, 0x11, sizeof(fake_device.figures));
			assert_int_equal(0, start_native());
			assert_int_equal(0, status_of_size(&caller, size, functions[k]));
			expected = fake_device.figures;
			expected.size = (uint32_t)size;
			expected.state = PROFIL_STATE_RUNNING;
			assert_memory_equal(&expected, caller.status, known);
			assert_true(is_all(caller.status + known, size - known, 0));
			assert_true(is_all(caller.status + size,
					   sizeof(caller.status) - size, CANARY));
			assert_true(is_all(caller.before, sizeof(caller.before), CANARY));
		}
}

TEST_F(invalid_status_sizes_are_errors)
{
	static const size_t sizes[] = { 0, 4, 7, 4097, SIZE_MAX };
	struct caller caller;
	size_t i;

	assert_int_equal(0, start_native());
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		assert_int_equal(EINVAL, status_of_size(&caller, sizes[i], profil_status_sized));
		assert_int_equal(EINVAL, status_of_size(&caller, sizes[i], profil_stop_sized));
		assert_true(is_all(caller.status, sizeof(caller.status), CANARY));
	}
	assert_true(is_on());
	/* the size does not matter without a structure */
	assert_int_equal(0, profil_stop_sized(NULL, 0));
	assert_false(is_on());
}

TEST_F(attr_of_another_version)
{
	struct profil_region region = native_region();
	struct {
		struct profil_attr attr;
		unsigned char later[4096];
	} given = {
		.attr = { .regions = &region, .nr_regions = 1, .width = 16, .rate = 50,
			  .catch_all = &buffer[4] },
	};
	const size_t min = offsetof(struct profil_attr, width), own = sizeof(given.attr);

	/* fields beyond a shorter structure count as 0 */
	assert_int_equal(0, profil_start_sized(&given.attr, min));
	assert_int_equal(32, fake_device.start.width);
	assert_int_equal(100, fake_device.start.rate);
	assert_int_equal(0, fake_device.start.catch_all);
	assert_int_equal(0, profil_start_sized(&given.attr,
					       offsetof(struct profil_attr, catch_all)));
	assert_int_equal(16, fake_device.start.width);
	assert_int_equal(50, fake_device.start.rate);
	assert_int_equal(0, fake_device.start.catch_all);
	/* a longer structure with zeroes at its end is valid */
	assert_int_equal(0, profil_start_sized(&given.attr, own + 8));
	assert_int_equal((uintptr_t)&buffer[4], fake_device.start.catch_all);
	assert_int_equal(0, profil_start_sized(&given.attr, 4096));
	assert_int_equal(4, fake_device.starts);
	given.later[7] = 1;
	assert_int_equal(0, profil_start_sized(&given.attr, own + 7));
	assert_int_equal(E2BIG, error_of(profil_start_sized(&given.attr, own + 8)));
	assert_int_equal(EINVAL, error_of(profil_start_sized(&given.attr, min - 1)));
	assert_int_equal(EINVAL, error_of(profil_start_sized(&given.attr, 0)));
	assert_int_equal(EINVAL, error_of(profil_start_sized(&given.attr, 4097)));
	assert_int_equal(5, fake_device.starts);
	assert_true(is_on());
}

FIXTURE(set_up_all)
{
	setenv("PROFIL_FALLBACK", "fatal", 1);
	unsetenv("PROFIL_DIALECT");
	return 0;
}

GROUP(set_up_all, NULL)
