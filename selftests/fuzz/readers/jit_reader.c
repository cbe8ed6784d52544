// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes the readers of /tmp/perf-PID.map and jit-PID.dump, which any user can write. The
 * sanitizers report errors, and the guarantees of jit_names.h are checked.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <record/jit_dump.h>
#include <record/jit_map.h>
#include <result/result.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint64_t addresses[] = { 0, 0x1000, 0x1004, 0x2000, UINT64_MAX - 1, UINT64_MAX };

#define NR	(sizeof(addresses) / sizeof(addresses[0]))

static void check(const struct jit_names *names)
{
	size_t i, left = 0;

	for (i = 0; i < NR; i++) {
		const struct jit_name *found = &names->of[i];

		left += !found->name;
		if (found->pc != addresses[i])
			abort();
		if (found->name && (found->start > found->pc || !found->name[0] ||
				    strlen(found->name) >= RESULT_MAX_NAME))
			abort();
	}
	if (left != names->left)
		abort();
}

static void read_names(int fd, void (*read_file)(int fd, struct jit_names *names))
{
	struct jit_names names;
	size_t i;

	if (jit_names_new(&names, NR))
		abort();
	for (i = 0; i < NR; i++)
		names.of[i].pc = addresses[i];
	read_file(fd, &names);
	check(&names);
	jit_names_release(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("names", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	read_names(fd, jit_map_read);
	read_names(fd, jit_dump_read);
	close(fd);
	return 0;
}
