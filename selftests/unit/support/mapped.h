/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mappings of a process, for unwinding without a log.
 */
#ifndef MAPPED_H
#define MAPPED_H

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <record/files.h>
#include <record/procmaps.h>
#include <record/spaces.h>

#include "support/sieve.h"

/* What is known of a process; all zero, but for files_init() and space_new(), at first */
struct mapped {
	struct files files;
	struct space *space;
	struct sieve_text text;
};

/* Add an executable mapping. Return: 0 or -ENOMEM. */
static inline int mapped_add(void *data, const struct procmaps_entry *entry)
{
	struct mapped *mapped = data;
	const struct file_key key = {
		.inode = entry->inode, .major = entry->major, .minor = entry->minor,
		.path = entry->path,
	};
	const struct file_use use = { getpid(), entry->start, entry->end };
	const bool is_vdso = !strcmp(entry->path, "[vdso]");
	struct mapping mapping = {
		.start = entry->start, .end = entry->end, .offset = entry->offset,
	};

	sieve_map(&mapped->text, entry->start, entry->end);
	if (entry->inode) {
		mapping.file = files_find(&mapped->files, &key, &use);
	} else {
		mapping.file = &mapped->files.special[is_vdso ? FILE_VDSO : FILE_JIT];
		mapping.offset = is_vdso ? 0 : entry->start;
	}
	return mapping.file ? space_map(mapped->space, &mapping) : -ENOMEM;
}

#endif /* MAPPED_H */
