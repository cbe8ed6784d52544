// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sum of mon.out files, as another mon.out file. Counters of the same index count the same pcs
 * only in files of the same range and number of counters, so only these have a sum.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "monout/monout_sum.h"
#include "result/atomic_file.h"
#include "write_all.h"

static void write_number(const struct monout_layout *layout, unsigned char *at, uint64_t number,
			 unsigned int bytes)
{
	unsigned int i;

	for (i = 0; i < bytes; i++, number >>= 8)
		at[layout->is_big ? bytes - 1 - i : i] = (unsigned char)number;
}

/* Return: a function that comes first among those that are not added up yet, or NULL. */
static const struct monout_calls *next_function(const struct monout *files, size_t nr,
						size_t *places)
{
	const struct monout_calls *next = NULL, *calls;
	size_t i;

	for (i = 0; i < nr; i++) {
		calls = files[i].calls + places[i];
		if (places[i] < files[i].nr_calls && (!next || calls->pc < next->pc))
			next = calls;
	}
	return next;
}

/* Add up the calls of the function at @pc. Return: 0, or -EOVERFLOW and @bad is set. */
static int add_calls(const struct monout *files, size_t nr, size_t *places,
		     struct monout_calls *sum, size_t *bad)
{
	/* the file has them as a long */
	const uint64_t limit = files->layout.word_bytes == 4 ? INT32_MAX : INT64_MAX;
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct monout_calls *calls = files[i].calls + places[i];

		if (places[i] == files[i].nr_calls || calls->pc != sum->pc)
			continue;
		places[i]++;
		if (calls->calls > limit || sum->calls > limit - calls->calls) {
			*bad = i;
			return -EOVERFLOW;
		}
		sum->calls += calls->calls;
	}
	return 0;
}

/* Write the cells to @at, which has room for those of all files. Return: number or -errno. */
static long write_cells(const struct monout *files, size_t nr, unsigned char *at, size_t *bad)
{
	const struct monout_layout *layout = &files->layout;
	size_t *places = calloc(nr + 1, sizeof(*places));
	const struct monout_calls *next;
	long written = 0;

	if (!places)
		return -ENOMEM;
	while ((next = next_function(files, nr, places))) {
		struct monout_calls sum = { .pc = next->pc };
		int error = add_calls(files, nr, places, &sum, bad);

		if (error) {
			free(places);
			return error;
		}
		write_number(layout, at, sum.pc, layout->word_bytes);
		write_number(layout, at + layout->word_bytes, sum.calls, layout->word_bytes);
		at += (size_t)2 * layout->word_bytes;
		written++;
	}
	free(places);
	return written;
}

/* Return: 0, or -EOVERFLOW and @bad is set. */
static int write_counters(const struct monout *files, size_t nr, unsigned char *at, size_t *bad)
{
	size_t counter, i;

	for (counter = 0; counter < files->nr_counters; counter++, at += MONOUT_COUNTER_BYTES) {
		unsigned int sum = 0;

		for (i = 0; i < nr; i++) {
			sum += monout_samples(&files[i], counter);
			if (sum > UINT16_MAX) {
				*bad = i;
				return -EOVERFLOW;
			}
		}
		write_number(&files->layout, at, sum, MONOUT_COUNTER_BYTES);
	}
	return 0;
}

/* @cells: the number of cells of all files. Return: 0 or -errno. */
static int write_contents(const struct monout *files, size_t nr, size_t cells,
			  unsigned char **sum, size_t *bytes, size_t *bad)
{
	const size_t word = files->layout.word_bytes;
	const size_t header = MONOUT_HEADER_WORDS * word;
	const size_t counters = files->nr_counters * MONOUT_COUNTER_BYTES;
	const size_t cell = MONOUT_CELL_WORDS * word;
	long used;
	int error;

	*sum = malloc(header + cells * cell + counters);
	if (!*sum)
		return -ENOMEM;
	write_number(&files->layout, *sum, files->low, (unsigned int)word);
	write_number(&files->layout, *sum + word, files->high, (unsigned int)word);
	used = write_cells(files, nr, *sum + header, bad);
	error = used < 0 ? (int)used : 0;
	if (!error) {
		write_number(&files->layout, *sum + 2 * word, (uint64_t)used, (unsigned int)word);
		*bytes = header + (size_t)used * cell + counters;
		error = write_counters(files, nr, *sum + *bytes - counters, bad);
	}
	if (error) {
		free(*sum);
		*sum = NULL;
	}
	return error;
}

int monout_sum(const struct monout *files, size_t nr, unsigned char **sum, size_t *bytes,
	       size_t *bad)
{
	size_t cells = 0, i;

	*sum = NULL;
	for (i = 0; i < nr; i++) {
		if (files[i].low != files->low || files[i].high != files->high ||
		    files[i].nr_counters != files->nr_counters) {
			*bad = i;
			return -ERANGE;
		}
		cells += files[i].nr_calls;
	}
	return write_contents(files, nr, cells, sum, bytes, bad);
}

int monout_sum_write(const char *path, const unsigned char *sum, size_t bytes)
{
	struct atomic_file new;
	char *left = NULL;
	int error = atomic_file_find(&new, path);

	if (!error && new.is_special)
		error = -EINVAL;
	if (!error)
		error = atomic_file_begin(&new);
	if (!error)
		error = profil_write_all(new.fd, sum, bytes);
	if (!error)
		error = atomic_file_finish(&new, &left, NULL);
	atomic_file_release(&new);
	/* complete, but without its name: the same command makes it again */
	if (left)
		unlink(left);
	free(left);
	return error;
}
