/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a session is to count, checked and translated from struct profil_start.
 */
#ifndef _PROFIL_CONFIG_H
#define _PROFIL_CONFIG_H

#include <linux/atomic.h>
#include <linux/refcount.h>
#include <linux/sizes.h>

#include "bins.h"
#include "throttle.h"
#include "user.h"

#define PROFIL_MAX_REGIONS	4096
#define PROFIL_MAX_BYTES	SZ_1G

/**
 * struct profil_span - a run of whole user pages that holds counters
 * @addr:     address of the first page
 * @nr_pages: their number
 * @buf_offset:    byte position of the first page in the session's pinned buffer
 */
struct profil_span {
	unsigned long addr;
	unsigned long nr_pages;
	u64 buf_offset;
};

/**
 * struct profil_config - immutable once built, but for two counts and @throttle, and shared
 * @ref:       one for each session that counts by it
 * @rights:    on whose terms
 * @sessions:  how many count by it, of those that have not ended; the regions are
 *             charged as long as there are any
 * @throttle:     what its samples take, and the rate that is left to it
 * @flags:     PROFIL_USER_ONLY and so on, of struct profil_start
 * @rate:      in Hz, as asked for
 * @clock:     PROFIL_CLOCK_TICK, TIMER or RANDOM
 * @shift:     log2 of the counter size in bytes: 1, 2 or 3
 * @overflow:  PROFIL_OVERFLOW_*
 * @limit:     highest value of a counter, for SATURATE and STOP
 * @catch_all: byte position of the catch-all counter, or PROFIL_NO_BIN
 * @log:       byte position of the pc log
 * @log_nr:    its number of entries
 * @nr_pages:  pages of all spans together
 * @nr_spans:  runs of pages that hold counters,
 * @spans:     sorted by address, none touching another
 * @nr_ranges:   regions,
 * @ranges:      sorted by start, none overlapping another
 *
 * A "byte position" counts through the pages of all spans as if they lay one
 * behind the other, so the sampler finds a counter with one shift.
 */
struct profil_config {
	refcount_t ref;
	struct profil_rights rights;
	atomic_t sessions;
	struct profil_throttle throttle;
	u32 flags;
	u32 rate;
	u32 clock;
	u32 shift;
	u32 overflow;
	u64 limit;
	u64 catch_all;
	u64 log;
	u64 log_nr;
	unsigned long nr_pages;
	u32 nr_spans;
	u32 nr_ranges;
	struct profil_span *spans;
	struct profil_range ranges[];
};

struct profil_config *profil_config_create(const struct profil_start *arg);
void profil_config_put(struct profil_config *config);
u32 profil_config_span_after(const struct profil_config *config,
			     unsigned long addr);
unsigned long profil_config_address(const struct profil_config *config,
				    unsigned long index);
unsigned long profil_config_pages_from(const struct profil_config *config,
				       unsigned long index);

#endif /* _PROFIL_CONFIG_H */
