// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading /proc.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/procfs.h"

static FILE *open_proc(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return fopen(path, "re");
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

pid_t procfs_read_parent(pid_t pid)
{
	FILE *file = open_proc(pid, "stat");
	char text[512] = "", *rest;
	int parent = 0;

	if (!file)
		return 0;
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	/* the name before it may contain any character */
	rest = strrchr(text, ')');
	if (!rest || sscanf(rest + 1, " %*c %d", &parent) != 1)
		return 0;
	return parent;
}

bool procfs_read_exe(pid_t pid, char *path, size_t room)
{
	ssize_t length;
	char link[32];

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
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
	FILE *file = open_proc(pid, "cmdline"), *copy;
	char *text = NULL, part[4096];
	size_t length;

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
