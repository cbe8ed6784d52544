// SPDX-License-Identifier: GPL-2.0-only
/*
 * The commands of the device. Operations build the arguments step by step; results are
 * compared with those that rules.c allows.
 *
 * Arguments are placed at the end of a mapping, so that the kernel faults if it reads or
 * writes after them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "run.h"

#define MAX_REGIONS	4100	/* more than the module accepts */
#define MARGIN		64	/* checked bytes before an argument */
#define POISON		0xcc

static struct profil_start start;
static struct profil_region *regions;	/* MAX_REGIONS */
static uint8_t tail;			/* last byte of an argument that is too long */
static char *argument_end;

static void *map_before_hole(size_t bytes)
{
	char *at;

	bytes = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	at = mmap(NULL, bytes + PAGE_BYTES, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED || mprotect(at + bytes, PAGE_BYTES, PROT_NONE))
		failure("cannot map memory for arguments");
	return at + bytes;
}

void calls_init(void)
{
	argument_end = map_before_hole(ROOM_BYTES + PAGE_BYTES);
	regions = (void *)((char *)map_before_hole(MAX_REGIONS *
						   sizeof(*regions)) -
			   MAX_REGIONS * sizeof(*regions));
}

static uint64_t evaluate(const struct value *value)
{
	if (value->base == BASE_REGIONS)
		return (uintptr_t)regions + value->offset;
	if (value->base == BASE_ARG)
		return (uintptr_t)argument_end - MARGIN + value->offset;
	return address_of(value);
}

/* --- building a start ------------------------------------------------------ */

static const uint32_t widths[] = { 16, 32, 64 };

/* All fields except the counters. The high rate keeps the program short. */
static void begin_start(uint64_t width)
{
	start = (struct profil_start){
		.size = sizeof(start),
		.rate = 4000,
		.width = widths[width],
		.regions = (uintptr_t)regions,
	};
	tail = 0;
}

/* Every pc to one counter */
static void do_count(uint64_t width, uint64_t addr)
{
	begin_start(width);
	start.nr_regions = 1;
	regions[0] = (struct profil_region){
		.buf = addr,
		.bytes = start.width / 8,
		.rounding = PROFIL_ROUND_FIRST,
	};
}

/* The program's text, spread over the pages of a slot; the last region takes the rest. */
static void do_spread(uint64_t width, uint64_t addr, uint64_t nr)
{
	uint64_t text = arena_text(), length = arena_text_end() - text, each, i;

	begin_start(width);
	start.nr_regions = (uint32_t)nr;
	if (!nr)
		return;
	length /= nr;
	each = SLOT_PAGES * PAGE_BYTES / nr / 8 * 8;
	if (each < 8)
		each = 8;
	for (i = 0; i < nr; i++)
		regions[i] = (struct profil_region){
			.start = text + i * length,
			.end = text + (i + 1) * length,
			.offset = text + i * length,
			.buf = addr + i * each % (SLOT_PAGES * PAGE_BYTES),
			.bytes = each,
			.scale = (uint32_t)(each * 65536 / (length + 1)),
			.rounding = (uint32_t)(i % PROFIL_ROUND_FIRST),
		};
	regions[nr - 1].end = 0;
	regions[nr - 1].scale = 0;
	regions[nr - 1].rounding = PROFIL_ROUND_FIRST;
}

/*
 * A few counters at one end of the slot, for half of the text. The counters of the other
 * half would lie after the buffer, and must not be written.
 */
static void do_tight(uint64_t width, uint64_t addr, uint64_t nr)
{
	uint64_t text = arena_text(), length = arena_text_end() - text, bytes;

	begin_start(width);
	start.nr_regions = 1;
	bytes = (nr + 1) * start.width / 8;
	if (nr % 2)
		addr += SLOT_PAGES * PAGE_BYTES - bytes;
	regions[0] = (struct profil_region){
		.start = text,
		.offset = text,
		.buf = addr,
		.bytes = bytes,
		.scale = (uint32_t)(2 * bytes * 65536 / length),
		.rounding = (uint32_t)(nr % PROFIL_ROUND_FIRST),
	};
}

static void do_log(uint64_t width, uint64_t addr)
{
	begin_start(width);
	start.flags = PROFIL_PC_LOG;
	start.regions = 0;
	start.log = addr;
	start.log_bytes = PAGE_BYTES;
}

#define FIELD_OF(type, member)						\
	{ offsetof(type, member), sizeof(((type *)0)->member) }

struct field {
	size_t offset;
	size_t size;
};

static const struct field start_fields[NR_FIELDS] = {
	[FIELD_SIZE] = FIELD_OF(struct profil_start, size),
	[FIELD_FLAGS] = FIELD_OF(struct profil_start, flags),
	[FIELD_RATE] = FIELD_OF(struct profil_start, rate),
	[FIELD_WIDTH] = FIELD_OF(struct profil_start, width),
	[FIELD_OVERFLOW] = FIELD_OF(struct profil_start, overflow),
	[FIELD_NR_REGIONS] = FIELD_OF(struct profil_start, nr_regions),
	[FIELD_REGIONS] = FIELD_OF(struct profil_start, regions),
	[FIELD_LIMIT] = FIELD_OF(struct profil_start, limit),
	[FIELD_CATCH_ALL] = FIELD_OF(struct profil_start, catch_all),
	[FIELD_LOG] = FIELD_OF(struct profil_start, log),
	[FIELD_LOG_BYTES] = FIELD_OF(struct profil_start, log_bytes),
	[FIELD_CLOCK] = FIELD_OF(struct profil_start, clock),
	[FIELD_RESERVED] = FIELD_OF(struct profil_start, reserved),
};

static const struct field region_fields[NR_REGION_FIELDS] = {
	[REGION_START] = FIELD_OF(struct profil_region, start),
	[REGION_END] = FIELD_OF(struct profil_region, end),
	[REGION_OFFSET] = FIELD_OF(struct profil_region, offset),
	[REGION_BUF] = FIELD_OF(struct profil_region, buf),
	[REGION_BYTES] = FIELD_OF(struct profil_region, bytes),
	[REGION_SCALE] = FIELD_OF(struct profil_region, scale),
	[REGION_ROUNDING] = FIELD_OF(struct profil_region, rounding),
};

static void set_field(void *in, const struct field *field, uint64_t value)
{
	memcpy((char *)in + field->offset, &value, field->size);
}

/* --- calling the device------------------------------------------------------- */

/* The names of a set of results. Called once: the process exits afterwards. */
static const char *result_names(unsigned int may)
{
	static char text[NR_RESULTS * 16];
	unsigned int i;

	for (i = 0; i < NR_RESULTS; i++)
		if (may & 1U << i) {
			strcat(text, *text ? ", " : "");
			strcat(text, result_name(i));
		}
	return text;
}

int judge(unsigned int command, int error, unsigned int may)
{
	unsigned int bit = result_bit(error), i;

	if (!(bit & may))
		failure("command %u returned %s, allowed: %s",
			command, error ? strerrorname_np(error) : "0",
			result_names(may));
	for (i = 0; i < NR_RESULTS; i++)
		if (bit == 1U << i)
			shared->results[command][i]++;
	return error;
}

int call_device(int fd, unsigned long command, uint64_t argument)
{
	return ioctl(fd, command, argument) ? errno : 0;
}

/* Whether an address is readable */
static bool is_readable(uint64_t addr)
{
	char byte;

	return arena_read(&byte, addr, 1) == 1;
}

char *place_room(size_t bytes)
{
	char *at = argument_end - bytes;

	memset(at - MARGIN, POISON, MARGIN);
	memset(at, 0, bytes);
	return at;
}

/* Place an argument, of any size, at the end of its mapping. */
static char *place(const void *argument, size_t known, uint64_t size)
{
	size_t bytes = size > PAGE_BYTES ? PAGE_BYTES : size;
	char *at;

	if (bytes < sizeof(uint32_t))
		bytes = sizeof(uint32_t);
	at = place_room(bytes);
	memcpy(at, argument, bytes < known ? bytes : known);
	if (bytes > known)
		at[bytes - 1] = (char)tail;
	return at;
}

void check_margin(const char *at)
{
	int i;

	for (i = 1; i <= MARGIN; i++)
		if ((uint8_t)at[-i] != POISON)
			failure("written %d bytes before the argument", i);
}

/* --- START ----------------------------------------------------------------- */

/*
 * Find the regions as the kernel reads them; NULL if the pointer is invalid. Return: false
 * if the kernel might read other memory of the fuzzer as regions.
 */
static bool find_regions(const struct profil_start *as_read, const struct profil_region **found)
{
	uint64_t first = (uintptr_t)regions, at = as_read->regions;
	uint64_t bytes = as_read->nr_regions * sizeof(*regions);

	*found = regions;
	if (!as_read->nr_regions)
		return true;
	if (at >= first && at - first + bytes <= MAX_REGIONS * sizeof(*regions)) {
		*found = (const void *)(uintptr_t)at;
		return true;
	}
	*found = NULL;
	return as_read->nr_regions > MAX_REGIONS || !is_readable(at);
}

/* Call @visit for each range of counters, until it returns false. */
static bool all_ranges(const struct profil_start *as_read,
		       const struct profil_region *found,
		       bool (*visit)(uint64_t addr, uint64_t bytes))
{
	uint64_t width = as_read->width / 8, bytes;
	uint32_t i;

	if (as_read->log && !visit(as_read->log, as_read->log_bytes))
		return false;
	if (as_read->catch_all && !visit(as_read->catch_all, width))
		return false;
	for (i = 0; found && i < as_read->nr_regions && i < MAX_REGIONS; i++) {
		bytes = found[i].rounding == PROFIL_ROUND_FIRST ?
			width : found[i].bytes;
		if (!visit(found[i].buf, bytes))
			return false;
	}
	return true;
}

static bool allow(uint64_t addr, uint64_t bytes)
{
	arena_allow(addr, bytes);
	return true;
}

/* START with a valid pointer. Skipped if counters would overwrite the fuzzer's own memory. */
static int do_start(int fd)
{
	const struct profil_region *found;
	struct profil_info info = { .size = sizeof(info) };
	struct profil_start as_read = { 0 };
	unsigned int may;
	bool others;
	char *at;
	int error;

	memcpy(&as_read, &start, start.size < sizeof(start) ? start.size : sizeof(start));
	if (!find_regions(&as_read, &found) || !all_ranges(&as_read, found, arena_is_ours)) {
		shared->skipped++;
		return EBUSY;
	}
	if (call_device(fd, PROFIL_IOC_INFO, (uintptr_t)&info))
		failure("INFO failed");
	may = rules_for_size(PROFIL_IOC_START, start.size, tail);
	if (may == MAY_SUCCEED)
		may = rules_for_start(&as_read, found, &info);
	at = place(&start, sizeof(start), start.size);
	if (as_read.flags & PROFIL_FAULT_SIGNAL)
		shared->signals = 1;
	/* other processes may check shared memory as soon as it is counted in */
	others = shared->processes;
	if (others && may & MAY_SUCCEED)
		all_ranges(&as_read, found, allow);
	error = judge(1, call_device(fd, PROFIL_IOC_START, (uintptr_t)at), may);
	check_margin(at);
	if (!error && !others)
		all_ranges(&as_read, found, allow);
	return error;
}

/*
 * START with a pointer that is not readable. A readable one is skipped: with the fields
 * that are there, the module might count anywhere.
 */
static int do_bad_start(int fd, uint64_t pointer)
{
	if (is_readable(pointer)) {
		shared->skipped++;
		return EBUSY;
	}
	return judge(1, call_device(fd, PROFIL_IOC_START, pointer), MAY_EFAULT);
}

/* --- STOP, STATUS, INFO, LOG_STATUS ---------------------------------------- */

/* @exact: all fields were read at once */
static void check_status(const struct profil_status *status, bool exact)
{
	uint64_t sum = status->counted + status->out_of_range +
		       status->pending + status->lost;

	if (status->state > PROFIL_STATE_FAULT)
		failure("state %u", status->state);
	if (status->clock > PROFIL_CLOCK_RANDOM)
		failure("clock %u", status->clock);
	if (exact && status->samples != sum)
		failure("%llu samples, but a sum of %llu",
			(unsigned long long)status->samples,
			(unsigned long long)sum);
}

static void check_answer(unsigned long command, const char *at, size_t known, uint64_t size)
{
	uint64_t i;
	uint32_t has;

	memcpy(&has, at, sizeof(has));
	if (has != size)
		failure("the kernel changed size %llu to %u", (unsigned long long)size, has);
	for (i = known; i < size; i++)
		if (at[i])
			failure("written %llu bytes after the structure",
				(unsigned long long)(i - known));
	if (command != PROFIL_IOC_INFO && size >= sizeof(struct profil_status)) {
		struct profil_status status;

		memcpy(&status, at, sizeof(status));
		check_status(&status, command != PROFIL_IOC_STATUS);
		if (command == PROFIL_IOC_STOP)
			shared->samples += status.samples;
	}
}

/* @size: 0: the correct size */
static int do_query(int fd, unsigned long command, uint64_t size)
{
	size_t known = command == PROFIL_IOC_INFO ?
		       sizeof(struct profil_info) : sizeof(struct profil_status);
	union {
		uint32_t size;
		uint8_t bytes[sizeof(struct profil_status)];
	} argument;
	char *at;
	int error;

	if (!size)
		size = known;
	size = (uint32_t)size;
	memset(&argument, POISON, sizeof(argument));
	argument.size = (uint32_t)size;
	at = place(&argument, known, size);
	error = judge(_IOC_NR(command), call_device(fd, command, (uintptr_t)at),
		      rules_for_size(command, size, tail && size > known));
	check_margin(at);
	if (!error)
		check_answer(command, at, known, size);
	return error;
}

/* A query with a pointer that is not readable; others would be written to. */
static int do_bad_query(int fd, unsigned long command, uint64_t pointer)
{
	if (is_readable(pointer)) {
		shared->skipped++;
		return EBUSY;
	}
	return judge(_IOC_NR(command), call_device(fd, command, pointer), MAY_EFAULT);
}

void calls_stop(void)
{
	if (fds[0] >= 0)
		do_query(fds[0], PROFIL_IOC_STOP, 0);
}

/* An unknown command of the device's type; other types may be valid for any file. */
static int do_unknown(int fd, uint64_t nr, uint64_t pointer)
{
	unsigned int command = (unsigned int)nr;

	command = (command & ~0xff00U) | PROFIL_IOC_MAGIC << 8;
	if (command >= PROFIL_IOC_INFO && command <= PROFIL_IOC_LOG_STATUS)
		return EBUSY;
	return judge(COMMAND_UNKNOWN, call_device(fd, command, pointer), MAY_ENOTTY);
}

int calls_do(const struct operation *operation)
{
	static const unsigned long queries[] = {
		[OP_STOP - OP_STOP] = PROFIL_IOC_STOP,
		[OP_STATUS - OP_STOP] = PROFIL_IOC_STATUS,
		[OP_INFO - OP_STOP] = PROFIL_IOC_INFO,
		[OP_LOG_STATUS - OP_STOP] = PROFIL_IOC_LOG_STATUS,
	};
	const struct value *values = operation->values;
	uint64_t n = values[0].offset, pointer = evaluate(&values[1]);
	bool placed = values[1].base == BASE_ARG && !values[1].offset;
	int fd = n < NR_FDS ? fds[n] : -1;

	switch (operation->kind) {
	case OP_COUNT:
		do_count(n, arena_slot((unsigned int)values[1].offset));
		return 0;
	case OP_SPREAD:
		do_spread(n, arena_slot((unsigned int)values[1].offset), values[2].offset);
		return 0;
	case OP_TIGHT:
		do_tight(n, arena_slot((unsigned int)values[1].offset), values[2].offset);
		return 0;
	case OP_LOG:
		do_log(n, arena_slot((unsigned int)values[1].offset));
		return 0;
	case OP_SET:
		set_field(&start, &start_fields[n], pointer);
		return 0;
	case OP_REGION:
		set_field(&regions[n], &region_fields[values[1].offset], evaluate(&values[2]));
		return 0;
	case OP_TAIL:
		tail = (uint8_t)values[0].offset;
		return 0;
	default:
		break;
	}
	if (fd < 0)
		return EBADF;
	if (operation->kind == OP_IOCTL)
		return do_unknown(fd, values[1].offset, evaluate(&values[2]));
	if (operation->kind == OP_ATTACH)
		return attach_do(fd, opened[n], operation, start.clock);
	if (operation->kind == OP_READ)
		return attach_read(fd, opened[n], pointer);
	if (operation->kind == OP_START)
		return placed ? do_start(fd) : do_bad_start(fd, pointer);
	return placed ? do_query(fd, queries[operation->kind - OP_STOP], evaluate(&values[2])) :
			do_bad_query(fd, queries[operation->kind - OP_STOP], pointer);
}
