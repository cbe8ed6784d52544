// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes the command with the log of a run and a file that was mapped: the log is recorded, made
 * into a result, added up, and reported. The sanitizers report errors, and the guarantees of
 * recording.h, result.h and profile.h are checked.
 *
 * The first two bytes of the input are the number of bytes of the log, which follows; the rest is
 * the file at every path. What the log says about this machine's processes is not looked up.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <record/collect.h>
#include <record/jit_dump.h>
#include <record/jit_map.h>
#include <record/jit_source.h>
#include <record/procfs.h>
#include <record/procmaps.h>
#include <record/unwind.h>
#include <profile/calls.h>
#include <profile/profile.h>
#include <report/report.h>
#include <util/helper.h>
#include <util/objectfile.h>

#include "fake_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* These replace the functions of the command (--wrap) */
int __wrap_procmaps_read(pid_t pid, int (*add)(void *data, const struct procmaps_entry *entry),
			 void *data);
bool __wrap_procmaps_has(pid_t pid, const struct file_key *key);
pid_t __wrap_procfs_read_parent(pid_t pid);
bool __wrap_procfs_read_exe(pid_t pid, char *path, size_t room);
bool __wrap_procfs_read_thread_name(pid_t pid, pid_t tid, char thread[PROCFS_THREAD_NAME]);
bool __wrap_procfs_read_thread_cpu(pid_t pid, pid_t tid, uint64_t *cpu_ns);
char **__wrap_procfs_read_command(pid_t pid);
int __wrap_objectfile_open(const char *path, const char **problem);
int __wrap_helper_start(struct helper *helper, const struct helper_work *work);
void __wrap_cfi_open_vdso(struct cfi *cfi);
int __wrap_objectfile_open_below(const char *root, const char *path, const char **problem);
void __wrap_jit_source_find(struct jit_source *source, pid_t pid, pid_t parent, int64_t since_s);
void __wrap_jit_source_open(struct jit_source *source);
int __wrap_jit_source_read(const struct jit_source *source, struct jit_names *names);

static char name[] = "function";	/* name of functions */

static const uint8_t *file_bytes;
static size_t file_size;

/* Every other process exists. */
int __wrap_procmaps_read(pid_t pid, int (*add)(void *data, const struct procmaps_entry *entry),
			 void *data)
{
	static const struct procmaps_entry entries[] = {
		{ .start = 0x401000, .end = 0x402000, .inode = 1, .path = "/program" },
		{ .start = 0x500000, .end = 0x501000, .path = "" },
		{ .start = 0x700000, .end = 0x702000, .path = "[vdso]" },
	};
	int error = 0;
	size_t i;

	if (pid % 2)
		return -ESRCH;
	for (i = 0; !error && i < sizeof(entries) / sizeof(entries[0]); i++)
		error = add(data, &entries[i]);
	return error;
}

bool __wrap_procmaps_has(pid_t pid, const struct file_key *key)
{
	return (pid ^ (pid_t)key->inode) & 1;
}

pid_t __wrap_procfs_read_parent(pid_t pid)
{
	return pid % 2 ? 0 : 1;
}

bool __wrap_procfs_read_exe(pid_t pid, char *path, size_t room)
{
	snprintf(path, room, "/program");
	return !(pid % 2);
}

bool __wrap_procfs_read_thread_name(pid_t pid, pid_t tid, char thread[PROCFS_THREAD_NAME])
{
	snprintf(thread, PROCFS_THREAD_NAME, "%d", pid);
	return !(tid % 2);
}

bool __wrap_procfs_read_thread_cpu(pid_t pid, pid_t tid, uint64_t *cpu_ns)
{
	*cpu_ns = pid % 3 ? (uint64_t)tid : 0;
	return pid % 3;
}

char **__wrap_procfs_read_command(pid_t pid)
{
	(void)pid;
	return NULL;
}

int __wrap_objectfile_open(const char *path, const char **problem)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	(void)path;
	(void)problem;
	if (fd < 0 || write(fd, file_bytes, file_size) != (ssize_t)file_size)
		abort();
	return fd;
}

int __wrap_objectfile_open_below(const char *root, const char *path, const char **problem)
{
	(void)root;
	return __wrap_objectfile_open(path, problem);
}

void __wrap_jit_source_find(struct jit_source *source, pid_t pid, pid_t parent, int64_t since_s)
{
	(void)parent;
	(void)since_s;
	source->pid = pid;
}

void __wrap_jit_source_open(struct jit_source *source)
{
	(void)source;
}

/* The file is the map and the dump of all processes. */
int __wrap_jit_source_read(const struct jit_source *source, struct jit_names *names)
{
	int fd = __wrap_objectfile_open("", NULL);

	jit_map_read(fd, names);
	if (source->dump)
		jit_dump_read(fd, names);
	close(fd);
	return 0;
}

/* The unwinder reads the file here: a child would not be seen by the fuzzer. */
int __wrap_helper_start(struct helper *helper, const struct helper_work *work)
{
	*helper = (struct helper){ .error = -work->run(work->data) };
	return 0;
}

/* That of this machine */
void __wrap_cfi_open_vdso(struct cfi *cfi)
{
	(void)cfi;
}

static void check_profile(const struct profile *profile)
{
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < profile->nr_rows; i++) {
		if (!profile->rows[i].samples || !profile->rows[i].function)
			abort();
		samples += profile->rows[i].samples;
		if (profile->rows[i].percent100 > 10000)
			abort();
	}
	if (samples != profile->samples)
		abort();
}

/* All samples have stacks, or none has. */
static void check_stacks(const struct result *result)
{
	uint64_t samples = 0;
	struct calls calls;
	size_t i;

	if (!result->nr_stack_parts)
		return;
	for (i = 0; i < result->nr_stack_parts; i++)
		samples += result->stack_parts[i].samples;
	if (samples != result_samples(result))
		abort();
	if (!calls_find(&calls, result, fake_symbols_find, name, NULL) &&
	    calls.totals[calls.of_node[result->stack_parts[0].address]] <
	    result->stack_parts[0].samples)
		abort();
	calls_release(&calls);
}

static void show(struct recording *recording)
{
	static char *argv[] = { "program", NULL };
	static const struct child_end end = { .pid = 8, .cpu_ns = 1000000 };
	const struct collect_log run_log = {
		.status = { .rate = 50, .clock = PROFIL_CLOCK_TIMER },
		.requested_rate = 100,
	};
	struct profile profile;
	struct result result;
	char *text = NULL;
	size_t length;
	FILE *out;

	if (collect_result(&result, recording, &run_log, &end, argv))
		goto release;
	if (result_samples(&result) != recording_samples(recording))
		abort();
	if (!result.nr_processes)
		goto release;
	if (result_problem(&result))
		abort();
	check_stacks(&result);
	if (!profile_make(&profile, &result, fake_symbols_find, name)) {
		check_profile(&profile);
		out = open_memstream(&text, &length);
		report_print(out, &(struct report){
			.result = &result,
			.profile = &profile,
		});
		fclose(out);
		free(text);
	}
	profile_release(&profile);
release:
	result_release(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recording *recording;
	size_t bytes;
	int fd, error;

	if (size < 2)
		return 0;
	bytes = data[0] | (size_t)data[1] << 8;
	data += 2;
	size -= 2;
	if (bytes > size)
		bytes = size;
	file_bytes = data + bytes;
	file_size = size - bytes;
	fd = memfd_create("log", MFD_CLOEXEC);
	recording = recording_new();
	if (!recording || fd < 0 || pwrite(fd, data, bytes, 0) != (ssize_t)bytes)
		abort();
	error = recording_read(recording, fd);
	if (error && error != -EBADMSG)
		abort();
	show(recording);
	if (recording_read_names(recording))
		abort();
	show(recording);
	recording_free(recording);
	close(fd);
	return 0;
}
