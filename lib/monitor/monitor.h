/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_MONITOR_H
#define PROFIL_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct profil_monitor_system - what differs between the systems
 * @profil:       its profil(), of 16-bit counters; scale 0 turns it off. Return: 0, or -1 with
 *                errno, after a line on stderr
 * @automatic:    called before the profile of a program linked with -p; or NULL
 * @header_bytes: of the buffer, before the call counts
 * @clears:       monitor() begins with counters of 0; else with what they have
 * @goes_on:      after the end calls are still counted, and a further end writes the file
 *                again; and what follows adds to these counts. Else each profile begins at 0
 * @rounds_up:    its profil() rounds to the nearest counter, not down
 */
struct profil_monitor_system {
	int (*profil)(uint16_t *counters, size_t bytes, uintptr_t low, unsigned int scale);
	void (*automatic)(void);
	size_t header_bytes;
	bool clears;
	bool goes_on;
	bool rounds_up;
};

/* Of this library: solaris.c, osf1.c or aix.c */
extern const struct profil_monitor_system profil_monitor_system;

/**
 * struct profil_monitor_buffer - the arguments of monitor()
 * @low:   lowest pc to sample
 * @high:  end of the range
 * @at:    the buffer: header, cells of call counts, counters
 * @bytes: its size
 * @nfunc: number of cells
 */
struct profil_monitor_buffer {
	uintptr_t low;
	uintptr_t high;
	void *at;
	size_t bytes;
	size_t nfunc;
};

/*
 * Begin, in place of what an earlier call has begun. Return: 0, also if PROFDIR is empty, and
 * nothing is done; or -1 with errno, after a line on stderr: EINVAL if the range is empty or
 * the buffer has no room for counters, or too few for the range; ENOMEM; or that of profil(),
 * and sampling is off. The file of an earlier call will still be written then.
 */
int profil_monitor_begin(const struct profil_monitor_buffer *buffer);

/*
 * Begin with a buffer of the library's own, for a counter for each 8 bytes of text and 600
 * functions, as `cc -p` had it. Return: as profil_monitor_begin().
 */
int profil_monitor_begin_own(uintptr_t low, uintptr_t high);

/*
 * End, and write mon.out. Return: 0, also if nothing has begun; or -1 with errno, after a line
 * on stderr.
 */
int profil_monitor_end(void);

/*
 * Stop (0) or resume sampling, and counting of calls. Return: 1 if they were on before, 0 if
 * not, or if nothing has begun; -1 with errno of profil(), after a line on stderr.
 */
int profil_monitor_control(int mode);

#endif /* PROFIL_MONITOR_H */
