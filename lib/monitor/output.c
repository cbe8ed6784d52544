// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writes mon.out, the file of monitor(), in the machine's own byte order and word size:
 *
 *	struct hdr	{ char *lpc, *hpc; size_t nfns; }
 *	struct cnt	{ char *fnpc; long mcnt; }	nfns of them
 *	WORD		16-bit counters, to the end
 *
 * Addresses are those of the linker, without the load offset of the object, so that they are the
 * same in each run of a PIE. Functions of other objects are left out: readers would take their
 * addresses for those of functions in this object.
 *
 * The file is written as .mon.out.PID.N in the final directory, and renamed when it is complete.
 * O_EXCL makes open() fail if another user has created a link with that name.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error_text.h"
#include "monitor/callcount.h"
#include "monitor/output.h"
#include "write_all.h"

#define DEFAULT_NAME	"mon.out"
#define MAX_NAMES	100	/* killed processes with this PID may have left files */

/* The loaded object that contains @address; the whole address space with bias 0 if there is none */
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

/*
 * Remove functions outside the object; convert the others to the linker's addresses. Return: how
 * many remain.
 */
static size_t filter_cells(const struct object *object, struct profil_callcount_cell *cells,
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

/* Return: 0 or -errno. */
static int write_contents(int fd, const struct profil_monitor_output *out)
{
	struct object object = { .address = out->low, .end = UINTPTR_MAX };
	struct profil_callcount_cell *cells;
	/* a single counter covers the whole range */
	const uintptr_t shift = out->nr > 1 ? out->shift : 0;
	struct profil_monitor_output_header header;
	size_t skipped;	/* counters that are left out: 0 or 1 */
	size_t nr;
	int error = profil_callcount_collect(&cells, &nr);

	if (error)
		return error;
	dl_iterate_phdr(find_object, &object);
	header.low = out->low - object.bias;
	header.high = out->high - object.bias;
	/*
	 * In a PIE, the range may begin at 0, so that it cannot begin @shift lower. Then leave out
	 * the first counter, which has less text than the others, and let the range begin at the
	 * second. Readers compute the same scale from the new range and number of counters.
	 */
	skipped = header.low < shift;
	if (skipped) {
		header.low += (0x20000 + out->scale - 1) / out->scale;
		header.high = header.low + 2 * ((out->nr - 1) * 0x10000 / out->scale);
	}
	header.low -= shift;
	header.high -= shift;
	header.nfns = filter_cells(&object, cells, nr);
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
 * Create a temporary file; *path receives its name, which the caller frees. Return: descriptor; or
 * -errno, and *path is NULL.
 */
static int create_temporary(const char *directory, char **path)
{
	int error = -EEXIST, fd, n;

	for (n = 0; n < MAX_NAMES && error == -EEXIST; n++) {
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

/* Final name of the file, which the caller frees; or NULL. */
static char *make_path(const char *directory)
{
	char *path;

	if (!directory)
		return strdup(DEFAULT_NAME);
	return asprintf(&path, "%s/%d.%s", directory, (int)getpid(),
			program_invocation_short_name) < 0 ? NULL : path;
}

static void print_error(const char *path, int error)
{
	const char *remedy = "";

	if (error == EACCES || error == EPERM || error == EROFS || error == ENOENT ||
	    error == ENOTDIR)
		remedy = ": run the program in a directory that it may write to, or set PROFDIR to one";
	else if (error == EISDIR)
		remedy = ": remove the directory of that name, or set PROFDIR";
	else if (error == ENOSPC || error == EDQUOT)
		remedy = ": free disk space, or set PROFDIR to a directory on another disk";
	else if (error == EEXIST)
		remedy = ": remove the files .mon.out.* in its directory";
	fprintf(stderr, "libprofil: %s: profile not written: %s (%s)%s\n",
		path ? path : DEFAULT_NAME, profil_error_text(error), profil_error_name(error),
		remedy);
}

int profil_monitor_output_write(const struct profil_monitor_output *out, char **path)
{
	char *temporary;
	int error = -ENOMEM, fd;

	*path = make_path(out->directory);
	if (!*path)
		goto print;
	fd = create_temporary(out->directory, &temporary);
	if (!temporary) {
		error = fd;
		goto print;
	}
	error = write_contents(fd, out);
	if (close(fd) && !error)
		error = -errno;
	if (!error && rename(temporary, *path))
		error = -errno;
	if (error)
		unlink(temporary);
	free(temporary);
print:
	if (error)
		print_error(*path, -error);
	return error;
}
