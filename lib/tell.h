/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_TELL_H
#define PROFIL_TELL_H

#include <stdbool.h>
#include <stdio.h>

/*
 * fprintf(stderr, ...), in which the thread is not cancelled, since callers hold memory;
 * errno stays as it is.
 */
#define profil_say(...)							\
	do {								\
		struct profil_saying _saying = profil_say_begin();	\
									\
		fprintf(stderr, __VA_ARGS__);				\
		profil_say_end(&_saying);				\
	} while (0)

struct profil_saying {
	int error;
	int cancel;
};

struct profil_saying profil_say_begin(void);
void profil_say_end(const struct profil_saying *saying);

/*
 * Say on stderr, once, that the device could not be opened (error: errno), what to
 * do, and what happens now. errno stays as it is.
 */
void profil_tell(int error, const char *consequence);

/* Whether it has said this errno. */
bool profil_has_told(int error);

#endif /* PROFIL_TELL_H */
