// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Programs compiled with -pg. Their start-up code calls __monstartup() before main(), and
 * _mcleanup() at exit. The kernel counts the samples of the program and of the shared objects that
 * were compiled with -pg, mcount.c counts the calls. At exit, each has a file for gprof.
 *
 * Fork: the kernel also counts in the child. There the counters and arcs start at 0
 * (MADV_WIPEONFORK), so that the files of parent and child add up. A child of vfork() counts in
 * its parent's memory until it executes another program. Memory that a companion shares is
 * not wiped: a fork handler gives the child another one, and a companion of its own.
 *
 * Signal handlers and several threads may call these functions: what they change is protected by
 * profil_guard_state. Writing the files is not: no signal waits for a disk.
 *
 * A process has one profile: if the program starts another by any function of this library,
 * that one continues, and the samples counted before it are written.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "device.h"
#include "error_text.h"
#include "fallback.h"
#include "gmon/companion.h"
#include "gmon/gmon.h"
#include "gmon/memory.h"
#include "gmon/objects.h"
#include "gmon/output.h"
#include "guard.h"
#include "ioctl.h"
#include "text.h"
#include "timer.h"
#include "warnings.h"

#define TEXT_BYTES	((unsigned long)PROFIL_GMON_TEXT_BYTES)

/* Counters and arcs of shared objects, for some 25 MiB of text */
#define OBJECTS_MEMORY	((size_t)64 << 20)

/* Rate of the timer */
#define FALLBACK_RATE	100

_Atomic(struct profil_gmon_profile *) profil_gmon_recording;

/* The process has had a profile */
static atomic_bool was_started;

/* Protected by profil_guard_state */
static struct {
	struct profil_gmon_profile *profile;	/* NULL: not started, or written */
	enum { NONE, KERNEL, TIMER } sampler;
	bool shared;		/* the memory is shared with a companion */
	bool counting;		/* started, and not stopped here since */
	unsigned int serial;	/* profil_ioctl_serial() at the start */
	uint64_t samples;	/* sum over all stops so far */
	uint64_t lost;		/* likewise */
	int lost_error;		/* errno of the last loss */
} gmon;

/* Fill in the regions of what is loaded, in the order of the addresses. Return: their number. */
static unsigned int fill_regions(struct profil_region *regions)
{
	const struct profil_gmon_profile *profile = gmon.profile;
	const size_t nr_objects = atomic_load(&profile->nr);
	unsigned int nr = 0, at;
	size_t i;

	for (i = 0; i < nr_objects; i++) {
		const struct profil_gmon_object *object = &profile->objects[i];
		const uintptr_t start = object->start;

		if (!object->counts || !object->bytes)
			continue;
		for (at = nr++; at && regions[at - 1].start > start; at--)
			regions[at] = regions[at - 1];
		regions[at] = (struct profil_region){
			.start = start,
			.end = start + object->nr * TEXT_BYTES,
			.offset = start,
			.buf = (uintptr_t)object->counts,
			.bytes = object->nr * sizeof(*object->counts),
			.scale = 0x10000 * sizeof(*object->counts) / TEXT_BYTES,
			.rounding = PROFIL_ROUND_DOWN,
		};
	}
	return nr;
}

/* Return: 0 or -errno. */
static int start_counting(void)
{
	struct profil_region regions[PROFIL_GMON_OBJECTS];
	/* most of a program's text is never sampled */
	struct profil_start start = {
		.flags = PROFIL_PIN_ON_HIT,
		.width = 32,
		.overflow = PROFIL_OVERFLOW_SATURATE,
		.regions = (uintptr_t)regions,
	};
	struct profil_status status;
	int error;

	start.nr_regions = fill_regions(regions);
	error = profil_ioctl_start(&start);
	if (error)
		return error;
	gmon.serial = profil_ioctl_serial();
	gmon.counting = true;
	gmon.profile->rate = start.rate;
	/* the kernel may sample at a lower rate than requested */
	if (!profil_ioctl_status(&status) && status.rate)
		gmon.profile->rate = status.rate;
	return 0;
}

static bool is_counting(void)
{
	return gmon.counting && gmon.serial == profil_ioctl_serial();
}

/* Of a profile that ends */
static void note_figures(const struct profil_status *status)
{
	if (status->state == PROFIL_STATE_OFF) {
		profil_text_print("libprofil: gmon.out: this forked process was not sampled: the limit of profiles was reached, or memory was short: see profil(4)");
		return;
	}
	gmon.samples += status->samples;
	gmon.lost += status->lost;
	if (status->error)
		gmon.lost_error = (int)status->error;
	if (status->rate && status->rate < gmon.profile->rate) {
		profil_warn_lower_rate("gmon.out", gmon.profile->rate, status->rate);
		gmon.profile->rate = status->rate;
	}
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
	note_figures(&status);
	return 0;
}

/* The timer samples the program alone, with counters of 16 bits. */
static void start_fallback(void)
{
	const struct profil_gmon_object *program = &gmon.profile->objects[0];

	profil_timer_count(gmon.profile->fallback, program->nr * sizeof(*gmon.profile->fallback),
			   program->start, 0x10000 * sizeof(*gmon.profile->fallback) / TEXT_BYTES);
	gmon.profile->rate = FALLBACK_RATE;
}

static void stop_fallback(void)
{
	profil_timer_count(NULL, 0, 0, 0);
}

/* Choose and start the sampler. The calls are counted with any. */
static void start_sampler(void)
{
	int error = 0;

	gmon.sampler = NONE;
	gmon.profile->rate = FALLBACK_RATE;
	if (!getauxval(AT_SECURE) && !profil_fallback_needed(&error)) {
		/* already printed: PROFIL_FALLBACK=fatal, or the kernel counts another profile */
		if (error)
			return;
		gmon.sampler = KERNEL;
		error = start_counting();
		if (!error)
			return;
		gmon.sampler = NONE;
		if (profil_fallback_refused(-error))
			return;
	}
	gmon.sampler = TIMER;
	start_fallback();
}

/* Map the memory, shared with a companion if the user asks for one. Return: 0 or -errno. */
static int map_memory(uintptr_t low, uintptr_t high)
{
	/* the timer's counters have half the size of the others */
	const size_t bytes = profil_gmon_objects_memory(high - low) + (high - low) + OBJECTS_MEMORY;
	struct profil_gmon_profile *profile;
	int fd = -1, error;

	gmon.shared = profil_gmon_companion_wanted() &&
		      !profil_gmon_companion_prepare(profil_gmon_memory_size(bytes), NULL, &fd);
	error = profil_gmon_memory_map(&profile, bytes, fd);
	if (fd >= 0)
		close(fd);
	if (error)
		return error; /* GCOV_EXCL_LINE: out of memory */
	profile->process = getpid();
	error = profil_gmon_objects_add_program(profile, low, high);
	if (error)
		return error; /* GCOV_EXCL_LINE: mapped for it */
	profile->fallback =
		profil_gmon_memory_take(profile->objects[0].nr * sizeof(*profile->fallback));
	gmon.profile = profile;
	return 0;
}

/*
 * A child of fork() whose parent shares its memory with a companion: until now it has counted in
 * its parent's memory.
 */
static void in_child(void)
{
	struct profil_gmon_profile *profile;
	struct profil_guard_before before;
	const int saved = errno;
	int fd = -1;

	profil_guard_enter(&profil_guard_state, &before);
	profile = gmon.profile;
	if (!profile || !gmon.shared)
		goto leave;
	profil_gmon_companion_forget();
	/* the objects stay, counters and arcs start at 0 */
	if (profil_gmon_companion_prepare(profil_gmon_memory_bytes(), profile, &fd) ||
	    profil_gmon_memory_replace(fd)) {
		profil_text_print("libprofil: gmon.out: this forked process writes none");
		atomic_store(&profil_gmon_recording, NULL);
		gmon.profile = NULL;
		profil_gmon_memory_replace(-1);
		goto leave;
	}
	close(fd);
	profile->process = getpid();
	profile->forked = true;
	profil_gmon_companion_start(profile);
leave:
	errno = saved;
	profil_guard_leave(&profil_guard_state, &before);
}

void __monstartup(unsigned long low, unsigned long high)
{
	static bool registered;
	struct profil_guard_before before;
	int error = 0;

	/*
	 * A program that is linked with this library starts here from _init() of the library,
	 * before its constructors. The handlers of the locks come first: in a child, those that
	 * were registered first run first, and in_child() takes a lock.
	 */
	profil_guard_watch_forks();
	profil_guard_enter(&profil_guard_state, &before);
	/* as in newer C libraries, a second call does not start another profile */
	if (high <= low || gmon.profile)
		goto leave;
	gmon.samples = 0;
	gmon.lost = 0;
	error = map_memory(low, high);
	if (error) {
		/* GCOV_EXCL_START: out of memory */
		profil_text_print("libprofil: gmon.out: not profiling: ",
				  profil_error_text(-error), " (", profil_error_name(-error), ")");
		goto leave;
		/* GCOV_EXCL_STOP */
	}
	if (gmon.shared) {
		profil_gmon_companion_start(gmon.profile);
		if (!registered)
			registered = !pthread_atfork(NULL, NULL, in_child);
	}
	start_sampler();
	atomic_store(&profil_gmon_recording, gmon.profile);
	atomic_store(&was_started, true);
leave:
	profil_guard_leave(&profil_guard_state, &before);
}

void monstartup(unsigned long low, unsigned long high) __attribute__((alias("__monstartup")));

static void control(int mode)
{
	int error = 0;

	if (!gmon.profile || !profil_guard_is_own_process())
		return;
	atomic_store(&profil_gmon_recording, mode ? gmon.profile : NULL);
	if (gmon.sampler == TIMER) {
		if (mode)
			start_fallback();
		else
			stop_fallback();
	} else if (gmon.sampler == KERNEL && !mode) {
		error = stop_counting();
		if (error)
			profil_ioctl_warn_not_stopped("moncontrol", error);
	} else if (gmon.sampler == KERNEL && !is_counting()) {
		error = start_counting();
		if (error)
			profil_ioctl_warn_not_started("moncontrol", error);
	}
}

void moncontrol(int mode)
{
	struct profil_guard_before before;
	const int saved = errno;

	profil_guard_enter(&profil_guard_state, &before);
	control(mode);
	/* a signal handler that calls this must not change it */
	errno = saved;
	profil_guard_leave(&profil_guard_state, &before);
}

/*
 * Count for what is loaded now. The new profile replaces the other one, without a stop: after that,
 * the program might be unable to open the device.
 */
static void restart_counting(void)
{
	struct profil_status status;
	int error = profil_ioctl_status(&status);

	if (!error)
		note_figures(&status);
	error = start_counting();
	if (error)
		profil_ioctl_warn_not_started("gmon.out", error);
}

struct profil_gmon_object *profil_gmon_meet(struct profil_gmon_profile *profile, uintptr_t pc)
{
	struct profil_gmon_loaded loaded = { .pc = pc };
	struct profil_gmon_object *object = NULL;
	struct profil_guard_before before;
	const int saved = errno;

	/*
	 * Before the guard is taken: this waits for a thread that is in dl_iterate_phdr(), whose
	 * callback may call mcount(). A child of vfork() leaves its parent's state alone.
	 */
	if (!profil_guard_is_own_process() || !profil_gmon_objects_find(&loaded))
		goto out;
	profil_guard_enter(&profil_guard_state, &before);
	if (profile == gmon.profile) {
		/* another thread may have added it */
		object = profil_gmon_object_of(profile, pc);
		if (!object)
			object = profil_gmon_objects_add(profile, &loaded);
		if (object && object->counts && is_counting())
			restart_counting();
	}
	profil_guard_leave(&profil_guard_state, &before);
out:
	errno = saved;
	return object;
}

void profil_gmon_unloaded(void)
{
	struct profil_gmon_present present = { 0 };
	struct profil_gmon_profile *profile;
	struct profil_guard_before before;
	const int saved = errno;

	/* most programs have no profile, and pay nothing for it */
	if (!atomic_load(&was_started) || !profil_guard_is_own_process())
		return;
	/* also after moncontrol(0): it may go on */
	profil_guard_enter(&profil_guard_state, &before);
	profile = gmon.profile;
	profil_guard_leave(&profil_guard_state, &before);
	if (!profile)
		return;
	/* while the guard is not taken: see above */
	profil_gmon_objects_note_present(profile, &present);
	profil_guard_enter(&profil_guard_state, &before);
	if (profile == gmon.profile && profil_gmon_objects_drop_absent(profile, &present) &&
	    is_counting())
		restart_counting();
	errno = saved;
	profil_guard_leave(&profil_guard_state, &before);
}

/* Stop, and hand the profile over to the caller; NULL: there is none to write. */
static struct profil_gmon_profile *take_profile(void)
{
	struct profil_gmon_profile *profile = gmon.profile;
	int error = 0;

	if (!profile)
		return NULL;
	atomic_store(&profil_gmon_recording, NULL);
	gmon.profile = NULL;
	if (profile->process != getpid() && gmon.shared)
		return NULL; /* GCOV_EXCL_LINE: a child of _Fork() has counted for its parent */
	if (profile->process != getpid()) {
		profile->process = getpid();
		profile->forked = true;
	}
	gmon.profile = profile;
	if (gmon.sampler == TIMER)
		stop_fallback();
	else
		error = stop_counting();
	gmon.profile = NULL;
	/* the counters are written anyway */
	if (error)
		profil_text_print("libprofil: gmon.out: the number of lost samples is unknown: ", PROFIL_DEVICE, ": ",
				  profil_error_text(-error), " (", profil_error_name(-error), ")");
	gmon.counting = false;
	profil_warn_lost_samples("gmon.out", gmon.lost, gmon.samples, gmon.lost_error);
	return profile;
}

void _mcleanup(void)
{
	struct profil_gmon_profile *profile;
	struct profil_guard_before before;
	bool kept;

	profil_guard_enter(&profil_guard_state, &before);
	profile = take_profile();
	kept = profile && profil_gmon_companion_alive();
	/* the companion's mapping keeps what is in it */
	if (kept)
		profil_gmon_memory_replace(-1);
	profil_guard_leave(&profil_guard_state, &before);
	if (kept)
		profil_gmon_companion_wait();
	else if (profile)
		profil_gmon_output_write(profile);
}

void profil_gmon_exit(void)
{
	/* a child of vfork() ends, and its parent continues */
	if (gmon.shared && gmon.profile && profil_guard_is_own_process())
		_mcleanup();
}
