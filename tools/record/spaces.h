/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The executable mappings of an address space. Forked children share those of their parent until
 * one of them maps something.
 */
#ifndef PROFIL_SPACES_H
#define PROFIL_SPACES_H

#include <stddef.h>
#include <stdint.h>

struct file;
struct space;

/*
 * More mappings than a process has at a time (the default of vm.max_map_count is 65,530). The log
 * has no record of munmap(2), so mappings stay. A space with this many is emptied.
 */
#define SPACE_MAX	65536

/**
 * struct mapping - executable memory
 * @end:    first address after it, above @start
 * @offset: of @start in the file; for memory without a file see files_special()
 */
struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	struct file *file;
};

/* Make a space without mappings. Return: the space, with one reference; NULL: no memory. */
struct space *space_new(void);

/* Take another reference to a space: what one holder maps, all have. Return: @space. */
struct space *space_share(struct space *space);

/*
 * Make a space with the mappings that another one has now. The mappings are copied only if one of
 * the two is changed. Return: the new space, with one reference; NULL: no memory.
 */
struct space *space_fork(struct space *space);

/**
 * space_put - drop a reference; the last one frees the space
 * @space: any space, or NULL
 */
void space_put(struct space *space);

/**
 * space_map - add a mapping, which replaces what it overlaps
 * @mapping: copied
 *
 * Return: 0 or -ENOMEM.
 */
int space_map(struct space *space, const struct mapping *mapping);

/* Remove all mappings. */
void space_clear(struct space *space);

/* Return: what is equal for two spaces with the same mappings, until one of them is changed. */
const void *space_identity(const struct space *space);

/*
 * Find the mapping of a pc. Return: the mapping, valid until the space is changed; NULL: there is
 * none.
 */
const struct mapping *space_find(struct space *space, uint64_t pc);

/**
 * space_below - find the last mapping that starts at or below an address
 * @address: which the mapping need not contain
 *
 * Return: the mapping, valid until the space is changed; NULL: there is none.
 */
const struct mapping *space_below(const struct space *space, uint64_t address);

#endif /* PROFIL_SPACES_H */
