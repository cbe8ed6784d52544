// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads /proc/interrupts, and sets the CPUs of the kernel's workers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "kernel/interrupts.h"

#define WORKERS	"/sys/devices/virtual/workqueue/cpumask"

long calls_of_cpu(int cpu)
{
	FILE *file = fopen("/proc/interrupts", "re");
	char line[4096], *at;
	long calls = -1;

	while (file && calls < 0 && fgets(line, sizeof(line), file)) {
		at = strstr(line, "CAL:");
		if (!at)
			continue;
		at += strlen("CAL:");
		for (; cpu >= 0; cpu--)
			calls = strtol(at, &at, 10);
	}
	if (file)
		fclose(file);
	return calls;
}

int put_workers_on_first_cpu(char *before)
{
	FILE *file = fopen(WORKERS, "re");

	if (!file || !fgets(before, MASK_TEXT, file))
		before[0] = '\0';
	if (file)
		fclose(file);
	return write_text(WORKERS, "1") ? -1 : 0;
}

void put_workers_back(const char *before)
{
	write_text(WORKERS, before);
}
