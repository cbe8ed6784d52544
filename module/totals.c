// SPDX-License-Identifier: GPL-2.0-only
/*
 * Figures over all sessions, as files of one number each, for root only: where a single
 * process is profiled, the sums are its own, and say when it runs.
 */
#include <linux/device.h>
#include <linux/mm.h>
#include <linux/sysfs.h>

#include "totals.h"

atomic_long_t profil_totals[PROFIL_NR_TOTALS];
DEFINE_PER_CPU(struct profil_cpu_totals, profil_cpu_totals);

static ssize_t totals_show_total(char *buf, enum profil_total total, unsigned long unit)
{
	unsigned long value = atomic_long_read(&profil_totals[total]);

	return sysfs_emit(buf, "%lu\n", value * unit);
}

static ssize_t sessions_show(struct device *dev, struct device_attribute *attr,
			     char *buf)
{
	return totals_show_total(buf, PROFIL_SESSIONS, 1);
}
static DEVICE_ATTR_ADMIN_RO(sessions);

static ssize_t pinned_bytes_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	return totals_show_total(buf, PROFIL_PINNED_PAGES, PAGE_SIZE);
}
static DEVICE_ATTR_ADMIN_RO(pinned_bytes);

static ssize_t forks_followed_show(struct device *dev,
				   struct device_attribute *attr, char *buf)
{
	return totals_show_total(buf, PROFIL_FORKS_FOLLOWED, 1);
}
static DEVICE_ATTR_ADMIN_RO(forks_followed);

static ssize_t fork_failures_show(struct device *dev,
				  struct device_attribute *attr, char *buf)
{
	return totals_show_total(buf, PROFIL_FORK_FAILURES, 1);
}
static DEVICE_ATTR_ADMIN_RO(fork_failures);

static ssize_t fault_ends_show(struct device *dev,
			       struct device_attribute *attr, char *buf)
{
	return totals_show_total(buf, PROFIL_FAULT_ENDS, 1);
}
static DEVICE_ATTR_ADMIN_RO(fault_ends);

/* @field: byte offset in struct profil_cpu_totals */
static ssize_t totals_show_cpu_total(char *buf, size_t field)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		const void *totals = per_cpu_ptr(&profil_cpu_totals, cpu);

		sum += READ_ONCE(*(const unsigned long *)(totals + field));
	}
	return sysfs_emit(buf, "%lu\n", sum);
}

static ssize_t samples_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	return totals_show_cpu_total(buf, offsetof(struct profil_cpu_totals, samples));
}
static DEVICE_ATTR_ADMIN_RO(samples);

static ssize_t counted_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	return totals_show_cpu_total(buf, offsetof(struct profil_cpu_totals, counted));
}
static DEVICE_ATTR_ADMIN_RO(counted);

static ssize_t out_of_range_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	return totals_show_cpu_total(buf, offsetof(struct profil_cpu_totals,
						   out_of_range));
}
static DEVICE_ATTR_ADMIN_RO(out_of_range);

static ssize_t lost_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	return totals_show_cpu_total(buf, offsetof(struct profil_cpu_totals, lost));
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
