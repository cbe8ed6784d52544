// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * monitor(), as all systems have it: a profile by profil() in the caller's buffer, with
 * counts of calls, and at the end a file. The systems' own functions call these.
 *
 * Fork: the child goes on, in its copy of the buffer; what it writes includes what had been
 * counted before.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "monitor/callcount.h"
#include "warnings.h"
#include "monitor/monitor.h"
#include "monitor/output.h"
#define PROFIL_DIALECT_HEADERS
#include "profil.h"

#define DIRECTORY_VARIABLE	"PROFDIR"
#define USUAL_RATE		100	/* of all mon.out files */
#define FULL_SCALE		0xffffU	/* a counter for each two bytes of text */
#define OWN_TEXT_BYTES		8	/* of a counter, in the library's own buffer */
#define OWN_NFUNC		600

#define system profil_monitor_system

struct monitored {
	struct profil_monitor_output out;	/* counters: NULL if nothing has begun */
	bool sampling;
	uint32_t rate;			/* at last */
	uint32_t first_rate;
	bool full;			/* sampling ended, as a counter had reached its limit */
	bool gone;			/* ... as another profile had taken its place */
	uint64_t samples;
	uint64_t lost;
	int lost_error;
};

static struct monitored monitored;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A thread that is cancelled would leave the lock and memory behind. Return: its state. */
static int enter(void)
{
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&lock);
	return cancel;
}

static int leave(int cancel, int error)
{
	pthread_mutex_unlock(&lock);
	pthread_setcancelstate(cancel, NULL);
	if (error >= 0)
		return error;
	errno = -error;
	return -1;
}

static int refuse(int error, const char *why)
{
	fprintf(stderr, "libprofil: monitor: not profiling: %s (%s): %s\n",
		strerrordesc_np(error), strerrorname_np(error), why);
	return -error;
}

/* Bytes before the counters, or SIZE_MAX if there are more than there can be. */
static size_t front_bytes(const struct profil_monitor_buffer *buffer)
{
	size_t cells;

	if (__builtin_mul_overflow(buffer->nfunc, sizeof(struct profil_callcount_cell),
				   &cells) ||
	    cells > SIZE_MAX - system.header_bytes)
		return SIZE_MAX;
	return system.header_bytes + cells;
}

/* As many 65536ths as there are counters for pairs of bytes of text. */
static unsigned int scale_of(size_t counters, uintptr_t text_bytes)
{
	uintptr_t pairs = text_bytes / 2 + text_bytes % 2;

	if (counters >= pairs)
		return FULL_SCALE;
	return (unsigned int)((unsigned long long)counters * 0x10000 / pairs);
}

/*
 * By how much a range begins earlier in which each counter has its even part: the second
 * counter begins at (pc - low) * scale = 0x10000 where profil() rounds to the nearest one, and
 * at 0x20000 where it rounds down.
 */
static uintptr_t shift_of(unsigned int scale)
{
	const unsigned int second = scale ? (0x10000 + scale - 1) / scale : 0;
	const unsigned int even = scale ? (0x20000 + scale - 1) / scale : 0;

	return system.rounds_up ? even - second : 0;
}

/* Figures of the kernel, before they end with the profile. */
static void look(void)
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

static int stop_sampling(void)
{
	if (!monitored.sampling)
		return 0;
	look();
	if (system.profil(NULL, 0, 0, 0))
		return -errno;
	monitored.sampling = false;
	return 0;
}

static int start_sampling(void)
{
	const struct profil_monitor_output *out = &monitored.out;
	struct profil_status status;

	if (system.profil(out->counters, out->nr * sizeof(*out->counters),
			  out->low, out->scale))
		return -errno;
	monitored.sampling = true;
	if (!profil_status(&status) && status.rate) {
		monitored.rate = status.rate;
		monitored.first_rate = status.rate;
	}
	return 0;
}

/* Begin in this buffer, which has the counters of @out. */
static int begin(const struct profil_monitor_buffer *buffer, const struct profil_monitor_output *out,
		 bool clears)
{
	const struct profil_monitor_output_header header = {
		buffer->low, buffer->high, buffer->nfunc
	};
	struct monitored earlier;
	char *at = buffer->at;
	int error;

	/* counts may be there, of an earlier call */
	if (profil_callcount_vacate(at, buffer->bytes))
		return refuse(ENOMEM, "no memory for call counts");
	error = stop_sampling();
	if (error)
		return error;
	memcpy(at, &header, system.header_bytes);
	if (clears)
		memset(out->counters, 0, out->nr * sizeof(*out->counters));
	earlier = monitored;
	monitored = (struct monitored){ .out = *out };
	error = start_sampling();
	if (error) {
		monitored = earlier;
		return error;
	}
	free(earlier.out.directory);
	if (!system.goes_on)
		profil_callcount_forget();
	/* without it, they are counted in memory of the library */
	profil_callcount_give((void *)(at + system.header_bytes), buffer->nfunc);
	profil_callcount_enable(true);
	return 0;
}

/* The same, once the arguments have been found to be valid. */
static int check_and_begin(const struct profil_monitor_buffer *buffer, bool clears)
{
	const char *variable = secure_getenv(DIRECTORY_VARIABLE);
	struct profil_monitor_output out = { .low = buffer->low, .high = buffer->high };
	size_t front = front_bytes(buffer);
	int error;

	if (variable && !*variable)
		return 0;
	if (buffer->low >= buffer->high)
		return refuse(EINVAL, "the range of addresses is empty");
	if (front >= buffer->bytes || buffer->bytes - front < sizeof(uint16_t))
		return refuse(EINVAL, "the buffer has no room for counters after the call counts: enlarge it");
	out.counters = (uint16_t *)((char *)buffer->at + front);
	out.nr = (buffer->bytes - front) / sizeof(*out.counters);
	out.scale = scale_of(out.nr, out.high - out.low);
	out.shift = shift_of(out.scale);
	if (out.scale < 2)
		return refuse(EINVAL, "the buffer has less than a counter for 65,536 bytes of the range: enlarge it");
	if (variable) {
		out.directory = strdup(variable);
		if (!out.directory)
			return refuse(ENOMEM, "no memory for the file's name");
	}
	error = begin(buffer, &out, clears);
	if (error)
		free(out.directory);
	return error;
}

int profil_monitor_begin(const struct profil_monitor_buffer *buffer)
{
	int cancel = enter();

	return leave(cancel, check_and_begin(buffer, system.clears));
}

/*
 * The library's own buffer, of at least so many bytes. It is never unmapped: other threads
 * may be counting calls there, also at exit. Return: NULL if there is no memory.
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
	int cancel = enter();
	int error;

	buffer.bytes = front_bytes(&buffer) + sizeof(uint16_t);
	if (high > low)
		buffer.bytes += (high - low) / OWN_TEXT_BYTES * sizeof(uint16_t);
	buffer.at = own_buffer(buffer.bytes);
	if (buffer.at)
		error = check_and_begin(&buffer, true);
	else
		error = refuse(ENOMEM, "no memory for the buffer");
	return leave(cancel, error);
}

/* What the file does not say. */
static void tell(const char *path)
{
	unsigned long missed = profil_callcount_missed();

	if (monitored.rate && monitored.rate != USUAL_RATE)
		fprintf(stderr, "libprofil: %s: sampled at %u Hz: read it with profil report --rate %u %s\n",
			path, monitored.rate, monitored.rate, path);
	profil_warn_lower_rate(path, monitored.first_rate, monitored.rate);
	if (monitored.full)
		fprintf(stderr, "libprofil: %s: sampling ended early: a counter had reached 32767; give monitor() a larger buffer, or set PROFIL_RATE to a lower rate\n",
			path);
	if (monitored.gone)
		fprintf(stderr, "libprofil: %s: sampling ended early, or was not passed on to this forked process: see profil(2) and the limits in profil(4)\n",
			path);
	profil_warn_lost_samples(path, monitored.lost, monitored.samples, monitored.lost_error);
	if (missed)
		fprintf(stderr, "libprofil: %s: %lu calls not counted: no memory (ENOMEM)\n",
			path, missed);
}

static int end(void)
{
	int error = stop_sampling();
	char *path;

	if (error)
		return error;
	if (!system.goes_on)
		profil_callcount_enable(false);
	error = profil_monitor_output_write(&monitored.out, &path);
	if (!error)
		tell(path);
	free(path);
	if (!error && !system.goes_on) {
		free(monitored.out.directory);
		monitored = (struct monitored){ .sampling = false };
	}
	return error;
}

int profil_monitor_end(void)
{
	int cancel = enter();

	return leave(cancel, monitored.out.counters ? end() : 0);
}

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
	int cancel = enter();

	return leave(cancel, control(mode));
}
