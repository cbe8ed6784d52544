// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Programs compiled with -pg. Their start-up code makes the C library count calls and sample
 * by SIGPROF and ITIMER_PROF into its own histogram; at exit, the C library writes both to
 * gmon.out. This file leaves the call counts to the C library. It stops the C library's
 * sampling as soon as it has started, lets the kernel count into a histogram of this library,
 * and replaces the histogram in the file. It does not depend on the C library's internals.
 *
 * Fork: the kernel also counts in the child, whose copy of the histogram starts empty
 * (MADV_WIPEONFORK), so that the files of parent and child add up. The call counts in the
 * child's file include those from before the fork, as without this library: the C library
 * copies them, and cannot reset them without writing a file. A child of vfork() counts in its
 * parent's memory until it executes another program.
 *
 * Signal handlers and several threads may call moncontrol(): it is in profil_guard_state, and so is
 * the stop at exit. Writing the file is not: no signal waits for a disk. Nor is the start: no other
 * function is called before it has returned.
 *
 * A process has one profile: if the program starts another by any function of this library,
 * that one continues, and the samples counted before it are written.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "device.h"
#include "fallback.h"
#include "gmon/gmon.h"
#include "gmon/output.h"
#include "gmon/proftimer.h"
#include "guard.h"
#include "ioctl.h"
#include "text.h"
#include "warnings.h"

#define TEXT_BYTES	((unsigned long)PROFIL_GMON_TEXT_BYTES)

/* Protected by profil_guard_state */
static struct {
	bool replaces_sigprof;	/* SIGPROF does not sample this program */
	uint32_t *counters;	/* NULL: the program is not sampled */
	size_t nr;
	unsigned long low;	/* pc of the first counter */
	uint32_t rate;
	bool counting;		/* started, and not stopped here since */
	unsigned int serial;	/* profil_ioctl_serial() at the start */
	uint64_t samples;	/* sum over all stops so far */
	uint64_t lost;		/* likewise */
	int lost_error;		/* errno of the last loss */
} gmon;

/* A word with value 1 follows the counters. A forked child finds 0 there: see was_forked(). */
static size_t counters_bytes(void)
{
	return (gmon.nr + 1) * sizeof(*gmon.counters);
}

static bool was_forked(void)
{
	return !gmon.counters[gmon.nr];
}

/* Map counters for a range of pcs. Return: 0 or -errno. */
static int map_counters(unsigned long low, unsigned long high)
{
	void *memory;
	int error;

	/* as in the C library, so that each counter is for the same text */
	gmon.low = low / TEXT_BYTES * TEXT_BYTES;
	gmon.nr = (high - gmon.low + TEXT_BYTES - 1) / TEXT_BYTES;
	memory = mmap(NULL, counters_bytes(), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return -errno; /* GCOV_EXCL_LINE: out of memory */
	if (madvise(memory, counters_bytes(), MADV_WIPEONFORK)) {
		/* GCOV_EXCL_START: out of memory */
		error = -errno;
		munmap(memory, counters_bytes());
		return error;
		/* GCOV_EXCL_STOP */
	}
	gmon.counters = memory;
	gmon.counters[gmon.nr] = 1;
	gmon.samples = 0;
	gmon.lost = 0;
	return 0;
}

/* Return: 0 or -errno. */
static int start_counting(void)
{
	struct profil_region region = {
		.start = gmon.low,
		.end = gmon.low + gmon.nr * TEXT_BYTES,
		.offset = gmon.low,
		.buf = (uintptr_t)gmon.counters,
		.bytes = gmon.nr * sizeof(*gmon.counters),
		.scale = 0x10000 * sizeof(*gmon.counters) / TEXT_BYTES,
		.rounding = PROFIL_ROUND_DOWN,
	};
	/* most of a program's text is never sampled */
	struct profil_start start = {
		.flags = PROFIL_PIN_ON_HIT,
		.width = 8 * sizeof(*gmon.counters),
		.overflow = PROFIL_OVERFLOW_SATURATE,
		.nr_regions = 1,
		.regions = (uintptr_t)&region,
	};
	struct profil_status status;
	int error = profil_ioctl_start(&start);

	if (error)
		return error;
	gmon.serial = profil_ioctl_serial();
	gmon.counting = true;
	gmon.rate = start.rate;
	/* the kernel may sample at a lower rate than requested */
	if (!profil_ioctl_status(&status) && status.rate)
		gmon.rate = status.rate;
	return 0;
}

static bool is_counting(void)
{
	return gmon.counting && gmon.serial == profil_ioctl_serial();
}

/* Return: 0; or -errno, and the kernel continues to count. */
static int stop_counting(void)
{
	struct profil_status status;
	int error;

	if (!is_counting()) {
		gmon.counting = false;
		return 0;
	}
	error = profil_ioctl_stop(&status);
	if (error)
		return error;
	gmon.counting = false;
	if (status.state == PROFIL_STATE_OFF) {
		profil_text_print("libprofil: gmon.out: this forked process was not sampled: the limit of profiles was reached, or memory was short: see profil(4)");
		return 0;
	}
	gmon.samples += status.samples;
	gmon.lost += status.lost;
	if (status.error)
		gmon.lost_error = (int)status.error;
	if (status.rate && status.rate < gmon.rate) {
		profil_warn_lower_rate("gmon.out", gmon.rate, status.rate);
		gmon.rate = status.rate;
	}
	return 0;
}

/*
 * Start counting. Return: whether SIGPROF must not sample this program, because the kernel does,
 * or because PROFIL_FALLBACK=fatal forbids the fallback.
 */
static bool replace_sigprof(unsigned long low, unsigned long high)
{
	int error = 0;

	if (high <= low || getauxval(AT_SECURE))
		return false;
	if (profil_fallback_needed(&error))
		return false;
	/* PROFIL_FALLBACK=fatal, or the kernel counts another profile; already printed */
	if (error)
		return true;
	error = map_counters(low, high);
	if (error)
		return profil_fallback_refused(-error) != 0; /* GCOV_EXCL_LINE: out of memory */
	error = start_counting();
	if (!error)
		return true;
	munmap(gmon.counters, counters_bytes());
	gmon.counters = NULL;
	return profil_fallback_refused(-error) != 0;
}

void profil_gmon_startup(const struct profil_gmon_libc *libc, unsigned long low,
			 unsigned long high)
{
	struct profil_proftimer timer;

	/* as in newer C libraries, a second call does not start another profile */
	if (!gmon.replaces_sigprof)
		gmon.replaces_sigprof = replace_sigprof(low, high);
	if (!gmon.replaces_sigprof) {
		libc->monstartup(low, high);
		return;
	}
	profil_proftimer_save(&timer);
	libc->monstartup(low, high);
	libc->profil(NULL, 0, 0, 0);
	profil_proftimer_restore(&timer);
}

static void control(const struct profil_gmon_libc *libc, int mode)
{
	struct profil_proftimer timer;
	int error;

	if (!gmon.replaces_sigprof) {
		libc->moncontrol(mode);
		return;
	}
	if (!mode) {
		error = stop_counting();
		if (error)
			profil_ioctl_warn_not_stopped("moncontrol", error);
		libc->moncontrol(mode);
		return;
	}
	profil_proftimer_save(&timer);
	libc->moncontrol(mode);
	libc->profil(NULL, 0, 0, 0);
	profil_proftimer_restore(&timer);
	if (!gmon.counters || is_counting())
		return;
	error = start_counting();
	if (error)
		profil_ioctl_warn_not_started("moncontrol", error);
}

void profil_gmon_control(const struct profil_gmon_libc *libc, int mode)
{
	struct profil_guard_before before;
	const int saved = errno;

	profil_guard_enter(&profil_guard_state, &before);
	control(libc, mode);
	/* the C library's function may change it, a signal handler may not */
	errno = saved;
	profil_guard_leave(&profil_guard_state, &before);
}

/* Get the load offset of the first object, which is the program itself. */
static int get_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(unsigned long *)bias = info->dlpi_addr;
	return 1;
}

/*
 * Stop, and hand the counters over to the caller, who unmaps them. histogram: counts is NULL if the
 * program is not sampled. Return: size of the mapping.
 */
static size_t take_counters(struct profil_gmon_histogram *histogram, bool *forked)
{
	int error;

	*histogram = (struct profil_gmon_histogram){ .counts = gmon.counters };
	*forked = false;
	if (!gmon.counters)
		return 0;
	/* on error, write the counters anyway: unmapping them ends the profile */
	error = stop_counting();
	if (error)
		profil_text_print("libprofil: gmon.out: the number of lost samples is unknown: ", PROFIL_DEVICE, ": ",
				  strerrordesc_np(-error), " (", strerrorname_np(-error), ")");
	gmon.counting = false;
	profil_warn_lost_samples("gmon.out", gmon.lost, gmon.samples, gmon.lost_error);
	histogram->low = gmon.low;
	histogram->nr = gmon.nr;
	histogram->rate = gmon.rate;
	*forked = was_forked();
	gmon.counters = NULL;
	return counters_bytes();
}

void profil_gmon_cleanup(const struct profil_gmon_libc *libc)
{
	struct profil_gmon_histogram histogram;
	struct profil_guard_before before;
	unsigned long bias = 0;
	size_t bytes;
	bool forked;

	profil_guard_enter(&profil_guard_state, &before);
	bytes = take_counters(&histogram, &forked);
	profil_guard_leave(&profil_guard_state, &before);
	if (bytes) {
		dl_iterate_phdr(get_bias, &bias);
		histogram.low -= bias;
		profil_gmon_output_write(libc->mcleanup, forked, &histogram);
		munmap((void *)histogram.counts, bytes);
	} else {
		libc->mcleanup();
	}
	/* not before: until the file is written, a call of moncontrol() must not start SIGPROF */
	profil_guard_enter(&profil_guard_state, &before);
	gmon.replaces_sigprof = false;
	profil_guard_leave(&profil_guard_state, &before);
}
