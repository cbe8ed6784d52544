// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run that may go on, as a result.
 */
#include <errno.h>

#include "live/run.h"

int live_collect(const struct live_run *run, struct result *result)
{
	int error = collect_result(result, run->recording, &run->log, &run->so_far, run->argv);

	if (!error && !result->nr_processes)
		error = -ENODATA;
	return !error && run->no_arguments ? result_drop_arguments(result) : error;
}

struct symbols *live_symbols(const struct recording *recording, const struct result *result)
{
	struct symbols *symbols = symbols_new(result, NULL);
	size_t i;
	int fd;

	for (i = 0; symbols && i < result->nr_objects; i++) {
		fd = collect_open_file(recording, &result->objects[i]);
		if (fd >= 0)
			symbols_use_open(symbols, i, fd);
	}
	return symbols;
}
