// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading /proc.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "record/procfs.h"

#define STAT_BYTES	512	/* more than the fields of /proc/PID/stat that are read */

/* Whether a thread has ended, or is one of the kernel. @path: of its folder */
static bool has_no_memory(const char *path)
{
	char link[PROCFS_PATH + 4], byte;

	snprintf(link, sizeof(link), "%s/exe", path);
	return readlink(link, &byte, 1) < 0 && errno == ENOENT;
}

/* Find a thread that has memory. @path: of the process; changed to that of the thread */
static void find_thread(char path[PROCFS_PATH])
{
	char tasks[PROCFS_PATH], thread[PROCFS_PATH];
	const struct dirent *entry;
	DIR *directory;

	snprintf(tasks, sizeof(tasks), "%.32s/task", path);
	directory = opendir(tasks);
	while (directory && (entry = readdir(directory))) {
		snprintf(thread, sizeof(thread), "%.40s/%.16s", tasks, entry->d_name);
		if (entry->d_name[0] == '.' || has_no_memory(thread))
			continue;
		strcpy(path, thread);
		break;
	}
	if (directory)
		closedir(directory);
}

void procfs_path(pid_t pid, const char *name, char path[PROCFS_PATH])
{
	size_t length;

	snprintf(path, PROCFS_PATH, "/proc/%d", pid);
	if (has_no_memory(path))
		find_thread(path);
	length = strlen(path);
	snprintf(path + length, PROCFS_PATH - length, "/%s", name);
}

static FILE *open_proc(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return fopen(path, "re");
}

static FILE *open_thread(pid_t pid, pid_t tid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, name);
	return fopen(path, "re");
}

bool procfs_read_thread_name(pid_t pid, pid_t tid, char name[PROCFS_THREAD_NAME])
{
	FILE *file = open_thread(pid, tid, "comm");
	size_t bytes = 0;

	if (file) {
		/* it may contain any character, and ends with a newline */
		bytes = fread(name, 1, PROCFS_THREAD_NAME, file);
		fclose(file);
	}
	if (bytes)
		name[bytes - 1] = 0;
	return bytes;
}

bool procfs_read_thread_cpu(pid_t pid, pid_t tid, uint64_t *cpu_ns)
{
	FILE *file = open_thread(pid, tid, "schedstat");
	bool found = file && fscanf(file, "%" SCNu64, cpu_ns) == 1;

	if (file)
		fclose(file);
	if (!found)
		*cpu_ns = 0;
	return found;
}

pid_t procfs_read_process(pid_t tid)
{
	FILE *file = open_proc(tid, "status");
	char line[256];
	int pid = 0;

	while (file && !pid && fgets(line, sizeof(line), file))
		sscanf(line, "Tgid: %d", &pid);
	if (file)
		fclose(file);
	return pid;
}

bool procfs_read_user(pid_t pid, uid_t *user)
{
	FILE *file = open_proc(pid, "status");
	bool found = false;
	char line[256];

	/* the real and the effective user ID */
	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "Uid: %*u %u", user) == 1;
	if (file)
		fclose(file);
	return found;
}

/* Return: the fields of /proc/PID/stat after the name of the process, in @text; NULL: none. */
static const char *read_stat(pid_t pid, char text[STAT_BYTES])
{
	FILE *file = open_proc(pid, "stat");
	const char *name_end;

	if (!file)
		return NULL;
	text[fread(text, 1, STAT_BYTES - 1, file)] = 0;
	fclose(file);
	/* the name may contain any character */
	name_end = strrchr(text, ')');
	return name_end ? name_end + 1 : NULL;
}

pid_t procfs_read_parent(pid_t pid)
{
	char text[STAT_BYTES];
	const char *fields = read_stat(pid, text);
	int parent;

	return fields && sscanf(fields, " %*c %d", &parent) == 1 ? parent : 0;
}

/* Call a function for the child processes that a thread has forked. */
static int each_forked(pid_t pid, pid_t tid, int (*add)(void *data, pid_t child), void *data)
{
	FILE *file = open_thread(pid, tid, "children");
	int child, error = 0;

	while (file && !error && fscanf(file, "%d", &child) == 1)
		error = add(data, child);
	if (file)
		fclose(file);
	return error;
}

int procfs_each_child(pid_t pid, int (*add)(void *data, pid_t child), void *data)
{
	const struct dirent *entry;
	char tasks[PROCFS_PATH];
	DIR *directory;
	int error = 0;

	snprintf(tasks, sizeof(tasks), "/proc/%d/task", pid);
	directory = opendir(tasks);
	while (directory && !error && (entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			error = each_forked(pid, atoi(entry->d_name), add, data);
	if (directory)
		closedir(directory);
	return error;
}

pid_t procfs_read_inner_pid(pid_t pid)
{
	FILE *file = open_proc(pid, "status");
	char line[256];
	int inner = 0;

	/* the IDs in each namespace, the innermost last */
	while (file && !inner && fgets(line, sizeof(line), file))
		if (!strncmp(line, "NSpid:", 6) && strrchr(line, '\t'))
			sscanf(strrchr(line, '\t'), "%d", &inner);
	if (file)
		fclose(file);
	return inner;
}

int64_t procfs_read_start(pid_t pid)
{
	char text[STAT_BYTES];
	const char *fields = read_stat(pid, text);
	unsigned long long ticks;
	struct timespec now, up;

	/* the time since boot is the 20th field after the name */
	if (!fields || sscanf(fields, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d"
			      " %*d %*d %*d %*d %llu", &ticks) != 1)
		return 0;
	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &up);
	return now.tv_sec - up.tv_sec + (int64_t)(ticks / (unsigned long long)sysconf(_SC_CLK_TCK));
}

bool procfs_read_exe(pid_t pid, char *path, size_t room)
{
	char link[PROCFS_PATH];
	ssize_t length;

	procfs_path(pid, "exe", link);
	length = readlink(link, path, room - 1);
	path[length < 0 ? 0 : length] = 0;
	return length > 0;
}

/*
 * Return: the arguments, each with its terminating 0, to be freed with free(), and the number of
 * bytes; NULL: none.
 */
static char *read_arguments(pid_t pid, size_t *bytes)
{
	char *text = NULL, part[4096], path[PROCFS_PATH];
	FILE *file, *copy;
	size_t length;

	procfs_path(pid, "cmdline", path);
	file = fopen(path, "re");
	if (!file)
		return NULL;
	copy = open_memstream(&text, bytes);
	while (copy && (length = fread(part, 1, sizeof(part), file)) > 0)
		fwrite(part, 1, length, copy);
	if (copy)
		fclose(copy);
	fclose(file);
	/* a process that changes its title fills the rest with 0 */
	while (text && *bytes > 1 && !text[*bytes - 1] && !text[*bytes - 2])
		--*bytes;
	if (text && *bytes && *text)
		return text;
	free(text);
	return NULL;
}

/* The same for a process without arguments. Return: NULL: no memory. */
static char *bracket_name(pid_t pid, size_t *bytes)
{
	FILE *file = open_proc(pid, "comm");
	char comm[64] = "", *name;
	int length;

	if (file && fgets(comm, sizeof(comm), file))
		comm[strcspn(comm, "\n")] = 0;
	if (file)
		fclose(file);
	if (*comm)
		length = asprintf(&name, "[%s]", comm);
	else
		length = asprintf(&name, "%d", pid);
	*bytes = (size_t)length + 1;
	return length < 0 ? NULL : name;
}

char **procfs_read_command(pid_t pid)
{
	size_t bytes, nr = 0, at;
	char *text = read_arguments(pid, &bytes);
	char **command;

	if (!text)
		text = bracket_name(pid, &bytes);
	command = text ? calloc(bytes + 1, sizeof(*command)) : NULL;
	if (!command) {
		free(text);
		return NULL;
	}
	/* if the last 0 is missing, the stream has added one */
	for (at = 0; at < bytes; at += strlen(&text[at]) + 1)
		command[nr++] = &text[at];
	return command;
}

void procfs_free_command(char **command)
{
	if (command)
		free(command[0]);
	free(command);
}
