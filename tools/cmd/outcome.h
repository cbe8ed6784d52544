/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_OUTCOME_H
#define PROFIL_OUTCOME_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/table_choice.h"
#include "live/run.h"
#include "result/resultfile.h"

/**
 * struct outcome - how to show a run
 * @table:  output file of the table; NULL: it is not printed
 * @table_name: its name in messages
 * @choice: which table
 * @file:   the result file; without a path, the result is not written, which has been reported
 */
struct outcome {
	FILE *table;
	const char *table_name;
	const struct table_choice *choice;
	struct resultfile *file;
};

/**
 * outcome_show - write the result and print the table, or print why there is none
 * @run:     the run, which has ended
 *
 * The result is written without names of functions first. A signal that is held (signals_hold())
 * ends what takes long.
 *
 * Return: whether the result is in its file. If not, the reason has been printed.
 */
bool outcome_show(const struct outcome *outcome, const struct live_run *run);

#endif /* PROFIL_OUTCOME_H */
