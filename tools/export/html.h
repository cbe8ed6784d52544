/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a page for browsers. Each prints JSON that page/ reads.
 */
#ifndef PROFIL_HTML_H
#define PROFIL_HTML_H

#include <stdio.h>

#include "symbol/symbolize.h"
#include "util/json.h"

/* The page up to its data, and after it: made of page/ by page/join */
extern const char page_before_data[];
extern const char page_after_data[];

/**
 * struct html_groups - the samples of a result by program and name of the thread
 * @programs:    names of the programs, sorted
 * @threads:     names of the threads, sorted
 * @of_thread:   the group of each thread of the result, which is @nr_threads * program + thread;
 *               and the last one, that of threads that are not listed
 */
struct html_groups {
	const char **programs;
	size_t nr_programs;
	const char **threads;
	size_t nr_threads;
	size_t *of_thread;
};

/*
 * Find the groups of a result, which must outlive them; they must be released with
 * html_groups_release(), even on error. Return: 0 or -ENOMEM.
 */
int html_groups_make(struct html_groups *groups, const struct result *result);

/* Print the members programs and threads. */
void html_groups_print(struct json *json, const struct html_groups *groups);

/*
 * Print, after an element of a list, which samples are of which group: the group; for several, the
 * group, its samples and those in the kernel for each. Return: 0 or -ENOMEM.
 */
int html_groups_print_parts(FILE *out, const struct html_groups *groups,
			    const struct result *result, const struct result_part *parts,
			    size_t nr);

/* Free the groups. */
void html_groups_release(struct html_groups *groups);

/* Print the member flames, if there are call stacks. Return: 0 or -errno. */
int html_flames_print(struct json *json, const struct symbolized *symbolized,
		      const struct html_groups *groups);

/*
 * Print the member code: lines and instructions of functions with a large share. @rows: the row of
 * each function in the changes; NULL: there are none, and its index is its row. Return: 0 or
 * -ENOMEM.
 */
int html_code_print(struct json *json, const struct symbolized *symbolized, const size_t *rows);

#endif /* PROFIL_HTML_H */
