// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading /proc/PID/maps. A line is
 *
 *   55d0f7a10000-55d0f7a35000 r-xp 00002000 fe:01 1311  /usr/bin/perl
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/procfs.h"
#include "record/procmaps.h"

/* Parse a number and the character after it. Return: whether both are there. */
static bool read_number(char **text, int base, char after, uint64_t *number)
{
	char *end;

	*number = strtoull(*text, &end, base);
	if (end == *text || *end != after)
		return false;
	*text = end + 1;
	return true;
}

/* Parse any line. Return: whether it is valid; @executable: whether the memory is. */
static bool parse(char *line, struct procmaps_entry *entry, bool *executable)
{
	uint64_t major, minor;

	if (!read_number(&line, 16, '-', &entry->start) ||
	    !read_number(&line, 16, ' ', &entry->end) || strnlen(line, 5) < 5)
		return false;
	*executable = line[2] == 'x';
	line += 5;
	if (!read_number(&line, 16, ' ', &entry->offset) ||
	    !read_number(&line, 16, ':', &major) ||
	    !read_number(&line, 16, ' ', &minor))
		return false;
	entry->major = (uint32_t)major;
	entry->minor = (uint32_t)minor;
	entry->inode = strtoull(line, &line, 10);
	line[strcspn(line, "\n")] = 0;
	entry->path = line + strspn(line, " ");
	return entry->start < entry->end;
}

bool procmaps_parse(char *line, struct procmaps_entry *entry)
{
	bool executable;

	return parse(line, entry, &executable) && executable;
}

static FILE *open_maps(pid_t pid)
{
	char path[PROCFS_PATH];

	procfs_path(pid, "maps", path);
	return fopen(path, "re");
}

char *procmaps_copy(pid_t pid, int *error)
{
	char *line = NULL, *text = NULL;
	struct procmaps_entry entry;
	size_t room = 0, bytes;
	FILE *maps, *copy;

	maps = open_maps(pid);
	*error = errno == ENOENT ? -ESRCH : -errno;
	if (!maps)
		return NULL;
	copy = open_memstream(&text, &bytes);
	/* a process that ends meanwhile has no more lines */
	while (copy && getline(&line, &room, maps) > 0)
		if (procmaps_parse(line, &entry))
			fprintf(copy, "%s\n", line);
	free(line);
	fclose(maps);
	*error = -ESRCH;
	if (!copy || fclose(copy))
		*error = -ENOMEM;
	else if (bytes)
		return text;
	free(text);
	return NULL;
}

int procmaps_each(char *text, int (*add)(void *data, const struct procmaps_entry *entry),
		  void *data)
{
	struct procmaps_entry entry;
	int error = 0;
	char *line;

	while (!error && (line = strsep(&text, "\n")))
		if (procmaps_parse(line, &entry))
			error = add(data, &entry);
	return error;
}

int procmaps_read(pid_t pid, int (*add)(void *data, const struct procmaps_entry *entry),
		  void *data)
{
	int error = 0;
	char *text = procmaps_copy(pid, &error);

	if (text)
		error = procmaps_each(text, add, data);
	free(text);
	return error;
}

bool procmaps_has(pid_t pid, const struct file_key *key)
{
	struct procmaps_entry entry;
	bool executable, has = false;
	FILE *maps = open_maps(pid);
	char *line = NULL;
	size_t room = 0;

	while (maps && !has && getline(&line, &room, maps) > 0)
		has = parse(line, &entry, &executable) && entry.inode == key->inode &&
		      entry.major == key->major && entry.minor == key->minor;
	free(line);
	if (maps)
		fclose(maps);
	return has;
}
