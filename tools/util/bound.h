/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bounds of what it takes to read the files of programs. Any user's program may be profiled, and a
 * file of some kilobytes can be made that takes hours and gigabytes to read. So helpers read them
 * (struct helper_work, @is_bounded): the kernel ends one at a bound, or at a crash, and the next
 * one reads the other files.
 *
 * A file has PROFIL_READ_SECONDS of CPU time, and all that a helper reads twice as much, besides a
 * twentieth of the time that it runs. For each file that was refused, the next helper has half of
 * this. So all take four times as much at most. PROFIL_READ_MIB bounds the memory. 0: no bound.
 */
#ifndef PROFIL_BOUND_H
#define PROFIL_BOUND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * bound_prepare - prepare to start a helper, which shares what is refused with later ones
 * @is_again: it does what the last one did not end
 */
void bound_prepare(bool is_again);

/* In the helper: set the bounds. */
void bound_begin(void);

/* In the helper: a file is mapped, which is no cost. */
void bound_allow(int fd);

/**
 * bound_read - in the helper: a file is read until bound_end()
 * @file: identifies the file; not 0
 */
void bound_read(uint64_t file);
void bound_end(void);

/**
 * bound_refuse - a helper has ended before its work was done
 * @killer: signal that has killed it; 0: none
 * @error:  what it returned
 *
 * Return: whether it is of use to start it again: the file that it was reading is refused now.
 */
bool bound_refuse(pid_t pid, int killer, int error);

/* Return: why a file must not be read, with the remedy; valid until the next call. NULL: it may. */
const char *bound_problem(uint64_t file);

#endif /* PROFIL_BOUND_H */
