// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the result of a run from its recording.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "record/collect.h"
#include "record/jit_objects.h"
#include "record/recording_state.h"
#include "result/fold.h"
#include "result/select.h"
#include "util/array.h"

/* Limit of the sum of all CPU times, so that it cannot overflow */
#define MAX_SUM	((uint64_t)INT64_MAX)

static int describe_cgroup(struct result *result, const struct collect_log *log)
{
	if (!log->cgroup)
		return 0;
	result->cgroup = strdup(log->cgroup);
	return result->cgroup ? 0 : -ENOMEM;
}

static int describe_machine(struct result *result)
{
	struct utsname name;

	if (uname(&name))
		return -errno;
	result->host = strdup(name.nodename);
	if (asprintf(&result->kernel, "%s %s", name.release, name.machine) < 0)
		result->kernel = NULL;
	return result->host && result->kernel ? 0 : -ENOMEM;
}

/* Return: @value, but at most @rest, which is reduced by it. */
static uint64_t limit_sum(uint64_t *rest, uint64_t value)
{
	if (value > *rest)
		value = *rest;
	*rest -= value;
	return value;
}

static int list_processes(struct result *result, const struct process_table *table,
			  uint64_t *rest_ns)
{
	size_t i;

	result->unlisted_processes = table->unlisted < UINT32_MAX ? table->unlisted : UINT32_MAX;
	result->unlisted_ended = table->unlisted_ended.nr + table->unlisted_alive.nr;
	if (result->unlisted_ended > result->unlisted_processes)
		result->unlisted_ended = result->unlisted_processes;
	result->unlisted_cpu_ns = limit_sum(rest_ns, table->unlisted_ended.cpu_ns +
						     table->unlisted_alive.cpu_ns);
	result->processes = calloc(table->nr_rows + 1, sizeof(*result->processes));
	if (!result->processes)
		return -ENOMEM;
	for (i = 0; i < table->nr_rows; i++) {
		struct result_process *process = &result->processes[i];

		*process = table->rows[i];
		result->nr_processes++;
		process->program = strdup(process->program);
		if (process->argv)
			process->argv = result_copy_argv(process->argv);
		if (!process->program || (table->rows[i].argv && !process->argv))
			return -ENOMEM;
		process->cpu_ns = limit_sum(rest_ns, process->cpu_ns);
	}
	return 0;
}

static int list_threads(struct result *result, const struct recording *recording)
{
	const struct threads *threads = &recording->threads;
	size_t i;

	result->threads = calloc(threads->nr + 1, sizeof(*result->threads));
	if (!result->threads)
		return -ENOMEM;
	for (i = 0; i < threads->nr; i++) {
		const size_t row = threads->list[i].process;
		const pid_t pid = row == RESULT_NO_PROCESS ? 0 : recording->processes.rows[row].pid;

		if (threads_copy(&result->threads[result->nr_threads++], &threads->list[i], pid))
			return -ENOMEM;
	}
	return 0;
}

static int compare_cpu_ns(const void *va, const void *vb)
{
	const struct result_unprofiled *a = va, *b = vb;

	if (a->cpu_ns != b->cpu_ns)
		return a->cpu_ns > b->cpu_ns ? -1 : 1;
	return strcmp(a->program, b->program);
}

static int list_unprofiled(struct result *result, const struct recording *recording,
			   uint64_t *rest_ns)
{
	size_t i;

	result->unprofiled = calloc(recording->nr_unprofiled + 1, sizeof(*result->unprofiled));
	if (!result->unprofiled)
		return -ENOMEM;
	for (i = 0; i < recording->nr_unprofiled; i++) {
		const struct result_unprofiled *from = &recording->unprofiled[i];

		result->unprofiled[i] = (struct result_unprofiled){
			.program = strdup(from->program),
			.processes = from->processes,
			.cpu_ns = limit_sum(rest_ns, from->cpu_ns),
		};
		if (!result->unprofiled[i].program)
			return -ENOMEM;
		result->nr_unprofiled++;
	}
	qsort(result->unprofiled, result->nr_unprofiled, sizeof(*result->unprofiled),
	      compare_cpu_ns);
	return 0;
}

/* The object that a file belongs to, without its addresses; @path is not copied. */
static struct result_object object_of(const struct file *file)
{
	struct result_object object = {
		.path = file->path,
		.build_id_bytes = file->build_id_bytes,
		.file_bytes = file->key.file_bytes,
		.mtime_ns = file->key.mtime_ns,
	};

	memcpy(object.build_id, file->build_id, sizeof(file->build_id));
	object.unread = result_is_file(&object) && !file->is_read;
	return object;
}

static int compare_objects(const struct file *a, const struct file *b)
{
	const struct result_object first = object_of(a), second = object_of(b);

	return result_compare_objects(&first, &second);
}

static int compare_files(const void *va, const void *vb)
{
	const struct file *const *a = va, *const *b = vb;
	int order = compare_objects(*a, *b);

	if (order)
		return order;
	return (*a)->number < (*b)->number ? -1 : (*a)->number > (*b)->number;
}

/* Return: all files that have addresses, with those of one object next to each other. */
static const struct file **sort_files(const struct recording *recording, size_t *nr)
{
	const struct file *file = recording->files.last, **sorted;

	*nr = 0;
	sorted = calloc(file->number + 1, sizeof(*sorted));
	if (!sorted)
		return NULL;
	for (; file; file = file->next)
		if (file->counts.nr || file->end > file->start)
			sorted[(*nr)++] = file;
	qsort(sorted, *nr, sizeof(*sorted), compare_files);
	return sorted;
}

static int compare_parts(const void *a, const void *b)
{
	return result_compare_parts(a, b);
}

/* Sort the parts of several files, and add up those that are the same. */
static void merge_parts(struct result_part *parts, size_t *nr)
{
	size_t from, to = 0;

	qsort(parts, *nr, sizeof(*parts), compare_parts);
	for (from = 1; from < *nr; from++) {
		if (result_compare_parts(&parts[from], &parts[to])) {
			parts[++to] = parts[from];
			continue;
		}
		parts[to].samples += parts[from].samples;
		parts[to].system += parts[from].system;
	}
	if (*nr)
		*nr = to + 1;
}

/* Addresses outside the segments are possible: pages may extend beyond them. */
static void include_parts(struct result_object *object)
{
	uint64_t last;

	if (!object->nr_parts)
		return;
	if (object->parts[0].address < object->start)
		object->start = object->parts[0].address;
	last = object->parts[object->nr_parts - 1].address;
	if (object->end <= last)
		object->end = last + 1;
}

/*
 * Add the functions of a vdso that have samples. A process may have changed its copy, so that they
 * overlap. Return: 0 or -ENOMEM.
 */
static int name_vdso(struct result_object *object, const struct vdso *vdso)
{
	uint64_t end = object->start;
	size_t i;

	for (i = 0; i < object->nr_parts; i++) {
		const uint64_t address = object->parts[i].address;
		const struct vdso_function *found = vdso_find_function(vdso, address);
		struct result_function *function;

		if (address < end || !found || strlen(found->name) >= RESULT_MAX_NAME)
			continue;
		function = array_append(object->functions, object->nr_functions);
		if (!function)
			return -ENOMEM;
		*function = (struct result_function){
			.start = found->start > end ? found->start : end,
			.end = found->end < object->end ? found->end : object->end,
			.name = strdup(found->name),
		};
		if (!function->name)
			return -ENOMEM;
		end = function->end;
	}
	return 0;
}

/* Make one object of @nr files, whose counts are sorted. @of_file: set to it, for their numbers */
static int add_object(struct result *result, const struct file **files, size_t nr,
		      const struct vdso *vdso, uint32_t *of_file)
{
	struct result_object *object = &result->objects[result->nr_objects++];
	size_t nr_parts = 0, i;

	for (i = 0; i < nr; i++)
		of_file[files[i]->number] = (uint32_t)(object - result->objects);
	*object = object_of(files[0]);
	object->bias = files[0]->bias;
	object->start = UINT64_MAX;
	object->path = strdup(object->path);
	for (i = 0; i < nr; i++)
		nr_parts += files[i]->counts.nr;
	object->parts = calloc(nr_parts + 1, sizeof(*object->parts));
	if (!object->path || !object->parts)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		const struct file *file = files[i];

		if (file->counts.nr)
			memcpy(object->parts + object->nr_parts, file->counts.parts,
			       file->counts.nr * sizeof(*object->parts));
		object->nr_parts += file->counts.nr;
		if (file->end > file->start && file->start < object->start)
			object->start = file->start;
		if (file->end > object->end)
			object->end = file->end;
	}
	if (nr > 1)
		merge_parts(object->parts, &object->nr_parts);
	include_parts(object);
	return vdso ? name_vdso(object, vdso) : 0;
}

/* The counts that are left are the parts of the result. Return: 0 or -ENOMEM. */
static int list_outside(struct result *result, struct counts *outside)
{
	if (counts_sort(outside))
		return -ENOMEM;
	result->outside_parts = outside->parts;
	result->nr_outside_parts = outside->nr;
	outside->parts = NULL;
	return 0;
}

static int sort_counts(const struct recording *recording)
{
	struct file *file;
	int error = 0;

	for (file = recording->files.last; !error && file; file = file->next)
		error = counts_sort(&file->counts);
	return error;
}

/* A node of the result, as long as the objects are not sorted */
static struct result_node node_of(struct result_node node, const uint32_t *of_file)
{
	if (node.object == FILE_JIT) {
		node.object = RESULT_NO_OBJECT;
		node.address = RESULT_STACK_CODE;
	} else if (node.object != UNWIND_NO_FILE) {
		node.object = of_file[node.object];
		/* a file without code is not listed */
		if (node.object == RESULT_NO_OBJECT)
			node.address = RESULT_STACK_OUTSIDE;
	}
	return node;
}

static int list_stacks(struct result *result, struct stack_tree *tree, const uint32_t *of_file)
{
	size_t i;

	if (counts_sort(&tree->counts))
		return -ENOMEM;
	result->nodes = calloc(tree->nodes.nr + 1, sizeof(*result->nodes));
	result->stack_parts = calloc(tree->counts.nr + 1, sizeof(*result->stack_parts));
	if (!result->nodes || !result->stack_parts)
		return -ENOMEM;
	result->nr_nodes = tree->nodes.nr;
	for (i = 0; i < tree->nodes.nr; i++)
		result->nodes[i] = node_of(tree->nodes.nodes[i], of_file);
	result->nr_stack_parts = tree->counts.nr;
	if (tree->counts.nr)
		memcpy(result->stack_parts, tree->counts.parts,
		       tree->counts.nr * sizeof(*result->stack_parts));
	return 0;
}

/* Return: 0 or -ENOMEM. */
static int add_files(struct result *result, const struct recording *recording, uint32_t *of_file)
{
	size_t nr, first, next;
	const struct file **files = sort_files(recording, &nr);
	int error = 0;

	result->objects = calloc(nr + jit_objects_count(&recording->jit) + 1,
				 sizeof(*result->objects));
	if (!files || !result->objects)
		error = -ENOMEM;
	for (first = 0; !error && first < nr; first = next) {
		for (next = first + 1; next < nr; next++)
			if (compare_objects(files[first], files[next]))
				break;
		error = add_object(result, files + first, next - first,
				   files_vdso(&recording->files, files[first]), of_file);
	}
	free(files);
	return error;
}

static int add_objects(struct result *result, struct recording *recording, struct counts *outside)
{
	const size_t nr = recording->files.last->number + 1;
	uint32_t *of_file = malloc(nr * sizeof(*of_file));
	int error = of_file ? sort_counts(recording) : -ENOMEM;

	if (!error) {
		memset(of_file, 0xff, nr * sizeof(*of_file));
		error = add_files(result, recording, of_file);
	}
	if (!error && recording->stacks.is_used)
		error = list_stacks(result, &recording->stacks.tree, of_file);
	free(of_file);
	if (!error)
		error = jit_objects_add(&recording->jit, result, outside);
	return error ? error : result_sort_objects(result);
}

static int list_objects(struct result *result, struct recording *recording)
{
	struct counts outside = { 0 };
	int error = counts_add_all(&outside, &recording->outside);

	if (!error)
		error = add_objects(result, recording, &outside);
	if (!error)
		error = list_outside(result, &outside);
	if (!error)
		error = fold_objects(result);
	counts_release(&outside);
	return error;
}

/* The last LOST record may not have been read. The status has no number of lost records. */
static void describe_log(struct result *result, const struct recording *recording,
			 const struct collect_log *log)
{
	const struct profil_status *status = &log->status;
	struct log_contents filled = recording->filled;

	result->lost = status->lost > recording->lost ? status->lost : recording->lost;
	result->lost_records = recording->lost_records;
	if (status->error && !result->lost && !result->lost_records)
		result->lost_records = 1;
	if (!recording->lost && !recording->lost_records)
		filled = recording->unread;
	result->records_filled_log = (result->lost || result->lost_records) &&
				     filled.others > filled.samples;
	result->skipped = status->skipped;
	result->log_bytes = log->bytes;
	result->wanted_log_bytes = log->wanted_bytes;
	result->no_follow = log->no_follow;
}

size_t collect_nr_files(const struct recording *recording)
{
	return recording->files.last->number + 1;
}

int collect_files(struct result *result, const struct recording *recording)
{
	const struct file *file = recording->files.last;

	memset(result, 0, sizeof(*result));
	result->objects = calloc(file->number + 1, sizeof(*result->objects));
	if (!result->objects)
		return -ENOMEM;
	result->nr_objects = file->number + 1;
	for (; file; file = file->next) {
		struct result_object *object = &result->objects[file->number];

		*object = object_of(file);
		object->path = strdup(file->path);
		if (!object->path)
			return -ENOMEM;
	}
	return 0;
}

int collect_open_file(const struct recording *recording, const struct result_object *object)
{
	const struct held_files *kept = &recording->files.kept;
	size_t i;

	for (i = 0; i < kept->nr; i++) {
		const struct result_object of = object_of(kept->files[i].file);

		if (!result_compare_objects(&of, object))
			return kept->files[i].fd;
	}
	return -1;
}

int collect_result(struct result *result, struct recording *recording,
		   const struct collect_log *log, const struct child_end *end,
		   char *const argv[])
{
	const struct profil_status *status = &log->status;
	uint64_t rest_ns = MAX_SUM;
	int error;

	memset(result, 0, sizeof(*result));
	result->start_time_ns = end->start_time_ns;
	result->elapsed_ns = end->elapsed_ns;
	result->status = end->status;
	result->pid = end->pid;
	result->clock = status->clock;
	result->rate = status->rate ? status->rate : log->requested_rate;
	result->requested_rate = log->requested_rate;
	result->program_cpu_ns = end->cpu_ns;
	result->children_cpu_ns = end->children_cpu_ns;
	describe_log(result, recording, log);
	result->folded_threads = recording->folded_threads;
	result->folded_samples = recording->folded_samples;
	result->fork_failures = status->fork_failures;
	result->argv = result_copy_argv(argv);
	error = result->argv ? describe_machine(result) : -ENOMEM;
	if (!error)
		error = describe_cgroup(result, log);
	if (!error)
		error = recording_settle(recording);
	if (!error)
		error = list_objects(result, recording);
	if (!error)
		error = list_processes(result, &recording->processes, &rest_ns);
	if (!error)
		error = list_threads(result, recording);
	if (!error)
		error = list_unprofiled(result, recording, &rest_ns);
	if (!error)
		error = result_sum(result);
	if (!error)
		result_find_mean_rate(result);
	return error;
}
