/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that processes have mapped, and the samples in each.
 */
#ifndef PROFIL_FILES_H
#define PROFIL_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "record/counts.h"
#include "result/result.h"

#define FILE_SEGMENTS		16	/* most executable ones of a file; linkers make 1 or 2 */

/**
 * struct file_key - what identifies a file
 * @inode: its inode number
 * @major: device of its file system
 * @minor: device of its file system
 * @path:  its path, as the process sees it
 */
struct file_key {
	uint64_t inode;
	uint32_t major;
	uint32_t minor;
	const char *path;
};

/**
 * struct file_segment - an executable segment of an ELF file
 * @offset:  in the file
 * @address: link-time address
 */
struct file_segment {
	uint64_t offset;
	uint64_t address;
};

/**
 * struct file - a file, or a substitute
 * @key:            identifies it; the path belongs to this structure
 * @next:           the one that was seen before it
 * @number:         files that were seen before it
 * @state:          of the file at @key.path when the file was read
 * @checked:        last round in which it was compared with @state
 * @build_id:       its build-id
 * @build_id_bytes: its length; 0: no build-id, or the file could not be read
 * @segments:       its executable segments; none if it is not an ELF file that can be read
 * @nr_segments:    number of segments
 * @start:          link-time address of the first one; without segments, of what was mapped
 * @end:            link-time address of the end of the last one
 * @is_mapped:      @bias is set
 * @bias:           load address minus link-time address, of the first mapping
 * @counts:         samples by link-time address
 */
struct file {
	struct file_key key;
	struct file *next;
	size_t number;
	struct stat state;
	unsigned int checked;
	unsigned char build_id[RESULT_MAX_BUILD_ID];
	size_t build_id_bytes;
	struct file_segment segments[FILE_SEGMENTS];
	size_t nr_segments;
	uint64_t start;
	uint64_t end;
	bool is_mapped;
	uint64_t bias;
	struct counts counts;
};

/* Substitutes for files. Offsets in these are addresses, in "[vdso]" counted from its start. */
enum file_special {
	FILE_VDSO,	/* "[vdso]" */
	FILE_JIT,	/* "[jit]": anonymous memory */
	FILE_UNKNOWN,	/* "[unknown]": files of which only the inode is known */
	FILE_NR_SPECIAL,
};

/**
 * struct files - all files
 * @tree:    files by key
 * @last:    list of all files, also of those that were replaced, from the last one back
 * @special: substitutes, in the list
 * @round:   number of the present round (files_begin_round())
 */
struct files {
	void *tree;
	struct file *last;
	struct file special[FILE_NR_SPECIAL];
	unsigned int round;
};

/**
 * files_init - begin with the substitutes only
 * @files: filled in
 */
void files_init(struct files *files);

/**
 * files_release - free the memory
 * @files: from files_init()
 */
void files_release(struct files *files);

/**
 * files_begin_round - let files_find() check again whether files have been replaced
 * @files: from files_init()
 */
void files_begin_round(struct files *files);

/**
 * files_find - find a file, or read a new one
 * @files: from files_init()
 * @key:   identifies it; copied
 * @pid:   a process that sees it at that path, perhaps in a container
 * @check: check whether another file is there now; otherwise this is done once in each round
 *
 * When a file is deleted and made again, as programs are that a compiler writes, it often gets
 * the same inode. So the file at the path must not have changed.
 *
 * Return: the file, which stays until files_release(); NULL: no memory.
 */
struct file *files_find(struct files *files, const struct file_key *key, pid_t pid, bool check);

/**
 * files_find_inode - find a file whose path is not known
 * @files: from files_init()
 * @key:   identifies it, except for its path, which is ""
 *
 * Return: a file with that inode; NULL: there is none.
 */
struct file *files_find_inode(const struct files *files, const struct file_key *key);

/**
 * file_address - convert an offset to a link-time address
 * @file:   any file
 * @offset: in the file, in bytes
 *
 * Return: the address; @offset itself if the file has no segments.
 */
uint64_t file_address(const struct file *file, uint64_t offset);

/**
 * file_mapped - note that a file has been mapped
 * @file:   any file
 * @start:  address
 * @bytes:  size of the mapping
 * @offset: of @start in the file
 */
void file_mapped(struct file *file, uint64_t start, uint64_t bytes, uint64_t offset);

/**
 * file_count - add samples
 * @file:    any file
 * @offset:  of the pc in the file
 * @samples: at least 1
 *
 * Return: 0 or -ENOMEM.
 */
int file_count(struct file *file, uint64_t offset, uint32_t samples);

#endif /* PROFIL_FILES_H */
