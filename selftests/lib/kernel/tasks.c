// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the state of tasks from /proc.
 */
#include "kernel/tasks.h"

bool read_task_file(pid_t pid, const char *name, char *text, size_t bytes)
{
	char path[64];
	FILE *file;
	size_t got;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	file = fopen(path, "re");
	if (!file)
		return false;
	got = fread(text, 1, bytes - 1, file);
	text[got] = 0;
	fclose(file);
	return got > 0;
}

bool read_task(pid_t pid, struct task *task)
{
	char text[1024], *name, *end;

	if (!read_task_file(pid, "stat", text, sizeof(text)))
		return false;
	name = strchr(text, '(');
	end = strrchr(text, ')');
	if (!name || !end ||
	    sscanf(end + 2,
		   "%c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d",
		   &task->state, &task->nice, &task->cpu) != 3)
		return false;
	snprintf(task->name, sizeof(task->name), "%.*s", (int)(end - name - 1), name + 1);
	return read_task_file(pid, "schedstat", text, sizeof(text)) &&
	       sscanf(text, "%llu", &task->ns) == 1;
}

char task_state(pid_t pid)
{
	struct task task;

	return read_task(pid, &task) ? task.state : 0;
}

bool is_in_module(pid_t pid)
{
	char text[4096];

	return read_task_file(pid, "stack", text, sizeof(text)) && strstr(text, "[profil]");
}

unsigned long long each_kworker(look_at_task *look, void *data)
{
	DIR *proc = opendir("/proc");
	unsigned long long sum = 0;
	struct dirent *entry;
	struct task task;

	while (proc && (entry = readdir(proc))) {
		pid_t pid = atoi(entry->d_name);

		if (pid > 0 && read_task(pid, &task) && !strncmp(task.name, "kworker/", 8))
			sum += look(pid, &task, data);
	}
	if (proc)
		closedir(proc);
	return sum;
}

static unsigned long long is_stuck(pid_t pid, const struct task *task, void *data)
{
	(void)data;
	return task->state == 'D' && is_in_module(pid);
}

int stuck_kworkers(void)
{
	return (int)each_kworker(is_stuck, NULL);
}
