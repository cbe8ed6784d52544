// SPDX-License-Identifier: GPL-2.0-only
/*
 * A result, and its functions.
 */
#include <string.h>
#include <sys/wait.h>

#include <linux/profil.h>

#include "support/fake_result.h"
#include "support/test.h"

static char *argv[] = { "/bin/odd", "", "a  b\n", "\xff\"<&>\\", NULL };

static const struct result_count odd_counts[] = {
	{ 0x1000, 3, 1 }, { 0x1010, 4 }, { 0x1ff3, 5, 5 }, { 0x2000, 6 }, { 0x2ffc, 1 },
};
static const struct result_count big_counts[] = {
	{ 0x401000, 65535 }, { 0x401004, 65536 }, { 0x401008, 9 },
	{ 0x402000, ((uint64_t)1 << 32) + 5 },
};
static const struct result_count lib_counts[] = { { 0x1000, 11 } };
static const struct result_count opt_counts[] = { { 0x1000, 12 } };
static const struct result_count vdso_counts[] = { { 0x900, 1 }, { 0xa00, 1 } };

/* Sorted by path, as in all results */
static const struct result_object first_objects[NR_FAKE_OBJECTS] = {
	[ODD] = {
		.path = ODD_PATH,
		.build_id = "\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67",
		.build_id_bytes = 20,
		.start = 0x1000, .end = 0x2ffe, .bias = 0x555555554000,
		.counts = (struct result_count *)odd_counts, .nr_counts = ARRAY_SIZE(odd_counts),
		.samples = 19,
	},
	[BIG] = {
		.path = "/lib/big.so",
		.start = 0x401000, .end = 0x403000,
		.counts = (struct result_count *)big_counts, .nr_counts = ARRAY_SIZE(big_counts),
		.samples = 65535 + 65536 + 9 + ((uint64_t)1 << 32) + 5,
	},
	[LIB_X] = {
		.path = "/lib/x.so",
		.build_id = "\xaa", .build_id_bytes = 1, .file_bytes = 12345, .mtime_ns = -7,
		.start = 0x1000, .end = 0x2000, .bias = 0x7f0000000000,
		.counts = (struct result_count *)lib_counts, .nr_counts = ARRAY_SIZE(lib_counts),
		.samples = 11,
	},
	[OPT_X] = {
		.path = "/opt/x.so", .unread = true,
		.start = 0x1000, .end = 0x2000, .bias = 0x7f0000010000,
		.counts = (struct result_count *)opt_counts, .nr_counts = ARRAY_SIZE(opt_counts),
		.samples = 12,
	},
	[UNUSED] = { .path = "/opt/y.so", .start = 0x1000, .end = 0x2000 },
	[VDSO] = {
		.path = "[vdso]", .end = 0x2000, .bias = 0x7ffff0000000,
		.counts = (struct result_count *)vdso_counts, .nr_counts = ARRAY_SIZE(vdso_counts),
		.samples = 2,
	},
};

static const struct result_process first_processes[] = {
	{
		.pid = 70, .parent = 69, .program = ODD_PATH, .has_ended = true,
		.start_cpu_ns = 5, .cpu_ns = 1000000000, .samples = 20, .system = 6,
		.argv = argv,
	},
	{ .pid = 71, .parent = 70, .program = ODD_PATH, .is_fork = true },
	{ .pid = 72, .program = "[unknown]", .has_ended = true },
};

/* The object's other count has no name. */
static struct result_function made_functions[] = {
	{ 0x800, 0x900, "not sampled" }, { 0x900, 0x904, MADE_NAME },
};

/* The first thread has the samples of the first object, and one outside of all. */
static struct result_thread threads[] = {
	{
		.process = 0, .tid = 70, .name = "a \"b\"", .has_cpu_ns = true, .cpu_ns = 900,
		.samples = 20, .system = 6,
	},
	{ .process = RESULT_NO_PROCESS, .tid = 0, .name = "" },
};
static struct result_part outside[] = { { 0, 1, 0, 0 }, { 0, 6, 2, RESULT_NO_THREAD } };
static struct result_part parts[NR_FAKE_OBJECTS][ARRAY_SIZE(odd_counts)];
static struct result_count counts[NR_FAKE_OBJECTS][ARRAY_SIZE(odd_counts)];

/* Each count is of one thread, so that parts are like counts. @to: a copy of the counts */
static void make_parts(struct result_object *object, struct result_count *to,
		       struct result_part *of, uint32_t thread)
{
	if (object->nr_counts)
		memcpy(to, object->counts, object->nr_counts * sizeof(*to));
	object->counts = to;
	object->parts = of;
	for (object->nr_parts = 0; object->nr_parts < object->nr_counts; object->nr_parts++) {
		const struct result_count *count = &object->counts[object->nr_parts];

		of[object->nr_parts] = (struct result_part){
			count->address, count->samples, count->system, thread,
		};
	}
}

static struct result_object objects[NR_FAKE_OBJECTS];
static struct result_process processes[ARRAY_SIZE(first_processes)];

static struct result_unprofiled unprofiled = { ODD_PATH, 2, 30 };

void fake_result(struct result *result)
{
	size_t i;

	memcpy(objects, first_objects, sizeof(objects));
	memcpy(processes, first_processes, sizeof(processes));
	for (i = 0; i < NR_FAKE_OBJECTS; i++)
		make_parts(&objects[i], counts[i], parts[i], i == ODD ? 0 : RESULT_NO_THREAD);
	*result = (struct result){
		.argv = argv,
		.host = "ho\"st",
		.kernel = "6.12.1 x86_64",
		.start_time_ns = 1790000000012345678,
		.elapsed_ns = 4500000000,
		.status = W_EXITCODE(3, 0),
		.pid = 70,
		.clock = PROFIL_CLOCK_RANDOM,
		.rate = 997,
		.requested_rate = 1000,
		.program_cpu_ns = 1000000005,
		.children_cpu_ns = 1,
		.outside = 7,
		.outside_system = 2,
		.outside_parts = outside,
		.nr_outside_parts = ARRAY_SIZE(outside),
		.lost = 2,
		.lost_records = 4,
		.records_filled_log = true,
		.skipped = 5,
		.log_bytes = 65536,
		.wanted_log_bytes = 1048576,
		.no_follow = true,
		.cgroup = "/sys/fs/cgroup/a \"b\"",
		.fork_failures = 1,
		.objects = objects,
		.nr_objects = NR_FAKE_OBJECTS,
		.processes = processes,
		.unprofiled = &unprofiled,
		.nr_unprofiled = 1,
		.nr_processes = ARRAY_SIZE(first_processes),
		.threads = threads,
		.nr_threads = ARRAY_SIZE(threads),
		.unlisted_processes = 3,
		.unlisted_ended = 2,
		.unlisted_cpu_ns = 40,
	};
}

void fake_result_made_code(struct result *result)
{
	struct result_object *made = &result->objects[VDSO];

	made->path = "[jit]";
	made->functions = made_functions;
	made->nr_functions = ARRAY_SIZE(made_functions);
}

void fake_result_stacks(struct result *result)
{
	static struct result_node nodes[] = {
		{ RESULT_NO_NODE, BIG, 0x401000 }, { 0, BIG, 0x401004 }, { 1, BIG, 0x402000 },
		{ RESULT_NO_NODE, RESULT_NO_OBJECT, RESULT_STACK_CUT }, { 3, ODD, 0x1000 },
		{ 1, LIB_X, 0x1008 },
	};
	static struct result_part stacks[] = {
		{ 0, 3, 0, RESULT_NO_THREAD }, { 2, 5, 0, 0 }, { 2, 1, 1, RESULT_NO_THREAD },
		{ 4, 9, 2, 0 }, { 5, 2, 0, RESULT_NO_THREAD },
	};

	result->nodes = nodes;
	result->nr_nodes = ARRAY_SIZE(nodes);
	result->stack_parts = stacks;
	result->nr_stack_parts = ARRAY_SIZE(stacks);
}

/* The functions of all objects */
static const struct {
	size_t object;
	uint64_t start, end;
	const char *name;
} functions[] = {
	{ ODD, 0x1000, 0x1010, ODD_NAME },
	{ ODD, 0x1010, 0x1020, NULL },
	/* contains only the last bytes of a count */
	{ ODD, 0x1ff2, 0x2000, ODD_MANGLED },
	/* within the last count, but after the end of the text */
	{ ODD, 0x2fff, 0x3000, "after the end" },
	/* in two parts, with another function between them */
	{ BIG, 0x401000, 0x401004, "(1) hot" },
	{ BIG, 0x401004, 0x401008, "cold" },
	{ BIG, 0x401000, 0x402004, "(1) hot" },
	{ LIB_X, 0x1000, 0x2000, "same" },
	{ OPT_X, 0x1000, 0x2000, "same" },
};

int fake_find(void *symbols, size_t object, uint64_t address, struct function *function)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (functions[i].object != object || address < functions[i].start ||
		    address >= functions[i].end)
			continue;
		function->start = functions[i].start;
		function->name = functions[i].name;
		function->length = functions[i].name ? (int)strlen(functions[i].name) : 0;
		return 1;
	}
	return 0;
}

char *fake_demangle(const char *name)
{
	return strcmp(name, ODD_MANGLED) ? NULL : strdup(ODD_DEMANGLED);
}
