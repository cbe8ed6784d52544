// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds and opens the files with the names of made code. Any program can write a file of that
 * name into /tmp, and a process may be in a container where all files are of its making.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/jit_dump.h"
#include "record/jit_map.h"
#include "record/jit_source.h"
#include "record/procfs.h"
#include "util/helper.h"

/* The clock of files is behind by a tick, and seconds are rounded. */
#define CLOCK_SLACK_S	2

void jit_source_find(struct jit_source *source, pid_t pid, pid_t parent, int64_t since_s)
{
	source->pid = pid;
	if (!procfs_read_user(pid, &source->user))
		source->user = geteuid();
	source->number = procfs_read_inner_pid(pid);
	if (!source->number)
		source->number = pid;
	source->since_s = procfs_read_start(pid);
	if (!source->since_s)
		source->since_s = since_s;
	if (!parent)
		return;
	source->parent_number = procfs_read_inner_pid(parent);
	source->parent_since_s = procfs_read_start(parent);
	if (!source->parent_number && source->number == pid) {
		source->parent_number = parent;
		source->parent_since_s = since_s;
	}
}

void jit_source_open(struct jit_source *source)
{
	char path[PROCFS_PATH];

	procfs_path(source->pid, "root", path);
	source->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (source->root < 0 && (errno == ENOENT || errno == ESRCH) &&
	    source->number == source->pid)
		source->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static bool is_trusted(int fd, const struct jit_source *source, int64_t since_s)
{
	struct stat state;

	return !fstat(fd, &state) && S_ISREG(state.st_mode) && state.st_uid == source->user &&
	       state.st_mtim.tv_sec + CLOCK_SLACK_S >= since_s;
}

/*
 * Open a file below the root directory. It is checked before it is opened for reading, as opening
 * a pipe or a device has effects. Return: a descriptor; -1: there is no file that may be read.
 */
static int open_file(const struct jit_source *source, const char *path, int64_t since_s)
{
	struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int checked, fd = -1;
	char link[32];

	checked = (int)syscall(SYS_openat2, source->root, path, &how, sizeof(how));
	if (checked < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", checked);
	if (is_trusted(checked, source, since_s))
		fd = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	close(checked);
	return fd;
}

static void read_file(const struct jit_source *source, const char *path, int64_t since_s,
		      void (*read)(int fd, struct jit_names *names), struct jit_names *names)
{
	int fd = names->left ? open_file(source, path, since_s) : -1;

	if (fd < 0)
		return;
	read(fd, names);
	close(fd);
}

static void read_map(const struct jit_source *source, pid_t number, int64_t since_s,
		     struct jit_names *names)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", number);
	read_file(source, path, since_s, jit_map_read, names);
}

/* What the helper needs to know */
struct reading {
	const struct jit_source *source;
	struct jit_names *names;
};

static int read_files(void *data)
{
	const struct reading *reading = data;
	const struct jit_source *source = reading->source;

	read_map(source, source->number, source->since_s, reading->names);
	if (source->dump)
		read_file(source, source->dump, source->since_s, jit_dump_read, reading->names);
	if (source->parent_number)
		read_map(source, source->parent_number, source->parent_since_s, reading->names);
	return 0;
}

int jit_source_read(const struct jit_source *source, struct jit_names *names)
{
	struct reading reading = { source, names };
	const struct helper_work work = {
		.run = read_files, .data = &reading, .seconds = JIT_SOURCE_SECONDS,
	};
	struct helper helper;

	return source->root < 0 ? -ENOENT : helper_run(&helper, &work);
}

void jit_source_release(struct jit_source *source)
{
	if (source->root >= 0)
		close(source->root);
	source->root = -1;
	free(source->dump);
	source->dump = NULL;
}
