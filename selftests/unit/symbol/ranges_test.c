// SPDX-License-Identifier: GPL-2.0-only
/*
 * Searches in ranges of addresses, and the choice among several names.
 */
#include <stdlib.h>
#include <string.h>

#include <symbol/ranges.h>

#include "support/cpu_limit.h"
#include "support/test.h"

static void add(struct ranges *set, uint64_t start, uint64_t end, const char *name, bool local)
{
	const struct range range = {
		.start = start,
		.end = end,
		.name = name,
		.length = (int)strlen(name),
		.local = local,
	};

	assert_int_equal(ranges_add(set, &range), 0);
}

static void assert_name(const struct range *range, const char *name)
{
	if (!name) {
		assert_null(range);
		return;
	}
	assert_non_null(range);
	assert_int_equal(range->length, strlen(name));
	assert_memory_equal(range->name, name, strlen(name));
}

TEST(empty_set)
{
	struct ranges set = { 0 };

	ranges_finish(&set);
	assert_null(ranges_covering(&set, 0));
	assert_null(ranges_below(&set, UINT64_MAX));
	assert_null(ranges_above(&set, 0));
	ranges_release(&set);
}

TEST(innermost_range_is_found)
{
	static const struct {
		uint64_t address;
		const char *covering, *below, *above;
	} expected[] = {
		{ 9, NULL, NULL, "outer" },
		{ 10, "outer", "outer", "inner" },
		{ 20, "inner", "inner", "innermost" },
		{ 30, "innermost", "innermost", "second" },
		{ 39, "innermost", "innermost", "second" },
		{ 40, "inner", "innermost", "second" },
		{ 50, "outer", "innermost", "second" },
		{ 60, "second", "second", "across" },
		{ 70, "outer", "second", "across" },
		{ 90, "across", "across", "far" },
		{ 109, "across", "across", "far" },
		{ 110, NULL, "across", "far" },
		{ 200, "far", "far", NULL },
		{ 201, NULL, "far", NULL },
	};
	struct ranges set = { 0 };
	size_t i;

	add(&set, 200, 201, "far", false);
	add(&set, 30, 40, "innermost", false);
	add(&set, 10, 100, "outer", false);
	add(&set, 60, 70, "second", false);
	add(&set, 20, 50, "inner", false);
	add(&set, 90, 110, "across", false);
	add(&set, 95, 95, "empty", false);
	ranges_finish(&set);
	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_name(ranges_covering(&set, expected[i].address), expected[i].covering);
		assert_name(ranges_below(&set, expected[i].address), expected[i].below);
		assert_name(ranges_above(&set, expected[i].address), expected[i].above);
	}
	ranges_release(&set);
}

/* Joins names of one start, between others. */
static void assert_joined(const struct range *names, size_t nr, const char *joined)
{
	struct ranges set = { 0 };
	size_t i;

	add(&set, 1, 10, "before", false);
	for (i = 0; i < nr; i++) {
		struct range range = names[i];

		range.start = 10;
		range.end = 20;
		range.length = (int)strlen(range.name);
		assert_int_equal(ranges_add(&set, &range), 0);
	}
	add(&set, 20, 30, "after", false);
	assert_int_equal(ranges_join(&set), 0);
	ranges_finish(&set);
	assert_int_equal(set.nr, 3);
	assert_name(ranges_covering(&set, 10), joined);
	assert_name(ranges_covering(&set, 9), "before");
	ranges_release(&set);
}

#define assert_names(joined, ...) \
	assert_joined((const struct range[]){ __VA_ARGS__ }, \
		      sizeof((const struct range[]){ __VA_ARGS__ }) / sizeof(struct range), joined)

TEST(folded_functions_have_all_names)
{
	assert_names("send_mails, parse_orders", { .name = "parse_orders" },
		     { .name = "send_mails" });
	assert_names("c, bb, aaa", { .name = "bb", .local = true },
		     { .name = "aaa", .local = true }, { .name = "c" });
	/* templates are weak */
	assert_names("_Z1fIcEvT_, _Z1fIiEvT_, _Z1gv", { .name = "_Z1fIiEvT_", .weak = true },
		     { .name = "_Z1fIcEvT_", .weak = true }, { .name = "_Z1gv", .local = true });
	assert_names("_RNvC1a1b, _RNvC1a1c", { .name = "_RNvC1a1b", .local = true },
		     { .name = "_RNvC1a1c", .local = true });
	assert_names("get, _Z4workv", { .name = "get" }, { .name = "_Z4workv", .local = true });
	assert_names("_a, _b", { .name = "_b" }, { .name = "_a" });
	assert_names("get, pget", { .name = "pget" }, { .name = "get" });
}

TEST(aliases_stay_one_name)
{
	assert_names("read", { .name = "read", .weak = true }, { .name = "__read" },
		     { .name = "__libc_read" }, { .name = "__GI_read", .local = true });
	assert_names("puts", { .name = "_IO_puts" }, { .name = "puts", .weak = true });
	assert_names("lseek", { .name = "lseek" }, { .name = "lseek64" });
	assert_names("free", { .name = "free" }, { .name = "cfree@GLIBC_2.2.5" });
	assert_names("f", { .name = "_f" }, { .name = "f" }, { .name = "f@V1" },
		     { .name = "f.localalias", .local = true }, { .name = "f", .local = true });
	assert_names("f", { .name = "f" }, { .name = "f.resolver", .local = true });
	assert_names("_ZN1AC1Ev", { .name = "_ZN1AC2Ev", .weak = true },
		     { .name = "_ZN1AC1Ev", .weak = true });
	assert_names("_ZN1AD0Ev", { .name = "_ZN1AD2Ev" }, { .name = "_ZN1AD0Ev" });
	/* labels */
	assert_names("f", { .name = "f" }, { .name = "inner", .rank = 2 });
}

TEST(best_alias_is_kept)
{
	struct ranges set = { 0 };

	add(&set, 10, 20, "__GI___libc_read", true);
	add(&set, 10, 20, "__libc_read", false);
	add(&set, 10, 20, "read", false);
	add(&set, 10, 20, "__read", false);
	add(&set, 30, 40, "a", true);
	add(&set, 30, 50, "__global", false);
	add(&set, 60, 70, "f@V1", false);
	add(&set, 60, 70, "__longer", false);
	ranges_finish(&set);
	assert_int_equal(set.nr, 3);
	assert_name(ranges_covering(&set, 10), "read");
	assert_name(ranges_covering(&set, 45), "__global");
	assert_name(ranges_covering(&set, 60), "__longer");
	ranges_release(&set);
}

/* Compared with a simple implementation, on random ranges */
TEST(agrees_with_linear_search)
{
	unsigned int seed = 7;
	struct ranges set = { 0 };
	uint64_t address;
	size_t i;

	for (i = 0; i < 300; i++) {
		uint64_t start = (uint64_t)rand_r(&seed) % 1000;

		add(&set, start, start + 1 + (uint64_t)rand_r(&seed) % 60, "x",
		    false);
	}
	ranges_finish(&set);
	for (address = 0; address < 1100; address++) {
		const struct range *expected = NULL;

		for (i = 0; i < set.nr; i++) {
			if (set.range[i].start <= address && address < set.range[i].end)
				expected = &set.range[i];
		}
		assert_ptr_equal(ranges_covering(&set, address), expected);
	}
	ranges_release(&set);
}

/* Each look-up walked through all that are around it: 10 billion steps for these. */
TEST(deep_nesting_takes_no_longer)
{
	const uint64_t nr = 200000;
	struct ranges set = { 0 };
	uint64_t i;

	for (i = 0; i < nr; i++)
		add(&set, i, 4 * nr - i, "x", false);
	cpu_limit(20);
	ranges_finish(&set);
	for (i = 0; i < nr; i++) {
		assert_int_equal(ranges_covering(&set, 4 * nr - 1 - i)->start, i);
		assert_int_equal(ranges_covering(&set, i)->start, i);
	}
	cpu_limit(0);
	ranges_release(&set);
}
