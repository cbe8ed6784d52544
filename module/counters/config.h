/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a session counts: struct profil_start, checked and translated.
 */
#ifndef _PROFIL_CONFIG_H
#define _PROFIL_CONFIG_H

#include <linux/atomic.h>
#include <linux/refcount.h>
#include <linux/sizes.h>

#include "clock/clock.h"
#include "counters/bins.h"
#include "user.h"

#define PROFIL_MAX_REGIONS	4096
#define PROFIL_MAX_BYTES	SZ_1G

/**
 * struct profil_span - a run of whole user pages that hold counters
 * @addr:       address of the first page
 * @nr_pages:   number of pages
 * @buf_offset: byte position of the first page
 */
struct profil_span {
	unsigned long addr;
	unsigned long nr_pages;
	u64 buf_offset;
};

/**
 * struct profil_config - what to count; shared by a session and those of forked children
 * @pace:      how often it is sampled; first, so that a session finds the rest without a sum
 * @ref:       one reference for each session
 * @rights:    limits of the process that started it
 * @sessions:  number of active sessions; the regions are charged until it is 0
 * @flags:     PROFIL_USER_ONLY and so on, of struct profil_start
 * @shift:     log2 of the counter size in bytes: 1, 2 or 3
 * @overflow:  PROFIL_OVERFLOW_*
 * @limit:     highest value of a counter, for SATURATE and STOP
 * @catch_all: byte position of the catch-all counter, or PROFIL_NO_BIN
 * @pc_log:    byte position of the pc log
 * @pc_log_nr: number of entries in the pc log
 * @nr_pages:  number of pages in all spans
 * @nr_spans:  number of @spans
 * @spans:     pages that hold counters, sorted by address; they do not touch each other
 * @nr_ranges: number of @ranges
 * @ranges:    the regions, sorted by start; they do not overlap
 *
 * Not changed after it is created, except for @ref, @sessions and the throttle.
 *
 * A byte position counts through the pages of all spans as if these were adjacent, so that
 * the sampler finds a counter's page with one shift.
 */
struct profil_config {
	struct profil_pace pace;
	refcount_t ref;
	struct profil_rights rights;
	atomic_t sessions;
	u32 flags;
	u32 shift;
	u32 overflow;
	u64 limit;
	u64 catch_all;
	u64 pc_log;
	u64 pc_log_nr;
	unsigned long nr_pages;
	u32 nr_spans;
	u32 nr_ranges;
	struct profil_span *spans;
	struct profil_range ranges[];
};

struct profil_config *profil_config_create(const struct profil_start *arg);
void profil_config_put(struct profil_config *config);
u32 profil_config_span_after(const struct profil_config *config, unsigned long addr);
unsigned long profil_config_address(const struct profil_config *config, unsigned long index);
unsigned long profil_config_pages_from(const struct profil_config *config, unsigned long index);

#endif /* _PROFIL_CONFIG_H */
