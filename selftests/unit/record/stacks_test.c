// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call stacks of a recording. The programs are code without a file, whose frame pointers tell the
 * callers, or have a file that cannot be read.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <record/recording.h>
#include <record/recording_state.h>
#include <result/stacks.h>

#include "support/recorded.h"

#define STACK	0x7ffd00001000	/* rsp of the samples */
#define FRAMES	3

/* A record with room for words */
union record {
	struct profil_record_stack stack;
	unsigned char bytes[sizeof(struct profil_record_stack) + 16 * sizeof(uint64_t)];
};

static const struct fake_thread thread = { PID, PID };

static uint64_t word(uint64_t value, unsigned int skipped)
{
	return value | (uint64_t)skipped << 48;
}

/* Frames of made code, each of four words: rbp of the caller, a return address, and two left out */
static union record make_frames(void)
{
	union record record = {
		.stack = {
			.nr_words = 2 * FRAMES, .seen_bytes = 1024,
			.regs = { [PROFIL_STACK_RSP] = STACK, [PROFIL_STACK_RBP] = STACK },
		},
	};
	int i;

	for (i = 0; i < FRAMES; i++) {
		record.stack.words[2 * i] = word(STACK + 32 * ((uint64_t)i + 1), i ? 2 : 0);
		record.stack.words[2 * i + 1] = word(0x20010 + 0x100 * (uint64_t)i, 0);
	}
	return record;
}

static void push(uint64_t pc, union record record)
{
	fake_log_stack(&fake, &thread, pc, &record.stack);
}

/* All stacks have as many samples as all addresses, in the kernel, too. */
static void assert_totals(uint64_t samples, uint64_t system)
{
	uint64_t all = 0, in_kernel = 0;
	size_t i;

	for (i = 0; i < result.nr_stack_parts; i++) {
		all += result.stack_parts[i].samples;
		in_kernel += result.stack_parts[i].system;
	}
	assert_int_equal(all, samples);
	assert_int_equal(in_kernel, system);
	assert_int_equal(result_samples(&result), samples);
	assert_int_equal(result_system_samples(&result), system);
}

/* Count the samples whose stacks end for a reason. */
static uint64_t samples_why(enum result_stack why)
{
	uint64_t samples = 0;
	size_t outermost, i;

	for (i = 0; i < result.nr_stack_parts; i++)
		if (result_stack_why(&result, result.stack_parts[i].address, &outermost) == why)
			samples += result.stack_parts[i].samples;
	return samples;
}

TEST_F(frame_pointers_of_made_code_are_followed)
{
	size_t node, nr = 0;

	start(PID);
	map_memory(PID, 0x20000, 0x21000);
	push(0x20500, make_frames());
	push(0x20600, make_frames());
	read_log();
	assert_totals(2, 0);
	/* the fourth frame pointer leads to a word that is not kept */
	assert_int_equal(samples_why(RESULT_STACK_MADE), 2);
	assert_int_equal(result.nr_stack_parts, 1);
	for (node = result.stack_parts[0].address; node != RESULT_NO_NODE;
	     node = result.nodes[node].parent)
		nr += result.nodes[node].address == RESULT_STACK_CODE;
	assert_int_equal(nr, 1 + FRAMES);
}

TEST_F(the_mappings_are_those_of_the_sample)
{
	start(PID);
	map_memory(PID, 0x20000, 0x21000);
	push(0x20500, make_frames());
	/* the callers of the second one are in a file now */
	map(PID, 0x20000, "/program");
	push(0x10500, make_frames());
	push(0x20500, make_frames());
	read_log();
	assert_totals(3, 0);
	assert_int_equal(samples_why(RESULT_STACK_MADE), 1);
	assert_int_equal(samples_why(RESULT_STACK_UNKNOWN), 2);
}

TEST_F(samples_without_a_stack_have_their_pc)
{
	union record none = { .stack.flags = PROFIL_STACK_DENIED };
	union record system = make_frames();

	system.stack.flags = PROFIL_STACK_IN_KERNEL;
	start(PID);
	push(0x10010, none);
	push(0x10020, system);
	/* outside all mappings */
	push(0x99999, none);
	read_log();
	assert_totals(3, 1);
	assert_int_equal(samples_why(RESULT_STACK_NONE), 2);
	assert_int_equal(samples_why(RESULT_STACK_UNKNOWN), 1);
}

/* What the process runs is looked up in /proc, so the stack is of no use. */
TEST_F(samples_after_a_loss_have_no_stack)
{
	start(PID);
	push(0x10010, make_frames());
	fake_log_lost(&fake, 0, 1);
	push(0x10010, make_frames());
	read_log();
	assert_totals(2, 0);
	assert_int_equal(samples_why(RESULT_STACK_NONE), 1);
}

TEST_F(without_stacks_there_is_no_tree)
{
	start(PID);
	fake_log_sample(&fake, PID, 0x10010, 3);
	read_log();
	assert_int_equal(result.nr_nodes, 0);
	assert_int_equal(result.nr_stack_parts, 0);
}

/* Earlier nodes keep their numbers, by which intervals are subtracted. */
TEST_F(later_stacks_are_added)
{
	struct result_node first[1 + FRAMES];

	start(PID);
	map_memory(PID, 0x20000, 0x21000);
	push(0x20500, make_frames());
	read_log();
	memcpy(first, result.nodes, sizeof(first));
	push(0x10010, make_frames());
	read_log();
	assert_totals(2, 0);
	assert_memory_equal(first, result.nodes, sizeof(first));
}

/* Stacks that differ are one from some number on. */
TEST_F(the_number_of_nodes_is_limited)
{
	uint64_t i;

	start(PID);
	recording->stacks.tree.most = 10;
	for (i = 0; i < 20; i++)
		push(0x10010 + 8 * i, make_frames());
	read_log();
	assert_totals(20, 0);
	assert_int_equal(result.nr_nodes, 11);
	/* one node is the reason of the first nine */
	assert_int_equal(samples_why(RESULT_STACK_UNKNOWN), 9);
	assert_int_equal(samples_why(RESULT_STACK_FOLDED), 11);
}

/* What helpers hand over is checked by itself; here it is that nothing is lost without one. */
TEST_F(many_stacks_are_unwound_at_once)
{
	uint64_t i;

	start(PID);
	map_memory(PID, 0x20000, 0x21000);
	for (i = 0; i < 200; i++)
		push(0x20500 + i, make_frames());
	read_log();
	assert_totals(200, 0);
	assert_int_equal(recording->stacks.waiting.nr, 0);
	assert_int_equal(recording->stacks.batch.nr, 0);
}

/* While a helper unwinds, the log is read: what it has found is there at the end. */
TEST_F(helpers_unwind_while_the_log_is_read)
{
	const size_t nr = STACKS_WAIT_BYTES / sizeof(union record) + 100;
	size_t i;

	start(PID);
	map_memory(PID, 0x20000, 0x21000);
	for (i = 0; i < 2 * nr; i++) {
		push(0x20500 + i % 16, make_frames());
		if (i % 100 == 0)
			assert_int_equal(recording_read(recording, fake.read), 1);
	}
	read_log();
	assert_totals(2 * nr, 0);
	assert_int_equal(samples_why(RESULT_STACK_MADE), 2 * nr);
}

/* Its number is that of the next file, in which a helper writes what it has found. */
TEST_F(the_log_may_be_closed_before_stacks_are_unwound)
{
	start(PID);
	map_memory(PID, 0x20000, 0x21000);
	push(0x20500, make_frames());
	assert_int_equal(recording_read(recording, fake.read), 1);
	close(fake.read);
	collect();
	assert_int_equal(samples_why(RESULT_STACK_MADE), 1);
}
