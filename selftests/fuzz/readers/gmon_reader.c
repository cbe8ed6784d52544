// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes how libprofil replaces the histogram in an existing gmon.out when a -pg program
 * ends. The sanitizers report errors, and gmon/file.h's guarantees are checked: other
 * records and invalid files do not change.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gmon/file.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* 70000 does not fit into a 16-bit counter of the file: it needs several records. */
static const uint32_t counts[] = { 1, 0, 0, 70000, 0, 3 };

static const struct profil_gmon_histogram histogram = {
	.low = 0x1000, .counts = counts, .nr = sizeof(counts) / sizeof(counts[0]),
	.rate = 1000,
};

/* Whether the file has exactly these bytes */
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
	/* the new file is valid, too */
	if (!error && profil_gmon_file_replace(fd, &histogram))
		abort();
	close(fd);
	return 0;
}
