// SPDX-License-Identifier: GPL-2.0-only
/* The text of a report: the lines above the table, and its columns. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <linux/profil.h>

#include <report/report.h>

#include "support/test.h"

/* RUN() has the fields that differ from a run in which nothing is wrong. */
#pragma GCC diagnostic ignored "-Woverride-init"

static char *argv[] = { "perl", "-e", "print '1'\n\xc2\x9b", NULL };
static char name[] = "main", other[] = "f\033[2J";

#define RUN(...)									\
	.result = { .argv = argv, .rate = 100, .pid = 7, .program_cpu_ns = 4130000000,	\
		    .outside = 412, PROCESSES(FIRST), __VA_ARGS__ }
#define PROCESSES(...)									\
	.processes = (struct result_process[]){ __VA_ARGS__ },				\
	.nr_processes = ARRAY_SIZE(((struct result_process[]){ __VA_ARGS__ }))
#define FIRST		{ .pid = 7, .start_cpu_ns = 20000000 }
#define ENDED(ns)	{ .pid = 101, .is_fork = true, .has_ended = true, .cpu_ns = (ns) }
#define RUNS		{ .pid = 102, .is_fork = true }
#define ONE_CHILD	PROCESSES(FIRST, ENDED(1000000000))
#define LOG		.log_bytes = 1 << 20, .wanted_log_bytes = 1 << 20
#define UNPROFILED(nr)	.unprofiled = unprofiled, .nr_unprofiled = (nr)
#define RANDOM		.clock = PROFIL_CLOCK_RANDOM
#define OF_FILE		.of_file = true
#define ORIGIN		.host = name, .kernel = name

#define HAS(...)	.has = { __VA_ARGS__ }
#define LACKS(...)	.lacks = { __VA_ARGS__ }
#define MISSING		"have no samples"
#define TOO_MANY	"more than the CPU time"
#define FULL		", as profil could not read it in time; "
#define MAY_BE_WRONG	" (ENOBUFS): samples may be counted for a wrong program or function, and programs or their CPU time may be missing"
#define OTHERS_RAN	" s of CPU time\n"
#define TIMES		"; the process used 4.13 s (0.02 s before profiling started, 0.00 s after it ended)\n"

static struct result_unprofiled unprofiled[] = {
	{ "/usr/lib/go/compile", 12, 3100000000 }, { "link\033", 1, 1170000000 },
	{ "a", 1, 10000000 }, { "b", 1, 10000000 }, { "c", 1, 10000000 },
	{ "d", 1, 10000000 }, { "e", 2, 10000000 },
};

/* A program with two threads, one of which is in the kernel most of the time; and its child. */
static char sh[] = "/bin/sh", cc[] = "/usr/lib/cc1";
static char *cc_argv[] = { cc, name, other, NULL };
static struct result_thread threads[] = {
	{ .process = 0, .tid = 7, .samples = 1 },
	{ .process = 0, .tid = 8, .name = "a worker", .has_cpu_ns = true, .cpu_ns = 3200000000,
	  .samples = 309, .system = 206 },
	{ .process = 1, .tid = 9, .samples = 102 },
};

#define SH(nr)		{ .pid = 7, .start_cpu_ns = 20000000, .program = sh, .samples = (nr), .system = 206 }
#define CC(nr, kernel)									\
	{ .pid = 9, .parent = 7, .program = cc, .argv = cc_argv, .has_ended = true,	\
	  .cpu_ns = 1000000000, .samples = (nr), .system = (kernel) }
#define THREADS		.threads = threads, .nr_threads = ARRAY_SIZE(threads)
#define SH_AND_CC	PROCESSES(SH(310), CC(102, 0)), THREADS
#define TWO_ARGS	{ .pid = 7, .start_cpu_ns = 20000000, .program = sh },		\
	{ .pid = 9, .parent = 7, .program = "x\033", .is_fork = true, .has_ended = true, \
	  .cpu_ns = 1500000000, .samples = 103 }

static const struct selection selection = {
	.program = "cc\033*", .process = 9, .thread = "w", .object = "libc.so.6",
};

/* A report; what must be in it, in this order; and what must not be. All lines are comments or rows. */
#define TEN(text)	text text text text text text text text text text
#define TEN_TIMES(text)	text, text, text, text, text, text, text, text, text, text

static char *many_arguments[] = {
	"make", TEN_TIMES("012345678"), TEN_TIMES("012345678"), TEN_TIMES("012345678"), TEN_TIMES("012345678"),
	TEN_TIMES("012345678"), TEN_TIMES("012345678"), TEN_TIMES("012345678"), TEN_TIMES("012345678"),
	TEN_TIMES("012345678"), TEN_TIMES("012345678"), TEN_TIMES("012345678"), "last", NULL
};
static char *long_argument[] = { "java", TEN(TEN("jar:jar:jar")) "last", NULL };

/* main() has called another function; of a third sample, nothing else is known */
static struct result_node nodes[] = {
	{ RESULT_NO_NODE, 0, 0x10 }, { 0, 0, 0x20 },
	{ RESULT_NO_NODE, RESULT_NO_OBJECT, RESULT_STACK_UNKNOWN }, { 2, 0, 0x30 },
};
static struct result_part stacks[] = { { 1, 309, 0, 0 }, { 3, 103, 0, 0 } };
static struct result_object musl[] = { { .path = "/lib/libc.musl.so" } };

static const struct report_case {
	const char *about;
	struct result result;
	struct table_options table;
	const struct selection *selection;
	char *first, *second;		/* names of two rows; NULL: main and f\033[2J */
	uint64_t first_samples;		/* 0: 309 */
	size_t rows;			/* all as the first; 0: two */
	bool no_rows, of_file;
	const char *whole, *has[8], *lacks[3];
} cases[] = {
	{ "whole report", RUN(.outside_system = 104),
	  .whole = "# command: perl -e 'print '\\''1'\\''\\012\\302\\233'\n"
		"# 412 samples at 100 Hz = 4.12 s of CPU time; the process used 4.13 s (0.02 s before profiling started, 0.00 s after it ended)\n"
		"# 4.12 s = 3.08 s user + 1.04 s system\n"
		"#\n"
		"# percent seconds samples system%  95%-interval  object   function\n"
		"    75.00    3.09     309    33.3  70.60..78.94  perl     main\n"
		"    25.00    1.03     103     0.0  21.06..29.40  libx.so  f\\033[2J\n" },
	{ "call stacks", RUN(.nodes = nodes, .nr_nodes = 4, .stack_parts = stacks, .nr_stack_parts = 2,
			     .objects = musl, .nr_objects = 1),
	  HAS("# 75.0 % of the call stacks are complete; 25.0 %: no unwind information (libc.musl.so)\n") },
	/* "make" and 102 of 110 others, each with a space, have 1025 bytes */
	{ "many arguments", RUN(.argv = many_arguments), HAS(" 012345678 ... and 9 more arguments\n"), LACKS("last") },
	{ "long argument", RUN(.argv = long_argument), HAS("# command: java jar:jar:"), LACKS("last") },
	{ "all lines above the table", RUN(PROCESSES(FIRST, ENDED(0), RUNS, RUNS), .unlisted_processes = 1,
	      .lost = 3, .fork_failures = 2, .requested_rate = 4000, .program_cpu_ns = 9000000000),
	  HAS("lowered the rate from 4000 Hz", "the CPU time of 1 unlisted process is unknown",
	      "the log does not have the end of 2 of them", "at least 4.83 s of CPU time have no samples",
	      "3 samples (0.03 s) lost (ENOBUFS): ", "2 children were not profiled") },

	/* 2 % and 2 samples */
	{ "0.2 % are missing", RUN(.outside = 400, .program_cpu_ns = 4028000000),
	  LACKS(MISSING, TOO_MANY) },
	{ "2 samples are missing", RUN(.outside = 2, .program_cpu_ns = 60000000),
	  LACKS(MISSING, TOO_MANY) },
	{ "3 of 13 samples are missing", RUN(.outside = 10, .program_cpu_ns = 150000000),
	  HAS(MISSING) },
	{ "just 2 % are missing", RUN(.outside = 392, .program_cpu_ns = 4020000000),
	  LACKS(MISSING, TOO_MANY) },
	{ "above 2 % are missing", RUN(.outside = 391, .program_cpu_ns = 4020000000),
	  HAS(MISSING) },
	/* 400 and 2, 2 %, and five standard errors of 20 */
	{ "just not too many", RUN(.outside = 512, .program_cpu_ns = 4020000000),
	  LACKS(MISSING, TOO_MANY) },
	{ "one too many", RUN(.outside = 513, .program_cpu_ns = 4020000000), HAS(TOO_MANY) },
	{ "samples without CPU time", RUN(.outside = 5, .program_cpu_ns = 0), HAS(TOO_MANY) },

	{ "lost samples are not missing", RUN(.outside = 200, .lost = 212),
	  HAS("# 212 samples (2.12 s) lost (ENOBUFS): "), LACKS(MISSING) },
	{ "more are missing than were lost", RUN(.outside = 200, .lost = 100),
	  HAS("# 1.11 s of CPU time have no samples: a program may have run in bursts") },
	{ "one sample was lost", RUN(.outside = 200, .lost = 1), HAS("# 1 sample (0.01 s) lost") },
	{ "skipped samples are not missing", RUN(.outside = 200, .skipped = 212),
	  HAS("# 212 samples (2.12 s) not taken: the clock was late by more than 100 ms"), LACKS(MISSING) },

	/* What filled the log decides about the remedy. Without a lost sample, there is a line, too. */
	{ "log full of samples", RUN(.lost = 5, LOG),
	  HAS("# 5 samples (0.05 s) lost (ENOBUFS): the log was full of samples" FULL "use a lower --rate\n"),
	  LACKS("records", "ulimit") },
	{ "log full of records", RUN(.lost_records = 1, .records_filled_log = true, LOG),
	  HAS("# 1 record of programs and mappings was lost" MAY_BE_WRONG "; the log was full of records of programs and mappings" FULL "profile fewer processes, or use --no-follow\n"),
	  LACKS("--rate") },
	{ "small log full of records", RUN(.lost = 5, .lost_records = 7, .records_filled_log = true,
	      .log_bytes = 1 << 16, .wanted_log_bytes = 1 << 20, .no_follow = true),
	  HAS("5 samples (0.05 s) lost (ENOBUFS): the log was full of records of programs and mappings" FULL "raise the limit of locked memory (ulimit -l), or profile fewer processes\n",
	      "# 7 records of programs and mappings were lost" MAY_BE_WRONG "\n",
	      "# the log had 64 KiB instead of 1024 KiB: "), LACKS("--rate") },

	{ "no control group", RUN(.cgroup = NULL), LACKS("control group") },
	{ "control group", RUN(.cgroup = "/sys/fs/cgroup/a b.slice\n"),
	  HAS("# control group: '/sys/fs/cgroup/a b.slice\\012'\n"
	      "# 412 samples at 100 Hz = 4.12 s of CPU time\n"),
	  LACKS("# command", "the process used") },
	{ "processes of a control group", RUN(.cgroup = "/x", PROCESSES(FIRST,
	      { .pid = 8, .has_ended = true, .cpu_ns = 1000000000 }, ENDED(0))),
	  HAS("# in 2 processes that ran already and 1 forked child\n# all processes used") },
	{ "processes that ran already", RUN(PROCESSES(FIRST, { .pid = 8, .has_ended = true,
	      .cpu_ns = 1000000000 }, { .pid = 8, .has_ended = true, .cpu_ns = 500000000 })),
	  HAS("# plus 1 other process and 1 executed program, using 1.50 s\n") },

	/* The clocks tick and timer can be in step with a program, the random clock cannot. */
	{ "clock may be in step", RUN(.outside = 200, LOG),
	  HAS("# 2.11 s of CPU time have no samples: a program may have run in bursts shorter than the sampling interval, which the clocks tick and timer can miss (try --clock random)\n") },
	{ "random clock is not in step", RUN(.outside = 200, LOG, RANDOM),
	  HAS("# 2.11 s of CPU time have no samples\n") },
	/* 411 are due: five standard errors of 20 are 101 */
	{ "random clock within five standard errors", RUN(.outside = 305, LOG, RANDOM),
	  LACKS(MISSING) },
	{ "random clock beyond five standard errors", RUN(.outside = 300, LOG, RANDOM),
	  HAS(MISSING) },
	{ "records were lost", RUN(.outside = 300, LOG, RANDOM, .lost_records = 1),
	  HAS("have no samples: records of programs and mappings were lost\n") },

	/* `profil -r 20000 true': of 2.4 ms, 0.5 ms are the start and the exit. */
	{ "short run at a high rate", RUN(.rate = 20000, .requested_rate = 20000, PROCESSES({ .pid = 7 }),
	      .program_cpu_ns = 2400000, .outside = 38), LACKS(MISSING) },
	{ "longer run at a high rate", RUN(.rate = 20000, .requested_rate = 20000, PROCESSES({ .pid = 7 }),
	      .program_cpu_ns = 24000000, .outside = 380), HAS("# 0.0050 s of CPU time have no samples") },

	/*
	 * 200 programs of 2 ms: the log has half of their CPU time, as they end before a tick. Their
	 * samples are right.
	 */
#define SHORT	.rate = 1000, LOG, .program_cpu_ns = 25000000, PROCESSES(FIRST, ENDED(200000000)), \
		.children_cpu_ns = 440000000
	{ "short programs", RUN(SHORT, .outside = 397),
	  HAS("# all processes used 0.465 s of CPU time:\n"
	      "#   0.397 s while they were profiled\n"
	      "#   0.068 s while programs started or exited\n"), LACKS("more than") },
	{ "short programs: what the processes used bounds it", RUN(SHORT, .outside = 480),
	  HAS("#   0.465 s while they were profiled\n") },
	{ "short programs: a difference as chance makes it", RUN(SHORT, .outside = 208),
	  HAS("#   0.205 s while they were profiled\n") },

	/* The rest has the places that are known. */
#define REST	ONE_CHILD, .outside = 511, .children_cpu_ns = 2000000000, LOG
	{ "rest: --no-follow", RUN(REST, .no_follow = true),
	  HAS("#   1.02 s while programs started or exited, and in programs that were not followed (--no-follow)\n") },
	{ "rest: failed forks", RUN(REST, .fork_failures = 3),
	  HAS("#   1.02 s while programs started or exited, and in children that were not profiled\n") },
	{ "rest: lost records", RUN(REST, .lost_records = 3),
	  HAS("#   1.02 s while programs started or exited, and in programs whose records were lost\n") },
	{ "rest: unprofiled programs", RUN(REST, UNPROFILED(2), .children_cpu_ns = 10000000000),
	  HAS(" s while programs started or exited, and in children of programs that were not profiled\n") },

	{ "child without a profile", RUN(ONE_CHILD, .fork_failures = 1),
	  HAS("# 0.99 s of CPU time have no samples: not all children were profiled\n",
	      "# 1 child was not profiled: ") },
	{ "children with unknown CPU time", RUN(PROCESSES(FIRST, RUNS, RUNS)),
	  HAS("# plus 2 forked children\n"
	      "# the log does not have the end of 2 of them: this CPU time is unknown\n"), LACKS("listed") },

	/* The process itself uses 4.11 s while it is profiled, its children 1.50 s. */
#define THREE	PROCESSES(FIRST, ENDED(1500000000), ENDED(0), ENDED(0))
#define TWO	PROCESSES(FIRST, ENDED(1500000000), ENDED(0), RUNS)
#define TWO_ARE	"# plus 3 forked children, 2 of them using 1.50 s\n# the log does not have the end of 1 of them: this CPU time is unknown\n"
	{ "one child", RUN(PROCESSES(FIRST, ENDED(1500000000)), .outside = 561),
	  HAS(OTHERS_RAN, "# plus 1 forked child, using 1.50 s\n"), LACKS(MISSING, TOO_MANY) },
	{ "three children", RUN(THREE, .outside = 561),
	  HAS(OTHERS_RAN, "# plus 3 forked children, using 1.50 s\n"), LACKS(MISSING, TOO_MANY) },
	{ "three children, missing samples", RUN(THREE, .outside = 500),
	  HAS(OTHERS_RAN, "using 1.50 s\n", "# 0.61 s of CPU time have no samples") },
	{ "three children, too many samples", RUN(THREE, .outside = 702),
	  HAS(OTHERS_RAN, "using 1.50 s\n", "1.39 s more than the CPU") },
	/* 2 samples for each process */
	{ "nine children", RUN(PROCESSES(FIRST, ENDED(1500000000), ENDED(0), ENDED(0), ENDED(0), ENDED(0),
	      ENDED(0), ENDED(0), ENDED(0), ENDED(0)), .outside = 541),
	  HAS(OTHERS_RAN, "using 1.50 s\n"), LACKS(MISSING, TOO_MANY) },
	{ "two of three children ended", RUN(TWO, .outside = 561),
	  HAS(OTHERS_RAN, TWO_ARE), LACKS(MISSING, TOO_MANY) },
	{ "the process without an end may have used the rest", RUN(TWO, .outside = 700),
	  HAS(OTHERS_RAN, "the end of 1 of them"), LACKS(MISSING, TOO_MANY) },
	{ "two of three children ended, missing samples", RUN(TWO, .outside = 500),
	  HAS(OTHERS_RAN, "the end of 1 of them", "# at least 0.61 s of CPU time have no samples") },

	/* Nothing but their samples is known about processes whose process IDs are not visible. */
	{ "unlisted processes", RUN(ONE_CHILD, .unlisted_processes = 2, .outside = 511),
	  HAS("# plus 1 forked child and 2 unlisted processes, 1 of them using 1.00 s\n"
	      "# the CPU time of 2 unlisted processes is unknown: process IDs are not visible, or the log does not have the end\n"
	      "# all processes used ", ", and in processes whose CPU time is unknown\n"),
	  LACKS(MISSING, "the log does not have the end of") },
	/* the list was full: missing and excess time are noticed */
#define LISTED	ONE_CHILD, .unlisted_processes = 2, .unlisted_ended = 2, .unlisted_cpu_ns = 2000000000
	{ "unlisted processes with CPU time", RUN(LISTED, .outside = 711),
	  HAS("# plus 1 forked child and 2 unlisted processes, using 3.00 s\n# all"), LACKS("unknown", MISSING) },
	{ "unlisted processes, missing samples", RUN(LISTED, .outside = 611),
	  HAS("# 1.00 s of CPU time have no samples") },
	{ "unlisted processes, too many samples", RUN(LISTED, .outside = 1011),
	  HAS("2.98 s more than the CPU time") },

	/* Like a shell: it uses 4.11 s, a child 1 s, and the program that this executes 2 s. */
#define EXECUTED PROCESSES(FIRST, ENDED(1000000000), { .pid = 101, .has_ended = true,	\
			.start_cpu_ns = 1100000000, .cpu_ns = 2000000000 }), .children_cpu_ns = 3100000000
	{ "executed program", RUN(EXECUTED, .outside = 711),
	  HAS(OTHERS_RAN, "# plus 1 forked child and 1 executed program, using 3.00 s\n",
	      "# all processes used 7.23 s of CPU time:\n"
	      "#   7.11 s while they were profiled\n"
	      "#   0.12 s while programs started or exited, and in processes that were not followed\n"),
	  LACKS(MISSING, TOO_MANY) },
	{ "a child may be in its parent's profile until it calls exec: 1.10 s", RUN(EXECUTED, .outside = 821),
	  LACKS(TOO_MANY) },
	/* 6 samples for three processes, 2 %, and five standard errors */
	{ "executed program, too many samples", RUN(EXECUTED, .outside = 823 + 6 + 17 + 144),
	  HAS("1.67 s more than the CPU time", "try --clock random") },
	{ "executed program, too many samples of the random clock", RUN(EXECUTED, .outside = 823 + 6 + 17 + 144, RANDOM),
	  HAS("1.67 s more than the CPU time"), LACKS("in step") },
	/*
	 * The command's process executes another program: 1 s in the first, 3.03 s in the second. 0.02 s
	 * are before, 0.07 s in its second exec, and 0.03 s after.
	 */
#define ANOTHER	PROCESSES({ .pid = 7, .start_cpu_ns = 20000000, .has_ended = true, .cpu_ns = 1000000000 }, \
		{ .pid = 7, .has_ended = true, .start_cpu_ns = 1100000000, .cpu_ns = 3000000000 })
	{ "command that executes another", RUN(ANOTHER, .outside = 400),
	  HAS("; the process used 4.13 s (0.02 s before profiling started, 0.03 s after it ended)\n",
	      "# all processes used 4.13 s of CPU time:\n#   4.00 s while they were profiled\n#   0.13 s while"),
	  LACKS("# plus ", MISSING) },
	{ "command that executes another, missing samples", RUN(ANOTHER, .outside = 300),
	  HAS("# 1.00 s of CPU time have no samples") },

	/*
	 * In the log, the CPU time of a process lacks what it used since its last tick. These samples must
	 * not be reported as an excess, even if they are 5 ms at 1000 Hz.
	 */
#define LAST	.pid = 7, .start_cpu_ns = 20000000, .has_ended = true, .cpu_ns = 200000000
	{ "end of a process", RUN(.rate = 1000, PROCESSES({ LAST }), .program_cpu_ns = 225000000, .outside = 205),
	  HAS("the process used 0.225 s (0.020 s before profiling started, 0.005 s after it ended)"), LACKS(TOO_MANY) },
	{ "end of each child that its parent waits for", RUN(.rate = 1000, PROCESSES({ LAST }, ENDED(0), ENDED(0),
	      ENDED(0), ENDED(0)), .program_cpu_ns = 225000000, .children_cpu_ns = 40000000, .outside = 245), LACKS(TOO_MANY) },

	/* The lines after the total add up to it. */
	{ "unprofiled programs", RUN(UNPROFILED(2), .children_cpu_ns = 5000000000),
	  HAS("# all processes used 9.13 s of CPU time:\n"
	      "#   4.11 s while they were profiled\n"
	      "#   4.27 s in programs that were not profiled: compile 3.10 s in 12 processes, link\\033 1.17 s\n"
	      "#   0.75 s while programs started or exited, and in processes that were not followed\n") },
	{ "many unprofiled programs", RUN(UNPROFILED(7), .children_cpu_ns = 5000000000),
	  HAS(", c 0.01 s, others 0.02 s\n") },
	/* Rounding makes the sum of the parts larger than the total. */
	{ "the rest is 0, not -0", RUN(.unprofiled = (struct result_unprofiled[]){ { "/a", 12, 100000000 } },
	      .nr_unprofiled = 1, PROCESSES({ .pid = 7 }), .program_cpu_ns = 700000000),
	  HAS("#   0.00 s while programs started") },
	/* Like a daemon: its CPU time is known only as far as it was seen. */
	{ "unprofiled program that is not waited for", RUN(UNPROFILED(1)),
	  HAS("# all processes used 7.21 s of CPU time, 4.13 s of it in those that were waited for:\n"
	      "#   4.11 s while they were profiled\n"
	      "#   3.10 s in programs that were not profiled: compile 3.10 s in 12 processes\n"
	      "#   0.00 s while programs started") },

	{ "no samples", RUN(.outside = 0, .program_cpu_ns = 23400000), .no_rows = true,
	  HAS("# no samples: the program used 3.4 ms of CPU time while", "every 10.0 ms"), LACKS("percent") },
	{ "no samples, one was lost", RUN(.outside = 0, .program_cpu_ns = 23400000, .lost = 1), .no_rows = true,
	  HAS("# no samples\n") },
	{ "command without a profile", RUN(PROCESSES({ .pid = 8, .start_cpu_ns = 20000000 }), .program_cpu_ns = 1000000),
	  HAS("# the command itself was not profiled: "), LACKS("the process used", TOO_MANY) },
	{ "command that succeeds", RUN(.status = 0), LACKS("signal", "exit status") },
	{ "command that fails", RUN(.status = 3 << 8), HAS("\n# exit status 3\n") },
	{ "command that is killed", RUN(.status = 11 | 0x80),
	  HAS("\n# killed by signal 11 (SIGSEGV), core dumped\n") },
	{ "result of a file has an origin", RUN(.start_time_ns = 951827696000000000, .elapsed_ns = 4260000000, ORIGIN), OF_FILE,
	  HAS("\n# started 2000-02-29 12:34:56 UTC, ran for 4.3 s on main, Linux main\n") },

	/* --- the table ------------------------------------------------------------------------ */

	{ "decimals show one sample", RUN(.rate = 1000), .first_samples = 1,
	  HAS("   0.001       1 ") },
#define LONGEST	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
	{ "long name moves nothing", RUN(ORIGIN), .first = LONGEST,
	  HAS("70.60..78.94  perl     " LONGEST "\n", "21.06..29.40  libx.so  f\\033[2J\n") },
	/* On a terminal, the rows that fit; for a run elsewhere, 40; else all */
	{ "table of a run", RUN(ORIGIN), .rows = 60,
	  HAS("(20 more functions)\n# `profil report --all' shows all rows\n") },
	{ "table of a run on a terminal", RUN(ORIGIN), .rows = 60, .table.style.rows = 30,
	  HAS(" more functions)\n# `profil report --all' shows all rows\n") },
	{ "all rows", RUN(ORIGIN), .rows = 60, .table = { .style.rows = 30, .top = TABLE_ALL_ROWS },
	  LACKS("more functions") },
	{ "table of a file on a terminal", RUN(ORIGIN), .rows = 60, .table.style.rows = 30, OF_FILE,
	  HAS(" more functions)\n# --all shows all rows\n") },
	{ "table of a file", RUN(ORIGIN), .rows = 60, OF_FILE, LACKS("more functions") },
	{ "omitted rows are summed up", RUN(ORIGIN), .table.top = 1,
	  HAS("    75.00    3.09     309    33.3  70.60..78.94  perl    main\n"
	      "    25.00    1.03     103     0.0  21.06..29.40          (1 more function)\n"), LACKS("libx.so") },
	{ "rows below the least share", RUN(ORIGIN), .table.min_percent = 25.01, LACKS("libx.so") },
	{ "rows of the least share", RUN(ORIGIN), .table.min_percent = 25,
	  HAS("libx.so"), LACKS("more function") },
	{ "rows by name", RUN(ORIGIN), .table.order = PROFILE_BY_NAME,
	  HAS("libx.so  f\\033[2J\n    75.00") },
	{ "--top keeps the row with most samples", RUN(ORIGIN), .table = { .order = PROFILE_BY_NAME, .top = 1 },
	  HAS("main") },
	{ "bars", RUN(ORIGIN), .table.style.bars = 20,
	  HAS("perl     main     ###############\n", "libx.so  f\\033[2J #####\n"), LACKS("\033[") },
	{ "colours", RUN(ORIGIN), .table.style.color = true, HAS("\n    \033[31m75.00\033[m ") },

	/*
	 * Bars are shown where names have 40 columns. On narrower terminals the bars are dropped first,
	 * then columns. Everything except the names and bars takes 58 columns.
	 */
#define WIDE	.second = "a_template<one, two, many, four, more, end>(int)"
#define LINES(nr)	.table.style.columns = (nr), WIDE
#define BARS(nr)	.table.style = { .bars = 20, .columns = (nr) }, WIDE
	{ "200 columns", RUN(ORIGIN), BARS(200),
	  HAS("  libx.so  a_template<one, two, many, four, more, end>(int) #####\n") },
	{ "40 columns for names, with bars", RUN(ORIGIN), BARS(58 + 40 + 21),
	  HAS("  perl     main                 ###############\n", "  libx.so  a_template<...>(int) #####\n") },
	{ "40 columns for names", RUN(ORIGIN), LINES(58 + 40),
	  HAS("   1.03     103     0.0  21.06..29.40  libx.so  a_template<...>(int)\n") },
	/* before names get less than 40 columns, the interval is dropped, then seconds */
	{ "39 columns for names", RUN(ORIGIN), LINES(58 + 39),
	  HAS("   1.03     103     0.0  libx.so  a_template<one, two, many, four, more, end>(int)\n") },
	{ "40 columns for names without the interval", RUN(ORIGIN), LINES(58 - 14 + 40),
	  HAS("   1.03     103     0.0  libx.so  a_template<...>(int)\n") },
	{ "39 columns for names without the interval", RUN(ORIGIN), LINES(58 - 14 + 39),
	  HAS("    25.00     103     0.0  libx.so  a_template<...>(int)\n") },
	{ "39 columns for names without two more", RUN(ORIGIN), LINES(58 - 14 - 8 - 8 + 39),
	  HAS("    25.00     103  libx.so  a_template<...>(int)\n") },
	/* but names do not get most of a narrow terminal */
	{ "narrow terminal", RUN(ORIGIN), LINES(40),
	  HAS("    25.00  libx.so  a_template<...>(int)\n") },

	/* one row for all others */
	{ "processes", RUN(PROCESSES(TWO_ARGS), .unlisted_processes = 3), .table.by = TABLE_BY_PROCESS,
	  HAS("# percent CPU seconds samples system%  95%-interval pid parent  program ",
	      "    75.00           -     309     0.0  70.60..78.94   -      -  (unlisted)\n",
	      "    25.00        1.50     103     0.0  21.06..29.40   9      7  x\\033 (fork)\n",
	      "     0.00           -       0     0.0  0.00..0.92     7      -  /bin/sh\n",
	      "# (unlisted): 3 processes, as the list is full or process IDs are not visible\n"), LACKS("function  ") },
	{ "processes with a limit", RUN(PROCESSES(TWO_ARGS), .unlisted_processes = 3, .unlisted_ended = 3,
	      .unlisted_cpu_ns = 3000000000), .table = { .by = TABLE_BY_PROCESS, .top = 1 },
	  HAS("    75.00        3.00     309     0.0  70.60..78.94   -      -  (unlisted)\n",
	      "    25.00        1.50     103     0.0  21.06..29.40   -      -  (2 more processes)\n"), LACKS("/bin/sh") },
	{ "processes have arguments", RUN(SH_AND_CC), .table.by = TABLE_BY_PROCESS,
	  HAS("  program       arguments\n", "  /bin/sh\n", "  /usr/lib/cc1  main f\\033[2J\n") },
	{ "threads", RUN(SH_AND_CC), .table.by = TABLE_BY_THREAD,
	  HAS("# percent CPU seconds samples system%  95%-interval pid tid  thread     program\n",
	      "    75.00        3.20     309    66.7  70.60..78.94   7   8  a worker   /bin/sh\n",
	      "    24.76           -     102     0.0  20.84..29.15   9   9  [unknown]  /usr/lib/cc1\n"),
	  LACKS("unlisted", "arguments") },
	/* 2 of the samples are in no listed thread */
	{ "threads by name", RUN(SH_AND_CC, .outside = 414), .table = { .by = TABLE_BY_THREAD, .order = PROFILE_BY_NAME },
	  HAS("  0.13..1.74     -   -  (unlisted)  (unlisted)\n", "[unknown]", "a worker") },
	{ "programs", RUN(PROCESSES(SH(310), CC(2, 0), CC(100, 50)), THREADS), .table.by = TABLE_BY_PROGRAM,
	  HAS("# percent CPU seconds samples system%  95%-interval processes  program\n",
	      "    75.24           -     310    66.5  70.85..79.16         1  /bin/sh\n",
	      "    24.76        2.00     102    49.0  20.84..29.15         2  /usr/lib/cc1\n"), LACKS("unlisted") },
	{ "programs with a limit", RUN(PROCESSES(SH(310), CC(2, 0), CC(100, 50)), THREADS),
	  .table = { .by = TABLE_BY_PROGRAM, .top = 1 },
	  HAS("    24.76        2.00     102    49.0  20.84..29.15         2  (1 more program)\n") },
	/* The CPU time of a selection is not known, and processes without samples are no part of it. */
	{ "selection", RUN(PROCESSES(SH(0), CC(102, 0)), THREADS, .outside = 102), .selection = &selection,
	  .table.by = TABLE_BY_PROCESS,
	  HAS("# only program cc\\033*, process 9, thread w, object libc.so.6\n"
	      "# 102 samples at 100 Hz = 1.02 s of CPU time\n"
	      "# 1.02 s = 1.02 s user + 0.00 s system\n#\n",
	      "   100.00        1.00     102     0.0  96.37..100.00   9      7  /usr/lib/cc1  "),
	  LACKS("/bin/sh", "all processes used") },
};

static struct result result;
static struct result_process first = FIRST;
static struct profile_row rows[60];
static struct profile profile;
static struct report report;
static char *text;

FIXTURE(tear_down)
{
	free(text);
	text = NULL;
	return 0;
}

static void print(void)
{
	size_t size;
	FILE *out;

	tear_down(NULL);
	out = open_memstream(&text, &size);
	assert_non_null(out);
	assert_int_equal(report_print(out, &report), 0);
	fclose(out);
}

TEST_EACH(report_case, cases, NULL, tear_down)
{
	const struct report_case *wanted = *state;
	const char *line, *at;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		rows[i] = (struct profile_row){
			.function = wanted->first ? : name, .object = "perl",
			.samples = wanted->first_samples ? : 309, .system = 103, .percent100 = 7500,
		};
	if (!wanted->rows)
		rows[1] = (struct profile_row){
			.function = wanted->second ? : other, .object = "libx.so",
			.samples = 103, .percent100 = 2500,
		};
	profile = (struct profile){ rows, wanted->rows ? : 2, wanted->rows ? wanted->rows * 309 : 412 };
	if (wanted->no_rows)
		profile = (struct profile){ 0 };
	report = (struct report){
		.result = &wanted->result, .profile = &profile, .table = wanted->table,
		.selection = wanted->selection, .of_file = wanted->of_file,
	};
	print();
	if (wanted->whole)
		assert_string_equal(text, wanted->whole);
	for (i = 0, at = text; i < ARRAY_SIZE(wanted->has) && wanted->has[i]; i++) {
		at = strstr(at, wanted->has[i]);
		if (!at)
			fail_msg("not there in the report: %s\n%s", wanted->has[i], text);
	}
	for (i = 0; i < ARRAY_SIZE(wanted->lacks) && wanted->lacks[i]; i++)
		if (strstr(text, wanted->lacks[i]))
			fail_msg("in the report: %s\n%s", wanted->lacks[i], text);
	for (line = text; *line; line = strchrnul(line, '\n')) {
		line += *line == '\n';
		assert_true(!*line || strchr("# \033", *line));
	}
}

/* --- what is not in files ---------------------------------------------------------------- */

FIXTURE(set_up)
{
	result = (struct result){ .argv = argv, .rate = 100, .pid = 7, .program_cpu_ns = 4130000000,
				  .outside = 412, ORIGIN };
	result.processes = &first;
	result.nr_processes = 1;
	rows[0] = (struct profile_row){ .function = name, .object = "perl", .samples = 309, .percent100 = 7500 };
	rows[1] = (struct profile_row){ .function = other, .object = "libx.so", .samples = 103, .percent100 = 2500 };
	profile = (struct profile){ rows, 2, 412 };
	report = (struct report){ .result = &result, .profile = &profile };
	return 0;
}

static void assert_has(const char *part)
{
	if (!strstr(text, part))
		fail_msg("not in the report: %s\n%s", part, text);
}

static void assert_lacks(const char *part)
{
	if (strstr(text, part))
		fail_msg("in the report: %s\n%s", part, text);
}

/* `profil report' has the option --root, `profil run' has not. */
TEST_F(remedy_names_an_option_of_the_command)
{
	static char missing[] = "/nonexistent/perl";
	static struct result_object object = { .path = missing, .start = 0, .end = 4096 };
	struct function function;
	struct symbols *symbols;

	result.objects = &object;
	result.nr_objects = 1;
	symbols = symbols_new(&result, NULL);
	assert_non_null(symbols);
	report.symbols = symbols;
	assert_int_equal(symbols_find(symbols, 0, 0, &function), 0);
	print();
	assert_has("# /nonexistent/perl: No such file or directory: no function names\n");
	report.of_file = true;
	print();
	assert_has("no function names (use --root if the file that ran is elsewhere)\n");
	symbols_free(symbols);
}

/* Print a report by function whose rows are in two objects, of which one may have no names. */
static void print_nameless(const char *path, const char *build_id, bool of_file)
{
	static char libx[] = "/usr/lib/libx.so", copy[64];
	static struct result_object objects[2];
	struct function function;

	snprintf(copy, sizeof(copy), "%s", path);
	objects[0] = (struct result_object){ .path = copy, .end = 4096 };
	objects[0].build_id_bytes = strlen(build_id);
	memcpy(objects[0].build_id, build_id, strlen(build_id));
	objects[1] = (struct result_object){ .path = libx, .end = 4096 };
	result.objects = objects;
	result.nr_objects = 2;
	rows[0].index = 0;
	rows[1].index = 1;
	rows[1].has_name = true;
	report.of_file = of_file;
	report.symbols = symbols_new(&result, NULL);
	assert_non_null(report.symbols);
	assert_in_range(symbols_find(report.symbols, 0, 0, &function), 0, 1);
	print();
	symbols_free(report.symbols);
}

/* The remedies that can help, and no other, are named. */
TEST_F(code_without_names_is_reported)
{
	static const char in[] = "# 75.00 percent are in functions without names (75.00 in";

	unsetenv("DEBUGINFOD_URLS");
	print_nameless("/usr/bin/nonexistent", "id", false);
	assert_has(in);
	assert_has(" nonexistent): install the debug symbols of the package, or let `profil report' fetch them with DEBUGINFOD_URLS=https://debuginfod.");
	print_nameless("/usr/bin/nonexistent", "id", true);
	assert_has("): install the debug symbols of the package, or set DEBUGINFOD_URLS=https://debuginfod.");
	assert_has(" to fetch them, or use --root if the file that ran is elsewhere\n");
	/* nothing can be found without a build-id, or below a path of no system */
	print_nameless("/usr/bin/nonexistent", "", false);
	assert_has(" nonexistent)\n");
	print_nameless("/nonexistent/prog", "id", false);
	assert_has(" prog)\n");
	print_nameless("/usr/local/bin/prog", "id", true);
	assert_has(" prog): use --root if the file that ran is elsewhere\n");
	/* another version of a package is installed: its debug symbols do not help */
	print_nameless("/bin/sh", "id", true);
	assert_has("its build-id differs");
	assert_has(" sh): set DEBUGINFOD_URLS=https://debuginfod.");
	/* a file of the user */
	print_nameless("fixture-pie-stripped", "", true);
	assert_has(" fixture-pie-stripped): do not strip the program when you build it\n");
	print_nameless("fixture-pie", "", true);
	assert_has(" fixture-pie)\n");
}

/* One that is named is named once. */
TEST_F(packages_with_debug_symbols_are_named)
{
	static char path[] = "/usr/bin/nonexistent";
	static struct result_object objects[2];
	FILE *list;
	size_t i;

	mkdir("records", 0700);
	list = fopen("records/some.list", "w");
	assert_non_null(list);
	fputs("/usr/bin/nonexistent\n", list);
	fclose(list);
	report.records = "records";
	print_nameless("/usr/bin/nonexistent", "id", true);
	assert_has(" nonexistent): install some-dbgsym, or set ");
	/* two of its files */
	for (i = 0; i < 2; i++) {
		objects[i] = (struct result_object){ .path = path, .end = 4096 };
		objects[i].build_id_bytes = 2;
		rows[i].index = i;
		rows[i].has_name = false;
	}
	result.objects = objects;
	report.symbols = symbols_new(&result, NULL);
	assert_non_null(report.symbols);
	print();
	assert_has("): install some-dbgsym, or set ");
	symbols_free(report.symbols);
	assert_int_equal(system("rm -r records"), 0);
}

TEST_F(few_samples_without_names_are_not_reported)
{
	print_nameless("/nonexistent/prog", "", false);
	assert_has("without names");
	rows[0].samples = 1;
	print_nameless("/nonexistent/prog", "", false);
	assert_lacks("without names");
	/* code in no file */
	rows[0].samples = 309;
	rows[0].has_name = true;
	print_nameless("[jit]", "", false);
	assert_lacks("without names");
}

/* Code that programs have made: each runtime is asked for names in its own way. */
TEST_F(made_code_without_names_has_a_remedy)
{
	static char node[] = "/usr/bin/node", custom[] = "/opt/vm";
	static char many[] = "[jit] java", one[] = "[jit]";
	static struct result_process process = { .pid = 7, .program = node };
	static struct result_thread thread = { .process = 0, .tid = 7 };
	static struct result_part parts[] = { { 0, 4, 0, RESULT_NO_THREAD }, { 1, 4, 0, 0 } };
	static struct result_object objects[] = {
		{ .path = one, .end = 4096, .parts = parts, .nr_parts = 2 },
		{ .path = many, .end = 4096 },
	};
	static struct profile_row made[] = {
		{ .function = one, .object = one, .has_name = true, .samples = 44 },
		{ .function = many, .object = many, .index = 1, .has_name = true, .samples = 28 },
		{ .function = other, .object = many, .index = 1, .has_name = true, .samples = 28 },
	};

	result.objects = objects;
	result.nr_objects = 2;
	result.processes = &process;
	result.nr_processes = 1;
	result.threads = &thread;
	result.nr_threads = 1;
	profile = (struct profile){ made, 3, 100 };
	print();
	assert_has("# 44.00 percent are in code without names that node has made: "
		   "run it with --perf-basic-prof\n");
	assert_has("# 28.00 percent are in code without names that java has made: "
		   "run it with -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (");
	process.program = custom;
	print();
	assert_has("that vm has made: let it write /tmp/perf-PID.map");
	made[0].samples = 0;
	print();
	assert_lacks("that vm has made");
}

TEST_F(objects_with_most_nameless_samples_are_named)
{
	static char paths[5][16] = { "/x/a", "/x/b", "/x/c", "/x/d", "/x/e" };
	static const uint64_t samples[5] = { 10, 40, 1, 30, 2 };
	static struct result_object objects[5];
	static struct profile_row many[5];
	size_t i;

	for (i = 0; i < 5; i++) {
		objects[i] = (struct result_object){ .path = paths[i], .end = 4096 };
		many[i] = (struct profile_row){
			.function = other, .index = i, .object = paths[i], .samples = samples[i],
		};
	}
	result.objects = objects;
	result.nr_objects = 5;
	profile = (struct profile){ many, 5, 100 };
	report.symbols = symbols_new(&result, NULL);
	print();
	assert_has("# 83.00 percent are in functions without names (40.00 in b, 30.00 in d, 10.00 in a, the rest in 2 more objects)");
	symbols_free(report.symbols);
}
