// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the systems' monitor() functions share: a profile by profil() in the caller's buffer, with
 * call counts, and a file at the end. Called by solaris.c, osf1.c, aix.c and start.c.
 *
 * Fork: the child continues in its copy of the buffer; its file includes what was counted before
 * the fork.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "error_text.h"
#include "guard.h"
#include "monitor/callcount.h"
#include "monitor/monitor.h"
#include "monitor/output.h"
#include "warnings.h"
#define PROFIL_DIALECT_HEADERS
#include "profil.h"

#define DIRECTORY_VARIABLE	"PROFDIR"
#define USUAL_RATE		100	/* Hz; readers of mon.out assume it */
#define FULL_SCALE		0xffffU	/* a counter for each two bytes of text */
#define OWN_TEXT_BYTES		8	/* text per counter in the library's own buffer */
#define OWN_NFUNC		600	/* call counts in the library's own buffer */

struct monitored {
	struct profil_monitor_output out;	/* counters: NULL if nothing was started */
	bool sampling;
	uint32_t rate;			/* most recent effective rate */
	uint32_t first_rate;		/* at the most recent start */
	bool full;			/* sampling ended because a counter reached its limit */
	bool gone;			/* sampling ended because the process had no profile */
	uint64_t samples;		/* sum over all stops so far */
	uint64_t lost;			/* likewise */
	int lost_error;			/* errno of the last loss */
};

static struct monitored monitored;

/*
 * Protects @monitored, also while the file is written. profil_monitor_control() is what signal
 * handlers call: within it, it uses no stdio and no malloc().
 */
static struct profil_guard guard = PROFIL_GUARD_INIT;

static void before_fork(void)
{
	profil_guard_before_fork(&guard);
}

static void after_fork(void)
{
	profil_guard_after_fork(&guard);
}

/* Priority 102: after libprofil's, see fork_guards.c, also in a static program */
static void __attribute__((constructor(102))) register_fork_handlers(void)
{
	pthread_atfork(before_fork, after_fork, after_fork);
}

/*
 * Whether the memory is another process's, with the profile and with all that is recorded here: in a
 * child of vfork(). Then nothing is done.
 */
static bool is_borrowed(void)
{
	const int saved = errno;
	struct profil_status status;
	bool borrowed = profil_status(&status) && errno == EBUSY;

	errno = saved;
	return borrowed;
}

/* Return: @error if it is not negative; or -1 with errno. */
static int leave(const struct profil_guard_before *before, int error)
{
	profil_guard_leave(&guard, before);
	if (error >= 0)
		return error;
	errno = -error;
	return -1;
}

/* Print an error (errno) on stderr. Return: -error. */
static int fail(int error, const char *why)
{
	fprintf(stderr, "libprofil: monitor: not profiling: %s (%s): %s\n",
		profil_error_text(error), profil_error_name(error), why);
	return -error;
}

/* Size of header and call counts; SIZE_MAX on overflow. */
static size_t front_bytes(const struct profil_monitor_buffer *buffer)
{
	size_t cells;

	if (__builtin_mul_overflow(buffer->nfunc, sizeof(struct profil_callcount_cell),
				   &cells) ||
	    cells > SIZE_MAX - profil_monitor_system.header_bytes)
		return SIZE_MAX;
	return profil_monitor_system.header_bytes + cells;
}

/* The scale of profil(): counters per 2 bytes of text, times 65536. */
static unsigned int scale_of(size_t counters, uintptr_t text_bytes)
{
	uintptr_t pairs = text_bytes / 2 + text_bytes % 2;

	if (counters >= pairs)
		return FULL_SCALE;
	return (unsigned int)((unsigned long long)counters * 0x10000 / pairs);
}

/*
 * Readers of mon.out divide the range evenly among the counters. If profil() rounds to the nearest
 * counter, its first counter has less text than the others: the second begins at (pc - low) *
 * scale = 0x10000, and not at 0x20000. Return: how much lower the range must begin in the file.
 */
static uintptr_t shift_of(unsigned int scale)
{
	const unsigned int second = scale ? (0x10000 + scale - 1) / scale : 0;
	const unsigned int even = scale ? (0x20000 + scale - 1) / scale : 0;

	return profil_monitor_system.rounds_up ? even - second : 0;
}

/* Read the kernel's figures; after the stop by profil(), they are gone. */
static void read_status(void)
{
	struct profil_status status;

	if (profil_status(&status))
		return;
	monitored.gone |= status.state == PROFIL_STATE_OFF;
	monitored.rate = status.rate ? status.rate : monitored.rate;
	monitored.full |= status.state == PROFIL_STATE_LIMIT;
	monitored.samples += status.samples;
	monitored.lost += status.lost;
	if (status.error)
		monitored.lost_error = (int)status.error;
}

/* Return: 0 or -errno, which profil() has printed. */
static int stop_sampling(void)
{
	if (!monitored.sampling)
		return 0;
	read_status();
	if (profil_monitor_system.profil(NULL, 0, 0, 0))
		return -errno;
	monitored.sampling = false;
	return 0;
}

/* Return: 0 or -errno, which profil() has printed. */
static int start_sampling(void)
{
	const struct profil_monitor_output *out = &monitored.out;
	struct profil_status status;

	if (profil_monitor_system.profil(out->counters, out->nr * sizeof(*out->counters),
					 out->low, out->scale))
		return -errno;
	monitored.sampling = true;
	if (!profil_status(&status) && status.rate) {
		monitored.rate = status.rate;
		monitored.first_rate = status.rate;
	}
	return 0;
}

/*
 * Start in a buffer, which contains the counters of @out. Takes over the memory of @out. Return: 0
 * or -errno.
 */
static int begin(const struct profil_monitor_buffer *buffer,
		 const struct profil_monitor_output *out, bool clears)
{
	const struct profil_monitor_output_header header = {
		buffer->low, buffer->high, buffer->nfunc
	};
	struct monitored earlier;
	char *at = buffer->at;
	int error;

	/* the buffer may contain the call counts of an earlier call */
	if (profil_callcount_vacate(at, buffer->bytes)) {
		error = fail(ENOMEM, "no memory for call counts");
		goto free;
	}
	error = stop_sampling();
	if (error)
		goto free;
	memcpy(at, &header, profil_monitor_system.header_bytes);
	if (clears)
		memset(out->counters, 0, out->nr * sizeof(*out->counters));
	earlier = monitored;
	monitored = (struct monitored){ .out = *out };
	error = start_sampling();
	if (error) {
		monitored = earlier;
		goto free;
	}
	free(earlier.out.directory);
	if (!profil_monitor_system.keeps_counting)
		profil_callcount_reset();
	/* on error, calls are counted in memory of the library */
	profil_callcount_add_cells((void *)(at + profil_monitor_system.header_bytes),
				   buffer->nfunc);
	profil_callcount_enable(true);
	return 0;

free:
	free(out->directory);
	return error;
}

/* Check the arguments. Return: 1; 0: PROFDIR is empty, which disables profiling; or -errno. */
static int check(const struct profil_monitor_buffer *buffer, struct profil_monitor_output *out)
{
	const char *variable = secure_getenv(DIRECTORY_VARIABLE);
	size_t front = front_bytes(buffer);

	*out = (struct profil_monitor_output){ .low = buffer->low, .high = buffer->high };
	if (variable && !*variable)
		return 0;
	if (buffer->low >= buffer->high)
		return fail(EINVAL, "the range of addresses is empty: lowpc must be below highpc");
	if (front >= buffer->bytes || buffer->bytes - front < sizeof(uint16_t))
		return fail(EINVAL, "the buffer has no room for counters after the call counts: enlarge it");
	out->counters = (uint16_t *)((char *)buffer->at + front);
	out->nr = (buffer->bytes - front) / sizeof(*out->counters);
	out->scale = scale_of(out->nr, out->high - out->low);
	out->shift = shift_of(out->scale);
	if (out->scale < 2)
		return fail(EINVAL, "the buffer has less than one counter per 65,536 bytes of the range: enlarge it");
	if (variable) {
		out->directory = strdup(variable);
		if (!out->directory)
			return fail(ENOMEM, "no memory for the file name");
	}
	return 1;
}

/* Store to a byte, without a change: atomic, because another profile may be counting there. */
static void touch_byte(char *at)
{
	char same = __atomic_load_n(at, __ATOMIC_RELAXED);

	__atomic_compare_exchange_n(at, &same, same, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/*
 * Store to each page of memory. If it cannot be written, SIGSEGV is raised here, where a handler
 * may call the library or exit(). Within the guard, the kernel would kill the process.
 */
static void touch(char *at, size_t bytes)
{
	const size_t step = 4096;	/* no machine has smaller pages */
	size_t i;

	for (i = 0; i < bytes; i += step)
		touch_byte(&at[i]);
	/* it may be in a page of its own */
	if (bytes)
		touch_byte(&at[bytes - 1]);
}

int profil_monitor_begin(const struct profil_monitor_buffer *buffer)
{
	struct profil_guard_before before;
	struct profil_monitor_output out;
	int result = is_borrowed() ? 0 : check(buffer, &out);

	if (result > 0)
		touch(buffer->at, profil_monitor_system.clears ?
		      buffer->bytes : profil_monitor_system.header_bytes);
	profil_guard_enter(&guard, &before);
	if (result > 0)
		result = begin(buffer, &out, profil_monitor_system.clears);
	return leave(&before, result);
}

/*
 * A buffer of the library, of at least this size. It is never unmapped: other threads may be
 * counting calls in it, even during exit. Return: NULL if there is no memory.
 */
static void *own_buffer(size_t bytes)
{
	static void *own;
	static size_t own_bytes;
	void *memory;

	if (own_bytes >= bytes)
		return own;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	own = memory;
	own_bytes = bytes;
	return own;
}

int profil_monitor_begin_own(uintptr_t low, uintptr_t high)
{
	struct profil_monitor_buffer buffer = { .low = low, .high = high, .nfunc = OWN_NFUNC };
	struct profil_guard_before before;
	struct profil_monitor_output out;
	int result;

	if (is_borrowed())
		return 0;
	profil_guard_enter(&guard, &before);
	buffer.bytes = front_bytes(&buffer) + sizeof(uint16_t);
	if (high > low)
		buffer.bytes += (high - low) / OWN_TEXT_BYTES * sizeof(uint16_t);
	buffer.at = own_buffer(buffer.bytes);
	result = buffer.at ? check(&buffer, &out) : fail(ENOMEM, "no memory for the buffer");
	if (result > 0)
		result = begin(&buffer, &out, true);
	return leave(&before, result);
}

/* Warn about what a reader of the file cannot see. */
static void print_warnings(const char *path)
{
	unsigned long missed = profil_callcount_missed();

	if (monitored.rate && monitored.rate != USUAL_RATE)
		fprintf(stderr, "libprofil: %s: sampled at %u Hz: read it with PROFIL_RATE=%u prof -m %s\n",
			path, monitored.rate, monitored.rate, path);
	profil_warn_lower_rate(path, monitored.first_rate, monitored.rate);
	if (monitored.full)
		fprintf(stderr, "libprofil: %s: sampling ended early: a counter reached 32767; call monitor() with a larger buffer, or set PROFIL_RATE to a lower rate\n",
			path);
	if (monitored.gone)
		fprintf(stderr, "libprofil: %s: sampling ended early, or this forked process did not inherit it: see profil(2) and the limits in profil(4)\n",
			path);
	profil_warn_lost_samples(path, monitored.lost, monitored.samples, monitored.lost_error);
	if (missed)
		fprintf(stderr, "libprofil: %s: %lu calls not counted: no memory (ENOMEM)\n",
			path, missed);
}

/* Return: 0 or -errno. */
static int end(void)
{
	int error = stop_sampling();
	char *path;

	if (error)
		return error;
	if (!profil_monitor_system.keeps_counting)
		profil_callcount_enable(false);
	error = profil_monitor_output_write(&monitored.out, &path);
	if (!error)
		print_warnings(path);
	free(path);
	if (!error && !profil_monitor_system.keeps_counting) {
		free(monitored.out.directory);
		monitored = (struct monitored){ .sampling = false };
	}
	return error;
}

int profil_monitor_end(void)
{
	struct profil_guard_before before;

	if (is_borrowed())
		return 0;
	profil_guard_enter(&guard, &before);
	return leave(&before, monitored.out.counters ? end() : 0);
}

/* Return: 1 if sampling and counting were on before, 0 if not; or -errno. */
static int control(int mode)
{
	bool before = monitored.sampling;
	int error = 0;

	if (!monitored.out.counters)
		return 0;
	if (!mode)
		error = stop_sampling();
	else if (!before)
		error = start_sampling();
	if (error)
		return error;
	profil_callcount_enable(mode);
	return before;
}

int profil_monitor_control(int mode)
{
	const int saved = errno;
	struct profil_guard_before before;
	int result;

	if (is_borrowed())
		return 0;
	profil_guard_enter(&guard, &before);
	result = leave(&before, control(mode));
	if (result >= 0)
		errno = saved;
	return result;
}
