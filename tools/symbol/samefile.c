// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a file is the one that ran.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "symbol/samefile.h"
#include "util/objectfile.h"
#include "util/time_ns.h"

const char *samefile_by_build_id(const struct result_object *object, Elf *elf)
{
	unsigned char id[RESULT_MAX_BUILD_ID];
	size_t bytes;

	if (!object->build_id_bytes)
		return NULL;
	bytes = objectfile_build_id(elf, id, sizeof(id));
	if (!bytes)
		return "not the file that ran: it has no build-id";
	if (bytes != object->build_id_bytes || memcmp(id, object->build_id, bytes))
		return "not the file that ran: its build-id differs";
	return NULL;
}

const char *samefile_by_times(const struct result_object *object, int fd, bool is_there)
{
	struct stat state;

	if (!object->file_bytes)
		return NULL;
	if (fstat(fd, &state))
		return strerror(errno);
	if ((uint64_t)state.st_size != object->file_bytes ||
	    (is_there && time_stat_ns(&state.st_mtim) != object->mtime_ns))
		return "not the file that ran: it has been modified since";
	return NULL;
}
