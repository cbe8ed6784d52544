/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_WORKING_H
#define PROFIL_WORKING_H

/**
 * working_show - tell the user from now on
 * @fd: where to; nothing happens if it is not a terminal
 *
 * A timer's signal, SIGRTMIN, writes the line, because the work does not return in between. The
 * process must not have other threads.
 */
void working_show(int fd);

/**
 * working_begin - begin something that may take long
 * @what: what is done, as "reading symbols of"
 * @path: the file; valid until the process ends, or the next call with another one
 *
 * If all such work so far has taken about half a second, a line says so until working_end().
 * Nothing may be printed until then.
 */
void working_begin(const char *what, const char *path);

/* The same for a part of it, from 1 on. */
void working_begin_part(const char *what, const char *path, unsigned int part,
			unsigned int parts);

/* End it, and erase the line. */
void working_end(void);

#endif /* PROFIL_WORKING_H */
