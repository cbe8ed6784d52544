/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of the counters' memory share: what the kernel says of pins
 * and of the pages behind addresses.
 */
#ifndef SELFTESTS_PINNED_PAGES_H
#define SELFTESTS_PINNED_PAGES_H

#include <stdbool.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "common.h"
#include "files.h"

/* What this process has pinned, as its status file has it. */
long long pinned_kib(void);

/* Pages pinned on the whole machine. Up to date for root only. */
long long pins_of_all(void);

/*
 * Is nothing more pinned than before? Less may be: what an earlier test left to
 * a worker.
 */
bool pins_return_to(long long before);

/*
 * Hold pages themselves, wherever they go, in a pipe of their own, to be looked
 * at once. 0, or an error.
 */
int splice_pages(void *at, size_t pages, int ends[2]);

char *read_spliced_pages(int ends[2], size_t pages);

/* The physical page behind an address; 0 if there is none, or for root only. */
uint64_t physical_page(const void *addr);

/* Use CPU time in which so many more are counted. */
bool still_counts(int fd, unsigned int more);

/* Sum of 64-bit counters, in memory that holds nothing else. */
uint64_t sum_counters(const void *counters, size_t bytes);

/* One that nobody misses a page of, and whose log nobody reads. */
bool in_virtual_machine(void);

#endif /* SELFTESTS_PINNED_PAGES_H */
