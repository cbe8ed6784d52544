// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the part of a subcommand that reads the files of programs.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

#include "cmd/commands.h"
#include "cmd/reading.h"
#include "util/failure.h"
#include "util/helper.h"

/* What a helper that is ended has written must not be written again. It takes memory as it fills. */
#define BUFFER_BYTES	((size_t)1 << 28)

int reading_run(int (*run)(void *data), void *data)
{
	char *buffer = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct helper helper;
	char why[HELPER_WHY];

	if (buffer != MAP_FAILED)
		setvbuf(stdout, buffer, _IOFBF, BUFFER_BYTES);
	helper_run(&helper, &(struct helper_work){ .run = run, .data = data, .is_bounded = true });
	if (!helper.killer)
		return -helper.error;
	if (helper.killer == SIGPIPE)
		raise(SIGPIPE);
	helper_explain(&helper, why);
	failure_exitx(EXIT_NO_RESULT, "%s", why);
}
