/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_READING_H
#define PROFIL_READING_H

/**
 * reading_run - run the part of a subcommand that reads the files of programs, within bounds
 * @run: writes to standard output, and returns an exit status; ENOMEM: there is no memory
 *
 * A helper does it (bound.h). Return: what @run returned. Does not return if the helper was killed.
 */
int reading_run(int (*run)(void *data), void *data);

#endif /* PROFIL_READING_H */
