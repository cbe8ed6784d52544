/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_MONITOR_H
#define PROFIL_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct profil_monitor_system - what differs between the systems
 * @profil:         its profil() with 16-bit counters; scale 0 turns profiling off. Return: 0; or -1
 *                  with errno and a line on stderr
 * @automatic:      called before the start-up code of a program linked with -p starts a profile;
 *                  or NULL
 * @header_bytes:   size of the buffer's header, before the call counts
 * @clears:         monitor() clears the counters; else it adds to their contents
 * @keeps_counting: after the end, calls are still counted, a second end writes the file again, and
 *                  the next profile adds to the call counts. Else each profile begins at 0
 * @rounds_up:      its profil() rounds to the nearest counter, not down
 */
struct profil_monitor_system {
	int (*profil)(uint16_t *counters, size_t bytes, uintptr_t low, unsigned int scale);
	void (*automatic)(void);
	size_t header_bytes;
	bool clears;
	bool keeps_counting;
	bool rounds_up;
};

/* Defined by solaris.c, osf1.c or aix.c, of which each library contains one */
extern const struct profil_monitor_system profil_monitor_system;

/**
 * struct profil_monitor_buffer - arguments of monitor()
 * @low:   lowest pc to sample
 * @high:  end of the range
 * @at:    buffer: header, call counts, counters
 * @bytes: size of the buffer
 * @nfunc: number of call counts
 */
struct profil_monitor_buffer {
	uintptr_t low;
	uintptr_t high;
	void *at;
	size_t bytes;
	size_t nfunc;
};

/*
 * Start, replacing an earlier profile. Return: 0, also if PROFDIR is empty, which
 * disables profiling; or -1 with errno and a line on stderr: EINVAL if the range is empty or the
 * buffer has no room for counters, or too few for the range; ENOMEM; or the errno of profil(), and
 * sampling is off. After an error, profil_monitor_end() still writes the file of an earlier call.
 */
int profil_monitor_begin(const struct profil_monitor_buffer *buffer);

/*
 * Start with a buffer of the library, which has a counter for each 8 bytes of text and 600 call
 * counts, as in programs linked with `cc -p` on these systems. Return: as profil_monitor_begin().
 */
int profil_monitor_begin_own(uintptr_t low, uintptr_t high);

/*
 * Stop, and write mon.out. Return: 0, also if nothing was started; or -1 with errno and a line on
 * stderr.
 */
int profil_monitor_end(void);

/*
 * Pause (0) or resume sampling and call counting. Return: 1 if they were on before; 0 if they were
 * off or nothing was started; -1 with the errno of profil() and a line on stderr.
 */
int profil_monitor_control(int mode);

#endif /* PROFIL_MONITOR_H */
