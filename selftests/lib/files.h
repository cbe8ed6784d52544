/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files in which the kernel tells figures and takes settings, the module's own
 * among them.
 */
#ifndef SELFTESTS_FILES_H
#define SELFTESTS_FILES_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the administrator sets. */
#define PARAMETERS	"/sys/module/profil/parameters/"

/* The number behind a name at the start of a line. -1 if there is none. */
static inline long long number_in(const char *path, const char *name)
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

static inline int remove_one(const char *path, const struct stat *stat, int type,
			     struct FTW *place)
{
	(void)stat;
	(void)type;
	(void)place;
	return remove(path);
}

/* A directory and what is in it. */
static inline void remove_all(const char *dir)
{
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* 0 or errno. */
static inline int write_text(const char *path, const char *text)
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

/* Whether rates are lowered whose samples take more of a processor than is usual. */
static inline void set_guard(bool on)
{
	write_text(PARAMETERS "max_cpu_percent", on ? "5" : "100");
}

/*
 * A figure of the module, for all users and processes, which only root may read: also in
 * a test that plays a user for a while. -1 if there is none.
 */
static inline long long figure(const char *name)
{
	uid_t user = geteuid();
	bool raised = user && !seteuid(0);
	long long value;
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/misc/profil/%s", name);
	value = number_in(path, "");
	if (raised && seteuid(user))
		abort();
	return value;
}

/* The same, once nothing that ended before us still moves it. */
static inline long long settled_figure(const char *name)
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

/*
 * Wait, for 3 s at most, until it has a value: the worker ends what a process left when
 * it ended. Return: what it came to.
 */
static inline long long await_figure(const char *name, long long value)
{
	long long now = figure(name);
	int i;

	for (i = 0; i < 300 && now != value; i++) {
		usleep(10000);
		now = figure(name);
	}
	return now;
}

#endif /* SELFTESTS_FILES_H */
