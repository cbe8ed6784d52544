// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks the arguments of a start, except for what depends on the memory map (buffer.c), and
 * lays out the counters: in which pages they are, and where in these.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "counters/config.h"
#include "policy.h"

#define PROFIL_FLAGS	(PROFIL_USER_ONLY | PROFIL_PC_LOG |		\
			 PROFIL_PIN_ON_HIT | PROFIL_THREAD_ONLY |	\
			 PROFIL_FAULT_SIGNAL | PROFIL_CHECK_ON_HIT |	\
			 PROFIL_KERNEL_ONLY)

/* EINVAL alone gives no reason: log it for the program's developer. */
#define reject(fmt, ...) ({						\
	pr_debug_ratelimited("%s[%d]: " fmt "\n", current->comm,	\
			     task_pid_nr(current), ##__VA_ARGS__);	\
	-EINVAL;							\
})

static u64 config_largest_count(u32 shift)
{
	return shift == 3 ? U64_MAX : (1ULL << (8 << shift)) - 1;
}

static int config_check_fields(const struct profil_start *arg)
{
	if (arg->flags & ~PROFIL_FLAGS)
		return reject("unknown flags %#x", arg->flags & ~PROFIL_FLAGS);
	if (arg->flags & PROFIL_USER_ONLY && arg->flags & PROFIL_KERNEL_ONLY)
		return reject("PROFIL_USER_ONLY and PROFIL_KERNEL_ONLY exclude each other");
	if (arg->reserved)
		return reject("reserved is not 0");
	if (arg->flags & PROFIL_CHECK_ON_HIT && !(arg->flags & PROFIL_PIN_ON_HIT))
		return reject("PROFIL_CHECK_ON_HIT without PROFIL_PIN_ON_HIT");
	if (arg->width != 16 && arg->width != 32 && arg->width != 64)
		return reject("width %u is not 16, 32 or 64", arg->width);
	if (arg->width == 64 && !IS_ENABLED(CONFIG_64BIT))
		return -EOPNOTSUPP;
	if (arg->overflow > PROFIL_OVERFLOW_STOP)
		return reject("unknown overflow rule %u", arg->overflow);
	if (arg->nr_regions > PROFIL_MAX_REGIONS)
		return -E2BIG;
	return 0;
}

static int config_check_counting(const struct profil_start *arg, u32 shift)
{
	if (!arg->nr_regions)
		return reject("no regions");
	if (arg->log || arg->log_bytes)
		return reject("a pc log without PROFIL_PC_LOG");
	if (arg->overflow == PROFIL_OVERFLOW_WRAP && arg->limit)
		return reject("a limit, but counters wrap");
	if (arg->limit > config_largest_count(shift))
		return reject("limit %llu exceeds the counter width", arg->limit);
	if (arg->catch_all & ((1u << shift) - 1))
		return reject("catch-all counter is not aligned");
	return 0;
}

static int config_check_log(const struct profil_start *arg)
{
	u32 bytes = arg->width / 8;

	if (arg->nr_regions || arg->regions)
		return reject("regions with PROFIL_PC_LOG");
	if (arg->overflow || arg->limit || arg->catch_all)
		return reject("overflow, limit or catch_all with PROFIL_PC_LOG");
	if (bytes < 4)
		return reject("width 16 with PROFIL_PC_LOG");
	if (arg->log & (bytes - 1))
		return reject("pc log is not aligned");
	if (arg->log_bytes < bytes)
		return reject("pc log has no room for an entry");
	return 0;
}

static int config_check_region(const struct profil_region *region,
			       const struct profil_region *previous, u32 nr, u32 shift)
{
	u32 bytes = 1u << shift;

	if (region->end && region->end <= region->start)
		return reject("region %u: end is not above its start", nr);
	if (region->offset > region->start)
		return reject("region %u: offset above its start", nr);
	if (previous && (!previous->end || previous->end > region->start))
		return reject("region %u: does not start after the previous one", nr);
	if (region->rounding > PROFIL_ROUND_FIRST)
		return reject("region %u: unknown rounding rule", nr);
	if (region->scale ? region->rounding == PROFIL_ROUND_FIRST :
			    region->rounding != PROFIL_ROUND_FIRST)
		return reject("region %u: scale %u does not match its rounding rule",
			      nr, region->scale);
	if (region->buf & (bytes - 1))
		return reject("region %u: buffer is not aligned", nr);
	if (region->bytes < bytes)
		return reject("region %u: buffer has no room for a counter", nr);
	return 0;
}

/* Remove tags that a program may keep in the high bits of a pointer (MTE, HWASan, LAM). */
static u64 config_untag(u64 addr)
{
	return IS_ENABLED(CONFIG_64BIT) ? untagged_addr((unsigned long)addr) : addr;
}

/* Cover [addr, addr + bytes) with whole pages. @bytes is not 0. */
static int config_make_span(struct profil_span *span, u64 addr, u64 bytes)
{
	u64 last;

	addr = config_untag(addr);
	/* TASK_SIZE_MAX is page-aligned, so the end of the last page does not exceed it */
	if (check_add_overflow(addr, bytes - 1, &last) || last >= TASK_SIZE_MAX)
		return -EFAULT;
	span->addr = addr & PAGE_MASK;
	span->nr_pages = (last >> PAGE_SHIFT) - (addr >> PAGE_SHIFT) + 1;
	return 0;
}

static int config_compare_spans(const void *a, const void *b)
{
	const struct profil_span *left = a, *right = b;

	if (left->addr != right->addr)
		return left->addr < right->addr ? -1 : 1;
	return 0;
}

/* Sort spans, and merge those that overlap or touch, so that no page is pinned twice. */
static u32 config_merge_spans(struct profil_span *spans, u32 nr)
{
	u32 i, last = 0;

	sort(spans, nr, sizeof(*spans), config_compare_spans, NULL);
	for (i = 1; i < nr; i++) {
		struct profil_span *into = &spans[last];
		unsigned long end = into->addr + into->nr_pages * PAGE_SIZE;
		unsigned long far = spans[i].addr +
				    spans[i].nr_pages * PAGE_SIZE;

		if (spans[i].addr > end)
			spans[++last] = spans[i];
		else if (far > end)
			into->nr_pages = (far - into->addr) >> PAGE_SHIFT;
	}
	return last + 1;
}

/* The byte position of an address, which is in one of the spans. */
static u64 config_buf_offset(const struct profil_config *config, u64 addr)
{
	const struct profil_span *span;

	addr = config_untag(addr);
	span = &config->spans[profil_config_span_after(config, addr)];
	return span->buf_offset + (addr - span->addr);
}

static int config_lay_out(struct profil_config *config, const struct profil_start *arg,
			  const struct profil_region *regions)
{
	struct profil_span *span;
	u64 buf_offset = 0;
	u32 i;
	int err = 0;

	/* one more than there are regions, for the catch-all counter or the pc log */
	span = kvcalloc(config->nr_ranges + 1, sizeof(*span), GFP_KERNEL_ACCOUNT);
	if (!span)
		return -ENOMEM;
	config->spans = span;

	for (i = 0; i < config->nr_ranges && !err; i++)
		err = config_make_span(span++, regions[i].buf, regions[i].bytes);
	if (arg->catch_all && !err)
		err = config_make_span(span++, arg->catch_all, arg->width / 8);
	if (arg->flags & PROFIL_PC_LOG && !err)
		err = config_make_span(span++, arg->log, arg->log_bytes);
	if (err)
		return err;

	config->nr_spans = config_merge_spans(config->spans, span - config->spans);
	for (i = 0; i < config->nr_spans; i++) {
		config->spans[i].buf_offset = buf_offset;
		buf_offset += (u64)config->spans[i].nr_pages << PAGE_SHIFT;
	}
	if (buf_offset > PROFIL_MAX_BYTES)
		return -E2BIG;
	config->nr_pages = buf_offset >> PAGE_SHIFT;
	return 0;
}

static void config_fill_range(struct profil_range *range, const struct profil_config *config,
			      const struct profil_region *region)
{
	range->start = region->start;
	range->last = region->end - 1;	/* 0, no end, becomes 2^64 - 1 */
	range->offset = region->offset;
	range->nr = region->bytes >> config->shift;
	range->buf_offset = config_buf_offset(config, region->buf);
	range->scale = region->scale;
	profil_range_round(range, region->rounding, config->shift);
}

/**
 * profil_config_create - check the arguments of a start, and translate them
 * @arg: copy of the caller's structure
 *
 * May sleep.
 *
 * Return: the configuration, with one reference, or an error as listed in uapi/linux/profil.h.
 */
struct profil_config *profil_config_create(const struct profil_start *arg)
{
	struct profil_region *regions = NULL;
	struct profil_config *config;
	u32 shift = arg->width == 16 ? 1 : arg->width == 32 ? 2 : 3;
	u32 clock = arg->clock;
	u32 i;
	int err;

	err = config_check_fields(arg);
	if (!err)
		err = profil_policy_choose_clock(arg->rate, &clock);
	if (err)
		return ERR_PTR(err);
	if (arg->flags & PROFIL_PC_LOG)
		err = config_check_log(arg);
	else
		err = config_check_counting(arg, shift);
	if (err)
		return ERR_PTR(err);

	if (arg->nr_regions) {
		regions = vmemdup_user(u64_to_user_ptr(arg->regions),
				       arg->nr_regions * sizeof(*regions));
		if (IS_ERR(regions))
			return ERR_CAST(regions);
	}
	for (i = 0; i < arg->nr_regions; i++) {
		err = config_check_region(&regions[i], i ? &regions[i - 1] : NULL, i, shift);
		if (err)
			goto free_regions;
	}

	err = -ENOMEM;
	config = kvzalloc(struct_size(config, ranges, arg->nr_regions), GFP_KERNEL_ACCOUNT);
	if (!config)
		goto free_regions;
	refcount_set(&config->ref, 1);
	profil_pace_init(&config->pace, arg->rate, clock);
	config->flags = arg->flags;
	config->nr_ranges = arg->nr_regions;
	config->shift = shift;
	config->overflow = arg->overflow;
	config->limit = arg->limit ?: config_largest_count(shift);

	err = config_lay_out(config, arg, regions);
	if (err)
		goto free_config;
	err = profil_rights_get(&config->rights);
	if (err)
		goto free_config;
	for (i = 0; i < config->nr_ranges; i++)
		config_fill_range(&config->ranges[i], config, &regions[i]);
	config->catch_all = arg->catch_all ? config_buf_offset(config, arg->catch_all) :
					     PROFIL_NO_BIN;
	if (arg->flags & PROFIL_PC_LOG) {
		config->pc_log = config_buf_offset(config, arg->log);
		config->pc_log_nr = arg->log_bytes >> shift;
	}
	kvfree(regions);
	return config;

free_config:
	kvfree(config->spans);
	kvfree(config);
free_regions:
	kvfree(regions);
	return ERR_PTR(err);
}

/**
 * profil_config_put - put a reference, and free with the last one
 * @config: configuration
 *
 * May sleep (vfree), so it must be called from process context.
 */
void profil_config_put(struct profil_config *config)
{
	if (!refcount_dec_and_test(&config->ref))
		return;
	profil_rights_put(&config->rights);
	kvfree(config->spans);
	kvfree(config);
}

/**
 * profil_config_span_after - find the first span that ends after an address
 * @config: configuration
 * @addr:   user address
 *
 * Return: its number, or nr_spans if all of them end at or before @addr.
 */
u32 profil_config_span_after(const struct profil_config *config, unsigned long addr)
{
	u32 low = 0, high = config->nr_spans;

	/* spans[0 .. low) end at or before addr, spans[high .. nr) after it */
	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (config->spans[mid].addr + config->spans[mid].nr_pages * PAGE_SIZE <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The span that holds a page, given its number among the pages of all spans. */
static const struct profil_span *
config_span_of(const struct profil_config *config, unsigned long index)
{
	u32 low = 0, high = config->nr_spans;

	/* spans[low] starts at or before the page, spans[high] after it */
	while (high - low > 1) {
		u32 mid = low + (high - low) / 2;

		if (config->spans[mid].buf_offset >> PAGE_SHIFT <= index)
			low = mid;
		else
			high = mid;
	}
	return &config->spans[low];
}

/* The user address of a page, given its number among the pages of all spans. */
unsigned long profil_config_address(const struct profil_config *config, unsigned long index)
{
	const struct profil_span *span = config_span_of(config, index);

	return span->addr + ((index << PAGE_SHIFT) - span->buf_offset);
}

/* The number of pages from this one to the end of its span. */
unsigned long profil_config_pages_from(const struct profil_config *config, unsigned long index)
{
	const struct profil_span *span = config_span_of(config, index);

	return (span->buf_offset >> PAGE_SHIFT) + span->nr_pages - index;
}
