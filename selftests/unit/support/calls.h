/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For tests of the library's calls: one call of each function that starts or stops a profile, and
 * capture of stderr. Include it in one file per program.
 */
#ifndef CALLS_H
#define CALLS_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/profil.h>
#include <unistd.h>

#include "lib/include/profil.h"
#include "stderr_capture.h"
#include "support/fake_device.h"
#include "support/test.h"

static unsigned short buffer[512];
static const unsigned long offset = 0x1000;

/* errno of a call that returned @result; 0: no error */
static inline int error_of(long result)
{
	return result < 0 ? errno : 0;
}

#define CALL(type, name, call)	static inline type name(void) { return call; }

/* Each way to start a profile, and to stop one */
CALL(int, start_aix, profil_aix(buffer, sizeof(buffer), offset, 0x8000))
CALL(int, start_glibc, profil(buffer, sizeof(buffer), offset, 0x8000))
CALL(int, start_solaris, profil_solaris(buffer, sizeof(buffer), offset, 0x8000))
CALL(int, start_bsd, profil_bsd((char *)buffer, sizeof(buffer), offset, 0x8000))
CALL(int, start_linux099, profil_linux099((char *)buffer, sizeof(buffer), offset, 0x8000))
CALL(int, start_osf1, profil_osf1((short *)buffer, sizeof(buffer), offset, 0x8000))
CALL(int, start_svid, profil_svid(buffer, sizeof(buffer), offset, 0x8000))
CALL(long, stop_solaris, profil_solaris(buffer, 0, 0, 0))
CALL(long, stop_bsd, profil_bsd((char *)buffer, 0, 0, 0))
CALL(long, stop_linux099, profil_linux099((char *)buffer, 0, 0, 0))
CALL(long, stop_osf1, profil_osf1((short *)buffer, 0, 0, 1))
CALL(long, stop_svid, profil_svid(buffer, 0, 0, 1))
CALL(long, stop_aix, profil_aix(buffer, 0, 0, 1))
CALL(long, stop_glibc, profil(buffer, 0, 0, 0))
CALL(long, stop_sprofil, sprofil(NULL, 0, NULL, 0))
CALL(long, stop_native, profil_stop(NULL))
CALL(long, stop_pcsample, pcsample(NULL, 0))

static inline int start_sprofil(void)
{
	struct prof prof = { buffer, sizeof(buffer), offset, 0x8000 };

	return sprofil(&prof, 1, NULL, PROF_USHORT);
}

static inline struct profil_region native_region(void)
{
	return (struct profil_region){
		.start = offset,
		.offset = offset,
		.buf = (uintptr_t)buffer,
		.bytes = sizeof(buffer),
		.scale = 0x8000,
	};
}

static inline int start_native(void)
{
	struct profil_region region = native_region();
	struct profil_attr attr = { .regions = &region, .nr_regions = 1 };

	return profil_start(&attr);
}

static inline int start_pcsample(void)
{
	static uintptr_t pcs[8];

	return (int)pcsample(pcs, 8);
}

/* Element of AIX's second form */
struct profil_aix_element {
	uintptr_t low, high;
	void *counters;
	int bytes;
	unsigned int scale;
};

static inline int start_aix_form(void)
{
	struct profil_aix_element elements[] = {
		{ 0x1000, 0x1100, buffer, 0x100, -1U }, { 0 },
	};

	return profil_aix(elements, -1U, 0, 0);
}

static inline long stop_aix_form(void)
{
	struct profil_aix_element end = { 0 };

	return profil_aix(&end, -1U, 0, 0);
}

static inline bool is_on(void)
{
	return fake_device.state == PROFIL_STATE_RUNNING;
}

/*
 * Capture stderr from begin_stderr() to end_stderr(), which returns whether the output contains
 * @text; NULL: whether it is empty.
 */
static struct stderr_capture captured;
static bool is_captured;

static inline void begin_stderr(void)
{
	capture_stderr(&captured);
	is_captured = true;
}

static inline bool end_stderr(const char *text)
{
	const char *output = end_capture(&captured);

	is_captured = false;
	return text ? strstr(output, text) != NULL : !*output;
}

/* The calls print @text; NULL: nothing. */
#define assert_prints(text, ...)		\
	do {					\
		begin_stderr();			\
		__VA_ARGS__;			\
		assert_true(end_stderr(text));	\
	} while (0)

/* Each way to start a profile */
static int (*const starts[])(void) = {
	start_solaris, start_bsd, start_linux099, start_osf1, start_aix,
	start_svid, start_glibc, start_sprofil, start_native,
};

/* The same, with the way to stop it; and the other ways */
static const struct {
	int (*start)(void);
	long (*end)(void);
	bool returns_error;
} ways[] = {
	{ start_solaris, stop_solaris, true },
	{ start_bsd, stop_bsd, true },
	{ start_linux099, stop_linux099, false },
	{ start_osf1, stop_osf1, true },
	{ start_aix, stop_aix, true },
	{ start_aix_form, stop_aix_form, true },
	{ start_svid, stop_svid, true },
	{ start_glibc, stop_glibc, true },
	{ start_sprofil, stop_sprofil, true },
	{ start_native, stop_native, true },
	{ start_pcsample, stop_pcsample, true },
};

/* Before each test */
FIXTURE(set_up)
{
	unsetenv("PROFIL_RATE");
	fake_device_reset();
	profil_set_rate(0);
	profil_stop(NULL);
	fake_device_reset();
	return 0;
}

/* Restore stderr after a failed test, so that its message is visible. */
FIXTURE(tear_down)
{
	if (is_captured)
		end_stderr(NULL);
	return 0;
}

#endif /* CALLS_H */
