// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the kernel's and the module's figures, and sets parameters.
 */
#include "files.h"

long long read_number(const char *path, const char *name)
{
	FILE *file = fopen(path, "re");
	long long number = -1;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)) &&
		    sscanf(line + strlen(name), "%lld", &number) == 1)
			break;
	if (file)
		fclose(file);
	return number;
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *place)
{
	(void)stat;
	(void)type;
	(void)place;
	return remove(path);
}

void remove_tree(const char *dir)
{
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int error = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		error = errno;
	close(fd);
	return error;
}

void set_throttle(bool on)
{
	write_text(PARAMETERS "max_cpu_percent", on ? "5" : "100");
}

void detach_hooks_early(bool on)
{
	write_text(PARAMETERS "max_hook_seconds", on ? "1" : "256");
}

bool hooks_are_gone(void)
{
	FILE *file = fopen("/sys/kernel/tracing/enabled_functions", "re");
	bool found = !file;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		found |= !strncmp(line, "update_process_times ", 21);
	if (file)
		fclose(file);
	return !found;
}

long long figure(const char *name)
{
	uid_t user = geteuid();
	bool raised = user && !seteuid(0);
	long long value;
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/misc/profil/%s", name);
	value = read_number(path, "");
	if (raised && seteuid(user))
		abort();
	return value;
}

long long settled_figure(const char *name)
{
	long long last, now = figure(name);
	int i;

	for (i = 0; i < 100; i++) {
		last = now;
		usleep(50000);
		now = figure(name);
		if (now == last)
			break;
	}
	return now;
}

long long await_figure(const char *name, long long value)
{
	long long now = figure(name);
	int i;

	for (i = 0; i < 300 && now != value; i++) {
		usleep(10000);
		now = figure(name);
	}
	return now;
}
