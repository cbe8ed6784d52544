// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profiled processes, and the results of their forked children.
 */
#include "profile/process.h"

double loops_per_second;

void loop(double loops)
{
	volatile double i;

	for (i = 0; i < loops; i++)
		;
}

void burn_until(double seconds)
{
	double start = process_seconds(), now = start;
	double loops = (seconds - start) / 2 * loops_per_second;

	if (loops > 0) {
		loop(loops);
		now = process_seconds();
	}
	if (seconds > now && now > start)
		loop(loops * (seconds - now) / (now - start));
}

void init_profile(struct profile *profile, __u32 flags)
{
	double started = thread_seconds();

	loop(1e6);
	loops_per_second = 1e6 / (thread_seconds() - started);
	profile->hz = get_info(profile->fd).tick_hz;
	profile->counter = map_memory(PAGE);
	count_all(&profile->start, &profile->region, profile->counter, 64, profile->hz);
	profile->start.flags = flags;
}

int start_profile(struct profile *profile)
{
	int error;

	profile->region.buf = (uintptr_t)profile->counter;
	error = call(profile->fd, PROFIL_IOC_START, &profile->start);
	profile->used = process_seconds();
	return error;
}

uint64_t counted(const struct profile *profile)
{
	return __atomic_load_n(profile->counter, __ATOMIC_RELAXED);
}

void stop_and_report(const struct profile *profile, struct report *report)
{
	struct rusage usage;

	report->used = process_seconds();
	report->status = stop(profile->fd);
	report->used_after = process_seconds();
	report->base = counted(profile) - report->status.counted;
	getrusage(RUSAGE_SELF, &usage);
	report->switches = usage.ru_nvcsw + usage.ru_nivcsw;
}

int share_counters(struct profile *profile, size_t pages)
{
	int fd = memfd_create("counters", 0);

	if (fd < 0 || ftruncate(fd, (off_t)(pages * PAGE)))
		return -1;
	profile->counter = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	profile->region.bytes = pages * PAGE;
	return profile->counter == MAP_FAILED ? -1 : fd;
}

bool counts(const struct profile *profile, uint64_t nr)
{
	const uint64_t wanted = counted(profile) + nr;
	uint64_t i;

	for (i = 0; i < 4 * nr && counted(profile) < wanted; i++)
		burn(1 / (double)profile->hz);
	return counted(profile) >= wanted;
}

int check_profiled(struct profile *profile)
{
	struct profil_status status = get_status(profile->fd);

	if (status.state != PROFIL_STATE_RUNNING && start_profile(profile))
		return -1;
	if (!counts(profile, 10))
		return -1;
	status = get_status(profile->fd);
	return status.state == PROFIL_STATE_RUNNING && status.counted ? 0 : -1;
}

double tick_fraction(const struct profile *profile, unsigned int number)
{
	return number * 619 % 1000 / 1000.0 / profile->hz;
}

pid_t fork_burner(const struct profile *profile, struct report *report, double seconds)
{
	pid_t pid;

	report->before = counted(profile);
	pid = fork();
	if (!pid) {
		burn_until(seconds);
		stop_and_report(profile, report);
		_exit(0);
	}
	report->after = counted(profile);
	return pid;
}

int child_state_after_burning(const struct profile *profile)
{
	pid_t pid = fork();

	if (!pid) {
		uint64_t before = counted(profile);
		struct profil_status status;

		burn(0.05);
		status = get_status(profile->fd);
		if (status.state == PROFIL_STATE_OFF && counted(profile) > before + 3)
			_exit(100);
		_exit((int)status.state);
	}
	return wait_for(pid);
}
