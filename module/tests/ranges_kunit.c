// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which range holds a pc (profil_range_find() in bins.h). The array of each case is
 * allocated with its exact size, so that KASAN detects an access after its end.
 */
#include <linux/kernel.h>

#include "bins.h"
#include "config.h"
#include "suites.h"

/* @nr ranges of @size pcs, the first from @first on, with @gap pcs between two. */
static struct profil_range *make_ranges(struct kunit *test, u32 nr, u64 first,
					u64 size, u64 gap)
{
	struct profil_range *ranges = kunit_kzalloc(test, nr * sizeof(*ranges),
						    GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ranges);
	for (i = 0; i < nr; i++) {
		ranges[i].start = first + i * (size + gap);
		ranges[i].last = ranges[i].start + size - 1;
	}
	return ranges;
}

static void check_none(struct kunit *test, const struct profil_range *ranges, u32 nr,
		       u64 pc)
{
	KUNIT_ASSERT_TRUE_MSG(test, !profil_range_find(ranges, nr, pc),
			      "%llx found in one of %u ranges", pc, nr);
}

/* The pcs from @from to @to, inclusive, are in range @which. */
static void check_range(struct kunit *test, const struct profil_range *ranges, u32 nr,
			u32 which, u64 from, u64 to)
{
	KUNIT_ASSERT_PTR_EQ(test, profil_range_find(ranges, nr, from), &ranges[which]);
	KUNIT_ASSERT_PTR_EQ(test, profil_range_find(ranges, nr, to), &ranges[which]);
	KUNIT_ASSERT_PTR_EQ(test,
			    profil_range_find(ranges, nr, from + (to - from) / 2),
			    &ranges[which]);
}

static void no_ranges_hold_no_pc(struct kunit *test)
{
	check_none(test, NULL, 0, 0);
	check_none(test, NULL, 0, U64_MAX);
}

static void finds_pcs_of_one_range(struct kunit *test)
{
	struct profil_range *ranges = make_ranges(test, 1, 0x1000, 0x100, 0);

	check_none(test, ranges, 1, 0);
	check_none(test, ranges, 1, 0xfff);
	check_range(test, ranges, 1, 0, 0x1000, 0x10ff);
	check_none(test, ranges, 1, 0x1100);
	check_none(test, ranges, 1, U64_MAX);
}

/* last + 1 overflows. */
static void one_range_may_hold_all_pcs(struct kunit *test)
{
	struct profil_range *ranges = make_ranges(test, 1, 0, 0, 0);

	ranges->last = U64_MAX;
	check_range(test, ranges, 1, 0, 0, U64_MAX);
}

static void finds_pcs_of_adjacent_ranges(struct kunit *test)
{
	struct profil_range *ranges = make_ranges(test, 2, 0x1000, 0x100, 0);

	check_none(test, ranges, 2, 0xfff);
	check_range(test, ranges, 2, 0, 0x1000, 0x10ff);
	check_range(test, ranges, 2, 1, 0x1100, 0x11ff);
	check_none(test, ranges, 2, 0x1200);
}

static void gap_is_in_no_range(struct kunit *test)
{
	struct profil_range *ranges = make_ranges(test, 2, 0, 1, 1);

	check_range(test, ranges, 2, 0, 0, 0);
	check_none(test, ranges, 2, 1);
	check_range(test, ranges, 2, 1, 2, 2);
	check_none(test, ranges, 2, 3);
}

static void last_range_may_have_no_upper_end(struct kunit *test)
{
	struct profil_range *ranges = make_ranges(test, 3, 0x1000, 0x100, 0x100);

	ranges[2].last = U64_MAX;
	check_range(test, ranges, 3, 2, 0x1400, U64_MAX);
	check_none(test, ranges, 3, 0x13ff);

	ranges[2].start = U64_MAX;
	check_range(test, ranges, 3, 2, U64_MAX, U64_MAX);
	check_none(test, ranges, 3, U64_MAX - 1);
}

/* Each range is found from its first pc to its last, and none in the gaps. */
static void check_many(struct kunit *test, u32 nr, u64 size, u64 gap)
{
	struct profil_range *ranges = make_ranges(test, nr, 0x10000, size, gap);
	u32 i;

	check_none(test, ranges, nr, 0xffff);
	for (i = 0; i < nr; i++) {
		check_range(test, ranges, nr, i, ranges[i].start, ranges[i].last);
		if (gap) {
			check_none(test, ranges, nr, ranges[i].last + 1);
			check_none(test, ranges, nr, ranges[i].last + gap);
		}
	}
	check_none(test, ranges, nr, ranges[nr - 1].last + 1);
	check_none(test, ranges, nr, U64_MAX);
	kunit_kfree(test, ranges);
}

static void finds_each_of_many_ranges(struct kunit *test)
{
	u32 nr;

	for (nr = 1; nr <= 70; nr++) {
		check_many(test, nr, 1, 0);
		check_many(test, nr, 7, 3);
	}
}

static void finds_each_of_maximum_number(struct kunit *test)
{
	check_many(test, PROFIL_MAX_REGIONS, 0x100, 0);
	check_many(test, PROFIL_MAX_REGIONS, 1ULL << 40, 1ULL << 40);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(no_ranges_hold_no_pc),
	KUNIT_CASE(finds_pcs_of_one_range),
	KUNIT_CASE(one_range_may_hold_all_pcs),
	KUNIT_CASE(finds_pcs_of_adjacent_ranges),
	KUNIT_CASE(gap_is_in_no_range),
	KUNIT_CASE(last_range_may_have_no_upper_end),
	KUNIT_CASE(finds_each_of_many_ranges),
	KUNIT_CASE(finds_each_of_maximum_number),
	{}
};

struct kunit_suite profil_ranges_suite = {
	.name = "profil_ranges",
	.test_cases = cases,
};
