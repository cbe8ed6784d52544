// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where this distribution has debug symbols: in which package, and on which server.
 *
 * The lists of dpkg are read here, as `dpkg -S' takes paths as patterns, and a path may be any
 * text.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/distribution.h"

/* Whether a list has a path, or one that is the same where /bin and /lib are links into /usr. */
static bool has_path(const char *records, const char *list, const char *path)
{
	const char *const other = !strncmp(path, "/usr/", strlen("/usr/")) ? path + strlen("/usr") : path;
	char *name, *line = NULL;
	bool found = false;
	size_t size = 0;
	ssize_t length;
	FILE *file;

	if (asprintf(&name, "%s/%s", records, list) < 0)
		return false;
	file = fopen(name, "re");
	free(name);
	if (!file)
		return false;
	while (!found && (length = getline(&line, &size, file)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = 0;
		found = !strcmp(line, path) || !strcmp(line, other);
	}
	free(line);
	fclose(file);
	return found;
}

/* @list: as "perl-base.list" or "libc6:amd64.list" */
static char *debug_package(const char *list)
{
	const size_t length = strcspn(list, ":");
	const char *end = strrchr(list, '.');
	const size_t name = list[length] ? length : (size_t)(end - list);
	char *package;

	/* the one that Debian does not make automatically, and all programs need */
	if (name == strlen("libc6") && !strncmp(list, "libc6", name))
		return strdup("libc6-dbg");
	return asprintf(&package, "%.*s-dbgsym", (int)name, list) < 0 ? NULL : package;
}

char *distribution_debug_package(const char *records, const char *path)
{
	DIR *folder = opendir(records);
	char *package = NULL;
	struct dirent *entry;

	if (!folder)
		return NULL;
	while (!package && (entry = readdir(folder))) {
		const char *end = strrchr(entry->d_name, '.');

		if (end && !strcmp(end, ".list") && has_path(records, entry->d_name, path))
			package = debug_package(entry->d_name);
	}
	closedir(folder);
	return package;
}

const char *distribution_debuginfod(const char *release)
{
	static const struct {
		const char *id, *url;
	} servers[] = {
		{ "debian", "https://debuginfod.debian.net" },
		{ "ubuntu", "https://debuginfod.ubuntu.com" },
		{ "fedora", "https://debuginfod.fedoraproject.org" },
		{ "arch", "https://debuginfod.archlinux.org" },
	};
	const char *url = "https://debuginfod.elfutils.org";	/* asks those of many distributions */
	FILE *file = fopen(release, "re");
	char line[128], id[32];
	size_t i;

	if (!file)
		return url;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "ID=%*[\"']%31[a-z]", id) != 1 && sscanf(line, "ID=%31[a-z]", id) != 1)
			continue;
		for (i = 0; i < sizeof(servers) / sizeof(servers[0]); i++)
			if (!strcmp(id, servers[i].id))
				url = servers[i].url;
	}
	fclose(file);
	return url;
}
