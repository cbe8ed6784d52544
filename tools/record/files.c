// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files that processes have mapped. Each is read once, when it is first seen: a file may be
 * replaced before the end of the run. All files stay, as mappings point to them.
 */
#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <gelf.h>

#include "record/files.h"
#include "util/objectfile.h"

static int compare_inodes(const struct file_key *a, const struct file_key *b)
{
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	if (a->minor != b->minor)
		return a->minor < b->minor ? -1 : 1;
	if (a->major != b->major)
		return a->major < b->major ? -1 : 1;
	return 0;
}

static int compare_keys(const void *va, const void *vb)
{
	const struct file_key *a = va, *b = vb;
	int order = compare_inodes(a, b);

	return order ? order : strcmp(a->path, b->path);
}

static int compare_only_inodes(const void *va, const void *vb)
{
	return compare_inodes(va, vb);
}

static void add(struct files *files, struct file *file)
{
	file->next = files->last;
	file->number = files->last ? files->last->number + 1 : 0;
	files->last = file;
}

void files_init(struct files *files)
{
	static const char *const names[] = {
		[FILE_VDSO] = "[vdso]",
		[FILE_JIT] = "[jit]",
		[FILE_UNKNOWN] = "[unknown]",
	};
	size_t i;

	memset(files, 0, sizeof(*files));
	for (i = 0; i < FILE_NR_SPECIAL; i++) {
		files->special[i].key.path = names[i];
		add(files, &files->special[i]);
	}
}

static void free_file(struct file *file)
{
	free((char *)file->key.path);
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

	tdestroy(files->tree, keep);
	/* the substitutes were added first */
	while (files->last != &files->special[FILE_NR_SPECIAL - 1]) {
		struct file *next = files->last->next;

		free_file(files->last);
		files->last = next;
	}
	for (i = 0; i < FILE_NR_SPECIAL; i++)
		counts_release(&files->special[i].counts);
}

void files_begin_round(struct files *files)
{
	files->round++;
}

enum likeness { OTHER, POSSIBLE, SAME };

/*
 * Whether an open file is the one that is mapped. On some file systems (btrfs, overlayfs) the
 * kernel has other devices and inodes for mappings than for stat(2).
 */
static enum likeness compare_open(int fd, const struct file_key *key)
{
	bool same_device, same_inode;
	struct stat state;

	if (fd < 0 || fstat(fd, &state))
		return OTHER;
	same_device = major(state.st_dev) == key->major && minor(state.st_dev) == key->minor;
	same_inode = state.st_ino == key->inode;
	if (same_device)
		return same_inode ? SAME : OTHER;
	return POSSIBLE;
}

/*
 * Open the file that a process sees at a path. In a container it is not the one at the same path
 * here. Return: a descriptor; -1: it cannot be read, or another file is there now.
 */
static int open_file(const struct file_key *key, pid_t pid)
{
	const char *problem;
	enum likeness here;
	char root[32];
	int fd, below;

	if (key->path[0] != '/')
		return -1;
	fd = objectfile_open(key->path, &problem);
	here = compare_open(fd, key);
	if (here == SAME)
		return fd;
	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	below = objectfile_open_below(root, key->path, &problem);
	if (below >= 0 && compare_open(below, key) == OTHER) {
		close(below);
		below = -1;
	}
	if (fd >= 0 && (below >= 0 || here == OTHER)) {
		close(fd);
		fd = -1;
	}
	return below >= 0 ? below : fd;
}

static void add_segment(struct file *file, const GElf_Phdr *header)
{
	uint64_t end;

	if (header->p_type != PT_LOAD || !(header->p_flags & PF_X) || !header->p_memsz ||
	    __builtin_add_overflow(header->p_vaddr, header->p_memsz, &end))
		return;
	if (!file->nr_segments || header->p_vaddr < file->start)
		file->start = header->p_vaddr;
	if (end > file->end)
		file->end = end;
	if (file->nr_segments < FILE_SEGMENTS)
		file->segments[file->nr_segments++] = (struct file_segment){
			.offset = header->p_offset,
			.address = header->p_vaddr,
		};
}

/* The file is not mapped by libelf, as it may shrink meanwhile, which would be a SIGBUS. */
static void read_elf(struct file *file, int fd)
{
	size_t nr, i;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf_kind(elf) == ELF_K_ELF && !elf_getphdrnum(elf, &nr)) {
		for (i = 0; i < nr; i++) {
			GElf_Phdr header;

			if (gelf_getphdr(elf, (int)i, &header))
				add_segment(file, &header);
		}
		file->build_id_bytes = objectfile_build_id(elf, file->build_id,
							   sizeof(file->build_id));
	}
	elf_end(elf);
}

static struct file *read_file(const struct file_key *key, pid_t pid, const struct stat *state)
{
	struct file *file = calloc(1, sizeof(*file));
	int fd;

	if (!file)
		return NULL;
	file->key = *key;
	file->key.path = strdup(key->path);
	if (!file->key.path) {
		free(file);
		return NULL;
	}
	file->state = *state;
	fd = open_file(key, pid);
	if (fd >= 0) {
		read_elf(file, fd);
		close(fd);
	}
	return file;
}

/* The state of the file that is at a path now; zero: there is none. */
static struct stat state_at(const char *path)
{
	struct stat state;

	if (path[0] != '/' || stat(path, &state))
		memset(&state, 0, sizeof(state));
	return state;
}

/* A file that is gone has not been replaced. */
static bool is_replaced(const struct file *file, const struct stat *now)
{
	const struct stat *then = &file->state;

	return now->st_ino &&
	       (now->st_ino != then->st_ino || now->st_dev != then->st_dev ||
		now->st_size != then->st_size || now->st_mtim.tv_sec != then->st_mtim.tv_sec ||
		now->st_mtim.tv_nsec != then->st_mtim.tv_nsec);
}

struct file *files_find(struct files *files, const struct file_key *key, pid_t pid, bool check)
{
	struct file **found = tfind(key, &files->tree, compare_keys), *file;
	struct stat state;

	if (found && (*found)->checked == files->round && !check)
		return *found;
	state = state_at(key->path);
	if (found && !is_replaced(*found, &state)) {
		(*found)->checked = files->round;
		return *found;
	}
	file = read_file(key, pid, &state);
	if (!file)
		return NULL;
	file->checked = files->round;
	add(files, file);
	if (found)
		*found = file;
	else if (!tsearch(file, &files->tree, compare_keys))
		return NULL;
	return file;
}

struct file *files_find_inode(const struct files *files, const struct file_key *key)
{
	struct file **found = tfind(key, &files->tree, compare_only_inodes);

	return found ? *found : NULL;
}

uint64_t file_address(const struct file *file, uint64_t offset)
{
	const struct file_segment *best = file->segments;
	size_t i;

	if (!file->nr_segments)
		return offset;
	/* pages may be mapped that are only in part in the segment, so the nearest one counts */
	for (i = 1; i < file->nr_segments; i++) {
		const struct file_segment *segment = &file->segments[i];

		if (segment->offset <= offset &&
		    (best->offset > offset || segment->offset > best->offset))
			best = segment;
	}
	return offset - best->offset + best->address;
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

int file_count(struct file *file, uint64_t offset, uint32_t samples)
{
	uint64_t address = file_address(file, offset);

	/* the end of an object is above its last address; only a damaged file has this one */
	if (address == UINT64_MAX)
		address--;
	return counts_add(&file->counts, address, samples);
}
