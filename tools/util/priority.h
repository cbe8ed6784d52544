/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The priority of the process that reads the log: where many others are ready to run, it must not wait
 * until the log is full.
 */
#ifndef PROFIL_PRIORITY_H
#define PROFIL_PRIORITY_H

/* Raise it to PROFIL_NICE, a nice value, by default the highest priority, where that is permitted. */
void priority_raise(void);

/* Undo it: helpers, and commands, have the priority that the user has given. */
void priority_restore(void);

#endif /* PROFIL_PRIORITY_H */
