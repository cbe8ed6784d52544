// SPDX-License-Identifier: GPL-2.0-only
/*
 * Applies the records of the log, in order: processes come, go and map files, so that the pc of a
 * sample is looked up in what is mapped at that time.
 *
 * The log does not have everything: memory may be moved (mremap(2)), records may be lost, and with
 * PREEMPT_RT paths are missing. /proc/PID/maps fills these gaps.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/after_loss.h"
#include "record/log_record.h"
#include "record/mapper.h"
#include "record/part_limit.h"
#include "record/procfs.h"
#include "record/recording.h"
#include "record/recording_state.h"
#include "util/array.h"
#include "util/time_ns.h"

struct recording *recording_new(void)
{
	struct recording *recording = calloc(1, sizeof(*recording));

	if (!recording)
		return NULL;
	recording->buffer = malloc(RECORDING_BUFFER);
	if (!recording->buffer) {
		free(recording);
		return NULL;
	}
	files_init(&recording->files);
	jit_init(&recording->jit);
	return recording;
}

void recording_free(struct recording *recording)
{
	size_t i;

	if (!recording)
		return;
	for (i = 0; i < recording->nr_unopened; i++)
		free(recording->unopened[i].maps);
	free(recording->unopened);
	after_loss_release(recording);
	process_table_release(&recording->processes);
	threads_release(&recording->threads);
	files_release(&recording->files);
	counts_release(&recording->outside);
	jit_release(&recording->jit);
	stacks_release(&recording->stacks);
	for (i = 0; i < recording->nr_unprofiled; i++)
		free(recording->unprofiled[i].program);
	free(recording->buffer);
	free(recording);
}

void recording_read_times(struct recording *recording)
{
	process_table_read_times(&recording->processes);
	process_table_read_attached(&recording->processes);
}

uint64_t recording_attached_ns(const struct recording *recording, pid_t pid)
{
	return process_table_attached_ns(&recording->processes, pid);
}

uint64_t recording_all_attached_ns(const struct recording *recording)
{
	return process_table_all_attached_ns(&recording->processes);
}

bool recording_has_process(const struct recording *recording, pid_t pid)
{
	return pid > 0 && pid < LOG_RECORD_PIDS && process_table_find(&recording->processes, pid);
}

void recording_sort(struct recording *recording)
{
	struct file *file;

	for (file = recording->files.last; file; file = file->next)
		counts_sort(&file->counts);
}

int recording_read_names(struct recording *recording)
{
	return jit_read_names(&recording->jit);
}

int recording_settle(struct recording *recording)
{
	return stacks_settle(&recording->stacks, &recording->files, true);
}

uint64_t recording_samples(const struct recording *recording)
{
	return recording->samples;
}

static bool must_not_be_sampled(const struct process *process)
{
	return !process->space;
}

/*
 * Read /proc/PID/maps, if it was not read since recording_read() was called. There is no harm if
 * the process has ended. Return: 0 or -ENOMEM.
 */
static int read_maps(struct recording *recording, struct process *process)
{
	if (process->round == recording->round)
		return 0;
	process->round = recording->round;
	return mapper_read(recording, process) == -ENOMEM ? -ENOMEM : 0;
}

/* Add a process, and end one with the same ID, as process_table_add(). */
static struct process *new_process(struct recording *recording, pid_t pid, struct space *space)
{
	struct process *old = process_table_find(&recording->processes, pid);

	if (old && jit_end(&recording->jit, &old->jit)) {
		space_put(space);
		return NULL;
	}
	return process_table_add(&recording->processes, pid, space);
}

/* Add a process that the log did not introduce. Return: NULL: no memory. */
static struct process *add_process(struct recording *recording, pid_t pid,
				   struct space *space, uint64_t base_ns)
{
	struct process *process = new_process(recording, pid, space);
	char path[RESULT_MAX_PATH];

	if (!process)
		return NULL;
	process->parent = procfs_read_parent(pid);
	process->base_ns = base_ns;
	process->losses = recording->lost_records;
	if (process_table_start(&recording->processes, process,
				procfs_read_exe(pid, path, sizeof(path)) ? path : RESULT_UNKNOWN,
				false, base_ns))
		return NULL;
	return process;
}

/* Read the command line of a process whose ARGS record is not in the log. */
static int read_command(struct recording *recording, const struct process *process)
{
	char **command = procfs_read_command(process->pid);
	char **argv = command ? result_copy_argv(command) : NULL;

	procfs_free_command(command);
	return process_table_set_argv(&recording->processes, process, argv);
}

/*
 * Read what the process has mapped, for recording_open_files(). Return: 0; -ESRCH: it has ended; or
 * another -errno.
 */
static int copy_maps(struct recording *recording, pid_t pid)
{
	struct unopened *last = array_append(recording->unopened, recording->nr_unopened);
	int error;

	if (!last)
		return -ENOMEM;
	*last = (struct unopened){ .pid = pid, .maps = procmaps_copy(pid, &error) };
	if (last->maps)
		return 0;
	recording->nr_unopened--;
	return error;
}

int recording_add_process(struct recording *recording, pid_t pid, uint64_t base_ns)
{
	struct process *process;
	int error;

	if (pid <= 0 || pid >= LOG_RECORD_PIDS)
		return -ESRCH;
	if (process_table_find(&recording->processes, pid))
		return 0;
	error = copy_maps(recording, pid);
	if (error == -ENOMEM || process_table_attach(&recording->processes, pid, base_ns))
		return -ENOMEM;
	process = add_process(recording, pid, space_new(), base_ns);
	if (!process || read_command(recording, process))
		return -ENOMEM;
	if (!error)
		return 0;
	recording->unread_error = error;
	recording->nr_unread++;
	return 0;
}

int recording_open_files(struct recording *recording)
{
	int error = 0;
	size_t i;

	for (i = 0; i < recording->nr_unopened; i++) {
		const struct unopened *unopened = &recording->unopened[i];
		struct process *process = process_table_find(&recording->processes, unopened->pid);

		if (!error && process && process->space)
			error = mapper_enter(recording, process, unopened->maps);
		free(unopened->maps);
	}
	recording->nr_unopened = 0;
	return error;
}

size_t recording_unread(struct recording *recording, int *error)
{
	const size_t nr = recording->nr_unread;

	recording->nr_unread = 0;
	*error = recording->unread_error;
	return nr;
}

/* Find a process; if its first records were lost, add it. Return: NULL: no memory. */
static struct process *need_process(struct recording *recording, pid_t pid)
{
	struct process *process = process_table_find(&recording->processes, pid);

	if (process)
		return process;
	process = add_process(recording, pid, space_new(), 0);
	if (process && recording->lost_records) {
		process->losses = recording->lost_records - 1;
		return process;
	}
	return process && !read_maps(recording, process) ? process : NULL;
}

/* A process must not be sampled from here on. @cpu_ns: its CPU time so far */
static int deny(struct recording *recording, struct process *process, uint64_t cpu_ns)
{
	struct result_unprofiled *program = recording->unprofiled;
	char path[RESULT_MAX_PATH];
	size_t i = 0;

	if (!procfs_read_exe(process->pid, path, sizeof(path)))
		snprintf(path, sizeof(path), "%s", process->comm[0] ? process->comm : RESULT_UNKNOWN);
	space_put(process->space);
	process->space = NULL;
	process->denied_ns = cpu_ns;
	while (i < recording->nr_unprofiled && strcmp(program[i].program, path))
		i++;
	process->unprofiled = i;
	if (i == RESULT_MAX_UNPROFILED)
		return 0;
	if (i == recording->nr_unprofiled) {
		program[i].program = strdup(path);
		if (!program[i].program)
			return -ENOMEM;
		recording->nr_unprofiled++;
	}
	program[i].processes++;
	return 0;
}

static int apply_fork(struct recording *recording, const struct profil_record_fork *fork)
{
	struct process_table *table = &recording->processes;
	const struct process *parent = process_table_find(table, fork->parent);
	struct process *same = process_table_find(table, fork->head.pid), *child;
	const struct result_process *row;
	struct space *space;
	int error;

	/* one with this ID ended, and its EXIT was lost: not the parent (log_record_check()) */
	if (same && after_loss_give_up(recording, same))
		return -ENOMEM;
	if (!parent || !parent->space)
		space = space_new();
	else if (fork->flags & PROFIL_FORK_SHARES_MEMORY)
		space = space_share(parent->space);
	else
		space = space_fork(parent->space);
	child = new_process(recording, fork->head.pid, space);
	if (!child)
		return -ENOMEM;
	child->parent = fork->parent;
	if (parent)
		memcpy(child->comm, parent->comm, sizeof(child->comm));
	if (fork->flags & PROFIL_FORK_DENIED)
		return deny(recording, child, 0);
	child->program = parent ? parent->program : NULL;
	/* what is not known of the parent is not known of the child */
	child->losses = parent ? parent->losses : recording->lost_records;
	child->forked = parent && parent->forked ? parent->forked : fork->parent;
	if (parent && parent->jit && parent->jit->source.dump &&
	    jit_map(&recording->jit, &child->jit, parent->jit->source.dump))
		return -ENOMEM;
	row = parent ? process_table_row(table, parent) : NULL;
	error = process_table_start(table, child, row ? row->program : RESULT_UNKNOWN, true, 0);
	/* the rows may have moved */
	row = parent ? process_table_row(table, parent) : NULL;
	if (error || !row || !row->argv)
		return error;
	return process_table_set_argv(table, child, result_copy_argv(row->argv));
}

static int apply_exec(struct recording *recording, const struct profil_record_exec *exec)
{
	struct process_table *table = &recording->processes;
	struct process *process = process_table_find(table, exec->head.pid);
	pid_t parent = process ? process->parent : procfs_read_parent(exec->head.pid);
	const uint64_t base_ns = process ? process->base_ns : 0;
	struct space *before = NULL;

	if (process) {
		if (after_loss_give_up(recording, process))
			return -ENOMEM;
		process_table_end(table, process, exec->cpu_ns);
		before = process->space ? space_share(process->space) : NULL;
	}
	if (exec->flags & PROFIL_EXEC_LEFT) {
		int error = process ? jit_end(&recording->jit, &process->jit) : 0;

		space_put(before);
		if (process)
			process_table_remove(table, process);
		return error;
	}
	process = new_process(recording, exec->head.pid, space_new());
	if (!process) {
		space_put(before);
		return -ENOMEM;
	}
	process->before = before;
	process->parent = parent;
	memcpy(process->comm, exec->comm, sizeof(process->comm));
	process->base_ns = base_ns;
	process->losses = recording->lost_records;
	if (exec->flags & PROFIL_EXEC_DENIED)
		return deny(recording, process, exec->cpu_ns);
	return process_table_start(table, process, exec->comm[0] ? exec->comm : RESULT_UNKNOWN,
				   false, exec->cpu_ns);
}

/* The program that a process executes begins to run. */
static void apply_run(struct recording *recording, const struct profil_record_run *run)
{
	struct process *process = process_table_find(&recording->processes, run->head.pid);

	if (!process)
		return;
	if (run->cpu_ns)
		process_table_restart(&recording->processes, process, run->cpu_ns);
	space_put(process->before);
	process->before = NULL;
}

/* " (deleted)" can make a path longer than results allow. */
static void copy_path(char to[RESULT_MAX_PATH], const char *path)
{
	size_t length = strnlen(path, RESULT_MAX_PATH - 1);

	memcpy(to, path, length);
	to[length] = 0;
}

static int apply_map(struct recording *recording, const struct profil_record_map *record)
{
	struct process *process = need_process(recording, record->head.pid);
	char path[RESULT_MAX_PATH];
	const struct procmaps_entry entry = {
		.start = record->start,
		.end = record->end,
		.offset = record->offset,
		.inode = record->inode,
		.major = record->major,
		.minor = record->minor,
		.path = path,
	};
	const struct file_key key = {
		.inode = record->inode,
		.major = record->major,
		.minor = record->minor,
		.has_times = true,
		.file_bytes = record->file_bytes,
		.mtime_ns = record->mtime_ns,
		.ctime_ns = record->ctime_ns,
		.path = path,
	};
	const struct file *file;

	if (!process)
		return -ENOMEM;
	if (must_not_be_sampled(process))
		return 0;
	copy_path(path, record->path);
	/* names in brackets are those of substitutes for files */
	if (entry.inode && path[0] == '[')
		path[0] = 0;
	file = mapper_add(recording, process, &entry, &key);
	if (!file)
		return -ENOMEM;
	if (!(record->flags & PROFIL_MAP_PROGRAM) ||
	    file == &recording->files.special[FILE_UNKNOWN])
		return 0;
	process->program = file;
	return process_table_name(&recording->processes, process, file->path);
}

/* Find the mapping of a pc. Return: 0, with @mapping NULL if there is none; or -ENOMEM. */
static int find_mapping(struct recording *recording, struct process *process, uint64_t pc,
			const struct mapping **mapping)
{
	*mapping = NULL;
	if (must_not_be_sampled(process))
		return 0;
	/* in the call of execve(2) */
	if (process->before) {
		*mapping = space_find(process->before, pc);
		return 0;
	}
	*mapping = space_find(process->space, pc);
	if (*mapping)
		return 0;
	if (read_maps(recording, process))
		return -ENOMEM;
	*mapping = space_find(process->space, pc);
	return 0;
}

static int apply_sample(struct recording *recording, const struct profil_record_sample *sample)
{
	struct process *process = need_process(recording, sample->head.pid);
	const struct mapping *mapping;

	if (!process)
		return -ENOMEM;
	recording->samples += sample->samples;
	if (after_loss_is_uncertain(recording, process) && !must_not_be_sampled(process))
		return after_loss_add(recording, process, sample);
	if (find_mapping(recording, process, sample->pc, &mapping))
		return -ENOMEM;
	return mapper_count(recording, process, mapping, sample);
}

static int apply_thread(struct recording *recording, const struct profil_record_thread *thread)
{
	struct process *process = process_table_find(&recording->processes, thread->head.pid);

	return process ? threads_end(&recording->threads, &process->threads, thread) : 0;
}

static int apply_args(struct recording *recording, const struct profil_record_args *record)
{
	struct process *process = process_table_find(&recording->processes, record->head.pid);

	if (!process || must_not_be_sampled(process))
		return 0;
	return process_table_set_argv(&recording->processes, process, log_record_argv(record));
}

static int apply_exit(struct recording *recording, const struct profil_record_exit *end)
{
	struct process *process = process_table_find(&recording->processes, end->head.pid);
	int error;

	if (!process)
		return 0;
	if (after_loss_give_up(recording, process))
		return -ENOMEM;
	error = jit_end(&recording->jit, &process->jit);
	if (!must_not_be_sampled(process))
		process_table_end(&recording->processes, process, end->cpu_ns);
	else if (process->unprofiled < RESULT_MAX_UNPROFILED && end->cpu_ns > process->denied_ns)
		recording->unprofiled[process->unprofiled].cpu_ns += end->cpu_ns -
								     process->denied_ns;
	process_table_detach(&recording->processes, process->pid);
	process_table_remove(&recording->processes, process);
	return error;
}

/* Processes outside of the reader's PID namespace cannot be told apart. */
static int apply_nameless(struct recording *recording, const struct profil_record *record)
{
	static struct process nobody = { .row = PROCESS_NO_ROW };

	if (log_record_is_sample(record)) {
		const struct profil_record_sample *sample = (const void *)record;

		recording->samples += sample->samples;
		return mapper_count(recording, &nobody, NULL, sample);
	}
	if (record->type == PROFIL_RECORD_FORK || record->type == PROFIL_RECORD_EXEC)
		recording->processes.unlisted++;
	return 0;
}

/* The log was full, so what was read since it was full is what filled it. */
static void apply_lost(struct recording *recording, const struct profil_record_lost *lost)
{
	recording->lost += lost->samples;
	recording->lost_records += lost->records;
	recording->filled.samples += recording->unread.samples;
	recording->filled.others += recording->unread.others;
}

static int apply(struct recording *recording, const struct profil_record *record)
{
	if (record->type == PROFIL_RECORD_LOST) {
		apply_lost(recording, (const void *)record);
		return 0;
	}
	/* a log has stacks from the first sample on, or none: all samples have one, or none has */
	if (record->type == PROFIL_RECORD_STACK && !recording->samples)
		recording->stacks.is_used = true;
	if (log_record_is_sample(record))
		recording->unread.samples += record->bytes;
	else
		recording->unread.others += record->bytes;
	if (!record->pid)
		return apply_nameless(recording, record);
	switch (record->type) {
	case PROFIL_RECORD_SAMPLE:
	case PROFIL_RECORD_KERNEL_SAMPLE:
	case PROFIL_RECORD_STACK:
		return apply_sample(recording, (const void *)record);
	case PROFIL_RECORD_FORK:
		return apply_fork(recording, (const void *)record);
	case PROFIL_RECORD_EXEC:
		return apply_exec(recording, (const void *)record);
	case PROFIL_RECORD_MAP:
		return apply_map(recording, (const void *)record);
	case PROFIL_RECORD_RUN:
		apply_run(recording, (const void *)record);
		return 0;
	case PROFIL_RECORD_EXIT:
		return apply_exit(recording, (const void *)record);
	case PROFIL_RECORD_THREAD:
		return apply_thread(recording, (const void *)record);
	case PROFIL_RECORD_ARGS:
		return apply_args(recording, (const void *)record);
	default:
		return 0;
	}
}

static int apply_all(struct recording *recording, size_t bytes)
{
	const unsigned char *at = recording->buffer, *const end = at + bytes;
	const struct profil_record *record;
	int error = 0;

	for (; !error && at < end; at += record->bytes) {
		record = log_record_check(at, (size_t)(end - at));
		if (!record)
			return -EBADMSG;
		error = apply(recording, record);
	}
	return error;
}

int recording_read(struct recording *recording, int fd)
{
	int status, error;
	ssize_t bytes;

	recording->files.round = ++recording->round;
	recording->stacks.log = fd;
	memset(&recording->unread, 0, sizeof(recording->unread));
	for (;;) {
		bytes = read(fd, recording->buffer, RECORDING_BUFFER);
		if (!bytes)
			status = 0;
		else if (bytes < 0)
			status = errno == EAGAIN ? 1 : -errno;
		else
			status = apply_all(recording, (size_t)bytes);
		if (status == -EINTR || (bytes > 0 && !status))
			continue;
		/* also after an error, so that each sample is counted */
		error = after_loss_settle(recording);
		if (!error)
			error = part_limit_keep(recording);
		if (!error)
			error = stacks_settle(&recording->stacks, &recording->files, false);
		/* later, another file may have its number */
		recording->stacks.log = 0;
		return error ? error : status;
	}
}
