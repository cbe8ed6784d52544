// SPDX-License-Identifier: GPL-2.0-only
/*
 * What libprofil makes of a gmon.out file that is there when a -pg program ends, which
 * the C library has written, or anybody: it has its own histogram put in, and all else
 * stays. For libFuzzer; the sanitizers judge, and the promises of gmon/file.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gmon/file.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One is more than a counter of the file holds: it takes several records. */
static const uint32_t counts[] = { 1, 0, 0, 70000, 0, 3 };

static const struct profil_gmon_histogram histogram = {
	.low = 0x1000, .counts = counts, .nr = sizeof(counts) / sizeof(counts[0]),
	.rate = 1000,
};

/* Whether the file has these bytes and no others. */
static int is_still(int fd, const uint8_t *data, size_t size)
{
	uint8_t *there = malloc(size + 1);
	int same = there && pread(fd, there, size + 1, 0) == (ssize_t)size &&
		   !memcmp(there, data, size);

	free(there);
	return same;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("gmon.out", MFD_CLOEXEC), error;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	error = profil_gmon_file_replace(fd, &histogram);
	if (error == -EBADMSG && !is_still(fd, data, size))
		abort();
	/* what it has made is one, too */
	if (!error && profil_gmon_file_replace(fd, &histogram))
		abort();
	close(fd);
	return 0;
}
