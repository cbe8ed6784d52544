// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The file that monitor() writes, in the machine's own words:
 *
 *	struct hdr	{ char *lpc, *hpc; size_t nfns; }
 *	struct cnt	{ char *fnpc; long mcnt; }	nfns of them
 *	WORD		16-bit counters, to the end
 *
 * Addresses are the linker's, so that they are the same in each run of a PIE: what was added
 * to those of the object at load is subtracted. Functions of other objects are left out:
 * their addresses would be another's.
 *
 * It is made under a name of its own, .mon.out.PID.N beside the one that it gets when it is
 * whole. It is created anew, so no link leads elsewhere.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "monitor/callcount.h"
#include "monitor/output.h"
#include "write_all.h"

#define DEFAULT_NAME	"mon.out"
#define NAMES_TO_TRY	100	/* what killed processes of this PID may have left */

/* The loaded object that holds an address; everything if there is none. */
struct object {
	uintptr_t address;
	uintptr_t bias;
	uintptr_t start;
	uintptr_t end;
};

static int find_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct object *object = data;
	uintptr_t start = UINTPTR_MAX, end = 0;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD)
			continue;
		if (at < start)
			start = at;
		if (at + segment->p_memsz > end)
			end = at + segment->p_memsz;
	}
	if (object->address < start || object->address >= end)
		return 0;
	object->bias = info->dlpi_addr;
	object->start = start;
	object->end = end;
	return 1;
}

/* Leave those that are not in the object, and make their addresses the linker's. */
static size_t of_object(const struct object *object, struct profil_callcount_cell *cells,
			size_t nr)
{
	size_t kept = 0, i;

	for (i = 0; i < nr; i++) {
		if (cells[i].function < object->start || cells[i].function >= object->end)
			continue;
		cells[kept] = cells[i];
		cells[kept++].function -= object->bias;
	}
	return kept;
}

static int write_contents(int fd, const struct profil_monitor_output *out)
{
	struct object object = { .address = out->low, .end = UINTPTR_MAX };
	struct profil_callcount_cell *cells;
	/* a single counter has all the range */
	const uintptr_t shift = out->nr > 1 ? out->shift : 0;
	struct profil_monitor_output_header header;
	size_t nr, skipped;
	int error = profil_callcount_collect(&cells, &nr);

	if (error)
		return error;
	dl_iterate_phdr(find_object, &object);
	header.low = out->low - object.bias;
	header.high = out->high - object.bias;
	/*
	 * No address is below 0, where a PIE begins. The first counter is of less than its header
	 * then, so it is left out. The scale still follows from the range and the others.
	 */
	skipped = header.low < shift;
	if (skipped) {
		header.low += (0x20000 + out->scale - 1) / out->scale;
		header.high = header.low + 2 * ((out->nr - 1) * 0x10000 / out->scale);
	}
	header.low -= shift;
	header.high -= shift;
	header.nfns = of_object(&object, cells, nr);
	error = profil_write_all(fd, &header, sizeof(header));
	if (!error)
		error = profil_write_all(fd, cells, header.nfns * sizeof(*cells));
	if (!error)
		error = profil_write_all(fd, out->counters + skipped,
					 (out->nr - skipped) * sizeof(*out->counters));
	free(cells);
	return error;
}

/*
 * Return: a descriptor of a new file, whose name is *path, which the caller frees; or -errno,
 * and *path is NULL.
 */
static int create_beside(const char *directory, char **path)
{
	int error = -EEXIST, fd, n;

	for (n = 0; n < NAMES_TO_TRY && error == -EEXIST; n++) {
		if (asprintf(path, "%s%s.%s.%d.%d", directory ? directory : "",
			     directory ? "/" : "", DEFAULT_NAME, (int)getpid(), n) < 0) {
			*path = NULL;
			return -ENOMEM;
		}
		fd = open(*path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd >= 0)
			return fd;
		error = -errno;
		free(*path);
		*path = NULL;
	}
	return error;
}

static char *make_path(const char *directory)
{
	char *path;

	if (!directory)
		return strdup(DEFAULT_NAME);
	return asprintf(&path, "%s/%d.%s", directory, (int)getpid(),
			program_invocation_short_name) < 0 ? NULL : path;
}

static void say(const char *path, int error)
{
	const char *remedy = "";

	if (error == EACCES || error == EPERM || error == EROFS || error == ENOENT ||
	    error == ENOTDIR)
		remedy = ": run the program where it may write, or set PROFDIR to a directory where it may";
	else if (error == EISDIR)
		remedy = ": remove the directory of that name, or set PROFDIR";
	else if (error == ENOSPC || error == EDQUOT)
		remedy = ": make room, or set PROFDIR to a directory that has some";
	else if (error == EEXIST)
		remedy = ": remove the files .mon.out.* beside it";
	fprintf(stderr, "libprofil: %s: profile not written: %s (%s)%s\n",
		path ? path : DEFAULT_NAME, strerrordesc_np(error), strerrorname_np(error),
		remedy);
}

int profil_monitor_output_write(const struct profil_monitor_output *out, char **path)
{
	char *beside;
	int error = -ENOMEM, fd;

	*path = make_path(out->directory);
	if (!*path)
		goto say;
	fd = create_beside(out->directory, &beside);
	if (!beside) {
		error = fd;
		goto say;
	}
	error = write_contents(fd, out);
	if (close(fd) && !error)
		error = -errno;
	if (!error && rename(beside, *path))
		error = -errno;
	if (error)
		unlink(beside);
	free(beside);
say:
	if (error)
		say(*path, -error);
	return error;
}
