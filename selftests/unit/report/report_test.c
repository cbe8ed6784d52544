// SPDX-License-Identifier: GPL-2.0-only
/* The text of a report: the lines above the table, and its columns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/profil.h>

#include <report/report.h>

#include "support/test.h"

static char *argv[] = { "perl", "-e", "print '1'\n\xc2\x9b", NULL };
static struct result_process processes[10];
static struct result result;
static char name[] = "main", other[] = "f\033[2J";
static struct profile_row rows[2];
static struct profile profile;
static struct report report;
static char *text;

static struct result_unprofiled unprofiled[] = {
	{ "/usr/lib/go/compile", 12, 3100000000 }, { "link\033", 1, 1170000000 },
	{ "a", 1, 10000000 }, { "b", 1, 10000000 }, { "c", 1, 10000000 },
	{ "d", 1, 10000000 }, { "e", 2, 10000000 },
};

/* The head counts the result's samples, not those of the rows. */
static void set_samples(uint64_t samples)
{
	result.outside = samples;
}

FIXTURE(set_up)
{
	memset(processes, 0, sizeof(processes));
	processes[0].pid = 7;
	processes[0].start_cpu_ns = 20000000;
	result = (struct result){
		.argv = argv,
		.rate = 100,
		.pid = 7,
		.program_cpu_ns = 4130000000,
		.processes = processes,
		.nr_processes = 1,
	};
	rows[0] = (struct profile_row){
		.function = name,
		.object = "perl",
		.samples = 309,
		.system = 103,
		.percent100 = 7500,
	};
	rows[1] = (struct profile_row){
		.function = other,
		.object = "libx.so",
		.samples = 103,
		.percent100 = 2500,
	};
	profile = (struct profile){ rows, 2, 412 };
	set_samples(412);
	report = (struct report){ .result = &result, .profile = &profile };
	return 0;
}

/* Add @forked children. The CPU time of the first @ended is known: @cpu_ns in the first, else 0. */
static void set_children(size_t forked, size_t ended, uint64_t cpu_ns)
{
	size_t i;

	result.nr_processes = 1 + forked;
	for (i = 1; i <= forked; i++)
		processes[i] = (struct result_process){
			.pid = 100 + (int)i,
			.is_fork = true,
			.has_ended = i <= ended,
		};
	processes[1].cpu_ns = cpu_ns;
}

FIXTURE(tear_down)
{
	free(text);
	text = NULL;
	return 0;
}

static void print(void)
{
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(report_print(out, &report), 0);
	fclose(out);
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

TEST_F(whole_report)
{
	result.outside_system = 104;
	print();
	assert_string_equal(text,
		"# command: perl -e 'print '\\''1'\\''\\012\\302\\233'\n"
		"# 412 samples at 100 Hz = 4.12 s of CPU time; the process used 4.13 s (0.02 s before profiling started, 0.00 s after it ended)\n"
		"# 4.12 s = 3.08 s user + 1.04 s system\n"
		"#\n"
		"# percent seconds samples system%  95%-interval  object   function\n"
		"    75.00    3.09     309    33.3  70.60..78.94  perl     main\n"
		"    25.00    1.03     103     0.0  21.06..29.40  libx.so  f\\033[2J\n");
}

TEST_F(lines_above_the_table_are_comments)
{
	const char *line;

	set_children(3, 1, 0);
	result.unlisted_processes = 1;
	result.lost = 3;
	result.fork_failures = 2;
	result.requested_rate = 4000;
	result.program_cpu_ns = 9000000000;
	print();
	assert_has("the CPU time of 1 unlisted process is unknown");
	assert_has("the log does not have the end of 2 of them");
	assert_has("3 samples (0.03 s) lost (ENOBUFS): ");
	assert_has("2 children were not profiled");
	assert_has("lowered the rate from 4000 Hz");
	assert_has("at least 4.83 s of CPU time have no samples");
	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		assert_true(!*line || *line == '#' || *line == ' ');
	}
}

TEST_F(difference_is_reported_above_both_limits)
{
	static const struct {
		uint64_t samples;
		uint64_t cpu_ns;	/* of the whole process */
		const char *text;
	} cases[] = {
		{ 400, 4028000000, NULL },		/* 0.2 % */
		{ 2, 60000000, NULL },			/* 2 samples */
		{ 10, 150000000, "have no samples" },	/* 10 to 13 */
		{ 392, 4020000000, NULL },		/* just 2 % */
		{ 391, 4020000000, "have no samples" },
		/* 400 and 2, 2 %, and five standard errors of 20 */
		{ 512, 4020000000, NULL },
		{ 513, 4020000000, "more than the CPU time" },
		{ 5, 0, "more than the CPU time" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		set_samples(cases[i].samples);
		result.program_cpu_ns = cases[i].cpu_ns;
		print();
		if (cases[i].text) {
			assert_has(cases[i].text);
		} else {
			assert_lacks("have no samples");
			assert_lacks("more than the CPU time");
		}
		tear_down(NULL);
	}
}

TEST_F(lost_samples_are_not_missing)
{
	set_samples(200);
	result.lost = 212;
	print();
	assert_has("# 212 samples (2.12 s) lost (ENOBUFS): ");
	assert_lacks("have no samples");
	tear_down(NULL);
	result.lost = 100;
	print();
	assert_has("# 1.11 s of CPU time have no samples: a program may have run in bursts");
	tear_down(NULL);
	result.lost = 1;
	print();
	assert_has("# 1 sample (0.01 s) lost");
}

/* What filled the log decides about the remedy. Without a lost sample, there is a line, too. */
TEST_F(full_log_is_explained)
{
	result.log_bytes = 1 << 20;
	result.wanted_log_bytes = 1 << 20;
	result.lost = 5;
	print();
	assert_has("# 5 samples (0.05 s) lost (ENOBUFS): the log was full of samples, as profil could not read it in time; use a lower --rate\n");
	assert_lacks("records");
	assert_lacks("ulimit");
	tear_down(NULL);
	result.lost = 0;
	result.lost_records = 1;
	result.records_filled_log = true;
	print();
	assert_has("# 1 record of programs and mappings was lost (ENOBUFS): samples may be counted for a wrong program or function, and programs or their CPU time may be missing; the log was full of records of programs and mappings, as profil could not read it in time; profile fewer processes, or use --no-follow\n");
	assert_lacks("--rate");
	tear_down(NULL);
	result.lost = 5;
	result.lost_records = 7;
	result.log_bytes = 1 << 16;
	result.no_follow = true;
	print();
	assert_has("5 samples (0.05 s) lost (ENOBUFS): the log was full of records of programs and mappings, as profil could not read it in time; raise the limit of locked memory (ulimit -l), or profile fewer processes\n");
	assert_has("# 7 records of programs and mappings were lost (ENOBUFS): samples may be counted for a wrong program or function, and programs or their CPU time may be missing\n");
	assert_has("# the log had 64 KiB instead of 1024 KiB: ");
	assert_lacks("--rate");
}

TEST_F(control_group_is_named)
{
	static char cgroup[] = "/sys/fs/cgroup/a b.slice\n";

	print();
	assert_lacks("control group");
	tear_down(NULL);
	result.cgroup = cgroup;
	print();
	assert_has("# control group: '/sys/fs/cgroup/a b.slice\\012'\n# command: perl ");
}

TEST_F(skipped_samples_are_not_missing)
{
	set_samples(200);
	result.skipped = 212;
	print();
	assert_has("# 212 samples (2.12 s) not taken: the clock was late by more than 100 ms");
	assert_lacks("have no samples");
}

/* The clocks tick and timer can be in step with a program, the random clock cannot. */
TEST_F(causes_can_apply)
{
	set_samples(200);
	result.log_bytes = 1 << 20;
	print();
	assert_has("# 2.11 s of CPU time have no samples: a program may have run in bursts shorter than the sampling interval, which the clocks tick and timer can miss (try --clock random)\n");
	tear_down(NULL);
	result.clock = PROFIL_CLOCK_RANDOM;
	print();
	assert_has("# 2.11 s of CPU time have no samples\n");
	tear_down(NULL);
	/* 411 are due: five standard errors of 20 are 101 */
	set_samples(305);
	print();
	assert_lacks("have no samples");
	tear_down(NULL);
	set_samples(300);
	print();
	assert_has("have no samples");
	tear_down(NULL);
	result.lost_records = 1;
	print();
	assert_has("have no samples: records of programs and mappings were lost\n");
}

/* `profil -r 20000 true': of 2.4 ms, 0.5 ms are the start and the exit. */
TEST_F(short_run_at_a_high_rate_is_complete)
{
	result.rate = 20000;
	result.requested_rate = 20000;
	processes[0].start_cpu_ns = 0;
	result.program_cpu_ns = 2400000;
	set_samples(38);
	print();
	assert_lacks("have no samples");
	tear_down(NULL);
	result.program_cpu_ns = 24000000;
	set_samples(380);
	print();
	assert_has("# 0.0050 s of CPU time have no samples");
}

/*
 * 200 programs of 2 ms, at 1000 Hz: the log has half of their CPU time, as they end before a tick.
 * Their samples are right.
 */
TEST_F(short_programs_are_profiled)
{
	result.rate = 1000;
	result.log_bytes = 1 << 20;
	result.program_cpu_ns = 25000000;
	set_children(1, 1, 200000000);
	result.children_cpu_ns = 440000000;
	set_samples(397);
	print();
	assert_has("# all processes used 0.465 s of CPU time:\n"
		   "#   0.397 s while they were profiled\n"
		   "#   0.068 s while programs started or exited\n");
	assert_lacks("more than");
	tear_down(NULL);
	/* what the processes used bounds it */
	set_samples(480);
	print();
	assert_has("#   0.465 s while they were profiled\n");
	tear_down(NULL);
	/* a difference as chance makes it is none */
	set_samples(208);
	print();
	assert_has("#   0.205 s while they were profiled\n");
}

TEST_F(rest_has_the_places_that_are_known)
{
	set_children(1, 1, 1000000000);
	set_samples(511);
	result.children_cpu_ns = 2000000000;
	result.log_bytes = 1 << 20;
	result.no_follow = true;
	print();
	assert_has("#   1.02 s while programs started or exited, and in programs that were not followed (--no-follow)\n");
	tear_down(NULL);
	result.no_follow = false;
	result.fork_failures = 3;
	print();
	assert_has("#   1.02 s while programs started or exited, and in children that were not profiled\n");
	tear_down(NULL);
	result.fork_failures = 0;
	result.lost_records = 3;
	print();
	assert_has("#   1.02 s while programs started or exited, and in programs whose records were lost\n");
	tear_down(NULL);
	result.lost_records = 0;
	result.unprofiled = unprofiled;
	result.nr_unprofiled = 2;
	result.children_cpu_ns = 10000000000;
	print();
	assert_has(" s while programs started or exited, and in children of programs that were not profiled\n");
}

TEST_F(children_without_a_profile_are_reported)
{
	set_children(1, 1, 1000000000);
	result.fork_failures = 1;
	print();
	assert_has("# 1 child was not profiled: ");
	assert_has("# 0.99 s of CPU time have no samples: not all children were profiled\n");
}

/* The process itself uses 4.11 s while it is profiled, its children 1.50 s. */
TEST_F(children_are_accounted)
{
	static const struct {
		uint32_t forked, ended;
		uint64_t samples;
		const char *text;
		const char *difference;
	} cases[] = {
		{ 1, 1, 561, "# plus 1 forked child, using 1.50 s\n", NULL },
		{ 3, 3, 561, "# plus 3 forked children, using 1.50 s\n", NULL },
		{ 3, 3, 500, "using 1.50 s\n",
		  "# 0.61 s of CPU time have no samples" },
		{ 3, 3, 702, "using 1.50 s\n", "1.39 s more than the CPU" },
		/* 2 samples for each process */
		{ 9, 9, 541, "using 1.50 s\n", NULL },
		{ 3, 2, 561, "# plus 3 forked children, 2 of them using 1.50 s\n"
		  "# the log does not have the end of 1 of them: this CPU time is unknown\n", NULL },
		/* the process without an end may have used the rest */
		{ 3, 2, 700, "the end of 1 of them", NULL },
		{ 3, 2, 500, "the end of 1 of them",
		  "# at least 0.61 s of CPU time have no samples" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		set_children(cases[i].forked, cases[i].ended, 1500000000);
		set_samples(cases[i].samples);
		print();
		assert_has("; the process used 4.13 s (0.02 s before profiling started, 0.00 s after it ended)\n");
		assert_has(cases[i].text);
		if (cases[i].difference) {
			assert_has(cases[i].difference);
		} else {
			assert_lacks("have no samples");
			assert_lacks("more than the CPU time");
		}
		tear_down(NULL);
	}
}

/* Nothing but their samples is known about processes whose process IDs are not visible. */
TEST_F(unlisted_processes_are_counted)
{
	set_children(1, 1, 1000000000);
	result.unlisted_processes = 2;
	set_samples(511);
	print();
	assert_has("# plus 1 forked child and 2 unlisted processes, 1 of them using 1.00 s\n"
		   "# the CPU time of 2 unlisted processes is unknown: process IDs are not visible, or the log does not have the end\n"
		   "# all processes used ");
	assert_has(", and in processes whose CPU time is unknown\n");
	assert_lacks("have no samples");
	assert_lacks("the log does not have the end of");
	tear_down(NULL);
	/* the list was full: missing and excess time are noticed */
	result.unlisted_ended = 2;
	result.unlisted_cpu_ns = 2000000000;
	set_samples(711);
	print();
	assert_has("# plus 1 forked child and 2 unlisted processes, using 3.00 s\n# all");
	assert_lacks("unknown");
	assert_lacks("have no samples");
	tear_down(NULL);
	set_samples(611);
	print();
	assert_has("# 1.00 s of CPU time have no samples");
	tear_down(NULL);
	set_samples(1011);
	print();
	assert_has("2.98 s more than the CPU time");
}

TEST_F(children_with_unknown_cpu_time)
{
	set_children(2, 0, 0);
	print();
	assert_has("# plus 2 forked children\n"
		   "# the log does not have the end of 2 of them: this CPU time is unknown\n");
	assert_lacks("listed");
}

/* Like a shell: it uses 4.11 s, a child 1 s, and the program that this executes 2 s. */
TEST_F(executed_programs_are_accounted)
{
	set_children(1, 1, 1000000000);
	processes[2] = (struct result_process){
		.pid = 101, .has_ended = true,
		.start_cpu_ns = 1100000000, .cpu_ns = 2000000000,
	};
	result.nr_processes = 3;
	result.children_cpu_ns = 3100000000;
	set_samples(711);
	print();
	assert_has("; the process used 4.13 s (0.02 s before profiling started, 0.00 s after it ended)\n");
	assert_has("# plus 1 forked child and 1 executed program, using 3.00 s\n");
	assert_has("# all processes used 7.23 s of CPU time:\n"
		   "#   7.11 s while they were profiled\n"
		   "#   0.12 s while programs started or exited, and in processes that were not followed\n");
	assert_lacks("have no samples");
	assert_lacks("more than the CPU time");
	tear_down(NULL);
	/* a child may be in its parent's profile until it calls exec: 1.10 s at most */
	set_samples(821);
	print();
	assert_lacks("more than the CPU time");
	tear_down(NULL);
	/* 6 samples for three processes, 2 %, and five standard errors */
	set_samples(823 + 6 + 17 + 144);
	print();
	assert_has("1.67 s more than the CPU time");
	assert_has("try --clock random");
	tear_down(NULL);
	result.clock = PROFIL_CLOCK_RANDOM;
	print();
	assert_has("1.67 s more than the CPU time");
	assert_lacks("in step");
}

/*
 * In the log, the CPU time of a process lacks what it used since its last tick. These samples must
 * not be reported as an excess, even if they are 5 ms at 1000 Hz.
 */
TEST_F(end_of_a_process_is_sampled)
{
	result.rate = 1000;
	processes[0].start_cpu_ns = 20000000;
	processes[0].has_ended = true;
	processes[0].cpu_ns = 200000000;
	result.program_cpu_ns = 225000000;
	set_samples(205);
	print();
	assert_has("the process used 0.225 s (0.020 s before profiling started, 0.005 s after it ended)");
	assert_lacks("more than the CPU time");
	tear_down(NULL);
	/* the same for each child that its parent waits for */
	set_children(4, 4, 0);
	result.children_cpu_ns = 40000000;
	set_samples(245);
	print();
	assert_lacks("more than the CPU time");
}

/* The lines after the total add up to it. */
TEST_F(unprofiled_programs_are_named)
{
	result.unprofiled = unprofiled;
	result.nr_unprofiled = 2;
	result.children_cpu_ns = 5000000000;
	print();
	assert_has("# all processes used 9.13 s of CPU time:\n"
		   "#   4.11 s while they were profiled\n"
		   "#   4.27 s in programs that were not profiled: compile 3.10 s in 12 processes, link\\033 1.17 s\n"
		   "#   0.75 s while programs started or exited, and in processes that were not followed\n");
	tear_down(NULL);
	result.nr_unprofiled = 7;
	print();
	assert_has(", c 0.01 s, others 0.02 s\n");
}

/* Rounding makes the sum of the parts larger than the total: the rest is 0, not -0. */
TEST_F(rest_is_not_negative)
{
	result.unprofiled = unprofiled;
	result.nr_unprofiled = 1;
	unprofiled[0].cpu_ns = 100000000;
	processes[0].start_cpu_ns = 0;
	result.program_cpu_ns = 700000000;
	print();
	unprofiled[0].cpu_ns = 3100000000;
	assert_has("#   0.00 s while programs started");
}

/* Like a daemon: its CPU time is known only as far as it was seen. */
TEST_F(unprofiled_program_is_not_waited_for)
{
	result.unprofiled = unprofiled;
	result.nr_unprofiled = 1;
	print();
	assert_has("# all processes used 7.21 s of CPU time, 4.13 s of it in those that were waited for:\n"
		   "#   4.11 s while they were profiled\n"
		   "#   3.10 s in programs that were not profiled: compile 3.10 s in 12 processes\n"
		   "#   0.00 s while programs started");
}

/* The command's process executes another program: 1 s in the first, 3.03 s in the second. */
TEST_F(command_that_executes_another)
{
	processes[0].has_ended = true;
	processes[0].cpu_ns = 1000000000;
	processes[1] = (struct result_process){
		.pid = 7, .has_ended = true,
		.start_cpu_ns = 1100000000, .cpu_ns = 3000000000,
	};
	result.nr_processes = 2;
	set_samples(400);
	print();
	assert_has("; the process used 4.13 s (0.02 s before profiling started, 0.03 s after it ended)\n");
	assert_lacks("# plus ");
	/* 0.02 s before, 0.07 s of its second exec, and 0.03 s after */
	assert_has("# all processes used 4.13 s of CPU time:\n#   4.00 s while they were profiled\n#   0.13 s while");
	assert_lacks("have no samples");
	tear_down(NULL);
	set_samples(300);
	print();
	assert_has("# 1.00 s of CPU time have no samples");
}

TEST_F(no_samples_are_explained)
{
	profile = (struct profile){ 0 };
	set_samples(0);
	result.program_cpu_ns = 23400000;
	print();
	assert_has("# no samples: the program used 3.4 ms of CPU time while");
	assert_has("every 10.0 ms");
	assert_lacks("percent");
	tear_down(NULL);
	result.lost = 1;
	print();
	assert_has("# no samples\n");
}

TEST_F(command_without_profile_has_no_cpu_time)
{
	processes[0].pid = 8;
	result.program_cpu_ns = 1000000;
	print();
	assert_has("# the command itself was not profiled: ");
	assert_lacks("the process used");
	assert_lacks("more than the CPU time");
}

TEST_F(decimals_show_one_sample)
{
	result.rate = 1000;
	rows[0].samples = 1;
	print();
	assert_has("   0.001       1 ");
}

TEST_F(long_name_moves_nothing)
{
	static char longest[100];

	memset(longest, 'n', sizeof(longest) - 1);
	rows[0].function = longest;
	print();
	assert_has("70.60..78.94  perl     nnn");
	assert_has("nnn\n");
	assert_has("21.06..29.40  libx.so  f\\033[2J\n");
}

TEST_F(end_of_the_command_is_named)
{
	print();
	assert_lacks("signal");
	assert_lacks("exit status");
	tear_down(NULL);
	result.status = 3 << 8;
	print();
	assert_has("\n# exit status 3\n");
	tear_down(NULL);
	result.status = 11 | 0x80;
	print();
	assert_has("\n# killed by signal 11 (SIGSEGV), core dumped\n");
}

/* On a terminal, the rows that fit; for a run elsewhere, 40; else all */
TEST_F(table_of_a_run_is_a_summary)
{
	static struct profile_row many[60];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = rows[0];
	profile = (struct profile){ many, ARRAY_SIZE(many), ARRAY_SIZE(many) * 309 };
	print();
	assert_has("(20 more functions)\n# `profil report --all' shows all rows\n");
	tear_down(NULL);
	report.table.style.rows = 30;
	print();
	assert_has(" more functions)\n# `profil report --all' shows all rows\n");
	tear_down(NULL);
	report.table.top = TABLE_ALL_ROWS;
	print();
	assert_lacks("more functions");
	tear_down(NULL);
	report.table.top = 0;
	report.of_file = true;
	result.host = result.kernel = name;
	print();
	assert_has(" more functions)\n# --all shows all rows\n");
	tear_down(NULL);
	report.table.style.rows = 0;
	print();
	assert_lacks("more functions");
}

TEST_F(results_from_files_have_an_origin)
{
	report.of_file = true;
	result.start_time_ns = 951827696000000000;
	result.elapsed_ns = 4260000000;
	result.host = name;
	result.kernel = name;
	print();
	assert_has("\n# started 2000-02-29 12:34:56 UTC, ran for 4.3 s on main, Linux main\n");
}

TEST_F(omitted_rows_are_summed_up)
{
	report.table.top = 1;
	print();
	assert_has("    75.00    3.09     309    33.3  70.60..78.94  perl    main\n"
		   "    25.00    1.03     103     0.0  21.06..29.40          (1 more function)\n");
	assert_lacks("libx.so");
	tear_down(NULL);
	report.table.top = 0;
	report.table.min_percent = 25.01;
	print();
	assert_lacks("libx.so");
	tear_down(NULL);
	report.table.min_percent = 25;
	print();
	assert_has("libx.so");
	assert_lacks("more function");
}

TEST_F(rows_are_sorted_by_the_chosen_key)
{
	report.table.order = PROFILE_BY_NAME;
	print();
	assert_has("libx.so  f\\033[2J\n    75.00");
	tear_down(NULL);
	/* --top keeps the row with most samples, whatever the order */
	report.table.top = 1;
	print();
	assert_has("main");
}

TEST_F(terminal_has_bars)
{
	report.table.style.bars = 20;
	print();
	assert_has("perl     main     ###############\n");
	assert_has("libx.so  f\\033[2J #####\n");
	assert_lacks("\033[");
	tear_down(NULL);
	report.table.style.color = true;
	print();
	assert_has("\n    \033[31m75.00\033[m ");
}

/*
 * Bars are shown where names have 40 columns. On narrower terminals the bars are dropped
 * first, then columns.
 */
TEST_F(lines_fit_the_terminal)
{
	static char long_name[] = "a_template<one, two, many, four, more, end>(int)";

	rows[1].function = long_name;
	report.table.style.bars = 20;
	report.table.style.columns = 200;
	print();
	assert_has("  libx.so  a_template<one, two, many, four, more, end>(int) #####\n");
	tear_down(NULL);
	/* everything except the names and bars takes 58 columns */
	report.table.style.columns = 58 + 40 + 21;
	print();
	assert_has("  libx.so  a_template<...>(int) #####\n");
	assert_has("  perl     main                 ###############\n");
	tear_down(NULL);
	report.table.style.bars = 0;
	report.table.style.columns = 58 + 40;
	print();
	assert_has("   1.03     103     0.0  21.06..29.40  libx.so  a_template<...>(int)\n");
	tear_down(NULL);
	/* before names get less than 40 columns, the interval is dropped, then seconds */
	report.table.style.columns = 58 + 39;
	print();
	assert_has("   1.03     103     0.0  libx.so  a_template<one, two, many, four, more, end>(int)\n");
	tear_down(NULL);
	report.table.style.columns = 58 - 14 + 40;
	print();
	assert_has("   1.03     103     0.0  libx.so  a_template<...>(int)\n");
	tear_down(NULL);
	report.table.style.columns = 58 - 14 + 39;
	print();
	assert_has("    25.00     103     0.0  libx.so  a_template<...>(int)\n");
	tear_down(NULL);
	report.table.style.columns = 58 - 14 - 8 - 8 + 39;
	print();
	assert_has("    25.00     103  libx.so  a_template<...>(int)\n");
	tear_down(NULL);
	/* but names do not get most of a narrow terminal */
	report.table.style.columns = 40;
	print();
	assert_has("    25.00  libx.so  a_template<...>(int)\n");
}

TEST_F(processes_show_what_is_known)
{
	static char first[] = "/bin/sh", second[] = "x\033";

	report.table.by = TABLE_BY_PROCESS;
	result.nr_processes = 2;
	result.unlisted_processes = 3;
	processes[0].program = first;
	processes[1] = (struct result_process){
		.pid = 9, .parent = 7, .program = second, .is_fork = true,
		.has_ended = true, .cpu_ns = 1500000000, .samples = 103,
	};
	print();
	assert_has("# percent CPU seconds samples system%  95%-interval pid parent  program ");
	assert_has("    25.00        1.50     103     0.0  21.06..29.40   9      7  x\\033 (fork)\n");
	assert_has("     0.00           -       0     0.0  0.00..0.92     7      -  /bin/sh\n");
	/* one row for all others */
	assert_has("    75.00           -     309     0.0  70.60..78.94   -      -  (unlisted)\n");
	assert_has("# (unlisted): 3 processes, as the list is full or process IDs are not visible\n");
	assert_lacks("function  ");
	tear_down(NULL);
	result.unlisted_ended = 3;
	result.unlisted_cpu_ns = 3000000000;
	report.table.top = 1;
	print();
	assert_has("    75.00        3.00     309     0.0  70.60..78.94   -      -  (unlisted)\n");
	assert_lacks("/bin/sh");
	assert_has("    25.00        1.50     103     0.0  21.06..29.40   -      -  (2 more processes)\n");
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
	result.host = name;
	result.kernel = name;
	symbols = symbols_new(&result, NULL);
	assert_non_null(symbols);
	report.symbols = symbols;
	assert_int_equal(symbols_find(symbols, 0, 0, &function), 0);
	print();
	assert_has("# /nonexistent/perl: No such file or directory: no function names\n");
	tear_down(NULL);
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
	result.host = name;
	result.kernel = name;
	rows[0].index = 0;
	rows[1].index = 1;
	rows[1].has_name = true;
	report.of_file = of_file;
	report.symbols = symbols_new(&result, NULL);
	assert_non_null(report.symbols);
	assert_in_range(symbols_find(report.symbols, 0, 0, &function), 0, 1);
	tear_down(NULL);
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
	assert_has(" nonexistent): install the debug symbols of the package, or let `profil report' fetch them from DEBUGINFOD_URLS\n");
	print_nameless("/usr/bin/nonexistent", "id", true);
	assert_has("): install the debug symbols of the package, or set DEBUGINFOD_URLS to fetch them, or use --root if the file that ran is elsewhere\n");
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
	assert_has(" sh): set DEBUGINFOD_URLS to fetch them\n");
	/* a file of the user */
	print_nameless("fixture-pie-stripped", "", true);
	assert_has(" fixture-pie-stripped): do not strip the program when you build it\n");
	print_nameless("fixture-pie", "", true);
	assert_has(" fixture-pie)\n");
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

/* A program with two threads, one of which is in the kernel most of the time; and its child. */
static void set_threads(void)
{
	static char sh[] = "/bin/sh", cc[] = "/usr/lib/cc1", worker[] = "a worker";
	static char *cc_argv[] = { cc, name, other, NULL };
	static struct result_thread threads[3];

	threads[0] = (struct result_thread){ .process = 0, .tid = 7, .samples = 1 };
	threads[1] = (struct result_thread){
		.process = 0, .tid = 8, .name = worker, .has_cpu_ns = true,
		.cpu_ns = 3200000000, .samples = 309, .system = 206,
	};
	threads[2] = (struct result_thread){ .process = 1, .tid = 9, .samples = 102 };
	processes[0].program = sh;
	processes[0].samples = 310;
	processes[0].system = 206;
	processes[1] = (struct result_process){
		.pid = 9, .parent = 7, .program = cc, .argv = cc_argv, .has_ended = true,
		.cpu_ns = 1000000000, .samples = 102,
	};
	result.nr_processes = 2;
	result.threads = threads;
	result.nr_threads = 3;
}

TEST_F(threads_have_rows)
{
	set_threads();
	report.table.by = TABLE_BY_THREAD;
	print();
	assert_has("# percent CPU seconds samples system%  95%-interval pid tid  thread     program\n");
	assert_has("    75.00        3.20     309    66.7  70.60..78.94   7   8  a worker   /bin/sh\n");
	assert_has("    24.76           -     102     0.0  20.84..29.15   9   9  [unknown]  /usr/lib/cc1\n");
	assert_lacks("unlisted");
	assert_lacks("arguments");
	tear_down(NULL);
	/* 2 of the samples are in no listed thread */
	set_samples(414);
	report.table.order = PROFILE_BY_NAME;
	print();
	assert_has("  0.13..1.74     -   -  (unlisted)  (unlisted)\n");
	assert_true(strstr(text, "(unlisted)") < strstr(text, "[unknown]"));
	assert_true(strstr(text, "[unknown]") < strstr(text, "a worker"));
}

TEST_F(processes_of_a_program_are_one_row)
{
	set_threads();
	processes[2] = processes[1];
	processes[2].samples = 100;
	processes[2].system = 50;
	processes[1].samples = 2;
	result.nr_processes = 3;
	report.table.by = TABLE_BY_PROGRAM;
	print();
	assert_has("# percent CPU seconds samples system%  95%-interval processes  program\n");
	assert_has("    24.76        2.00     102    49.0  20.84..29.15         2  /usr/lib/cc1\n");
	assert_has("    75.24           -     310    66.5  70.85..79.16         1  /bin/sh\n");
	assert_lacks("unlisted");
	tear_down(NULL);
	report.table.top = 1;
	print();
	assert_has("    24.76        2.00     102    49.0  20.84..29.15         2  (1 more program)\n");
}

TEST_F(processes_have_arguments)
{
	set_threads();
	report.table.by = TABLE_BY_PROCESS;
	print();
	assert_has("  program       arguments\n");
	assert_has("  /usr/lib/cc1  main f\\033[2J\n");
	assert_has("  /bin/sh\n");
}

/* The CPU time of a selection is not known, and processes without samples are no part of it. */
TEST_F(selection_is_named)
{
	static const struct selection selection = {
		.program = "cc\033*", .process = 9, .thread = "w", .object = "libc.so.6",
	};

	set_threads();
	processes[0].samples = 0;
	report.selection = &selection;
	report.table.by = TABLE_BY_PROCESS;
	set_samples(102);
	print();
	assert_has("# only program cc\\033*, process 9, thread w, object libc.so.6\n"
		   "# 102 samples at 100 Hz = 1.02 s of CPU time\n"
		   "# 1.02 s = 1.02 s user + 0.00 s system\n#\n");
	assert_has("   100.00        1.00     102     0.0  96.37..100.00   9      7  /usr/lib/cc1  ");
	assert_lacks("/bin/sh");
	assert_lacks("all processes used");
}
