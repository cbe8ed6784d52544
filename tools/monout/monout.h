/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The format of mon.out files, which monitor(3) writes: a histogram of pcs, and counts of
 * function calls. The file begins with words of the size of the program's pointers:
 *
 *	low high nr_cells	first pc, end of the pcs (exclusive), number of cells
 *	pc calls		nr_cells times: a pc in a function, and how often it was called
 *
 * The rest of the file consists of the counters of profil(2), 2 bytes each. The file has no
 * magic number, and does not record the word size, the program or the sampling rate.
 */
#ifndef PROFIL_MONOUT_H
#define PROFIL_MONOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MONOUT_DEFAULT	"mon.out"
#define MONOUT_RATE	100	/* Hz: the traditional rate, unless the user sets another */

/* Sizes in the file */
#define MONOUT_HEADER_WORDS	3
#define MONOUT_CELL_WORDS	2
#define MONOUT_COUNTER_BYTES	2

/* The layout of numbers in the program that wrote a file */
struct monout_layout {
	unsigned int word_bytes;	/* size of a pointer: 4 or 8 */
	bool is_big;			/* numbers are big-endian */
};

/* Calls of a function */
struct monout_calls {
	uint64_t pc;	/* a link-time address in the function */
	uint64_t calls;	/* number of calls, at least 1 */
};

/**
 * struct monout - a mon.out file
 * @low:         first pc that is sampled
 * @high:        end of these pcs (exclusive); more than @low
 * @scale:       bytes of counters for each byte of text, as a fraction of 65536; less than 2:
 *               profiling was off, and the counters have no pcs
 * @calls:       calls of functions, ascending by pc, without duplicates
 * @nr_cells:    number of call counts that the file has room for
 * @nr_counters: number of counters, at least 1
 * @counters:    the counters, 2 bytes each; read them with monout_samples()
 * @layout:      the layout of numbers
 * @contents:    contents of the file, which @counters points into
 */
struct monout {
	uint64_t low;
	uint64_t high;
	uint32_t scale;
	struct monout_calls *calls;
	size_t nr_calls;
	size_t nr_cells;
	size_t nr_counters;
	const unsigned char *counters;
	struct monout_layout layout;
	unsigned char *contents;
};

/**
 * monout_read - read a mon.out file
 * @path:   path of a regular file, or READ_FILE_STDIN
 * @layout: layout of numbers in the program that wrote it
 * @monout: filled in; must be released with monout_release(), even on error
 * @why:    on -EBADMSG and -EFBIG, set to the reason
 *
 * Return: 0; -EBADMSG: not a mon.out file; -EFBIG: larger than 256 MiB; or another -errno.
 */
int monout_read(const char *path, const struct monout_layout *layout, struct monout *monout,
		const char **why);

/**
 * monout_parse - parse the contents of a mon.out file
 * @contents: the contents, from malloc(); @monout takes ownership, even on error
 * @bytes:    size of @contents
 * @why:      on -EBADMSG, set to the reason
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int monout_parse(unsigned char *contents, size_t bytes, const struct monout_layout *layout,
		 struct monout *monout, const char **why);

/* The value of a counter, by its index, which is less than @monout->nr_counters. */
unsigned int monout_samples(const struct monout *monout, size_t counter);

/*
 * The first pc that a counter counts, in a file with a scale of 2 or more; also that after the last
 * counter. Return: a link-time address; UINT64_MAX on overflow.
 */
uint64_t monout_pc(const struct monout *monout, size_t counter);

/* Free the contents of a file. */
void monout_release(struct monout *monout);

#endif /* PROFIL_MONOUT_H */
