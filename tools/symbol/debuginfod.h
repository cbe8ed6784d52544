/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Debug information from debuginfod servers, by build-id. elfutils fetches it from the servers
 * in DEBUGINFOD_URLS. The functions here allow or prevent that, limit the time, and print
 * progress and errors. They apply to the whole process, because elfutils reads the environment.
 */
#ifndef PROFIL_DEBUGINFOD_H
#define PROFIL_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>

#include <elfutils/libdwfl.h>

/*
 * Allow elfutils to fetch debug information. Must be called before the first symbols_new(). Sets
 * DEBUGINFOD_TIMEOUT and DEBUGINFOD_MAXTIME in this process's environment if they are not set.
 */
void debuginfod_allow(void);

/*
 * Prevent fetching unless it is allowed. Removes DEBUGINFOD_URLS from this process's environment,
 * unless debuginfod_allow() was called.
 */
void debuginfod_prepare(void);

/**
 * debuginfod_before_search - must be called before elfutils searches for debug information
 * @path: path of the object, for the progress line if standard error is a terminal
 */
void debuginfod_before_search(Dwfl *dwfl, const char *path);

/**
 * debuginfod_find - fetch the debug file with a build-id
 * @dwfl:  any session; debuginfod_before_search() was called for it
 * @name:  set to the path of the file in the cache, to be freed with free()
 *
 * Return: a descriptor; or -errno, which is -ENOSYS if nothing may be fetched.
 */
int debuginfod_find(Dwfl *dwfl, const unsigned char *id, size_t bytes, char **name);

/**
 * debuginfod_after_search - must be called after elfutils has searched
 * @found: return value of its callback: a descriptor, or negative
 *
 * At the first failure, a warning is printed, and nothing more is fetched: otherwise, each object
 * would wait for the same server until the time limit. A missing file is not a failure.
 */
void debuginfod_after_search(int found);

/*
 * Whether debug files may be fetched. Return: whether debuginfod_allow() was called, and the user
 * has named a server.
 */
bool debuginfod_is_used(void);

#endif /* PROFIL_DEBUGINFOD_H */
