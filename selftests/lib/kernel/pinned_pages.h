/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pinned pages, and the physical pages at addresses, as the kernel reports them.
 */
#ifndef SELFTESTS_PINNED_PAGES_H
#define SELFTESTS_PINNED_PAGES_H

#include <stdbool.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "common.h"
#include "files.h"

/* Memory that this process has pinned, from /proc/self/status */
long long pinned_kib(void);

/* Pages pinned on the whole system. Only exact for root. */
long long pins_of_all(void);

/*
 * Waits up to 3 s until no more pages are pinned than @before. Fewer may be, if a worker has
 * unpinned those of an earlier test. Returns whether it is so; always true for other users than
 * root.
 */
bool pins_return_to(long long before);

/*
 * Keeps references to the pages at @at in a pipe, whatever happens to their mappings, to be read
 * once with read_spliced_pages(). Returns 0 on success.
 */
int splice_pages(void *at, size_t pages, int ends[2]);

char *read_spliced_pages(int ends[2], size_t pages);

/* Returns the number of the physical page at an address; 0 if there is none, or without root. */
uint64_t physical_page(const void *addr);

/* Uses CPU time for @more samples. Returns whether they are counted. */
bool still_counts(int fd, unsigned int more);

/* Returns the sum of the 64-bit counters in a buffer. */
uint64_t sum_counters(const void *counters, size_t bytes);

/* Returns whether this is a virtual machine: only there, tests may poison pages or fill the log. */
bool in_virtual_machine(void);

#endif /* SELFTESTS_PINNED_PAGES_H */
