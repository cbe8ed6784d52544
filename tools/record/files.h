/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_FILES_H
#define PROFIL_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/counts.h"
#include "record/held_files.h"
#include "record/vdso.h"
#include "result/result.h"

/**
 * struct file_key - what identifies a file
 * @major:      device of its file system
 * @minor:      device of its file system
 * @has_times:  the following three are known
 * @mtime_ns:   when it was last modified, in ns since 1970 UTC
 * @ctime_ns:   when its inode was last changed, in ns since 1970 UTC
 * @path:       as the kernel gave it, perhaps with " (deleted)"; "": not known
 *
 * Device and inode alone do not identify a file: it may be overwritten, and the inode of a
 * deleted one is used again. A later file has another ctime.
 */
struct file_key {
	uint64_t inode;
	uint32_t major;
	uint32_t minor;
	bool has_times;
	uint64_t file_bytes;
	int64_t mtime_ns;
	int64_t ctime_ns;
	const char *path;
};

/**
 * struct file_use - a process that has mapped a file
 * @start: address of the mapping
 * @end:   first address after it
 */
struct file_use {
	pid_t pid;
	uint64_t start;
	uint64_t end;
};

/**
 * struct file_segment - an executable segment of an ELF file
 * @offset:  in the file
 * @address: link-time address
 * @bytes:   size in memory
 */
struct file_segment {
	uint64_t offset;
	uint64_t address;
	uint64_t bytes;
};

/**
 * struct file - a file, or a substitute
 * @key:            identifies it; the path belongs to this structure
 * @path:           its path without what the kernel adds; belongs to this structure
 * @next:           the one that was seen before it
 * @number:         files that were seen before it
 * @seen:           the round, counted from 1, in which it was opened for a line of /proc/PID/maps
 * @is_read:        what follows was read from the file
 * @build_id_bytes: its length; 0: no build-id
 * @segments:       its executable segments, by offset
 * @nr_segments:    number of segments
 * @start:          link-time address of the first one; without segments, of what was mapped
 * @end:            link-time address of the end of the last one
 * @is_mapped:      @bias is set
 * @bias:           load address minus link-time address, of the first mapping
 * @counts:         samples by link-time address
 */
struct file {
	struct file_key key;
	char *path;
	struct file *next;
	size_t number;
	unsigned int seen;
	bool is_read;
	unsigned char build_id[RESULT_MAX_BUILD_ID];
	size_t build_id_bytes;
	struct file_segment *segments;
	size_t nr_segments;
	uint64_t start;
	uint64_t end;
	bool is_mapped;
	uint64_t bias;
	struct counts counts;
};

/* Substitutes for files. Offsets in these are addresses, in a vdso counted from its start. */
enum file_special {
	FILE_VDSO,	/* "[vdso]"; those of other kinds follow (vdso.h) */
	FILE_VDSO_LAST = FILE_VDSO + VDSO_NR_KINDS - 1,
	FILE_JIT,	/* "[jit]": memory that stands for no ELF file */
	FILE_UNKNOWN,	/* RESULT_UNKNOWN: what was mapped is not known */
	FILE_NR_SPECIAL,
};

/* Whether a file stands for code that processes have made */
static inline bool files_is_made(const struct file *file)
{
	return file->number == FILE_JIT;
}

#define FILES_INTERNAL	2

/**
 * struct files - all files
 * @tree:     files by key
 * @places:   files by what /proc/PID/maps says of them
 * @round:    so often the log was read: files may change meanwhile
 * @last:     list of all files, from the last one back
 * @kept:     those that are open
 * @special:  substitutes, in the list
 * @vdsos:    the functions of some of these
 * @internal: devices of file systems that the kernel mounts for itself: shared memory and
 *            memfd_create(2), with small and with huge pages
 */
struct files {
	void *tree;
	void *places;
	unsigned int round;
	struct file *last;
	struct held_files kept;
	struct file special[FILE_NR_SPECIAL];
	struct vdso vdsos[VDSO_NR_KINDS];
	dev_t internal[FILES_INTERNAL];
};

/* The functions of a vdso. Return: NULL: the file stands for something else. */
static inline const struct vdso *files_vdso(const struct files *files, const struct file *file)
{
	return file->number <= FILE_VDSO_LAST ? &files->vdsos[file->number - FILE_VDSO] : NULL;
}

/* Begin with the substitutes only. */
void files_init(struct files *files);

/* Free the memory. */
void files_release(struct files *files);

/**
 * files_find - find a file, or read a new one
 * @key:   identifies it; copied
 * @use:   a process that has mapped it
 *
 * A new file is opened by its path, here and in the process's root directory, and by the links in
 * /proc/PID. It is read only if it is still the one that the key identifies.
 *
 * Return: the file, which stays until files_release(); the substitute FILE_JIT: it is no ELF file;
 * NULL: no memory.
 */
struct file *files_find(struct files *files, const struct file_key *key,
			const struct file_use *use);

/**
 * files_find_inode - find a file whose path is not known
 * @key:   identifies it, except for its path, which is ""
 *
 * Return: a file with that identity; NULL: there is none.
 */
struct file *files_find_inode(const struct files *files, const struct file_key *key);

/**
 * file_segment_of - find the executable segment that an offset belongs to
 * @offset: in the file, in bytes
 *
 * Pages may be mapped that are only in part in a segment, so the nearest one counts.
 *
 * Return: the segment; NULL: the file has none.
 */
const struct file_segment *file_segment_of(const struct file *file, uint64_t offset);

/**
 * file_address - convert an offset to a link-time address
 * @offset: in the file, in bytes
 *
 * Return: the address; @offset itself if the file has no segments.
 */
uint64_t file_address(const struct file *file, uint64_t offset);

/**
 * file_mapped - note that a file has been mapped
 * @offset: of @start in the file
 */
void file_mapped(struct file *file, uint64_t start, uint64_t bytes, uint64_t offset);

/**
 * file_count - add samples
 * @offset:  of the pc in the file
 * @part:    the samples; its address is of no importance
 *
 * Return: 0 or -ENOMEM.
 */
int file_count(struct file *file, uint64_t offset, const struct result_part *part);

#endif /* PROFIL_FILES_H */
