// SPDX-License-Identifier: GPL-2.0-only
/*
 * The line below a table that says how much of the code has no names, and what would help.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/share.h"
#include "report/nameless.h"
#include "util/base_name.h"
#include "util/distribution.h"
#include "util/terminal.h"

#define MAX_OBJECTS	3	/* that are named */
#define MIN_PERCENT	1.0

/* An object, and its samples in functions without a name */
struct nameless {
	size_t object;
	uint64_t samples;
};

static int compare(const void *va, const void *vb)
{
	const struct nameless *a = va, *b = vb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return a->object < b->object ? -1 : 1;
}

/* Return: a list of all objects, those with most samples first, for free(); NULL: no memory. */
static struct nameless *count(const struct report *report, uint64_t *all)
{
	const size_t nr = report->result->nr_objects;
	struct nameless *list = calloc(nr + 1, sizeof(*list));
	size_t i;

	*all = 0;
	if (!list)
		return NULL;
	for (i = 0; i < nr; i++)
		list[i].object = i;
	for (i = 0; i < report->profile->nr_rows; i++) {
		const struct profile_row *row = &report->profile->rows[i];

		if (row->has_name)
			continue;
		list[row->index].samples += row->samples;
		*all += row->samples;
	}
	qsort(list, nr, sizeof(*list), compare);
	return list;
}

/* Packages install files in these directories. */
static bool is_of_system(const char *path)
{
	static const char *const directories[] = {
		"/usr/", "/lib/", "/lib32/", "/lib64/", "/libx32/", "/bin/", "/sbin/",
	};
	static const char local[] = "/usr/local/";
	size_t i;

	for (i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
		if (!strncmp(path, directories[i], strlen(directories[i])))
			return strncmp(path, local, strlen(local));
	return false;
}

/* What helps the objects that are named */
struct remedies {
	bool package;	/* install the debug symbols of a package */
	char *packages[MAX_OBJECTS];	/* which have them, if that is known */
	size_t nr_packages;
	bool fetch;	/* fetch a debug file by the build-id */
	bool root;	/* the file is elsewhere */
	bool strip;	/* its author should not strip it */
};

static void find_package(struct remedies *remedies, const struct report *report, const char *path)
{
	char *package = report->records ? distribution_debug_package(report->records, path) : NULL;
	size_t i;

	remedies->package = true;
	for (i = 0; package && i < remedies->nr_packages; i++) {
		if (!strcmp(remedies->packages[i], package)) {
			free(package);
			return;
		}
	}
	if (package)
		remedies->packages[remedies->nr_packages++] = package;
}

/* Return: 0 or -ENOMEM. */
static int find_remedies(struct remedies *remedies, const struct report *report, size_t object)
{
	const struct result_object *of = &report->result->objects[object];
	const bool is_missing = symbols_is_missing(report->symbols, object);
	const bool has_problem = symbols_problem(report->symbols, object);
	const int stripped = symbols_are_stripped(report->symbols, object);

	/* a file with all its symbols has no others */
	if (stripped <= 0)
		return stripped;
	/* `profil run' has no such option */
	remedies->root |= is_missing && report->of_file;
	if (!is_of_system(of->path)) {
		remedies->strip |= !has_problem;
		return 0;
	}
	/* another version is installed if there is another problem */
	if (of->build_id_bytes && (is_missing || !has_problem))
		find_package(remedies, report, of->path);
	remedies->fetch |= of->build_id_bytes && !getenv("DEBUGINFOD_URLS");
	return 0;
}

static void print_remedy(FILE *out, const char **separator, bool helps, const char *remedy)
{
	if (!helps)
		return;
	fprintf(out, "%s%s", *separator, remedy);
	*separator = ", or ";
}

static void print_packages(FILE *out, const char **separator, const struct remedies *remedies)
{
	size_t i;

	print_remedy(out, separator, remedies->package, "install ");
	if (remedies->package && !remedies->nr_packages)
		fputs("the debug symbols of the package", out);
	for (i = 0; i < remedies->nr_packages; i++)
		fprintf(out, "%s%s", i ? ", " : "", remedies->packages[i]);
}

static void print_fetch(FILE *out, const char **separator, const struct report *report)
{
	print_remedy(out, separator, true, report->of_file ? "set" :
		     "let `profil report' fetch them with");
	fprintf(out, " DEBUGINFOD_URLS=%s", distribution_debuginfod(DISTRIBUTION_RELEASE));
	if (report->of_file)
		fputs(" to fetch them", out);
}

static void print_remedies(FILE *out, const struct report *report,
			   const struct remedies *remedies)
{
	const char *separator = ": ";

	print_packages(out, &separator, remedies);
	if (remedies->fetch)
		print_fetch(out, &separator, report);
	print_remedy(out, &separator, remedies->strip,
		     "do not strip the program when you build it");
	print_remedy(out, &separator, remedies->root,
		     "use --root if the file that ran is elsewhere");
}

static void print_objects(FILE *out, const struct report *report, const struct nameless *list,
			  size_t nr)
{
	const uint64_t all = report->profile->samples;
	size_t i;

	for (i = 0; i < nr && i < MAX_OBJECTS; i++) {
		const char *path = report->result->objects[list[i].object].path;

		fprintf(out, "%s%.2f in ", i ? ", " : "", share_percent(list[i].samples, all));
		terminal_print_name(out, base_name(path));
	}
	if (i < nr)
		fprintf(out, ", the rest in %zu more object%s", nr - i, nr - i == 1 ? "" : "s");
}

static int print(FILE *out, const struct report *report, const struct nameless *list,
		 uint64_t samples)
{
	struct remedies remedies = { 0 };
	size_t nr = 0, i;
	int error = 0;

	while (nr < report->result->nr_objects && list[nr].samples)
		nr++;
	for (i = 0; !error && i < nr && i < MAX_OBJECTS; i++)
		error = find_remedies(&remedies, report, list[i].object);
	if (error)
		goto free;
	fprintf(out, "# %.2f percent are in functions without names (",
		share_percent(samples, report->profile->samples));
	print_objects(out, report, list, nr);
	putc(')', out);
	print_remedies(out, report, &remedies);
	putc('\n', out);
free:
	for (i = 0; i < remedies.nr_packages; i++)
		free(remedies.packages[i]);
	return error;
}

/* Runtimes that tell the names of the code that they make, if they are asked to */
static const struct {
	const char *program;	/* how its file name starts */
	const char *remedy;
} runtimes[] = {
	{ "node", "run it with --perf-basic-prof" },
	{ "java", "run it with -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (version 17 and later), or with perf's agent libperf-jvmti.so" },
	{ "python3", "run it with -X perf (version 3.12 and later)" },
	{ "dotnet", "set DOTNET_PerfMapEnabled=1 for it" },
	{ "ruby", "run it with --yjit-perf" },
	{ "beam", "run it with +JPperf true" },
	{ "qemu-", "run it with -perfmap" },
};

const char *nameless_remedy(const char *program)
{
	size_t i;

	for (i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
		if (!strncmp(program, runtimes[i].program, strlen(runtimes[i].program)))
			return runtimes[i].remedy;
	return "let it write /tmp/perf-PID.map or a jitdump, see profil-run(1)";
}

/* Find the program that made the code of an object. Return: its file name; NULL: unknown. */
static const char *find_maker(const struct result *result, const struct result_object *object)
{
	size_t i;

	if (strlen(object->path) > strlen(RESULT_JIT " "))
		return object->path + strlen(RESULT_JIT " ");
	for (i = 0; i < object->nr_parts; i++) {
		const uint32_t thread = object->parts[i].thread;
		const uint32_t process = thread == RESULT_NO_THREAD ? RESULT_NO_PROCESS :
					 result->threads[thread].process;

		if (process != RESULT_NO_PROCESS)
			return base_name(result->processes[process].program);
	}
	return NULL;
}

/* Print how much of the code that programs have made has no names, in a line for each program. */
static void print_made(FILE *out, const struct report *report)
{
	size_t i;

	for (i = 0; i < report->profile->nr_rows; i++) {
		const struct profile_row *row = &report->profile->rows[i];
		const struct result_object *object = &report->result->objects[row->index];
		const double percent = share_percent(row->samples, report->profile->samples);
		const char *program;

		/* code without a name is one row, with the name of its object */
		if (strncmp(row->object, RESULT_JIT, strlen(RESULT_JIT)) ||
		    strcmp(row->function, row->object) || percent < MIN_PERCENT)
			continue;
		program = find_maker(report->result, object);
		fprintf(out, "# %.2f percent are in code without names that ", percent);
		terminal_print_name(out, program ? program : "a program");
		fprintf(out, " has made: %s\n", nameless_remedy(program ? program : ""));
	}
}

int nameless_print(FILE *out, const struct report *report)
{
	struct nameless *list;
	uint64_t samples;
	int error = 0;

	print_made(out, report);
	if (!report->symbols)
		return 0;
	list = count(report, &samples);
	if (!list)
		return -ENOMEM;
	if (share_percent(samples, report->profile->samples) >= MIN_PERCENT)
		error = print(out, report, list, samples);
	free(list);
	return error;
}
