// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes prof(1) with a mon.out file. The sanitizers report errors, and the
 * guarantees of monout.h and prof.h are checked.
 *
 * The first byte of the input selects the layout of numbers and the options of the table;
 * the rest is the file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <monout/prof_table.h>
#include <symbol/demangle.h>

#include "fake_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char name[] = "_ZN1a1bEv";	/* name of functions */

static uint64_t add(uint64_t sum, uint64_t calls)
{
	return __builtin_add_overflow(sum, calls, &sum) ? UINT64_MAX : sum;
}

/* All samples and calls of the file are in rows, once. */
static void check(const struct prof *prof, const struct monout *monout)
{
	uint64_t samples = 0, calls = 0, calls_in_rows = 0;
	double in_rows = 0;
	size_t i;

	for (i = 0; i < monout->nr_counters; i++)
		samples += monout_samples(monout, i);
	for (i = 0; i < monout->nr_calls; i++)
		calls = add(calls, monout->calls[i].calls);
	for (i = 0; i < prof->nr_rows; i++) {
		in_rows += prof->rows[i].samples;
		calls_in_rows = add(calls_in_rows, prof->rows[i].calls);
	}
	/* if counters are divided, with the error of a double for each part */
	if (fabs(prof->samples - (double)samples) > 1e-6 * (double)samples ||
	    fabs(in_rows - (double)samples) > 1e-6 * (double)samples || calls_in_rows != calls)
		abort();
}

/* There is at least one counter, and the counters cover consecutive ranges of pcs. */
static void check_counters(const struct monout *monout)
{
	size_t i;

	if (!monout->nr_counters || monout->low >= monout->high)
		abort();
	if (monout->scale < 2)
		return;
	if (monout_pc(monout, 0) != monout->low)
		abort();
	for (i = 0; i < monout->nr_counters; i++)
		if (monout_pc(monout, i + 1) - 1 < monout_pc(monout, i) &&
		    monout_pc(monout, i + 1) != UINT64_MAX)
			abort();
}

static void show(const struct monout *monout, unsigned int how)
{
	const struct prof_table_options options = {
		.table = {
			.order = (enum profile_order)(how % 4),
			.top = how & 4 ? 2 : 0,
			.min_percent = how & 8 ? 10 : 0,
			.style = { .color = how & 16, .columns = how & 32 ? 40 : 0 },
		},
		.by_calls = how & 8,
		.bare = how & 16,
		.address = how & 4 ? 'x' : 0,
	};
	const struct prof_functions functions = {
		.find = fake_symbols_find,
		.symbols = name,
		.demangle = demangle,
		.divide = how & 1,
	};
	struct prof prof;
	char *text = NULL;
	size_t length;
	FILE *out;

	if (!prof_make(&prof, monout, 1, &functions)) {
		check(&prof, monout);
		out = open_memstream(&text, &length);
		prof_table_print(out, &prof, how + 1, &options);
		fclose(out);
		free(text);
	}
	prof_release(&prof);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct monout_layout layout;
	const char *why = NULL;
	struct monout monout;
	uint8_t *copy;
	int error;

	if (!size)
		return 0;
	layout = (struct monout_layout){ data[0] & 64 ? 4 : 8, data[0] & 128 };
	copy = malloc(size);
	memcpy(copy, data + 1, size - 1);
	error = monout_parse(copy, size - 1, &layout, &monout, &why);
	if (error == -EBADMSG && !why)
		abort();
	if (!error) {
		check_counters(&monout);
		show(&monout, data[0]);
	}
	monout_release(&monout);
	return 0;
}
