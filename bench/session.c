// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a program pays for the start, the status and the stop of its profile, by the size of its
 * counters and by when their pages are pinned. In a guest whose clock counts instructions.
 *
 * Prints lines for bench/run: medians.
 */
#include <sys/wait.h>

#include "common.h"

#define TURNS		9
#define LARGEST_PINNED	((size_t)64 << 20)

static int device;
static double unit;

static void fail(const char *what)
{
	fprintf(stderr, "session: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Instructions since @begin */
static double since(double begin)
{
	return (clock_seconds(CLOCK_MONOTONIC_RAW) - begin) / unit;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void print_cost(size_t bytes, const char *of, const char *pinned, double *costs)
{
	double sum = 0;
	int i;

	for (i = 0; i < TURNS; i++)
		sum += costs[i];
	qsort(costs, TURNS, sizeof(*costs), compare);
	printf("session,\"%s, %s\",%zu KiB,instructions,%.0f,%.0f,%d\n", of, pinned, bytes >> 10,
	       costs[TURNS / 2], sum / TURNS, TURNS);
	fflush(stdout);
}

/* Return: instructions of a start. */
static double start_once(char *counters, size_t bytes, bool on_hit)
{
	struct profil_region region;
	struct profil_start start;
	double begin, cost;

	count_all(&start, &region, counters, 64, 100);
	region.bytes = bytes;
	start.flags = on_hit ? PROFIL_PIN_ON_HIT : 0;

	begin = clock_seconds(CLOCK_MONOTONIC_RAW);
	errno = call(device, PROFIL_IOC_START, &start);
	cost = since(begin);
	if (errno)
		fail("start");
	return cost;
}

static void measure(size_t bytes, bool on_hit)
{
	const char *pinned = on_hit ? "pinned on hit" : "pinned at the start";
	double starts[TURNS], statuses[TURNS], stops[TURNS], begin;
	char *counters;
	int i;

	for (i = 0; i < TURNS; i++) {
		counters = map_memory(bytes);
		if (counters == MAP_FAILED)
			fail("mmap");
		starts[i] = start_once(counters, bytes, on_hit);

		begin = clock_seconds(CLOCK_MONOTONIC_RAW);
		get_status(device);
		statuses[i] = since(begin);

		begin = clock_seconds(CLOCK_MONOTONIC_RAW);
		stop(device);
		stops[i] = since(begin);
		munmap(counters, bytes);
	}
	print_cost(bytes, "start", pinned, starts);
	print_cost(bytes, "status", pinned, statuses);
	print_cost(bytes, "stop", pinned, stops);
}

/*
 * The kernel prepares an address space for those who watch it, once. The hooks are attached
 * already, and stay so for some time.
 */
static void measure_first(size_t bytes)
{
	double *costs = mmap(NULL, TURNS * sizeof(*costs), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int i, status;
	pid_t pid;

	if (costs == MAP_FAILED)
		fail("mmap");
	for (i = 0; i < TURNS; i++) {
		pid = fork();
		if (!pid) {
			device = open_device();
			costs[i] = start_once(map_memory(bytes), bytes, true);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			fail("a process that starts a profile");
	}
	print_cost(bytes, "first start", "pinned on hit", costs);
}

int main(void)
{
	static const size_t sizes[] = { (size_t)64 << 10, (size_t)8 << 20, LARGEST_PINNED,
					(size_t)1 << 30 };
	size_t i;

	device = open_device();
	if (device < 0)
		fail("/dev/profil");
	unit = instruction_seconds();
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (sizes[i] <= LARGEST_PINNED)
			measure(sizes[i], false);
		measure(sizes[i], true);
	}
	measure_first(sizes[0]);
	return 0;
}
