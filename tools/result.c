// SPDX-License-Identifier: GPL-2.0-only
/*
 * What one run came to, in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "result.h"

uint64_t result_samples(const struct result *result)
{
	uint64_t samples = result->outside;
	size_t i;

	for (i = 0; i < result->nr_objects; i++)
		samples += result->objects[i].samples;
	return samples;
}

void result_release(struct result *result)
{
	size_t i;

	for (i = 0; result->argv && result->argv[i]; i++)
		free(result->argv[i]);
	free(result->argv);
	free(result->host);
	free(result->kernel);
	for (i = 0; i < result->nr_objects; i++) {
		free(result->objects[i].path);
		free(result->objects[i].counts);
	}
	free(result->objects);
	for (i = 0; i < result->nr_processes; i++)
		free(result->processes[i].program);
	free(result->processes);
	memset(result, 0, sizeof(*result));
}
