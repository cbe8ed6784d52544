/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_TELL_H
#define PROFIL_TELL_H

#include <stdbool.h>

/*
 * Write to stderr. The thread is not cancelled in it: callers hold memory. errno stays as
 * it is.
 */
void profil_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Say on stderr, once, that the device could not be opened (error: errno), what to
 * do, and what happens now. errno stays as it is.
 */
void profil_tell(int error, const char *consequence);

/* Whether it has said this errno. */
bool profil_has_told(int error);

#endif /* PROFIL_TELL_H */
