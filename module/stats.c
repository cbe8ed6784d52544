// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics of all sessions, as sysfs files with one number each. For root only: with a
 * single session, the sums are its own, and show when the process runs.
 */
#include <linux/device.h>
#include <linux/mm.h>
#include <linux/sysfs.h>

#include "stats.h"

atomic_long_t profil_stats[PROFIL_NR_STATS];
DEFINE_PER_CPU(struct profil_cpu_stats, profil_cpu_stats);

static ssize_t stats_show(char *buf, enum profil_stat stat, unsigned long unit)
{
	unsigned long value = atomic_long_read(&profil_stats[stat]);

	return sysfs_emit(buf, "%lu\n", value * unit);
}

static ssize_t sessions_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return stats_show(buf, PROFIL_SESSIONS, 1);
}
static DEVICE_ATTR_ADMIN_RO(sessions);

static ssize_t pinned_bytes_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return stats_show(buf, PROFIL_PINNED_PAGES, PAGE_SIZE);
}
static DEVICE_ATTR_ADMIN_RO(pinned_bytes);

static ssize_t forks_followed_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return stats_show(buf, PROFIL_FORKS_FOLLOWED, 1);
}
static DEVICE_ATTR_ADMIN_RO(forks_followed);

static ssize_t fork_failures_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return stats_show(buf, PROFIL_FORK_FAILURES, 1);
}
static DEVICE_ATTR_ADMIN_RO(fork_failures);

static ssize_t fault_ends_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return stats_show(buf, PROFIL_FAULT_ENDS, 1);
}
static DEVICE_ATTR_ADMIN_RO(fault_ends);

/* @field: byte offset in struct profil_cpu_stats */
static ssize_t stats_show_cpu(char *buf, size_t field)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		const void *stats = per_cpu_ptr(&profil_cpu_stats, cpu);

		sum += READ_ONCE(*(const unsigned long *)(stats + field));
	}
	return sysfs_emit(buf, "%lu\n", sum);
}

static ssize_t samples_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return stats_show_cpu(buf, offsetof(struct profil_cpu_stats, samples));
}
static DEVICE_ATTR_ADMIN_RO(samples);

static ssize_t counted_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return stats_show_cpu(buf, offsetof(struct profil_cpu_stats, counted));
}
static DEVICE_ATTR_ADMIN_RO(counted);

static ssize_t out_of_range_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return stats_show_cpu(buf, offsetof(struct profil_cpu_stats, out_of_range));
}
static DEVICE_ATTR_ADMIN_RO(out_of_range);

static ssize_t lost_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return stats_show_cpu(buf, offsetof(struct profil_cpu_stats, lost));
}
static DEVICE_ATTR_ADMIN_RO(lost);

static struct attribute *profil_attrs[] = {
	&dev_attr_sessions.attr,
	&dev_attr_samples.attr,
	&dev_attr_counted.attr,
	&dev_attr_out_of_range.attr,
	&dev_attr_lost.attr,
	&dev_attr_pinned_bytes.attr,
	&dev_attr_forks_followed.attr,
	&dev_attr_fork_failures.attr,
	&dev_attr_fault_ends.attr,
	NULL
};

static const struct attribute_group profil_attribute_group = {
	.attrs = profil_attrs,
};

const struct attribute_group *profil_attribute_groups[] = {
	&profil_attribute_group,
	NULL
};
