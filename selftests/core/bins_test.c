// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which counter a pc is added to. A thread stays at one pc, and exactly the counter that
 * <linux/profil.h> specifies increases, by the right amount. Unit tests cover the arithmetic;
 * these tests cover registers, regions, pages and widths in the kernel.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "profile/expect_count.h"

#define TEXT_PAGES	4
#define BUFFER_PAGES	8

FIXTURE(bins) {
	int fd;
	char *text;
	char *buffer;
	uint64_t catch_all;
	struct profil_region regions[3];
	struct profil_start start;
};

FIXTURE_VARIANT(bins) {
	unsigned int width;
};

FIXTURE_VARIANT_ADD(bins, w16) { .width = 16 };
FIXTURE_VARIANT_ADD(bins, w32) { .width = 32 };
FIXTURE_VARIANT_ADD(bins, w64) { .width = 64 };

FIXTURE_SETUP(bins)
{
	REQUIRE_DEVICE(self->fd);
	self->text = map_code(TEXT_PAGES * PAGE);
	ASSERT_NE(MAP_FAILED, self->text);
	self->buffer = map_memory(BUFFER_PAGES * PAGE);
	ASSERT_NE(MAP_FAILED, self->buffer);
	self->catch_all = 0;
	self->regions[0] = (struct profil_region) {
		.start = (uintptr_t)self->text,
		.end = (uintptr_t)self->text + TEXT_PAGES * PAGE,
		.offset = (uintptr_t)self->text,
		.buf = (uintptr_t)self->buffer,
		.bytes = BUFFER_PAGES * PAGE,
		.scale = 0x10000,
	};
	self->start = (struct profil_start) {
		.size = sizeof(self->start),
		.rate = get_info(self->fd).tick_hz,
		.width = variant->width,
		.nr_regions = 1,
		.regions = (uintptr_t)self->regions,
		.catch_all = (uintptr_t)&self->catch_all,
	};
}

FIXTURE_TEARDOWN(bins)
{
	stop(self->fd);
	close(self->fd);
}

static uint64_t counter(const char *buffer, unsigned int width, size_t index)
{
	switch (width) {
	case 16: return ((const uint16_t *)buffer)[index];
	case 32: return ((const uint32_t *)buffer)[index];
	default: return ((const uint64_t *)buffer)[index];
	}
}

#define NONE	SIZE_MAX	/* no counter */

/*
 * Stays at text + @d for four samples. Expects them all in counter @index, or out of range if it is
 * NONE. A kernel thread that interrupts the stay takes a tick or adds one: two such interruptions
 * are allowed. Whatever the stay took, the process has no more samples than its CPU time has.
 */
static struct profil_status expect_moves(struct __test_metadata *_metadata,
					 struct _test_data_bins *self, size_t d, size_t index)
{
	unsigned int rate = self->start.rate, width = self->start.width;
	size_t i, nr = BUFFER_PAGES * PAGE * 8 / width;
	struct profil_status status;
	double used = process_seconds();
	uint64_t hits;

	memset(self->buffer, 0, BUFFER_PAGES * PAGE);
	self->catch_all = 0;
	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	ASSERT_EQ(0, stay_at_pc(self->text + d, seconds_for(4, rate)));
	status = stop(self->fd);
	used = process_seconds() - used;
	for (i = 0; i < nr; i++)
		EXPECT_EQ(i == index ? status.counted : 0, counter(self->buffer, width, i)) {
			TH_LOG("d = %zu: counter %zu", d, i);
		}
	if (index == NONE)
		EXPECT_EQ(0, status.counted);
	hits = index == NONE ? status.out_of_range : status.counted;
	EXPECT_COUNT_IN(hits, 4, rate * used + 1, 2);
	/* the thread that creates and joins the other one is outside the region */
	EXPECT_EQ(status.samples, status.counted + status.out_of_range);
	EXPECT_EQ(status.out_of_range, counter((char *)&self->catch_all, width, 0));
	return status;
}

TEST_F(bins, one_to_one)
{
	size_t w = variant->width / 8;
	size_t at[] = { 0, 16, PAGE - 16, PAGE, 3 * PAGE + 32 };
	size_t i;

	for (i = 0; i < sizeof(at) / sizeof(*at); i++)
		expect_moves(_metadata, self, at[i], at[i] / w);
}

TEST_F(bins, scales)
{
	size_t w = variant->width / 8;

	self->regions[0].scale = 0x4000;
	expect_moves(_metadata, self, 0x204, 0x204 / 4 / w);
	self->regions[0].scale = 0xffff;
	expect_moves(_metadata, self, 0x200, (0x1ff) / w);
	self->regions[0].scale = 0x20000;
	expect_moves(_metadata, self, 0x204, 0x408 / w);
}

TEST_F(bins, roundings)
{
	size_t w = variant->width / 8;
	/* about 2/3; each rule gives another result for an odd multiple of half a counter */
	uint32_t s = 0xaaaa;
	size_t d = 3 * w + w / 2;

	d -= d % CODE_ALIGN;

	self->regions[0].scale = s;
	expect_moves(_metadata, self, d, (d * s >> 16) / w);
	self->regions[0].rounding = PROFIL_ROUND_PC;
	expect_moves(_metadata, self, d, (d / w) * s >> 16);
	self->regions[0].rounding = PROFIL_ROUND_UP;
	expect_moves(_metadata, self, d, ((d * s >> 16) + w - 1) / w);
	self->regions[0].rounding = PROFIL_ROUND_FIRST;
	self->regions[0].scale = 0;
	expect_moves(_metadata, self, d, 0);
}

TEST_F(bins, odd_start_of_buffer)
{
	size_t w = variant->width / 8;

	/* counters may start at any address aligned to their width, also at the end of a page */
	self->regions[0].buf += PAGE - w;
	self->regions[0].bytes = 4 * PAGE;
	expect_moves(_metadata, self, 0, PAGE / w - 1);
	expect_moves(_metadata, self, 2 * w, PAGE / w + 1);
}

TEST_F(bins, end_of_buffer)
{
	size_t w = variant->width / 8;

	/*
	 * Room for 8 counters and a partial one: the ninth is out of range. A counter covers twice
	 * its width of text, so that an instruction fits.
	 */
	self->regions[0].scale = 0x8000;
	self->regions[0].bytes = 8 * w + w - 1;
	expect_moves(_metadata, self, 7 * 2 * w, 7);
	expect_moves(_metadata, self, 8 * 2 * w, NONE);
}

TEST_F(bins, regions)
{
	struct profil_region *r = self->regions;
	struct profil_status status;
	size_t w = variant->width / 8;

	/* Three regions with holes between them. The offset of the third is below its start. */
	r[1] = r[0];
	r[2] = r[0];
	r[0].end = r[0].start + 0x100;
	r[1].start += 0x200;
	r[1].offset = r[1].start;
	r[1].end = r[1].start + 0x100;
	r[1].buf += PAGE;
	r[1].bytes = PAGE;
	r[2].bytes = PAGE;
	r[2].start += PAGE;
	r[2].offset = r[2].start - 0x80;
	r[2].buf += 3 * PAGE;
	self->start.nr_regions = 3;
	expect_moves(_metadata, self, 0x40, 0x40 / w);
	expect_moves(_metadata, self, 0xf8, 0xf8 / w);
	expect_moves(_metadata, self, 0x100, NONE);
	expect_moves(_metadata, self, 0x200 - sizeof(instruction), NONE);
	expect_moves(_metadata, self, 0x200, PAGE / w);
	expect_moves(_metadata, self, 0x2f8, (PAGE + 0xf8) / w);
	status = expect_moves(_metadata, self, PAGE + 0x10, (3 * PAGE + 0x90) / w);
	/* pinned: the 8 pages that contain all regions, and that of the catch-all counter */
	EXPECT_LE(status.pinned_bytes, 9 * PAGE);
}

/*
 * What a CPU has found for one pc does not hold for the next one, of another region, or with its
 * counter in another page. The module has places for 16 pages: two of 17 have the same.
 */
#define PAGES_AFTER	17

TEST_F(bins, one_after_another)
{
	size_t w = variant->width / 8, bytes = (1 + PAGES_AFTER) * PAGE, i, k, nr = 0;
	struct profil_region *r = self->regions;
	char *buffer = map_memory(bytes);
	size_t byte[1 + PAGES_AFTER];

	ASSERT_NE(MAP_FAILED, buffer);
	/* the buffer of the first region has room for the second one's text */
	r[0].buf = (uintptr_t)buffer;
	r[0].bytes = PAGE;
	r[1] = r[0];
	r[0].end = r[0].start + 0x100;
	r[1].start += 0x200;
	r[1].offset = r[1].start;
	r[1].end = r[1].start + 2 * PAGE;
	r[1].scale = 16 * 0x10000;
	r[1].buf += PAGE;
	r[1].bytes = PAGES_AFTER * PAGE;
	self->start.nr_regions = 2;
	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	byte[0] = 0x40;
	ASSERT_EQ(0, stay_for(self->fd, self->text + 0x40, 4));
	for (i = 0; i < PAGES_AFTER; i++) {
		/* 16 bytes of counters for each byte of text */
		ASSERT_EQ(0, stay_for(self->fd, self->text + 0x240 + i * PAGE / 16, 4));
		byte[1 + i] = PAGE + 16 * 0x40 + i * PAGE;
	}
	ASSERT_EQ(0, stay_for(self->fd, self->text + 0x40, 4));
	stop(self->fd);
	for (i = 0; i < bytes / w; i++) {
		if (!counter(buffer, variant->width, i))
			continue;
		nr++;
		for (k = 0; k < ARRAY_SIZE(byte) && i != byte[k] / w;)
			k++;
		EXPECT_LT(k, ARRAY_SIZE(byte))
			TH_LOG("counter %zu", i);
		/* a kernel thread may take a tick */
		EXPECT_LE(4 - 2, counter(buffer, variant->width, i));
	}
	EXPECT_EQ(ARRAY_SIZE(byte), nr);
	munmap(buffer, bytes);
}

static void set_all(struct _test_data_bins *self, uint64_t value)
{
	memset(self->buffer, 0, PAGE);
	memcpy(self->buffer, &value, sizeof(value));
}

TEST_F(bins, overflow)
{
	uint64_t max = variant->width == 64 ? UINT64_MAX :
					      (1ULL << variant->width) - 1;
	struct profil_status status;
	uint64_t limit = max / 2;

	self->regions[0].bytes = PAGE;
	self->regions[0].rounding = PROFIL_ROUND_FIRST;
	self->regions[0].scale = 0;

	/* wrap: nothing is carried into the next counter */
	set_all(self, max);
	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	ASSERT_EQ(0, stay_for(self->fd, self->text, 2));
	status = stop(self->fd);
	ASSERT_LT(1, status.counted);
	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	EXPECT_EQ(status.counted - 1, counter(self->buffer, variant->width, 0));
	EXPECT_EQ(0, counter(self->buffer, variant->width, 1));

	/* saturate at the width, and at a limit */
	self->start.overflow = PROFIL_OVERFLOW_SATURATE;
	set_all(self, max - 1);
	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	ASSERT_EQ(0, stay_for(self->fd, self->text, 2));
	status = stop(self->fd);
	EXPECT_LT(1, status.counted);
	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	EXPECT_EQ(max, counter(self->buffer, variant->width, 0));
	EXPECT_EQ(0, counter(self->buffer, variant->width, 1));

	self->start.limit = limit;
	set_all(self, limit - 1);
	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	ASSERT_EQ(0, stay_for(self->fd, self->text, 2));
	stop(self->fd);
	EXPECT_EQ(limit, counter(self->buffer, variant->width, 0));

	/* a counter that is already above the limit does not change */
	set_all(self, limit + 7);
	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	ASSERT_EQ(0, stay_for(self->fd, self->text, 1));
	stop(self->fd);
	EXPECT_EQ(limit + 7, counter(self->buffer, variant->width, 0));

	/* stop: at once when the limit is reached, for all counters */
	self->start.overflow = PROFIL_OVERFLOW_STOP;
	set_all(self, limit - 2);
	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	ASSERT_EQ(0, stay_for(self->fd, self->text, 2));
	EXPECT_EQ(PROFIL_STATE_LIMIT, get_status(self->fd).state);
	status = stop(self->fd);
	EXPECT_EQ(PROFIL_STATE_LIMIT, status.state);
	EXPECT_EQ(2, status.counted);
	EXPECT_EQ(status.samples, status.counted + status.out_of_range + status.lost);
	EXPECT_EQ(limit, counter(self->buffer, variant->width, 0));
	EXPECT_EQ(PROFIL_STATE_OFF, stop(self->fd).state);

	set_all(self, limit);
	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	ASSERT_EQ(0, stay_for(self->fd, self->text, 1));
	EXPECT_EQ(PROFIL_STATE_LIMIT, stop(self->fd).state);
	EXPECT_EQ(limit, counter(self->buffer, variant->width, 0));
}

TEST_F(bins, pc_log)
{
	struct profil_status status;
	uintptr_t loop = (uintptr_t)self->text + 0x40;
	size_t i, nr = 10, w = variant->width / 8, hits = 0;
	double elsewhere = thread_seconds();

	if (variant->width == 16)
		SKIP(return, "pcs have 32 or 64 bits");
	memset(self->buffer, 0xee, PAGE);
	self->start = (struct profil_start) {
		.size = sizeof(self->start),
		.flags = PROFIL_PC_LOG,
		.rate = self->start.rate,
		.width = variant->width,
		.log = (uintptr_t)self->buffer,
		.log_bytes = nr * w + w / 2,
	};
	EXPECT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	EXPECT_EQ(0, stay_for(self->fd, self->text + 0x40, nr));
	EXPECT_EQ(PROFIL_STATE_FULL, get_status(self->fd).state);
	elsewhere = thread_seconds() - elsewhere;
	status = stop(self->fd);
	EXPECT_EQ(PROFIL_STATE_FULL, status.state);
	EXPECT_EQ(nr, status.counted);
	EXPECT_EQ(status.samples, status.counted + status.lost);
	/* every entry is written */
	for (i = 0; i < nr; i++)
		EXPECT_NE(counter("\xee\xee\xee\xee\xee\xee\xee\xee",
				  variant->width, 0),
			  counter(self->buffer, variant->width, i));
	for (i = 0; i < nr; i++)
		hits += counter(self->buffer, variant->width, i) ==
			(uint64_t)(variant->width == 32 ? (uint32_t)loop : loop);
	for (i = nr * w; i < PAGE; i++)
		EXPECT_EQ((char)0xee, self->buffer[i]);
	/*
	 * Ticks hit the thread that starts this one, up to one more than its CPU time has, and one
	 * may hit this one before the loop.
	 */
	EXPECT_ON_TIME((double)nr - self->start.rate * elsewhere - 2 <= (double)hits);
}

TEST_HARNESS_MAIN
