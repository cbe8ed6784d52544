/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_DIAGNOSE_H
#define PROFIL_DIAGNOSE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * fprintf(stderr, ...), in which the thread is not cancelled, since callers hold memory;
 * errno stays as it is.
 */
#define profil_diagnose_print(...)							\
	do {								\
		struct profil_diagnose_state _saying = profil_diagnose_begin();	\
									\
		fprintf(stderr, __VA_ARGS__);				\
		profil_diagnose_end(&_saying);				\
	} while (0)

struct profil_diagnose_state {
	int error;
	int cancel;
};

struct profil_diagnose_state profil_diagnose_begin(void);
void profil_diagnose_end(const struct profil_diagnose_state *saying);

/*
 * Say on stderr, once, that the device could not be opened (error: errno), what to
 * do, and what happens now. errno stays as it is.
 */
void profil_diagnose_open(int error, const char *consequence);

/* Whether it has said this errno. */
bool profil_diagnose_has_reported(int error);

#endif /* PROFIL_DIAGNOSE_H */
