/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What monitor(3) writes: a histogram of pcs, and the calls of functions. In words of the
 * program, each as wide as its pointers:
 *
 *	low high nr_cells	the first pc, the first one behind the last, how many cells
 *	pc calls		so many times: a pc in a function, and how often it was called
 *
 * and to the end of the file the counters of profil(2), 2 bytes each. Nothing in the file says
 * what it is, how wide a word is, which program wrote it, or how often the pc was sampled.
 */
#ifndef PROFIL_MONOUT_H
#define PROFIL_MONOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MONOUT_DEFAULT	"mon.out"
#define MONOUT_RATE	100	/* Hz: as ever, unless the user knows better */

/**
 * struct monout_layout - how the program that wrote a file lays out numbers
 * @word_bytes: of a pointer: 4 or 8
 * @is_big:     the most significant byte comes first
 */
struct monout_layout {
	unsigned int word_bytes;
	bool is_big;
};

/**
 * struct monout_calls - calls of a function
 * @pc:    link-time address in it
 * @calls: at least 1
 */
struct monout_calls {
	uint64_t pc;
	uint64_t calls;
};

/**
 * struct monout - a file
 * @low:         first pc that was to be sampled
 * @high:        first pc behind these; more than @low
 * @scale:       bytes of counters for each byte of text, as a fraction of 65536; less than 2:
 *               profil() was off, and counters stand for no pc
 * @calls:       ascending by pc, each once
 * @nr_calls:    number of them
 * @nr_counters: at least 1
 * @counters:    of 2 bytes each: monout_samples() reads them
 * @layout:      how they are written
 * @contents:    what @counters points into
 */
struct monout {
	uint64_t low;
	uint64_t high;
	uint32_t scale;
	struct monout_calls *calls;
	size_t nr_calls;
	size_t nr_counters;
	const unsigned char *counters;
	struct monout_layout layout;
	unsigned char *contents;
};

/**
 * monout_read - read a file
 * @path:   where from: a regular file, or READ_FILE_STDIN
 * @layout: of the program that wrote it
 * @monout: filled in; to be released by monout_release(), whatever is returned
 * @why:    on -EBADMSG and -EFBIG, in words
 *
 * Return: 0; -EBADMSG: it is no such file; -EFBIG: it is larger than 256 MiB; or another
 * -errno.
 */
int monout_read(const char *path, const struct monout_layout *layout, struct monout *monout,
		const char **why);

/**
 * monout_parse - the same of what is in memory
 * @contents: of the file, from malloc(), which become the monout's, whatever is returned
 * @bytes:    number of them
 * @layout:   as for monout_read()
 * @monout:   as for monout_read()
 * @why:      on -EBADMSG, in words
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int monout_parse(unsigned char *contents, size_t bytes, const struct monout_layout *layout,
		 struct monout *monout, const char **why);

/**
 * monout_samples - what a counter has counted
 * @monout:  in question
 * @counter: less than @monout->nr_counters
 */
unsigned int monout_samples(const struct monout *monout, size_t counter);

/**
 * monout_pc - the first pc that a counter stands for
 * @monout:  has a scale of 2 or more
 * @counter: at most @monout->nr_counters
 *
 * Return: a link-time address; UINT64_MAX where it would be more.
 */
uint64_t monout_pc(const struct monout *monout, size_t counter);

/**
 * monout_release - give back what was read
 * @monout: may have been released already
 */
void monout_release(struct monout *monout);

#endif /* PROFIL_MONOUT_H */
