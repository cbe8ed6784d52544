// SPDX-License-Identifier: GPL-2.0-only
/*
 * Enters what a process maps into its space. Most memory stands for a file. Memory that does not
 * has code that was made at run time, or a copy of a file's code: programs move their own text to
 * huge pages (node --use-largepages, HHVM).
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "record/mapper.h"

static int map(struct process *process, uint64_t start, uint64_t end, uint64_t offset,
	       struct file *file)
{
	const struct mapping mapping = {
		.start = start, .end = end, .offset = offset, .file = file,
	};

	return start < end ? space_map(process->space, &mapping) : 0;
}

/*
 * Whether a file is still mapped. The log has no records of munmap(2), and code may be made
 * in memory that a library had before. The program itself is never unloaded.
 */
static bool is_loaded(const struct process *process, const struct file *file)
{
	return file == process->program || procmaps_has(process->pid, &file->key);
}

/*
 * struct copy - memory with a copy of a file's code
 * @start:  address
 * @end:    first address after it
 * @offset: of @start in the file
 * @file:   the file
 */
struct copy {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	struct file *file;
};

/* Find the part of memory that is in a segment of the file that is mapped at or below @at. */
static bool find_copy(const struct process *process, const struct procmaps_entry *entry,
		      uint64_t at, struct copy *copy)
{
	const struct mapping *near = space_below(process->space, at);
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const struct file_segment *segment;
	uint64_t start, end;

	segment = near ? file_segment_of(near->file, near->offset) : NULL;
	if (!segment)
		return false;
	/* where the segment is, in whole pages */
	start = near->start - (near->offset - segment->offset);
	end = (start + segment->bytes + page - 1) & ~(page - 1);
	start &= ~(page - 1);
	copy->file = near->file;
	copy->start = entry->start > start ? entry->start : start;
	copy->end = entry->end < end ? entry->end : end;
	copy->offset = near->offset + (copy->start - near->start);
	return copy->start < copy->end && is_loaded(process, near->file);
}

/* Map memory without a file. Return: a substitute, or the file whose code is there; or NULL. */
static struct file *map_memory(struct recording *recording, struct process *process,
			       const struct procmaps_entry *entry)
{
	struct file *jit = &recording->files.special[FILE_JIT];
	struct copy copy;

	if (!find_copy(process, entry, entry->start, &copy) &&
	    !find_copy(process, entry, entry->end - 1, &copy))
		return map(process, entry->start, entry->end, entry->start, jit) ? NULL : jit;
	if (map(process, entry->start, copy.start, entry->start, jit) ||
	    map(process, copy.start, copy.end, copy.offset, copy.file) ||
	    map(process, copy.end, entry->end, copy.end, jit))
		return NULL;
	return copy.file;
}

static struct file *map_vdso(struct recording *recording, struct process *process,
			     const struct procmaps_entry *entry)
{
	const uint64_t bytes = entry->end - entry->start;
	const enum vdso_kind kind = vdso_find_kind(recording->files.vdsos, process->pid,
						   entry->start, bytes);
	struct file *vdso = &recording->files.special[FILE_VDSO + kind];

	file_mapped(vdso, entry->start, bytes, 0);
	return map(process, entry->start, entry->end, 0, vdso) ? NULL : vdso;
}

/* Find the file of a mapping. With PREEMPT_RT, the log has no paths. Return: NULL: no memory. */
static struct file *find_file(struct recording *recording, struct process *process,
			      const struct procmaps_entry *entry, const struct file_key *key)
{
	const struct file_use use = {
		.pid = process->pid, .start = entry->start, .end = entry->end,
	};
	struct files *files = &recording->files;
	struct file *file;

	if (key->path[0])
		return files_find(files, key, &use);
	file = files_find_inode(files, key);
	if (file)
		return file;
	if (mapper_read(recording, process) == -ENOMEM)
		return NULL;
	file = files_find_inode(files, key);
	return file ? file : &files->special[FILE_UNKNOWN];
}

struct file *mapper_add(struct recording *recording, struct process *process,
			const struct procmaps_entry *entry, const struct file_key *key)
{
	struct files *files = &recording->files;
	struct file *file;

	if (!key->inode && !strcmp(entry->path, "[vdso]"))
		return map_vdso(recording, process, entry);
	/* the same addresses in all processes, without code that is executed */
	if (!key->inode && !strcmp(entry->path, "[vsyscall]"))
		return &files->special[FILE_UNKNOWN];
	if (!key->inode)
		return map_memory(recording, process, entry);
	/* it may be a dump of code that the process makes */
	if (jit_map(&recording->jit, &process->jit, key->path))
		return NULL;
	file = find_file(recording, process, entry, key);
	if (file == &files->special[FILE_JIT])
		return map_memory(recording, process, entry);
	if (!file || map(process, entry->start, entry->end, entry->offset, file))
		return NULL;
	file_mapped(file, entry->start, entry->end - entry->start, entry->offset);
	return file;
}

/* What add_from_proc() needs to know */
struct reading {
	struct recording *recording;
	struct process *process;
};

static int add_from_proc(void *data, const struct procmaps_entry *entry)
{
	const struct file_key key = {
		.inode = entry->inode, .major = entry->major, .minor = entry->minor,
		.path = entry->path,
	};
	struct reading *reading = data;

	return mapper_add(reading->recording, reading->process, entry, &key) ? 0 : -ENOMEM;
}

int mapper_enter(struct recording *recording, struct process *process, char *maps)
{
	struct reading reading = { recording, process };

	return procmaps_each(maps, add_from_proc, &reading);
}

int mapper_read(struct recording *recording, struct process *process)
{
	struct reading reading = { recording, process };

	return procmaps_read(process->pid, add_from_proc, &reading);
}

/* What a record of samples adds to the counts; its address is the pc. Return: 0 or -ENOMEM. */
static int make_part(struct recording *recording, struct process *process,
		     const struct profil_record_sample *sample, struct result_part *part)
{
	*part = (struct result_part){
		.address = sample->pc,
		.samples = sample->samples,
		.system = log_record_is_in_kernel(sample) ? sample->samples : 0,
		.thread = RESULT_NO_THREAD,
	};
	if (process->row == PROCESS_NO_ROW)
		return 0;
	return threads_find(&recording->threads, &process->threads, process->row, sample->tid,
			    sample->tid == process->pid && process->comm[0] ? process->comm : NULL,
			    &part->thread);
}

/* Tell who watches about samples. @file: as for sample_hook_fn. Return: 0 or -ENOMEM. */
static int tell(const struct recording *recording, const struct file *file, uint64_t address,
		const struct result_part *part)
{
	struct result_part at = *part;

	if (!recording->watch)
		return 0;
	at.address = address;
	return recording->watch(recording->watch_data, file, &at);
}

/* Return: 0 or -ENOMEM. */
static int count_in_file(const struct recording *recording, struct file *file, uint64_t offset,
			 const struct result_part *part)
{
	int error = file_count(file, offset, part);

	return error ? error : tell(recording, file, file_address(file, offset), part);
}

/* Add the stack of a sample, in the mappings of its time. Return: 0 or -ENOMEM. */
static int add_stack(struct recording *recording, const struct process *process,
		     const struct profil_record_sample *sample, const struct result_part *part)
{
	return stacks_add(&recording->stacks, process->before ? process->before : process->space,
			  sample, part);
}

int mapper_count(struct recording *recording, struct process *process,
		 const struct mapping *mapping, const struct profil_record_sample *sample)
{
	const struct result_process *row;
	struct result_part part;
	int error;

	if (make_part(recording, process, sample, &part) ||
	    add_stack(recording, process, sample, &part))
		return -ENOMEM;
	if (mapping && mapping->file != &recording->files.special[FILE_JIT])
		return count_in_file(recording, mapping->file,
				     mapping->offset + (sample->pc - mapping->start), &part);
	if (!mapping) {
		error = counts_add_outside(&recording->outside, &part, 1);
		return error ? error : tell(recording, NULL, 0, &part);
	}
	row = process_table_row(&recording->processes, process);
	error = jit_count(&recording->jit, &process->jit, process->pid, process->forked,
			  row ? row->program : RESULT_UNKNOWN, &part);
	return error ? error : tell(recording, mapping->file, sample->pc, &part);
}

int mapper_count_unknown(struct recording *recording, struct process *process,
			 const struct profil_record_sample *sample)
{
	const struct unwind_frame frames[] = {
		{ .file = FILE_UNKNOWN, .address = sample->pc },
		{ .file = UNWIND_NO_FILE, .address = RESULT_STACK_NONE },
	};
	struct result_part part;

	if (make_part(recording, process, sample, &part) ||
	    (recording->stacks.is_used &&
	     stack_tree_add(&recording->stacks.tree, frames, 2, &part)))
		return -ENOMEM;
	return count_in_file(recording, &recording->files.special[FILE_UNKNOWN], sample->pc, &part);
}
