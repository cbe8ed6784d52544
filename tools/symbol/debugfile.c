// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds debug files.
 *
 * The code here searches the same places as elfutils. Below another root directory, elfutils would
 * follow absolute links and .. out of the root; and where it finds no file, it loads libdebuginfod
 * with all that this needs, which costs more than a small report. Debuginfod servers are used last,
 * also with a root: a file with the right build-id is the right file wherever it comes from.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>
#include <zlib.h>

#include "result/result.h"
#include "symbol/debugfile.h"
#include "symbol/debuginfod.h"
#include "symbol/debugsections.h"
#include "util/bound.h"
#include "util/objectfile.h"

#define DEBUG_DIRECTORY	"/usr/lib/debug"
/* A file is this many times as long as what is stored of it, which may be nothing of a small one. */
#define MAX_SPARSE	64
#define SMALL		65536

/* The file to search for: an object's debug file, or a file that several debug files share */
struct wanted {
	const char *root;
	const char *link;		/* its name in the object; NULL: none */
	const unsigned char *id;	/* its build-id */
	size_t id_bytes;		/* 0: unknown */
	GElf_Word checksum;		/* of its contents; used if the build-id is unknown */
};

static bool has_build_id(int fd, const struct wanted *wanted)
{
	unsigned char id[RESULT_MAX_BUILD_ID];
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	size_t bytes = elf ? objectfile_build_id(elf, id, sizeof(id)) : 0;

	elf_end(elf);
	return bytes == wanted->id_bytes && !memcmp(id, wanted->id, bytes);
}

/* A file system may compress files, but not as much as a sparse file seems to be. */
static bool is_sparse(int fd)
{
	struct stat st;

	return fstat(fd, &st) || st.st_size / MAX_SPARSE > st.st_blocks * 512 + SMALL;
}

static bool has_checksum(int fd, const struct wanted *wanted)
{
	unsigned long checksum = crc32(0, NULL, 0);
	static unsigned char bytes[1 << 16];
	off_t offset = 0;
	ssize_t nr;

	if (is_sparse(fd))
		return false;
	while ((nr = pread(fd, bytes, sizeof(bytes), offset)) > 0) {
		checksum = crc32(checksum, bytes, (unsigned int)nr);
		offset += nr;
	}
	return !nr && checksum == wanted->checksum;
}

/*
 * Open @path, which may be NULL, if it is the wanted file. Return: a descriptor, and @name is
 * @path; or -1, and @path is freed.
 */
static int open_wanted(const struct wanted *wanted, char *path, char **name)
{
	const char *problem;
	int fd = path ? objectfile_open_below(wanted->root, path, &problem) : -1;

	if (fd >= 0 && objectfile_is_elf(fd) &&
	    (wanted->id_bytes ? has_build_id(fd, wanted) : has_checksum(fd, wanted))) {
		*name = path;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return -1;
}

/* For example /usr/lib/debug/.build-id/01/23456789abcdef.debug */
static char *path_by_id(const struct wanted *wanted)
{
	char text[2 * RESULT_MAX_BUILD_ID + 1];
	char *path;
	size_t i;

	for (i = 0; i < wanted->id_bytes; i++)
		sprintf(text + 2 * i, "%02x", wanted->id[i]);
	if (asprintf(&path, DEBUG_DIRECTORY "/.build-id/%.2s/%s.debug", text, text + 2) < 0)
		return NULL;
	return path;
}

/* Make the path BEFORE/DIRECTORY/BETWEEN/LINK, with the directory of @file. */
static char *path_by_link(const struct wanted *wanted, const char *before, const char *file,
			  const char *between)
{
	const char *end = strrchr(file, '/');
	int length = end ? (int)(end - file) : 0;
	char *path;

	if (wanted->link[0] == '/')
		return strdup(wanted->link);
	if (asprintf(&path, "%s/%.*s/%s%s", before, length, file, between, wanted->link) < 0)
		return NULL;
	return path;
}

/* Search by build-id, then by the link in @file. Return: a descriptor, with @name; or -1. */
static int find_below(const struct wanted *wanted, const char *file, char **name)
{
	static const char *const around[][2] = {
		{ "", "" }, { "", ".debug/" }, { DEBUG_DIRECTORY, "" },
	};
	int fd = -1;
	size_t i;

	if (wanted->id_bytes)
		fd = open_wanted(wanted, path_by_id(wanted), name);
	for (i = 0; fd < 0 && wanted->link && i < sizeof(around) / sizeof(around[0]); i++) {
		char *path = path_by_link(wanted, around[i][0], file, around[i][1]);

		fd = open_wanted(wanted, path, name);
	}
	return fd;
}

/*
 * Whether elfutils searches for a shared file rather than for the debug file. It uses the same
 * callback for both, but only the debug file has the name in .gnu_debuglink.
 */
static bool is_shared(const struct debugfile *search, const char *link)
{
	GElf_Word checksum;

	return link && link != dwelf_elf_gnu_debuglink(search->main, &checksum);
}

/* Search the files. Return: a descriptor, with @name; or -1. */
static int find_file(const struct debugfile *search, Dwfl_Module *module, const char *file,
			const char *link, GElf_Word checksum, char **name)
{
	struct wanted wanted = { .root = search->root, .link = link, .checksum = checksum };
	const void *id = NULL;
	const char *same;
	GElf_Addr bias;
	ssize_t bytes;

	if (is_shared(search, link))
		bytes = dwelf_dwarf_gnu_debugaltlink(dwfl_module_getdwarf(module, &bias), &same,
						     &id);
	else
		bytes = dwelf_elf_gnu_build_id(search->main, &id);
	if (bytes > 0 && bytes <= RESULT_MAX_BUILD_ID) {
		wanted.id = id;
		wanted.id_bytes = (size_t)bytes;
	}
	return find_below(&wanted, file ? file : "", name);
}

int debugfile_open(const struct debugfile *search, const unsigned char *id, size_t bytes,
		   char **name)
{
	const struct wanted wanted = { .root = search->root, .id = id, .id_bytes = bytes };
	int fd = open_wanted(&wanted, path_by_id(&wanted), name);

	if (fd >= 0)
		return fd;
	debuginfod_before_search(search->dwfl, search->path);
	fd = debuginfod_find(search->dwfl, id, bytes, name);
	debuginfod_after_search(fd);
	return fd < 0 ? -1 : fd;
}

/* Note what is in a debug file, for the case that elfutils cannot read it. */
static void look_into(struct debugfile *search, int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);

	bound_allow(fd);
	if (elf && debugsections_exist(elf)) {
		search->has_debug_info = true;
		search->problem = debugsections_problem(elf);
	}
	elf_end(elf);
}

static int find(Dwfl_Module *module, void **data, const char *module_name, Dwarf_Addr base,
		const char *file, const char *link, GElf_Word checksum, char **name)
{
	struct debugfile *search = *data;
	const bool shared = is_shared(search, link);
	int fd = find_file(search, module, file, link, checksum, name);

	if (fd < 0 && debuginfod_is_used()) {
		debuginfod_before_search(search->dwfl, search->path);
		/* without names, elfutils searches no more than the servers */
		fd = dwfl_standard_find_debuginfo(module, data, module_name, base, NULL, NULL, 0,
						  name);
		debuginfod_after_search(fd);
	}
	if (fd >= 0)
		look_into(search, fd);
	if (search->root && shared && fd < 0)
		search->lacks_shared = true;
	return fd;
}

const Dwfl_Callbacks *debugfile_callbacks(void)
{
	static char *nowhere = (char *)"";
	static const Dwfl_Callbacks callbacks = {
		.find_debuginfo = find,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &nowhere,
	};

	return &callbacks;
}
