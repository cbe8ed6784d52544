// SPDX-License-Identifier: GPL-2.0-only
/*
 * Debug information from debuginfod servers.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/debuginfod.h"
#include "util/base_name.h"
#include "util/failure.h"
#include "util/terminal.h"
#include "util/time_ns.h"
#include "util/working.h"

#define URLS	"DEBUGINFOD_URLS"

/*
 * In seconds. The defaults of elfutils are 90, no limit for the whole file, and two more tries after
 * a time-out.
 */
#define TIMEOUT	"5"	/* to receive 500 KB */
#define MAXTIME	"300"	/* to receive the whole file */
#define RETRIES	"0"

#define PATIENCE_NS	NS_PER_S	/* then a file or a pipe gets a line, too */

#define MB	1000000L

/* From elfutils/debuginfod.h, which is in a separate package */
typedef int progress_fn(debuginfod_client *client, long done, long all);
typedef void set_progress_fn(debuginfod_client *client, progress_fn *fn);
typedef int find_debuginfo_fn(debuginfod_client *client, const unsigned char *id, int bytes,
			      char **path);

static bool is_allowed;
static bool is_shown;		/* the progress line is on the terminal */
static const char *shown_path;
static uint64_t start_ns;	/* of the search */
static bool is_said;		/* that it takes long, where there is no terminal */

void debuginfod_allow(void)
{
	is_allowed = true;
	setenv("DEBUGINFOD_TIMEOUT", TIMEOUT, 0);
	setenv("DEBUGINFOD_MAXTIME", MAXTIME, 0);
	setenv("DEBUGINFOD_RETRY_LIMIT", RETRIES, 0);
}

void debuginfod_prepare(void)
{
	if (!is_allowed)
		unsetenv(URLS);
}

bool debuginfod_is_used(void)
{
	return is_allowed && getenv(URLS);
}

/* Print the progress line. Return: 0: continue. */
static int print_progress(debuginfod_client *client, long done, long all)
{
	(void)client;
	if (!isatty(STDERR_FILENO)) {
		if (!is_said && time_ns(CLOCK_MONOTONIC) - start_ns >= PATIENCE_NS) {
			failure_warnx("debuginfod: waiting for debug information of %s; --no-debuginfod fetches none",
				      base_name(shown_path));
			is_said = true;
		}
		return 0;
	}
	/* this line takes the place of that one */
	working_end();
	fputs("\rprofil: fetching debug information of ", stderr);
	terminal_print_name(stderr, base_name(shown_path));
	/* if the size is unknown, @done is the number of calls */
	if (all > 0)
		fprintf(stderr, ": %ld of %ld MB", done / MB, (all + MB - 1) / MB);
	fputs("\033[K", stderr);
	fflush(stderr);
	is_shown = true;
	return 0;
}

/* Find a function of libdebuginfod. elfutils has loaded it if it is installed. NULL: it is not. */
static void *find_function(const char *name)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_NOLOAD);
	void *function = NULL;

	if (library) {
		function = dlsym(library, name);
		/* elfutils still has a reference */
		dlclose(library);
	}
	return function;
}

void debuginfod_before_search(Dwfl *dwfl, const char *path)
{
	debuginfod_client *client;
	set_progress_fn *set = NULL;

	if (!getenv(URLS))
		return;
	client = dwfl_get_debuginfod_client(dwfl);
	if (client)
		*(void **)&set = find_function("debuginfod_set_progressfn");
	if (!set)
		return;
	shown_path = path;
	start_ns = time_ns(CLOCK_MONOTONIC);
	set(client, print_progress);
}

int debuginfod_find(Dwfl *dwfl, const unsigned char *id, size_t bytes, char **name)
{
	find_debuginfo_fn *find_debuginfo = NULL;
	debuginfod_client *client;

	if (!getenv(URLS))
		return -ENOSYS;
	client = dwfl_get_debuginfod_client(dwfl);
	if (client)
		*(void **)&find_debuginfo = find_function("debuginfod_find_debuginfo");
	return find_debuginfo ? find_debuginfo(client, id, (int)bytes, name) : -ENOSYS;
}

void debuginfod_after_search(int found)
{
	if (is_shown)
		fputs("\r\033[K", stderr);
	is_shown = false;
	/* -1: no such file; -ENOSYS: no servers; -EFBIG: larger than DEBUGINFOD_MAXSIZE */
	if (found >= -1 || found == -ENOENT || found == -ENOSYS || found == -EFBIG)
		return;
	unsetenv(URLS);
	failure_warnx("debuginfod: %s (%s): no more debug information will be fetched; check that the servers in " URLS " are reachable, or use --no-debuginfod",
		      strerror(-found), strerrorname_np(-found));
}
