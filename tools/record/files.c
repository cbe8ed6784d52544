// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files that processes have mapped. Each is read once, when it is first seen: a file may be
 * replaced before the end of the run. So it also stays open for its names, if possible (held_files.c).
 * All files stay in the list, as mappings point to them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <gelf.h>

#include "record/files.h"
#include "record/openmapped.h"
#include "util/array.h"
#include "util/objectfile.h"
#include "util/time_ns.h"

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_inodes(const struct file_key *a, const struct file_key *b)
{
	int order = compare_numbers(a->inode, b->inode);

	if (!order)
		order = compare_numbers(a->minor, b->minor);
	return order ? order : compare_numbers(a->major, b->major);
}

static int compare_identities(const void *va, const void *vb)
{
	const struct file_key *a = va, *b = vb;
	int order = compare_inodes(a, b);

	if (!order)
		order = compare_numbers(a->file_bytes, b->file_bytes);
	if (!order)
		order = compare_numbers((uint64_t)a->mtime_ns, (uint64_t)b->mtime_ns);
	if (!order)
		order = compare_numbers((uint64_t)a->ctime_ns, (uint64_t)b->ctime_ns);
	return order;
}

static int compare_keys(const void *va, const void *vb)
{
	const struct file_key *a = va, *b = vb;
	int order = compare_identities(a, b);

	return order ? order : strcmp(a->path, b->path);
}

/* What /proc/PID/maps says of a file */
static int compare_places(const void *va, const void *vb)
{
	const struct file_key *a = va, *b = vb;
	int order = compare_inodes(a, b);

	return order ? order : strcmp(a->path, b->path);
}

static void add(struct files *files, struct file *file)
{
	file->next = files->last;
	file->number = files->last ? files->last->number + 1 : 0;
	files->last = file;
}

/* Find the device of a file system that the kernel mounts for itself. */
static dev_t internal_device(unsigned int flags)
{
	int fd = memfd_create("", flags);
	struct stat state = { 0 };

	/* without huge pages, there is none */
	if (fd < 0)
		return 0;
	fstat(fd, &state);
	close(fd);
	return state.st_dev;
}

void files_init(struct files *files)
{
	static char *const names[] = {
		[FILE_VDSO + VDSO_OWN] = "[vdso]",
		[FILE_VDSO + VDSO_32] = "[vdso32]",
		[FILE_VDSO + VDSO_X32] = "[vdsox32]",
		[FILE_JIT] = RESULT_JIT,
		[FILE_UNKNOWN] = RESULT_UNKNOWN,
	};
	size_t i;

	memset(files, 0, sizeof(*files));
	held_files_init(&files->kept);
	for (i = 0; i < FILE_NR_SPECIAL; i++) {
		files->special[i].path = names[i];
		add(files, &files->special[i]);
	}
	files->internal[0] = internal_device(MFD_CLOEXEC);
	files->internal[1] = internal_device(MFD_CLOEXEC | MFD_HUGETLB);
}

static void free_file(struct file *file)
{
	free((char *)file->key.path);
	free(file->path);
	free(file->segments);
	counts_release(&file->counts);
	free(file);
}

static void keep(void *file)
{
	(void)file;
}

void files_release(struct files *files)
{
	size_t i;

	held_files_release(&files->kept);
	vdso_release(files->vdsos);
	tdestroy(files->tree, keep);
	tdestroy(files->places, keep);
	/* the substitutes were added first */
	while (files->last != &files->special[FILE_NR_SPECIAL - 1]) {
		struct file *next = files->last->next;

		free_file(files->last);
		files->last = next;
	}
	for (i = 0; i < FILE_NR_SPECIAL; i++)
		counts_release(&files->special[i].counts);
}

/* Return: 0 or -ENOMEM. */
static int add_segment(struct file *file, const GElf_Phdr *header)
{
	struct file_segment *segment;
	uint64_t end;

	if (header->p_type != PT_LOAD || !(header->p_flags & PF_X) || !header->p_memsz ||
	    __builtin_add_overflow(header->p_vaddr, header->p_memsz, &end))
		return 0;
	segment = array_append(file->segments, file->nr_segments);
	if (!segment)
		return -ENOMEM;
	if (file->nr_segments == 1 || header->p_vaddr < file->start)
		file->start = header->p_vaddr;
	if (end > file->end)
		file->end = end;
	*segment = (struct file_segment){
		.offset = header->p_offset,
		.address = header->p_vaddr,
		.bytes = header->p_memsz,
	};
	return 0;
}

static int compare_segments(const void *va, const void *vb)
{
	const struct file_segment *a = va, *b = vb;
	int order = compare_numbers(a->offset, b->offset);

	return order ? order : compare_numbers(a->address, b->address);
}

/*
 * The file is not mapped by libelf, as it may shrink meanwhile, which would be a SIGBUS. Return:
 * 1: it is an ELF file; 0: it is not; or -ENOMEM.
 */
static int read_elf(struct file *file, int fd)
{
	size_t nr, i;
	int error = 0;
	bool is_elf;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	is_elf = elf_kind(elf) == ELF_K_ELF;
	if (is_elf && !elf_getphdrnum(elf, &nr)) {
		for (i = 0; i < nr && !error; i++) {
			GElf_Phdr header;

			if (gelf_getphdr(elf, (int)i, &header))
				error = add_segment(file, &header);
		}
		file->build_id_bytes = objectfile_build_id(elf, file->build_id,
							   sizeof(file->build_id));
	}
	elf_end(elf);
	if (file->nr_segments)
		qsort(file->segments, file->nr_segments, sizeof(*file->segments),
		      compare_segments);
	return error ? error : is_elf;
}

static void set_times(struct file_key *key, int fd)
{
	struct stat state;

	if (key->has_times || fd < 0 || fstat(fd, &state))
		return;
	key->has_times = true;
	key->file_bytes = (uint64_t)state.st_size;
	key->mtime_ns = time_stat_ns(&state.st_mtim);
	key->ctime_ns = time_stat_ns(&state.st_ctim);
}

/* Return: a file that is in no list; NULL: no memory. */
static struct file *new_file(const struct file_key *key, int fd)
{
	struct file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->key = *key;
	file->key.path = strdup(key->path);
	file->path = fd >= 0 ? openmapped_path(fd) : NULL;
	if (!file->path) {
		file->path = strdup(key->path);
		if (file->path)
			openmapped_strip(file->path);
	}
	if (file->key.path && file->path)
		return file;
	free_file(file);
	return NULL;
}

/* Memory that has no place in a file system, whatever its name */
static bool is_internal(const struct files *files, const struct file_key *key)
{
	const dev_t device = makedev(key->major, key->minor);
	size_t i;

	for (i = 0; i < FILES_INTERNAL; i++)
		if (files->internal[i] && files->internal[i] == device)
			return true;
	return false;
}

/* Whether an open file has no name any more. */
static bool is_unlinked(int fd)
{
	struct stat state;

	return !fstat(fd, &state) && !state.st_nlink;
}

/*
 * Add what an open file, or -1, is. Compilers also write code to files that they have unlinked.
 * @is_memory: it has no place in a file system. Return: the file or a substitute; NULL: no memory.
 */
static struct file *add_file(struct files *files, const struct file_key *key, int fd,
			     bool is_memory)
{
	struct file *file = new_file(key, fd);
	int is_elf = 0;

	if (!file)
		return NULL;
	if (fd >= 0)
		is_elf = read_elf(file, fd);
	if (is_elf < 0 || (!is_elf && (is_memory || (fd >= 0 && is_unlinked(fd))))) {
		free_file(file);
		return is_elf ? NULL : &files->special[FILE_JIT];
	}
	file->is_read = fd >= 0;
	if (!tsearch(file, &files->tree, compare_keys)) {
		free_file(file);
		return NULL;
	}
	add(files, file);
	return file;
}

/*
 * Find a file of which no times are known, if it was opened in this round: a hundred processes have
 * mapped the same libraries. Return: NULL: it must be opened.
 */
static struct file *find_seen(const struct files *files, const struct file_key *key)
{
	struct file **found = tfind(key, &files->places, compare_places);

	return found && (*found)->seen == files->round + 1 ? *found : NULL;
}

/*
 * Note that a file is what a line of /proc/PID/maps means. Not on file systems where the device and
 * inode there may be those of several files (openmapped.c). Without memory, it is opened again.
 */
static void note_seen(struct files *files, const struct file_key *key, struct file *file, int fd)
{
	struct stat state;
	struct file **found;

	if (fd < 0 || file == &files->special[FILE_JIT] || fstat(fd, &state) ||
	    state.st_dev != makedev(key->major, key->minor) || state.st_ino != key->inode)
		return;
	file->seen = files->round + 1;
	found = tsearch(file, &files->places, compare_places);
	if (found)
		*found = file;
}

struct file *files_find(struct files *files, const struct file_key *key,
			const struct file_use *use)
{
	const bool is_internal_file = is_internal(files, key);
	struct file_key whole = *key;
	struct file **found, *file;
	bool is_device;
	int fd;

	found = whole.has_times ? tfind(&whole, &files->tree, compare_keys) : NULL;
	if (found)
		return *found;
	file = whole.has_times ? NULL : find_seen(files, key);
	if (file)
		return file;
	fd = openmapped_open(&whole, use, !is_internal_file, &is_device);
	set_times(&whole, fd);
	found = key->has_times ? NULL : tfind(&whole, &files->tree, compare_keys);
	file = found ? *found : add_file(files, &whole, fd, is_internal_file || is_device);
	if (!key->has_times && file)
		note_seen(files, key, file, fd);
	/* only ELF files have segments, and names */
	if (!found && file && file->nr_segments)
		held_files_add(&files->kept, file, fd, is_internal_file);
	else if (fd >= 0)
		close(fd);
	return file;
}

struct file *files_find_inode(const struct files *files, const struct file_key *key)
{
	struct file **found = tfind(key, &files->tree, compare_identities);

	return found ? *found : NULL;
}

const struct file_segment *file_segment_of(const struct file *file, uint64_t offset)
{
	/* the last one that starts at the offset or before it, else the first */
	const size_t after = array_first_not(file->nr_segments, i,
					     file->segments[i].offset <= offset);

	return file->nr_segments ? &file->segments[after ? after - 1 : 0] : NULL;
}

uint64_t file_address(const struct file *file, uint64_t offset)
{
	const struct file_segment *segment = file_segment_of(file, offset);

	return segment ? offset - segment->offset + segment->address : offset;
}

void file_mapped(struct file *file, uint64_t start, uint64_t bytes, uint64_t offset)
{
	uint64_t end;

	if (!file->is_mapped)
		file->bias = start - file_address(file, offset);
	if (!file->nr_segments) {
		if (!file->is_mapped || offset < file->start)
			file->start = offset;
		if (!__builtin_add_overflow(offset, bytes, &end) && end > file->end)
			file->end = end;
	}
	file->is_mapped = true;
}

int file_count(struct file *file, uint64_t offset, const struct result_part *part)
{
	uint64_t address = file_address(file, offset);

	/* the end of an object is above its last address; only a damaged file has this one */
	if (address == UINT64_MAX)
		address--;
	return counts_add_at(&file->counts, address, part);
}
