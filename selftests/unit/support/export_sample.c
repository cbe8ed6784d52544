// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes results for shell tests of reports and exports:
 *
 *	export_sample odd FORMAT OUT		exports the fake result
 *	export_sample result OUT FILE...	writes a result whose objects are ELF files
 *
 * The second form reads samples from standard input. A line is the index of a FILE, an address,
 * a number of samples; and perhaps how many of these are in the kernel, and the index of a thread
 * below THREADS, each in a program of its own. The clock is that of the environment variable CLOCK,
 * a number, and the CPU time of the first program that of CPU_MS, if it is set. With STACKS, each
 * address has been called by the one before it.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>

#include <linux/profil.h>

#include <export/export.h>
#include <result/resultfile.h>
#include <result/select.h>
#include <util/objectfile.h>
#include <util/time_ns.h>

#include "support/fake_result.h"

#define RATE		1000
#define THREADS		3

/* Set the bounds of the executable segments. */
static void read_segments(Elf *elf, struct result_object *object)
{
	size_t nr, i;

	if (elf_getphdrnum(elf, &nr))
		errx(1, "%s: %s", object->path, elf_errmsg(-1));
	object->start = UINT64_MAX;
	for (i = 0; i < nr; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    !(header.p_flags & PF_X))
			continue;
		if (header.p_vaddr < object->start)
			object->start = header.p_vaddr;
		if (header.p_vaddr + header.p_memsz > object->end)
			object->end = header.p_vaddr + header.p_memsz;
	}
}

static void read_object(struct result_object *object, char *path)
{
	const char *problem;
	int fd = objectfile_open(path, &problem);
	struct stat state;
	Elf *elf;

	if (fd < 0 || fstat(fd, &state))
		errx(1, "%s: %s", path, problem);
	object->file_bytes = (uint64_t)state.st_size;
	object->mtime_ns = time_stat_ns(&state.st_mtim);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	object->path = path;
	read_segments(elf, object);
	object->build_id_bytes = objectfile_build_id(elf, object->build_id,
						     sizeof(object->build_id));
	elf_end(elf);
	close(fd);
}

static void read_counts(struct result *result)
{
	struct result_part part;
	char line[256];
	size_t object;

	while (fgets(line, sizeof(line), stdin)) {
		struct result_object *to;

		part = (struct result_part){ .thread = RESULT_NO_THREAD };
		if (sscanf(line, "%zu %" SCNx64 " %" SCNu64 " %" SCNu64 " %" SCNu32, &object,
			   &part.address, &part.samples, &part.system, &part.thread) < 3)
			errx(1, "not an object, an address and samples: %s", line);
		if (object >= result->nr_objects)
			errx(1, "no object %zu", object);
		to = &result->objects[object];
		to->parts = reallocarray(to->parts, to->nr_parts + 1, sizeof(*to->parts));
		if (!to->parts)
			err(1, NULL);
		to->parts[to->nr_parts++] = part;
	}
}

/* Each address of the first object is called by the one before it. */
static void add_stacks(struct result *result)
{
	const struct result_object *object = &result->objects[0];
	size_t i;

	result->nodes = calloc(object->nr_parts + 1, sizeof(*result->nodes));
	result->stack_parts = calloc(object->nr_parts + 1, sizeof(*result->stack_parts));
	if (!result->nodes || !result->stack_parts)
		err(1, "stacks");
	for (i = 0; i < object->nr_parts; i++) {
		const struct result_part *part = &object->parts[i];

		if (!i || part->address != part[-1].address) {
			result->nodes[result->nr_nodes] = (struct result_node){
				.parent = (uint32_t)result->nr_nodes - 1,
				.address = part->address,
			};
			result->nr_nodes++;
		}
		result->stack_parts[i] = *part;
		result->stack_parts[i].address = result->nr_nodes - 1;
	}
	result->nr_stack_parts = object->nr_parts;
}

static void real_result(struct result *result, char **paths, size_t nr)
{
	static char *argv[] = { "sample", NULL };
	static struct result_process processes[THREADS] = {
		{ .pid = 1, .program = "sample" },
		{ .pid = 2, .parent = 1, .program = "/bin/first" },
		{ .pid = 3, .parent = 1, .program = "/bin/second" },
	};
	static struct result_thread threads[THREADS] = {
		{ .process = 0, .tid = 1, .name = "main" },
		{ .process = 1, .tid = 2, .name = "reader" },
		{ .process = 2, .tid = 3, .name = "writer" },
	};
	const char *clock = getenv("CLOCK"), *cpu_ms = getenv("CPU_MS");
	size_t i;

	elf_version(EV_CURRENT);
	*result = (struct result){
		.argv = argv, .host = "host", .kernel = "6.12 x86_64",
		.start_time_ns = 1790000000000000000, .elapsed_ns = 1000000000, .pid = 1,
		.rate = RATE, .requested_rate = RATE,
		.clock = clock ? (uint32_t)atoi(clock) : PROFIL_CLOCK_AUTO,
		.processes = processes, .nr_processes = THREADS,
		.threads = threads, .nr_threads = THREADS,
		.objects = calloc(nr, sizeof(struct result_object)), .nr_objects = nr,
	};
	if (!result->objects)
		err(1, "result");
	processes[0].program = paths[nr - 1];
	processes[0].has_ended = cpu_ms;
	processes[0].cpu_ns = cpu_ms ? strtoull(cpu_ms, NULL, 10) * 1000000 : 0;
	for (i = 0; i < nr; i++)
		read_object(&result->objects[i], paths[i]);
	read_counts(result);
	if (getenv("STACKS"))
		add_stacks(result);
	if (result_sum(result))
		err(1, NULL);
}

static int export_odd(const char *name, const char *out)
{
	const struct export_format *format = export_formats;
	struct symbolized symbolized;
	struct result result;
	int error;

	while (format->name && strcmp(format->name, name))
		format++;
	if (!format->name)
		errx(1, "no format %s", name);
	fake_result(&result);
	if (symbolize_result(&symbolized, &result, fake_find, NULL, fake_demangle))
		errx(1, "no memory");
	error = export_to(format, &symbolized, NULL, out);
	symbolized_release(&symbolized);
	return error ? 1 : 0;
}

static int write_result(const char *out, char **paths, size_t nr)
{
	struct result result;
	const char *problem;
	char *left;
	int error;
	size_t i;

	real_result(&result, paths, nr);
	problem = result_problem(&result);
	if (problem)
		errx(1, "%s", problem);
	error = resultfile_write(out, &result, &left, NULL);
	if (error)
		errx(1, "%s: %s", out, strerror(-error));
	for (i = 0; i < nr; i++) {
		free(result.objects[i].parts);
		free(result.objects[i].counts);
	}
	free(result.objects);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "odd"))
		return export_odd(argv[2], argv[3]);
	if (argc > 3 && !strcmp(argv[1], "result"))
		return write_result(argv[2], argv + 3, (size_t)argc - 3);
	errx(1, "usage: export_sample odd|result ...");
}
