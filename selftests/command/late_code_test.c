// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code that comes to a profiled program while it runs: what the profil command's half
 * inside it (lib/preload/) makes of that, and what if it can make nothing of it. Programs
 * that use such code: follow_test.sh.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "kselftest_harness.h"
#include "profil.h"
#include "run_memory.h"

/* A library that neither this program nor another library has */
#define LATE_LIBRARY	"libm.so.6"

/* CPU time that has more than five samples: the tick has 100 Hz at least */
#define MANY_TICKS	seconds_for(6, 100)

/* If there is no place for a program's code, it is counted outside: also if for none of it. */
TEST_F(run, no_place)
{
	struct profil_run_object last = { 0 };
	uint32_t outside = 0;

	self->run.nr_objects = PROFIL_RUN_OBJECTS;
	EXPECT_EQ(RAN, RUN("burn", NULL, 0));
	EXPECT_EQ(PROFIL_RUN_OBJECTS, self->run.nr_objects);
	EXPECT_EQ(PROFIL_RUN_COUNTERS_AT, self->run.end);
	EXPECT_EQ(0, self->run.error);
	EXPECT_EQ(PROFIL_RUN_TOLD, self->process.flags);
	EXPECT_EQ(UINT32_MAX, self->process.program);
	EXPECT_EQ((ssize_t)sizeof(outside),
		  pread(self->memory, &outside, sizeof(outside), PROFIL_RUN_OUTSIDE_AT));
	EXPECT_LT(5, outside);
	EXPECT_EQ((ssize_t)sizeof(last),
		  pread(self->memory, &last, sizeof(last),
			PROFIL_RUN_PROCESSES_AT - (off_t)sizeof(last)));
	EXPECT_EQ(0, last.end);
}

/* How code comes, and the object that it is then */
struct call {
	const char *how;
	const char *object;
};

/* By each of the calls, in a run of its own. */
static void expect_code(struct __test_metadata *_metadata, struct _test_data_run *self,
			const struct call *calls, size_t nr)
{
	const struct profil_run fresh = self->run;
	size_t i;

	for (i = 0; i < nr; i++) {
		self->run = fresh;
		EXPECT_EQ(RAN, RUN(calls[i].how, NULL, 0)) {
			TH_LOG("%s", calls[i].how);
		}
		EXPECT_EQ(PROFIL_RUN_TOLD, self->process.flags);
		EXPECT_TRUE(has_object(self->memory, &self->run, calls[i].object)) {
			TH_LOG("%s", calls[i].how);
		}
	}
}

/* Code that comes while it runs has its counters, by whichever call it comes. */
TEST_F(run, code_that_comes)
{
	static const struct call calls[] = {
		{ "dlopen", LATE_LIBRARY },
		{ "dlmopen", LATE_LIBRARY },
		{ "mmap", "[jit]" },
		{ "mmap64", "[jit]" },
		{ "mprotect", "[jit]" },
		{ "pkey_mprotect", "[jit]" },
	};

	expect_code(_metadata, self, calls, ARRAY_SIZE(calls));
}

/*
 * Nothing is counted anew if it cannot be, without descriptors or because the command is
 * gone, whose file may even be another's by then: what was counted goes on being so.
 */
TEST_F(run, code_that_comes_in_vain)
{
	static const char *const reasons[] = { "no descriptors", "gone", "taken over" };
	const struct profil_run fresh = self->run;
	uint64_t before = 0, samples;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		self->run = fresh;
		self->run.flags = PROFIL_RUN_FOLLOW;
		EXPECT_EQ(RAN, RUN(reasons[i], NULL, 0)) {
			TH_LOG("%s", reasons[i]);
		}
		EXPECT_FALSE(has_object(self->memory, &self->run, "[jit]"));
		EXPECT_EQ(PROFIL_RUN_ENDED, self->process.state);
		/* the counters are where the run before had them */
		samples = samples_of_run(self->memory, &self->run);
		EXPECT_LT(before + 5, samples) {
			TH_LOG("%s", reasons[i]);
		}
		before = samples;
	}
}

/*
 * What could not be had for a moment, the device or then the memory, is tried again when
 * the program calls for code once more, whatever comes by that.
 */
TEST_F(run, code_that_comes_in_vain_for_a_moment)
{
	static const struct call calls[] = {
		{ "moment: mmap, mprotect", "[jit]" },
		{ "moment: mmap, dlclose", "[jit]" },
		{ "moment: dlopen, dlclose", LATE_LIBRARY },
		{ "moment: dlopen, mprotect", LATE_LIBRARY },
	};

	expect_code(_metadata, self, calls, ARRAY_SIZE(calls));
}

/* And not when nothing has come, nor is waited for. */
TEST_F(run, no_code_that_comes)
{
	EXPECT_EQ(RAN, RUN("nothing", NULL, 0));
	EXPECT_TRUE(has_object(self->memory, &self->run, "[jit]"));
}

/* A program without a profile has none for it either. */
TEST_F(run, code_that_comes_to_no_profile)
{
	self->run.rate = 1000000;
	EXPECT_EQ(RAN, RUN("dlopen", NULL, 0));
	EXPECT_EQ(PROFIL_RUN_FAILED, self->process.state);
	self->run.owner = 0;
	EXPECT_EQ(RAN, RUN("mmap", NULL, 0));
	EXPECT_FALSE(has_object(self->memory, &self->run, "[jit]"));
}

/* Nor has one with a profile of its own. */
TEST_F(run, code_that_comes_to_another_profile)
{
	EXPECT_EQ(RAN, RUN("another", NULL, 0));
	EXPECT_FALSE(has_object(self->memory, &self->run, "[jit]"));
	EXPECT_EQ(PROFIL_RUN_ENDED, self->process.state);
	EXPECT_EQ(0, self->process.flags);
}

/* Have code come by this call. */
static int get_code(const char *how)
{
	void *code;

	if (!strcmp(how, "dlopen")) {
		/* what is there already is found, too */
		code = dlopen(NULL, RTLD_NOW);
		if (!code || dlclose(code))
			return 11;
		code = dlopen(LATE_LIBRARY, RTLD_NOW);
	} else if (!strcmp(how, "dlmopen")) {
		code = dlmopen(LM_ID_BASE, LATE_LIBRARY, RTLD_NOW);
	} else if (!strcmp(how, "mmap")) {
		code = map_code(PAGE);
	} else if (!strcmp(how, "mmap64")) {
		code = mmap64(NULL, PAGE, PROT_READ | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	} else {
		code = map_memory(PAGE);
		/* without a key, which not all processors have, it does as much */
		if (code != MAP_FAILED && (!strcmp(how, "mprotect") ?
					   mprotect(code, PAGE, PROT_READ | PROT_EXEC) :
					   pkey_mprotect(code, PAGE, PROT_READ | PROT_EXEC, -1)))
			return 11;
	}
	return code && code != MAP_FAILED ? RAN : 11;
}

/* The linker's: where this program is */
extern const char __executable_start[];

static unsigned int sum(const unsigned short *counters, size_t nr)
{
	unsigned int all = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		all += counters[i];
	return all;
}

/* Its own profile, which no code that comes takes the place of. */
static int count_itself(void)
{
	static unsigned short counters[1 << 16];

	if (profil(counters, sizeof(counters), (size_t)__executable_start, 0x10000) ||
	    map_code(PAGE) == MAP_FAILED)
		return 6;
	burn(MANY_TICKS);
	return sum(counters, ARRAY_SIZE(counters)) ? RAN : 6;
}

/* Take all descriptors but so many, or give them back. Return: 0, or not. */
static int leave_descriptors(rlim_t nr)
{
	static struct rlimit before;
	struct rlimit limit;
	int lowest = dup(0);

	close(lowest);
	if (!before.rlim_max && getrlimit(RLIMIT_NOFILE, &before))
		return -1;
	limit = before;
	if (nr != RLIM_INFINITY)
		limit.rlim_cur = (rlim_t)lowest + nr;
	return setrlimit(RLIMIT_NOFILE, &limit);
}

/* Have code come by one call while it cannot be counted, and then only make another. */
static int get_code_twice(bool by_dlopen, bool by_dlclose)
{
	void *itself = dlopen(NULL, RTLD_NOW), *code = by_dlopen ? map_code(PAGE) : NULL;

	/* the dynamic linker wants one, as the device does, and the memory another */
	if (leave_descriptors(by_dlopen))
		return 12;
	if (by_dlopen && !dlopen(LATE_LIBRARY, RTLD_NOW))
		return 13;
	if (!by_dlopen)
		code = map_code(PAGE);
	if (leave_descriptors(RLIM_INFINITY))
		return 12;
	return (by_dlclose ? dlclose(itself) :
		mprotect(code, PAGE, PROT_READ | PROT_EXEC)) ? 11 : RAN;
}

/* Call for code that is there: a profile that is started again begins at 0. */
static int get_nothing(void)
{
	void *itself = dlopen(NULL, RTLD_NOW), *code = map_code(PAGE);
	struct profil_status before = { 0 }, after;

	burn(MANY_TICKS);
	if (code == MAP_FAILED || profil_status(&before) || !before.samples)
		return 8;
	if (mprotect(code, PAGE, PROT_READ | PROT_EXEC) || dlclose(itself) ||
	    profil_status(&after))
		return 11;
	return after.samples >= before.samples ? RAN : 14;
}

/* And when nothing can be done about it. */
static int get_code_in_vain(const char *why)
{
	const char *name = strrchr(getenv("PROFIL_RUN"), '/');
	int memory = name ? atoi(name + 1) : -1, other;
	struct rlimit none = { 0, 0 };
	struct stat st = { .st_size = PAGE };

	if (!strcmp(why, "gone")) {
		close(memory);
	} else if (!strcmp(why, "taken over")) {
		other = memfd_create("other", 0);
		if (ftruncate(other, PAGE) || dup2(other, memory) < 0)
			return 12;
	} else if (setrlimit(RLIMIT_NOFILE, &none)) {
		return 12;
	}
	if (map_code(PAGE) == MAP_FAILED)
		return 13;
	burn(MANY_TICKS);
	/* nothing was done to what is not ours */
	if (!strcmp(why, "taken over") && (fstat(memory, &st) || (size_t)st.st_size != PAGE))
		return 14;
	return RAN;
}

/* As run_memory.h has it. */
int program(const char *how)
{
	if (!strcmp(how, "burn")) {
		burn(MANY_TICKS);
		return RAN;
	}
	if (!strcmp(how, "another"))
		return count_itself();
	if (!strcmp(how, "nothing"))
		return get_nothing();
	if (!strncmp(how, "moment", 6))
		return get_code_twice(strstr(how, "dlopen"), strstr(how, "dlclose"));
	if (!strncmp(how, "dl", 2) || !strncmp(how, "m", 1) || !strncmp(how, "pkey", 4))
		return get_code(how);
	return get_code_in_vain(how);
}
