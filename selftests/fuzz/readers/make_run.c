// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write the used part of a run's memory, as the library fills it: the initial input of
 * run_reader.
 *
 * usage: make_run started|failed >FILE
 */
#include <stdio.h>
#include <string.h>

#include "support/fake_run.h"

int main(int argc, char **argv)
{
	static struct fake_run run;

	fake_run_fill(&run);
	run.counters[0][3] = 7;
	run.counters[1][9] = 2;
	run.outside = 1;
	run.header.nr_processes = 3;
	run.processes[1] = (struct profil_run_process){
		.pid = 7, .state = PROFIL_RUN_ENDED, .rate = 100, .program = 1,
		.flags = PROFIL_RUN_TOLD, .end_cpu_ns = 90000000, .samples = 9,
	};
	if (argc > 1 && !strcmp(argv[1], "failed")) {
		run.processes[0].state = PROFIL_RUN_FAILED;
		run.header.error = 1;
		strcpy(run.header.message, "EPERM");
	}
	return fwrite(&run, sizeof(run), 1, stdout) != 1;
}
