// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads mon.out files. They have no magic number, so the only check of the format is whether the
 * sizes add up. Each size is checked before it is used.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "monout/monout.h"
#include "result/read_file.h"
#include "util/failure.h"

#define MAX_BYTES	((size_t)256 << 20)	/* enough to count 256 MiB of text */

#define FULL_SCALE	65536u	/* a byte of counters for each byte of text */

static uint64_t read_number(const struct monout_layout *layout, const unsigned char *at,
			    unsigned int bytes)
{
	uint64_t number = 0;
	unsigned int i;

	for (i = 0; i < bytes; i++)
		number = number << 8 | at[layout->is_big ? i : bytes - 1 - i];
	return number;
}

static uint64_t read_word(const struct monout_layout *layout, const unsigned char *contents,
			  size_t word)
{
	return read_number(layout, contents + word * layout->word_bytes, layout->word_bytes);
}

static int compare_pcs(const void *va, const void *vb)
{
	const struct monout_calls *a = va, *b = vb;

	return a->pc < b->pc ? -1 : a->pc > b->pc;
}

/* Merge the cells of each pc. Sums saturate. */
static void merge_calls(struct monout *monout)
{
	struct monout_calls *last = NULL;
	size_t i, nr = 0;

	if (monout->nr_calls)
		qsort(monout->calls, monout->nr_calls, sizeof(*monout->calls), compare_pcs);
	for (i = 0; i < monout->nr_calls; i++) {
		const struct monout_calls *next = &monout->calls[i];

		if (!last || last->pc != next->pc) {
			last = &monout->calls[nr++];
			*last = *next;
		} else if (__builtin_add_overflow(last->calls, next->calls, &last->calls)) {
			last->calls = UINT64_MAX;
		}
	}
	monout->nr_calls = nr;
}

/* Read the cells, except unused ones, whose pc is 0. Return: 0 or -ENOMEM. */
static int read_calls(struct monout *monout, size_t nr_cells)
{
	size_t i;

	monout->calls = calloc(nr_cells + 1, sizeof(*monout->calls));
	if (!monout->calls)
		return -ENOMEM;
	for (i = 0; i < nr_cells; i++) {
		const size_t word = MONOUT_HEADER_WORDS + i * MONOUT_CELL_WORDS;
		const struct monout_calls cell = {
			.pc = read_word(&monout->layout, monout->contents, word),
			.calls = read_word(&monout->layout, monout->contents, word + 1),
		};

		if (cell.pc && cell.calls)
			monout->calls[monout->nr_calls++] = cell;
	}
	merge_calls(monout);
	return 0;
}

/*
 * The scale that monitor() passes to profil(): counters per two bytes of text, rounded down so
 * that each pc below @high has a counter.
 */
static uint32_t find_scale(const struct monout *monout)
{
	const uint64_t text = monout->high - monout->low;
	const uint64_t scale = (uint64_t)monout->nr_counters * FULL_SCALE /
			       (text / 2 + text % 2);

	return scale < FULL_SCALE ? (uint32_t)scale : FULL_SCALE - 1;
}

int monout_parse(unsigned char *contents, size_t bytes, const struct monout_layout *layout,
		 struct monout *monout, const char **why)
{
	const size_t word = layout->word_bytes, header = MONOUT_HEADER_WORDS * word;
	uint64_t nr_cells;
	size_t rest;

	*monout = (struct monout){ .contents = contents, .layout = *layout };
	if (bytes < header)
		return failure_refuse(why, "too short for the header of a mon.out");
	monout->low = read_word(layout, contents, 0);
	monout->high = read_word(layout, contents, 1);
	nr_cells = read_word(layout, contents, 2);
	if (monout->low >= monout->high)
		return failure_refuse(why, "not the header of a mon.out: the end of the pcs is not after their start");
	if (nr_cells > (bytes - header) / (MONOUT_CELL_WORDS * word))
		return failure_refuse(why, "not the header of a mon.out: more call counts than the file has room for");
	rest = bytes - header - (size_t)nr_cells * MONOUT_CELL_WORDS * word;
	if (rest < MONOUT_COUNTER_BYTES || rest % MONOUT_COUNTER_BYTES)
		return failure_refuse(why, "does not end with whole counters of 2 bytes");
	monout->counters = contents + (bytes - rest);
	monout->nr_counters = rest / MONOUT_COUNTER_BYTES;
	monout->nr_cells = (size_t)nr_cells;
	monout->scale = find_scale(monout);
	return read_calls(monout, (size_t)nr_cells);
}

int monout_read(const char *path, const struct monout_layout *layout, struct monout *monout,
		const char **why)
{
	unsigned char *contents;
	size_t bytes;
	int error;

	memset(monout, 0, sizeof(*monout));
	error = read_file(path, MAX_BYTES, &contents, &bytes, why);
	if (!error)
		return monout_parse(contents, bytes, layout, monout, why);
	free(contents);
	if (error == -EFBIG)
		*why = "too large for a mon.out: more than 256 MiB";
	return error;
}

unsigned int monout_samples(const struct monout *monout, size_t counter)
{
	return (unsigned int)read_number(&monout->layout,
					 monout->counters + counter * MONOUT_COUNTER_BYTES,
					 MONOUT_COUNTER_BYTES);
}

/*
 * The distance from @monout->low is the lowest that profil() rounds down to this counter. The
 * product cannot overflow.
 */
uint64_t monout_pc(const struct monout *monout, size_t counter)
{
	const uint64_t scaled = (uint64_t)counter * MONOUT_COUNTER_BYTES * FULL_SCALE;
	const uint64_t distance = (scaled + monout->scale - 1) / monout->scale;
	uint64_t pc;

	return __builtin_add_overflow(monout->low, distance, &pc) ? UINT64_MAX : pc;
}

void monout_release(struct monout *monout)
{
	free(monout->calls);
	free(monout->contents);
	memset(monout, 0, sizeof(*monout));
}
