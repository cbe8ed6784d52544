// SPDX-License-Identifier: GPL-2.0-only
/*
 * ARGS records: the command lines of the programs that sampled processes execute.
 */
#include "kselftest_harness.h"
#include "attach/target.h"

FIXTURE(args) {
	int device;
	struct target target;
	struct records records;
};

FIXTURE_SETUP(args)
{
	REQUIRE_ATTACH(self->device);
	self->target.pid = -1;
	self->records = (struct records) { 0 };
}

FIXTURE_TEARDOWN(args)
{
	kill_target(&self->target);
	free_records(&self->records);
	close(self->device);
}

/*
 * Runs a target to its end. There is one ARGS for each EXEC that is followed, between EXEC and RUN.
 */
static void follow(struct __test_metadata *_metadata, struct _test_data_args *self,
		   void (*run)(void *arg), __u32 flags)
{
	unsigned int expected = PROFIL_RECORD_EXEC;

	ASSERT_EQ(0, start_target(&self->target, self->device, run, NULL));
	ASSERT_EQ(0, attach_target(self->device, &self->target, flags));
	release(&self->target);
	EXPECT_EQ(0, read_all(&self->records, self->device));
	EXPECT_EQ(0, await_end(&self->target).status);
	EXPECT_EQ(0, count_records(&self->records, PROFIL_RECORD_LOST, ANY));
	EACH_RECORD(record, &self->records) {
		if (record->type != PROFIL_RECORD_EXEC && record->type != PROFIL_RECORD_ARGS &&
		    record->type != PROFIL_RECORD_RUN)
			continue;
		EXPECT_EQ(expected, record->type);
		expected = record->type == PROFIL_RECORD_EXEC ? PROFIL_RECORD_ARGS :
			   record->type == PROFIL_RECORD_ARGS ? PROFIL_RECORD_RUN :
								PROFIL_RECORD_EXEC;
	}
	EXPECT_EQ(PROFIL_RECORD_EXEC, expected);
}

/* The record has @bytes bytes of a command line that begins with @text, or what fits of them. */
static bool is_line(const struct profil_record_args *args, const char *text, size_t bytes)
{
	size_t kept = bytes < PROFIL_ARGS_MAX ? bytes : PROFIL_ARGS_MAX, i;

	if (args->args_bytes != bytes || args->reserved ||
	    args->head.bytes != sizeof(*args) + (kept + 7) / 8 * 8 ||
	    memcmp(args->args, text, kept))
		return false;
	for (i = kept; i < args->head.bytes - sizeof(*args); i++)
		if (args->args[i])
			return false;
	return true;
}

/* This program overwrites its arguments, as setproctitle(3) does. */
static void execute(void *data)
{
	(void)data;
	execl("/proc/self/exe", "a program", "overwrite", "", "two words", NULL);
	_exit(99);
}

static void expect_original(struct __test_metadata *_metadata, struct _test_data_args *self,
			    __u32 flags)
{
	static const char line[] = "a program\0overwrite\0\0two words";
	const struct profil_record_args *args;

	follow(_metadata, self, execute, flags);
	args = find_record(&self->records, PROFIL_RECORD_ARGS, ANY, 0);
	ASSERT_NE(NULL, args);
	EXPECT_TRUE(is_line(args, line, sizeof(line)));
	EXPECT_EQ(1, count_records(&self->records, PROFIL_RECORD_ARGS, ANY));
}

TEST_F(args, of_the_next_program)
{
	expect_original(_metadata, self, 0);
}

TEST_F(args, of_the_first_program)
{
	expect_original(_metadata, self, PROFIL_FROM_EXEC);
}

static void execute_without_arguments(void *data)
{
	static char *no_arguments[] = { NULL }, *environment[] = { "NO_TEST=1", NULL };

	(void)data;
	execve("/proc/self/exe", no_arguments, environment);
	_exit(99);
}

/* From Linux 5.18 on, and in some stable versions before, the kernel adds an empty argument. */
TEST_F(args, none)
{
	const struct profil_record_args *args;

	follow(_metadata, self, execute_without_arguments, 0);
	args = find_record(&self->records, PROFIL_RECORD_ARGS, ANY, 0);
	ASSERT_NE(NULL, args);
	EXPECT_GE(1, args->args_bytes);
	EXPECT_TRUE(is_line(args, "", args->args_bytes));
}

/*
 * A chain of programs, with command lines around the limit. They are records of other sizes than
 * the log's, so some of them go around its end. The environment moves them over more than a page.
 */
#define CHAIN		120
#define SHORTEST	((size_t)PROFIL_ARGS_MAX - 40)
#define ENVIRONMENT	60	/* bytes more for each */

/* The command line number @nr: "program", "chain", the number, and letters. Returns its size. */
static size_t make_line(char *line, int nr)
{
	size_t bytes = (size_t)sprintf(line, "program%cchain%c%d", 0, 0, nr) + 1;
	size_t whole = SHORTEST + (size_t)(nr * 7 % 80);

	memset(line + bytes, 'a' + nr % 26, whole - bytes);
	line[whole - 1] = 0;
	return whole;
}

static void execute_chain(int nr)
{
	static char line[2 * PROFIL_ARGS_MAX], variable[CHAIN * ENVIRONMENT + 4] = "V=";
	char *number = line + sizeof("program\0chain");
	char *arguments[] = { line, line + sizeof("program"), number, NULL, NULL };
	char *environment[] = { variable, NULL };

	make_line(line, nr);
	arguments[3] = number + strlen(number) + 1;
	memset(variable + 2, 'v', (size_t)(nr * ENVIRONMENT));
	execve("/proc/self/exe", arguments, environment);
	_exit(99);
}

static void start_chain(void *data)
{
	(void)data;
	execute_chain(CHAIN - 1);
}

TEST_F_TIMEOUT(args, long_lines, 120)
{
	char line[2 * PROFIL_ARGS_MAX];
	int nr = CHAIN, cut = 0;

	follow(_metadata, self, start_chain, 0);
	EACH_RECORD(record, &self->records) {
		size_t bytes;

		if (record->type != PROFIL_RECORD_ARGS)
			continue;
		bytes = make_line(line, --nr);
		EXPECT_TRUE(is_line((const void *)record, line, bytes));
		cut += bytes > PROFIL_ARGS_MAX;
	}
	EXPECT_EQ(0, nr);
	EXPECT_LT(CHAIN / 4, cut);
}

int main(int argc, char **argv)
{
	int nr;

	if (getenv("NO_TEST"))
		return 0;
	if (argc == 4 && !strcmp(argv[1], "overwrite")) {
		memset(argv[0], 'x', (size_t)(argv[3] + strlen(argv[3]) - argv[0]));
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "chain")) {
		nr = atoi(argv[2]);
		if (nr)
			execute_chain(nr - 1);
		return 0;
	}
	return test_harness_run(argc, argv);
}
