// SPDX-License-Identifier: GPL-2.0-only
/*
 * The priority of the process that reads the log.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "util/priority.h"

#define HIGHEST	(-20)

static int before;
static bool is_raised;

void priority_raise(void)
{
	const char *text = getenv("PROFIL_NICE");
	const int wanted = text && *text ? atoi(text) : HIGHEST;

	if (is_raised)
		return;
	before = getpriority(PRIO_PROCESS, 0);
	/* without the right, it stays as it is */
	is_raised = wanted < before && !setpriority(PRIO_PROCESS, 0, wanted);
}

void priority_restore(void)
{
	if (is_raised)
		setpriority(PRIO_PROCESS, 0, before);
	is_raised = false;
}
