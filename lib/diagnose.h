/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_DIAGNOSE_H
#define PROFIL_DIAGNOSE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * fprintf(stderr, ...) that is not a cancellation point, since callers hold memory, and that
 * preserves errno.
 */
#define profil_diagnose_print(...)					\
	do {								\
		struct profil_diagnose_state _state = profil_diagnose_begin();	\
									\
		fprintf(stderr, __VA_ARGS__);				\
		profil_diagnose_end(&_state);				\
	} while (0)

struct profil_diagnose_state {
	int saved_errno;
	int cancel;	/* cancel state of the thread before */
};

/* Used by profil_diagnose_print() only */
struct profil_diagnose_state profil_diagnose_begin(void);
void profil_diagnose_end(const struct profil_diagnose_state *state);

/*
 * Print on stderr, once per process, that the device could not be opened (error: errno), the
 * remedy, and the consequence. Preserves errno.
 */
void profil_diagnose_open(int error, const char *consequence);

/* Whether profil_diagnose_open() has printed this errno. */
bool profil_diagnose_has_reported(int error);

#endif /* PROFIL_DIAGNOSE_H */
