/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_CODE_H
#define PROFIL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shm.h"

/*
 * What code of this process is profiled, and its profile. One for all threads; of these
 * functions, and those of jit.h, one runs at a time.
 */

/* What was being done when a start failed. */
enum profil_code_step {
	PROFIL_CODE_LIST,	/* listing what is loaded */
	PROFIL_CODE_OPEN,	/* opening the run's memory */
	PROFIL_CODE_MEMORY,	/* making counters for it */
	PROFIL_CODE_START,	/* starting the profile */
};

/*
 * Start a profile of all code that there is, in place of an earlier one, at this rate in
 * Hz and with the run's clock. *program: number of the program's own object, or
 * PROFIL_NO_PLACE. Return: 0 or -errno, and in *step what failed.
 */
int profil_code_start(int device, const struct profil_shm *tables, unsigned int rate,
		      uint32_t *program, enum profil_code_step *step);

/* Whether code has been loaded or unloaded since the start. */
bool profil_code_changed(void);

#endif /* PROFIL_CODE_H */
