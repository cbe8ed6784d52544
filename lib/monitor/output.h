/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_MONITOR_OUTPUT_H
#define PROFIL_MONITOR_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

/* struct hdr of <mon.h> */
struct profil_monitor_output_header {
	uintptr_t low;
	uintptr_t high;
	size_t nfns;
};

/**
 * struct profil_monitor_output - contents of a mon.out file
 * @low:       lowest pc of the histogram, in memory
 * @high:      end of the range, in memory
 * @shift:     subtracted from @low and @high in the file, see monitor.c
 * @scale:     scale of profil()
 * @counters:  histogram
 * @nr:        number of counters
 * @directory: directory of the file, which is named PID.PROGRAM; NULL: mon.out in the current
 *             directory
 */
struct profil_monitor_output {
	uintptr_t low;
	uintptr_t high;
	uintptr_t shift;
	unsigned int scale;
	uint16_t *counters;
	size_t nr;
	char *directory;
};

/*
 * Write the file, with the call counts of the object that contains @low. Errors are printed on
 * stderr. *path receives its name, for messages, which the caller frees; NULL if there is no
 * memory. Return: 0; or -errno, and an earlier file of that name is unchanged.
 */
int profil_monitor_output_write(const struct profil_monitor_output *out, char **path);

#endif /* PROFIL_MONITOR_OUTPUT_H */
