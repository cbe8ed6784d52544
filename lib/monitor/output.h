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
 * struct profil_monitor_output - what a mon.out file is made of
 * @low:       lowest pc of the histogram, as it is in memory
 * @high:      end of the range
 * @shift:     both are less by so much in the file
 * @scale:     of profil()
 * @counters:  the histogram
 * @nr:        number of counters
 * @directory: where the file goes, as PID.PROGRAM; NULL: to mon.out in the current
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
 * Write the file, with the call counts of the object that holds @low, and say on stderr if it
 * cannot be written. *path, for messages, is its name, which the caller frees; NULL if
 * there is no memory. Return: 0 or -errno, and an earlier file of that name is as it was.
 */
int profil_monitor_output_write(const struct profil_monitor_output *out, char **path);

#endif /* PROFIL_MONITOR_OUTPUT_H */
