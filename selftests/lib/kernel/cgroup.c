// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creates a memory cgroup and reads its figures.
 */
#include <sched.h>

#include "common.h"
#include "kernel/cgroup.h"

int cgroup_write(const struct memory_cgroup *group, const char *name, const char *text)
{
	char path[320];

	snprintf(path, sizeof(path), "%s/%s", group->path, name);
	return write_text(path, text);
}

int cgroup_set(const struct memory_cgroup *group, const char *name, long long bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", bytes);
	return cgroup_write(group, name, text);
}

long long cgroup_number(const struct memory_cgroup *group, const char *name, const char *key)
{
	char path[320];

	snprintf(path, sizeof(path), "%s/%s", group->path, name);
	return read_number(path, key);
}

#define LONGEST_TICK	0.01	/* seconds, at 100 Hz */

long long cgroup_statistic(const struct memory_cgroup *group, const char *key)
{
	cpu_set_t cpus;
	int cpu;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &cpus) && !put_on_cpu(0, cpu))
			burn(LONGEST_TICK);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	return cgroup_number(group, "memory.stat", key);
}

bool cgroup_make(struct memory_cgroup *group, const char *name)
{
	FILE *mounts = fopen("/proc/mounts", "re");
	char place[200], type[32], path[320];
	bool found = false;

	while (mounts && !found && fscanf(mounts, "%*s %199s %31s %*[^\n]", place, type) == 2)
		found = !strcmp(type, "cgroup2");
	if (mounts)
		fclose(mounts);
	if (!found)
		return false;
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", place);
	write_text(path, "+memory");
	snprintf(group->path, sizeof(group->path), "%s/profil-%s-%d", place, name, (int)getpid());
	if (mkdir(group->path, 0755))
		return false;
	if (cgroup_number(group, "memory.current", "") >= 0)
		return true;
	rmdir(group->path);
	return false;
}

int cgroup_join(const struct memory_cgroup *group)
{
	return cgroup_write(group, "cgroup.procs", "0");
}
