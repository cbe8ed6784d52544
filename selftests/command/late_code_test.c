// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests how libprofil-run.so (lib/preload/) handles code that a program loads or maps while it is
 * profiled, and what happens if the library cannot add it to the profile. follow_test.sh tests
 * programs with such code.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "kselftest_harness.h"
#include "profil.h"
#include "profile/run_memory.h"

/* A library that is not loaded at the program's start */
#define LATE_LIBRARY	"libm.so.6"

/* CPU time of more than five samples: the tick has at least 100 Hz */
#define SAMPLED_SECONDS	seconds_for(6, 100)

/* Code without an entry is counted as outside all objects, here all of the program's code. */
TEST_F(run, full_object_table)
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

/* What adds code to the program, and the name of the code's object */
struct call {
	const char *how;
	const char *object;
};

/* Expects that each call adds the object, in a run of its own. */
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

TEST_F(run, late_code_gets_counters)
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
 * The library cannot add the code: the program has no free descriptor, the command has exited, or
 * the command's descriptor number belongs to another file. The profile of the other code continues.
 */
TEST_F(run, late_code_that_cannot_be_added)
{
	static const char *const reasons[] = {
		"no descriptors", "command exited", "descriptor reused",
	};
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
		/* counters are at the same offsets in each run, so samples add up */
		samples = samples_of_run(self->memory, &self->run);
		EXPECT_LT(before + 5, samples) {
			TH_LOG("%s", reasons[i]);
		}
		before = samples;
	}
}

/*
 * Code that could not be added for a moment, without a descriptor for the device or for the
 * memory, is added at the next such call, even if that call itself adds no code.
 */
TEST_F(run, late_code_is_added_later)
{
	static const struct call calls[] = {
		{ "later: mmap, mprotect", "[jit]" },
		{ "later: mmap, dlclose", "[jit]" },
		{ "later: dlopen, dlclose", LATE_LIBRARY },
		{ "later: dlopen, mprotect", LATE_LIBRARY },
	};

	expect_code(_metadata, self, calls, ARRAY_SIZE(calls));
}

/* Calls that add no code do not restart the profile. */
TEST_F(run, no_restart_without_new_code)
{
	EXPECT_EQ(RAN, RUN("nothing", NULL, 0));
	EXPECT_TRUE(has_object(self->memory, &self->run, "[jit]"));
}

TEST_F(run, late_code_without_a_profile)
{
	self->run.rate = 1000000;
	EXPECT_EQ(RAN, RUN("dlopen", NULL, 0));
	EXPECT_EQ(PROFIL_RUN_FAILED, self->process.state);
	self->run.owner = 0;
	EXPECT_EQ(RAN, RUN("mmap", NULL, 0));
	EXPECT_FALSE(has_object(self->memory, &self->run, "[jit]"));
}

/* The program has replaced the profile with its own. */
TEST_F(run, late_code_with_a_profile_of_the_program)
{
	EXPECT_EQ(RAN, RUN("another", NULL, 0));
	EXPECT_FALSE(has_object(self->memory, &self->run, "[jit]"));
	EXPECT_EQ(PROFIL_RUN_ENDED, self->process.state);
	EXPECT_EQ(0, self->process.flags);
}

/* Adds code to the program by one call. */
static int add_code(const char *how)
{
	void *code;

	if (!strcmp(how, "dlopen")) {
		/* objects that are already loaded are found */
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
		/* without a key, as not all processors have protection keys */
		if (code != MAP_FAILED && (!strcmp(how, "mprotect") ?
					   mprotect(code, PAGE, PROT_READ | PROT_EXEC) :
					   pkey_mprotect(code, PAGE, PROT_READ | PROT_EXEC, -1)))
			return 11;
	}
	return code && code != MAP_FAILED ? RAN : 11;
}

/* From the linker: the first address of the program */
extern const char __executable_start[];

static unsigned int sum(const unsigned short *counters, size_t nr)
{
	unsigned int all = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		all += counters[i];
	return all;
}

/* Starts a profile of the program's own. Late code must not replace it. */
static int count_itself(void)
{
	static unsigned short counters[1 << 16];

	if (profil(counters, sizeof(counters), (size_t)__executable_start, 0x10000) ||
	    map_code(PAGE) == MAP_FAILED)
		return 6;
	burn(SAMPLED_SECONDS);
	return sum(counters, ARRAY_SIZE(counters)) ? RAN : 6;
}

/* Limits the free descriptors to @nr. RLIM_INFINITY restores the limit. Return: 0 or -1. */
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

/* Adds code while the library cannot, then makes another call. */
static int add_code_twice(bool by_dlopen, bool by_dlclose)
{
	void *itself = dlopen(NULL, RTLD_NOW), *code = by_dlopen ? map_code(PAGE) : NULL;

	/*
	 * With one descriptor, dlopen() succeeds. So does the library's open of the device, but
	 * not of the memory.
	 */
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

/* Makes calls that add no code. A restart of the profile would reset its samples. */
static int add_nothing(void)
{
	void *itself = dlopen(NULL, RTLD_NOW), *code = map_code(PAGE);
	struct profil_status before = { 0 }, after;

	burn(SAMPLED_SECONDS);
	if (code == MAP_FAILED || profil_status(&before) || !before.samples)
		return 8;
	if (mprotect(code, PAGE, PROT_READ | PROT_EXEC) || dlclose(itself) ||
	    profil_status(&after))
		return 11;
	return after.samples >= before.samples ? RAN : 14;
}

/* Maps code that the library cannot add. */
static int map_unprofiled_code(const char *why)
{
	const char *name = strrchr(getenv("PROFIL_RUN"), '/');
	int memory = name ? atoi(name + 1) : -1, other;
	struct rlimit none = { 0, 0 };
	struct stat st = { .st_size = PAGE };

	if (!strcmp(why, "command exited")) {
		close(memory);
	} else if (!strcmp(why, "descriptor reused")) {
		other = memfd_create("other", 0);
		if (ftruncate(other, PAGE) || dup2(other, memory) < 0)
			return 12;
	} else if (setrlimit(RLIMIT_NOFILE, &none)) {
		return 12;
	}
	if (map_code(PAGE) == MAP_FAILED)
		return 13;
	burn(SAMPLED_SECONDS);
	/* the library must not write to another file */
	if (!strcmp(why, "descriptor reused") && (fstat(memory, &st) || (size_t)st.st_size != PAGE))
		return 14;
	return RAN;
}

/* Called by run_memory.h in the executed program */
int program(const char *how)
{
	if (!strcmp(how, "burn")) {
		burn(SAMPLED_SECONDS);
		return RAN;
	}
	if (!strcmp(how, "another"))
		return count_itself();
	if (!strcmp(how, "nothing"))
		return add_nothing();
	if (!strncmp(how, "later", 5))
		return add_code_twice(strstr(how, "dlopen"), strstr(how, "dlclose"));
	if (!strncmp(how, "dl", 2) || !strncmp(how, "m", 1) || !strncmp(how, "pkey", 4))
		return add_code(how);
	return map_unprofiled_code(how);
}
