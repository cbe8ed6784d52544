// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write the initial input of log_reader: a log with all types of records, and the file that its
 * processes map.
 *
 * usage: make_log PROGRAM >FILE
 */
#include <stdio.h>
#include <unistd.h>

#include "support/fake_log.h"

static void fill(struct fake_log *log)
{
	const struct profil_record_map program = {
		.start = 0x400000, .end = 0x402000, .offset = 0x1000, .inode = 1,
		.flags = PROFIL_MAP_PROGRAM,
	};
	const struct profil_record_map vdso = { .start = 0x7000000, .end = 0x7002000 };
	const struct profil_record_map jit = { .start = 0x6000000, .end = 0x6001000 };
	const struct profil_record_map nameless = {
		.start = 0x401000, .end = 0x403000, .inode = 1,
	};
	const struct profil_record_sample in_kernel = {
		.head = { PROFIL_RECORD_KERNEL_SAMPLE, sizeof(in_kernel), 8 },
		.pc = 0x400020, .samples = 8, .tid = 8,
	};
	static union {
		struct profil_record_stack record;
		unsigned char bytes[sizeof(struct profil_record_stack) + 4 * sizeof(__u64)];
	} stack = {
		.record = {
			.nr_words = 4, .seen_bytes = 64,
			.regs = { [PROFIL_STACK_RBP] = 0x8010, [PROFIL_STACK_RSP] = 0x8000 },
		},
	};
	const struct profil_record_thread thread = {
		.head = { PROFIL_RECORD_THREAD, sizeof(thread), 8 },
		.tid = 8, .cpu_ns = 80000000, .comm = "thread",
	};
	static const struct {
		struct profil_record head;
		__u32 args_bytes, reserved;
		char args[16];
	} args = {
		.head = { PROFIL_RECORD_ARGS, sizeof(args), 8 },
		.args_bytes = 11, .args = "program\0-x",
	};

	stack.record.words[0] = 0x400030;
	stack.record.words[1] = 0x400040 | 1ULL << 48;
	stack.record.words[2] = 0x8030;
	stack.record.words[3] = 0x6000040;
	fake_log_exec(log, 8, 1000000, 0, "program");
	fake_log_map(log, 8, &program, "/program");
	fake_log_map(log, 8, &vdso, "[vdso]");
	fake_log_map(log, 8, &jit, "");
	fake_log_bytes(log, &args, sizeof(args));
	fake_log_run(log, 8);
	fake_log_stack(log, &(struct fake_thread){ 8, 8 }, 0x400010, &stack.record);
	fake_log_sample(log, 8, 0x400010, 1);
	fake_log_sample(log, 8, 0x7000010, 2);
	fake_log_sample(log, 8, 0x6000010, 3);
	fake_log_sample(log, 8, 0x10, 4);
	fake_log_fork(log, 9, 8);
	fake_log_map(log, 9, &nameless, "");
	fake_log_sample(log, 9, 0x401010, 5);
	fake_log_fork_denied(log, 11, 9);
	fake_log_exit(log, 11, 3000000);
	fake_log_exec(log, 9, 2000000, PROFIL_EXEC_DENIED, "sudo");
	fake_log_exit(log, 9, 5000000);
	fake_log_lost(log, 7, 1);
	fake_log_sample(log, 10, 0x400010, 6);
	fake_log_exec(log, 10, 100, PROFIL_EXEC_LEFT, "other");
	fake_log_bytes(log, &in_kernel, sizeof(in_kernel));
	fake_log_bytes(log, &thread, sizeof(thread));
	fake_log_exit(log, 8, 90000000);
	fake_log_end(log);
}

int main(int argc, char **argv)
{
	unsigned char bytes[65536];
	struct fake_log log;
	size_t nr;
	FILE *program;

	if (argc != 2)
		return 1;
	program = fopen(argv[1], "re");
	if (!program)
		return 1;
	fake_log_open(&log);
	fill(&log);
	nr = (size_t)read(log.read, bytes, sizeof(bytes));
	putchar((int)(nr & 0xff));
	putchar((int)(nr >> 8));
	fwrite(bytes, 1, nr, stdout);
	while ((nr = fread(bytes, 1, sizeof(bytes), program)) > 0)
		fwrite(bytes, 1, nr, stdout);
	return fflush(stdout) != 0;
}
