// SPDX-License-Identifier: GPL-2.0-only
/*
 * The profil command's half inside the profiled program (lib/autostart.c), by itself: a
 * run's memory (lib/run.h) as the command makes it, or as nobody should, and this
 * program executed with it. What the command makes of it: command_test.sh.
 */
#include <stdlib.h>
#include <sys/resource.h>

#include "kselftest_harness.h"
#include "child.h"
#include "files.h"
#include "profil.h"
#include "run.h"

#define SOME_USER	7401	/* whom no other test charges */

/* How this program ends if it is executed with arguments: see main(). */
#define RAN		17

FIXTURE(autostart) {
	int device;
	int memory;
	struct profil_run run;
};

/* As tools/runfile.c does. */
FIXTURE_SETUP(autostart)
{
	REQUIRE_DEVICE(self->device);
	self->run = (struct profil_run) {
		.magic = PROFIL_RUN_MAGIC,
		.version = PROFIL_RUN_VERSION,
		.rate = get_info(self->device).tick_hz,
		.size = sizeof(self->run),
	};
	self->memory = memfd_create("run", MFD_ALLOW_SEALING);
	ASSERT_LE(0, self->memory);
}

FIXTURE_TEARDOWN(autostart)
{
	close(self->memory);
	close(self->device);
}

/* Execute this program with a run's memory. Return: how it ended, as the shell has it. */
static int run_program(const char *memory, const char *how,
		       int (*before)(unsigned long), unsigned long arg)
{
	pid_t pid = fork();

	if (!pid) {
		setenv("PROFIL_RUN", memory, 1);
		if (before && before(arg))
			_exit(1);
		execl("/proc/self/exe", "autostart_test", "run", how, NULL);
		_exit(2);
	}
	return pid < 0 ? -1 : wait_for(pid);
}

/* With the memory of the fixture, and what it is after that. */
#define RUN(how, before, arg) ({					\
	char _name[64];							\
	int _status;							\
									\
	snprintf(_name, sizeof(_name), "/proc/self/fd/%d",		\
		 self->memory);						\
	ASSERT_EQ((ssize_t)sizeof(self->run),				\
		  pwrite(self->memory, &self->run, sizeof(self->run), 0)); \
	_status = run_program(_name, how, before, arg);			\
	ASSERT_EQ((ssize_t)sizeof(self->run),				\
		  pread(self->memory, &self->run, sizeof(self->run), 0)); \
	_status;							\
})

static int set_preload(unsigned long other)
{
	return other ? setenv("LD_PRELOAD", "libm.so.6", 1) :
		       unsetenv("LD_PRELOAD");
}

/* Of the environment it takes out what the command put there, and no more. */
TEST_F(autostart, environment)
{
	unsigned long other;

	for (other = 0; other < 2; other++) {
		self->run.pid = 0;
		self->run.state = PROFIL_RUN_EMPTY;
		EXPECT_EQ(RAN, RUN(other ? "other" : "none", set_preload,
				   other));
		EXPECT_EQ(PROFIL_RUN_STARTED, self->run.state);
	}
}

/* What is not there, or is no memory, or nobody's run: the program knows nothing. */
TEST_F(autostart, no_run)
{
	struct profil_run before;

	EXPECT_EQ(RAN, run_program("/nonexistent", "none", NULL, 0));
	EXPECT_EQ(RAN, run_program("/", "none", NULL, 0));
	EXPECT_EQ(RAN, run_program("/dev/null", "none", NULL, 0));
	self->run.magic++;
	before = self->run;
	EXPECT_EQ(RAN, RUN("none", NULL, 0));
	EXPECT_EQ(0, memcmp(&before, &self->run, sizeof(before)));
}

TEST_F(autostart, another_version)
{
	self->run.version++;
	EXPECT_EQ(RAN, RUN("none", NULL, 0));
	EXPECT_EQ(PROFIL_RUN_FAILED, self->run.state);
	EXPECT_EQ(EPROTO, self->run.error);
	EXPECT_NE(NULL, strstr(self->run.message, "from one build"));
	EXPECT_EQ(0, self->run.pid);
}

/* The first program has it: the second leaves it alone. */
TEST_F(autostart, taken)
{
	self->run.pid = 1;
	EXPECT_EQ(RAN, RUN("none", NULL, 0));
	EXPECT_EQ(PROFIL_RUN_EMPTY, self->run.state);
	EXPECT_EQ(sizeof(self->run), self->run.size);
}

TEST_F(autostart, memory_that_does_not_grow)
{
	ASSERT_EQ(0, ftruncate(self->memory, sizeof(self->run)));
	ASSERT_EQ(0, fcntl(self->memory, F_ADD_SEALS, F_SEAL_GROW));
	EXPECT_EQ(RAN, RUN("none", NULL, 0));
	EXPECT_EQ(PROFIL_RUN_FAILED, self->run.state);
	EXPECT_EQ(EPERM, self->run.error);
	EXPECT_NE(NULL, strstr(self->run.message, "no memory for the counters"));
}

static int set_address_space(unsigned long bytes)
{
	struct rlimit limit = { bytes, bytes };

	return setrlimit(RLIMIT_AS, &limit);
}

/* How far it comes with so much address space: the more, the further. */
enum stage { UNTOUCHED, NO_LIST, NO_COUNTERS, STARTED };

static enum stage stage_of(const struct profil_run *run)
{
	if (run->state != PROFIL_RUN_FAILED || run->error != ENOMEM)
		return run->state == PROFIL_RUN_STARTED ? STARTED : UNTOUCHED;
	return strstr(run->message, "to list the program") ? NO_LIST :
							     NO_COUNTERS;
}

/*
 * It is told what there was no memory for. What becomes of the program is no matter
 * here: the harness's own constructors, which come next, do not look at what they get.
 */
TEST_F(autostart, little_address_space)
{
	const struct profil_run fresh = self->run;
	unsigned long low, high;
	enum stage wanted;

	for (wanted = NO_LIST; wanted <= NO_COUNTERS; wanted++) {
		/* the least that it comes so far with, in pages */
		low = 0;
		high = 1 << 16;
		while (high - low > 1) {
			unsigned long pages = low + (high - low) / 2;

			self->run = fresh;
			RUN("none", set_address_space, pages * PAGE);
			if (stage_of(&self->run) < wanted)
				low = pages;
			else
				high = pages;
		}
		self->run = fresh;
		RUN("none", set_address_space, high * PAGE);
		EXPECT_EQ(wanted, stage_of(&self->run));
	}
}

TEST_F(autostart, rate_that_is_not_to_be_had)
{
	self->run.rate = 1000000;
	EXPECT_EQ(RAN, RUN("none", NULL, 0));
	EXPECT_EQ(PROFIL_RUN_FAILED, self->run.state);
	EXPECT_EQ(EINVAL, self->run.error);
	EXPECT_NE(NULL, strstr(self->run.message, "the kernel offers 1 to"));
	/* nothing of it is left, and the program runs on as it would */
	EXPECT_EQ(0, self->run.nr_told);
	EXPECT_EQ(0, self->run.end_cpu_ns);
}

static int without_rights(unsigned long arg)
{
	(void)arg;
	return become_user(SOME_USER, 8);
}

/* Refused for no reason that is the command's. */
TEST_F(autostart, user_without_sessions)
{
	static const char parameter[] = PARAMETERS "max_user_sessions";
	long long before = number_in(parameter, "");
	char text[32];

	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, write_text(parameter, "0"));
	EXPECT_EQ(RAN, RUN("none", without_rights, 0));
	snprintf(text, sizeof(text), "%lld", before);
	ASSERT_EQ(0, write_text(parameter, text));
	EXPECT_EQ(PROFIL_RUN_FAILED, self->run.state);
	EXPECT_EQ(ENOSPC, self->run.error);
	EXPECT_NE(NULL, strstr(self->run.message, "start: "));
}

static void run_and_end(struct __test_metadata *_metadata,
			struct _test_data_autostart *self, const char *how,
			uint64_t told)
{
	EXPECT_EQ(RAN, RUN(how, NULL, 0));
	EXPECT_EQ(PROFIL_RUN_STARTED, self->run.state);
	EXPECT_EQ(told, self->run.nr_told);
	EXPECT_LT(self->run.start_cpu_ns, self->run.end_cpu_ns);
}

/* What it came to is told at the end, if the device can be asked, */
TEST_F(autostart, end)
{
	run_and_end(_metadata, self, "none", 1);
}

/* with the rate that it had in the end, */
TEST_F(autostart, end_at_another_rate)
{
	int status;

	if (access(PARAMETERS "max_cpu_percent", W_OK))
		SKIP(return, "needs root, to have rates lowered");
	self->run.rate = get_info(self->device).tick_hz + 1000;
	self->run.clock = PROFIL_CLOCK_TIMER;
	set_guard(false);
	status = RUN("lowered", NULL, 0);
	set_guard(true);
	EXPECT_EQ(RAN, status);
	EXPECT_EQ(PROFIL_RUN_STARTED, self->run.state);
	EXPECT_EQ(1, self->run.nr_told);
	EXPECT_EQ(get_info(self->device).tick_hz + 1000, self->run.asked_rate);
	EXPECT_EQ(get_info(self->device).tick_hz, self->run.rate);
}

TEST_F(autostart, end_without_descriptors)
{
	run_and_end(_metadata, self, "descriptors", 0);
}

/* and if it was this profile's: not that of the program's own. */
TEST_F(autostart, end_of_another_profile)
{
	run_and_end(_metadata, self, "another", 0);
}

/* The program that is profiled. */
static int program(const char *how)
{
	static unsigned short counters[256];
	struct rlimit none = { 0, 0 };
	const char *preload = getenv("LD_PRELOAD");

	if (getenv("PROFIL_RUN"))
		return 3;
	if (!strcmp(how, "other") ? !preload || strcmp(preload, "libm.so.6") :
				    !!preload)
		return 4;
	if (!strcmp(how, "descriptors") && setrlimit(RLIMIT_NOFILE, &none))
		return 5;
	if (!strcmp(how, "lowered")) {
		write_text(PARAMETERS "max_cpu_percent", "0");
		burn(0.2);
	}
	if (!strcmp(how, "another") &&
	    profil(counters, sizeof(counters), (size_t)program, 0x10000))
		return 6;
	return RAN;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "run"))
		return program(argv[2]);
	return test_harness_run(argc, argv);
}
