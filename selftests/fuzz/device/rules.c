// SPDX-License-Identifier: GPL-2.0-only
/*
 * The results that uapi/linux/profil.h allows. Each function returns the errors that the
 * fields require. If there are any, the command must fail with one of them; the header does
 * not define which.
 *
 * The memory at the addresses is not examined: a start with valid fields may fail because
 * of its memory.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "rules.h"

#define END_OF(type, member) \
	(offsetof(type, member) + sizeof(((type *)0)->member))

#define PAGE_BYTES	4096ULL

#define KNOWN_FLAGS	0x7f

#define ATTACH_FLAGS	(PROFIL_USER_ONLY | PROFIL_KERNEL_ONLY | PROFIL_FOLLOW_EXEC | \
			 PROFIL_FROM_EXEC)

static const struct {
	const char *name;
	int error;
} results[NR_RESULTS] = {
	{ "0", 0 },
	{ "ENOTTY", ENOTTY },
	{ "EFAULT", EFAULT },
	{ "E2BIG", E2BIG },
	{ "EINVAL", EINVAL },
	{ "EOPNOTSUPP", EOPNOTSUPP },
	{ "EPERM", EPERM },
	{ "ENOMEM", ENOMEM },
	{ "ENOSPC", ENOSPC },
	{ "EBUSY", EBUSY },
	{ "EBADF", EBADF },
	{ "ESRCH", ESRCH },
	{ "EAGAIN", EAGAIN },
};

unsigned int result_bit(int error)
{
	unsigned int i;

	for (i = 0; i < NR_RESULTS; i++)
		if (results[i].error == error)
			return 1U << i;
	return 0;
}

const char *result_name(unsigned int nr)
{
	return results[nr].name;
}

unsigned int rules_for_size(unsigned long command, uint64_t size, int tail)
{
	size_t first, known;

	switch (command) {
	case PROFIL_IOC_INFO:
		first = END_OF(struct profil_info, features);
		known = sizeof(struct profil_info);
		break;
	case PROFIL_IOC_START:
		first = END_OF(struct profil_start, log_bytes);
		known = sizeof(struct profil_start);
		break;
	case PROFIL_IOC_STOP:
	case PROFIL_IOC_STATUS:
		first = END_OF(struct profil_status, pinned_bytes);
		known = sizeof(struct profil_status);
		break;
	case PROFIL_IOC_LOG_STATUS:
		first = END_OF(struct profil_status, skipped);
		known = sizeof(struct profil_status);
		break;
	default:
		return MAY_ENOTTY;
	}
	if (size < first)
		return MAY_EINVAL;
	/* larger than a page, or unknown fields that are not 0 */
	if (size > PAGE_BYTES || (size > known && tail))
		return MAY_E2BIG;
	return MAY_SUCCEED;
}

/* Counters, or a part of them, in [addr, addr + bytes) */
static unsigned int rules_for_range(uint64_t addr, uint64_t bytes, const struct profil_info *info)
{
	uint64_t last = addr + bytes - 1;

	if (last < addr || last >= USER_TOP)
		return MAY_EFAULT;
	if ((last / PAGE_BYTES - addr / PAGE_BYTES + 1) * PAGE_BYTES > info->max_bytes)
		return MAY_E2BIG | MAY_EFAULT;
	return 0;
}

static unsigned int rules_for_region(const struct profil_region *region,
				     const struct profil_region *before,
				     uint64_t width)
{
	if (region->end && region->end <= region->start)
		return MAY_EINVAL;
	if (region->offset > region->start)
		return MAY_EINVAL;
	/* sorted, none overlapping another */
	if (before && (!before->end || before->end > region->start))
		return MAY_EINVAL;
	if (region->rounding > PROFIL_ROUND_FIRST)
		return MAY_EINVAL;
	if ((region->rounding == PROFIL_ROUND_FIRST) != !region->scale)
		return MAY_EINVAL;
	if (region->buf % width || region->bytes < width)
		return MAY_EINVAL;
	return 0;
}

static unsigned int rules_for_log(const struct profil_start *start)
{
	unsigned int width = start->width / 8;

	if (start->nr_regions || start->regions || start->overflow ||
	    start->limit || start->catch_all)
		return MAY_EINVAL;
	if (width < 4 || start->log % width || start->log_bytes < width)
		return MAY_EINVAL;
	return 0;
}

static unsigned int rules_for_counters(const struct profil_start *start)
{
	uint64_t most = start->width == 64 ? UINT64_MAX :
			(1ULL << start->width) - 1;

	if (!start->nr_regions || start->log || start->log_bytes)
		return MAY_EINVAL;
	if (start->overflow == PROFIL_OVERFLOW_WRAP && start->limit)
		return MAY_EINVAL;
	if (start->limit > most || start->catch_all % (start->width / 8))
		return MAY_EINVAL;
	return 0;
}

static unsigned int rules_for_rate(uint32_t rate, uint32_t clock, const struct profil_info *info)
{
	unsigned int may = 0;

	if (!rate || clock > PROFIL_CLOCK_RANDOM)
		may |= MAY_EINVAL;
	/* EINVAL above the highest rate of any user */
	if (rate > info->max_rate)
		may |= MAY_EPERM | MAY_EINVAL;
	if (clock == PROFIL_CLOCK_TICK && rate > info->tick_hz)
		may |= MAY_EINVAL;
	return may;
}

static unsigned int rules_for_fields(const struct profil_start *start,
				     const struct profil_info *info)
{
	unsigned int may = rules_for_rate(start->rate, start->clock, info);

	if (start->flags & ~(__u32)KNOWN_FLAGS || start->reserved)
		may |= MAY_EINVAL;
	if (start->flags & PROFIL_USER_ONLY && start->flags & PROFIL_KERNEL_ONLY)
		may |= MAY_EINVAL;
	if (start->flags & PROFIL_CHECK_ON_HIT && !(start->flags & PROFIL_PIN_ON_HIT))
		may |= MAY_EINVAL;
	if (start->overflow > PROFIL_OVERFLOW_STOP)
		may |= MAY_EINVAL;
	if (start->nr_regions > info->max_regions)
		may |= MAY_E2BIG;
	return may;
}

unsigned int rules_for_start(const struct profil_start *start,
			     const struct profil_region *regions,
			     const struct profil_info *info)
{
	bool is_log = start->flags & PROFIL_PC_LOG;
	unsigned int may = rules_for_fields(start, info);
	uint64_t width = start->width / 8, pages = 0;
	uint32_t i;

	if (start->width != 16 && start->width != 32 && start->width != 64)
		return may | MAY_EINVAL;
	may |= is_log ? rules_for_log(start) : rules_for_counters(start);
	if (is_log)
		may |= rules_for_range(start->log, start->log_bytes, info);
	else if (start->catch_all)
		may |= rules_for_range(start->catch_all, width, info);
	if (!regions && start->nr_regions)
		return may | MAY_EFAULT;
	for (i = 0; i < start->nr_regions && i < info->max_regions; i++) {
		may |= rules_for_region(&regions[i], i ? &regions[i - 1] : NULL, width) |
		       rules_for_range(regions[i].buf, regions[i].bytes, info);
		pages += regions[i].bytes / PAGE_BYTES + 2;
	}
	if (may)
		return may;
	/* the sum is an upper bound: regions may share pages */
	return MAY_SUCCEED | MAY_FAIL_FOR_MEMORY |
	       ((pages + 2) * PAGE_BYTES > info->max_bytes ? MAY_E2BIG : 0);
}

/* The clock that a call gets */
static uint32_t clock_of(const struct profil_attach *attach, const struct profil_info *info)
{
	if (attach->clock != PROFIL_CLOCK_AUTO)
		return attach->clock;
	return attach->rate <= info->tick_hz ? PROFIL_CLOCK_TICK : PROFIL_CLOCK_RANDOM;
}

unsigned int rules_for_attach(const struct profil_attach *attach,
			      const struct profil_attach *first,
			      const struct profil_info *info)
{
	unsigned int may = rules_for_rate(attach->rate, attach->clock, info);
	uint64_t bytes = attach->log_bytes;

	if (attach->flags & ~(__u32)ATTACH_FLAGS)
		may |= MAY_EINVAL;
	if (attach->flags & PROFIL_USER_ONLY && attach->flags & PROFIL_KERNEL_ONLY)
		may |= MAY_EINVAL;
	if (bytes < PROFIL_LOG_MIN || bytes > PROFIL_LOG_MAX || bytes & (bytes - 1))
		may |= MAY_EINVAL;
	if (attach->stack_bytes % 8 || attach->stack_bytes > PROFIL_STACK_BYTES_MAX ||
	    !attach->stack_bytes != !attach->stack_words ||
	    attach->stack_words > PROFIL_STACK_WORDS_MAX ||
	    (attach->stack_bytes &&
	     bytes < 32 * (sizeof(struct profil_record_stack) + attach->stack_words * 8ULL)))
		may |= MAY_EINVAL;
	if (attach->stack_bytes && !(info->features & PROFIL_FEATURE_STACKS))
		may |= MAY_EOPNOTSUPP;
	if (attach->stack_bytes > info->max_stack_bytes)
		may |= MAY_EPERM;
	if (first && (attach->rate != first->rate || bytes != first->log_bytes ||
		      clock_of(attach, info) != clock_of(first, info) ||
		      attach->stack_bytes != first->stack_bytes ||
		      attach->stack_words != first->stack_words ||
		      (attach->flags ^ first->flags) & ~(__u32)PROFIL_FROM_EXEC))
		may |= MAY_EINVAL;
	return may;
}
