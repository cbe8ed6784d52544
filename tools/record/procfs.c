// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading /proc.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/procfs.h"

static FILE *open_proc(pid_t pid, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return fopen(path, "re");
}

bool procfs_read_stat(pid_t pid, struct procfs_stat *stat)
{
	FILE *file = open_proc(pid, "stat");
	char text[1024] = "", *name, *rest;

	if (!file)
		return false;
	/* the name may contain any character except 0, even newlines and brackets */
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	name = strchr(text, '(');
	rest = strrchr(text, ')');
	if (!name || !rest)
		return false;
	*rest = 0;
	snprintf(stat->comm, sizeof(stat->comm), "%s", name + 1);
	/* fields 3, 20, 22 and 28 */
	return sscanf(rest + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %u %*d %llu %*u %*d %*u %*u %*u %llu",
		      &stat->state, &stat->threads, &stat->birth, &stat->stack) == 4;
}

bool procfs_has_library(pid_t pid, const char *name)
{
	FILE *maps = open_proc(pid, "maps");
	bool found = false;
	char *line = NULL;
	size_t size = 0;

	while (maps && !found && getline(&line, &size, maps) > 0)
		found = strstr(line, name);
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

char *procfs_read_exe(pid_t pid)
{
	char link[64], path[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	length = readlink(link, path, sizeof(path) - 1);
	return length < 0 ? NULL : strndup(path, (size_t)length);
}

void procfs_list_add(struct procfs_list *list, pid_t pid)
{
	if (list->nr == list->room) {
		size_t room = list->room ? 2 * list->room : 64;
		pid_t *more = reallocarray(list->pids, room, sizeof(*more));

		if (!more)
			return;
		list->pids = more;
		list->room = room;
	}
	list->pids[list->nr++] = pid;
}

static void add_children_of_thread(struct procfs_list *list, pid_t pid, const char *thread)
{
	char name[64];
	FILE *children;
	int child;

	snprintf(name, sizeof(name), "task/%s/children", thread);
	children = open_proc(pid, name);
	while (children && fscanf(children, "%d", &child) == 1)
		procfs_list_add(list, child);
	if (children)
		fclose(children);
}

void procfs_list_add_children(struct procfs_list *list, pid_t pid, unsigned int threads)
{
	struct dirent *entry;
	char name[32];
	DIR *tasks;

	if (threads < 2) {
		snprintf(name, sizeof(name), "%d", pid);
		add_children_of_thread(list, pid, name);
		return;
	}
	snprintf(name, sizeof(name), "/proc/%d/task", pid);
	tasks = opendir(name);
	while (tasks && (entry = readdir(tasks)))
		if (entry->d_name[0] != '.')
			add_children_of_thread(list, pid, entry->d_name);
	if (tasks)
		closedir(tasks);
}
